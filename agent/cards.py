"""Approvals and questions as parts of a transcript: drawn once, redrawn when something became of them."""

from dataclasses import replace
from uuid import UUID

from agent.approvals import Approvals
from agent.transcript import Transcript
from store import approvals as approval_rows
from store import messages
from store import questions as question_rows
from store.approvals import Approval
from store.endings import Why
from store.messages import Content
from store.pool import Connection
from store.questions import Question

INTERRUPTED = ("Interrupted; the outcome is unknown.", "Прервано, исход неизвестен.")


def voided(rows: list[Approval], why: Why) -> list[Approval]:
    """Cards as they are once their turn has ended: what is open now is void then, for this reason."""
    open_ = ("pending", "approved")
    return [replace(row, state="superseded", reason=why) if row.state in open_ else row for row in rows]


def dropped(asked: list[Question]) -> list[Question]:
    """Questions as they are once their turn has ended."""
    return [replace(row, state="superseded") if row.state == "pending" else row for row in asked]


def draw_approval(transcript: Transcript, approvals: Approvals, row: Approval) -> None:
    """The card, or its receipt."""
    part = approvals.part(row).model_dump(mode="json")
    words = "\n".join(line for line in (row.card["title"], row.card.get("lead", "")) if line)
    transcript.confirm(call_id_of(row.call_key), row.tool, part, title=row.card["title"], text=words)


def draw_question(transcript: Transcript, row: Question) -> None:
    """The question, or its answer."""
    question = {
        "id": str(row.id),
        "question": row.question,
        "choices": row.choices,
        "free": row.free,
        "state": row.state,
        "answer": row.answer,
    }
    transcript.ask(call_id_of(row.call_key), question)


def redraw(transcript: Transcript, approvals: Approvals, rows: list[Approval], questions: list[Question]) -> bool:
    """Bring every card and question up to its row; says whether that changed anything."""
    shown = _states(transcript)
    before = transcript.version
    for row in rows:
        if shown.get(str(row.id)) != _told(row.state, row.result):
            draw_approval(transcript, approvals, row)
    for question in questions:
        if shown.get(str(question.id)) != _told(question.state, None):
            draw_question(transcript, question)
    return transcript.version != before


async def refresh(connection: Connection, approvals: Approvals, tenant: str, owner: str, turn_id: UUID) -> None:
    """Show in a stored message what became of its cards; where the turn is driven, its driver does that."""
    said = await messages.of_turn(connection, turn_id, "assistant")
    if said is None:
        return
    transcript = stored(said)
    rows = await approval_rows.of_turn(connection, turn_id)
    if redraw(transcript, approvals, rows, await question_rows.of_turn(connection, turn_id)):
        content = Content(transcript.parts(), transcript.text(), transcript.version)
        await messages.amend(connection, tenant, owner, turn_id, content, said.version)


def stored(said: messages.Message) -> Transcript:
    """The transcript of a stored message, to be gone on with."""
    transcript = Transcript(said.parts)
    transcript.version = max(transcript.version, said.version)
    return transcript


def _states(transcript: Transcript) -> dict[str, tuple[str, bool, bool]]:
    """What is shown of each card and question: its state, whether a result, whether undone."""
    shown = {}
    for part in transcript.parts():
        meta = part["metadata"]
        about = meta.get("approval") or meta.get("question")
        if about:
            shown[about["id"]] = _told(about["state"], about.get("result"))
    return shown


def _told(state: str, result: dict | None) -> tuple[str, bool, bool]:
    return state, result is not None, bool(result and result.get("undone"))


def call_id_of(call_key: str) -> str:
    """The provider's id of a call, from the key of its row: message id, call id, round."""
    return call_key.rpartition("#")[0].partition(":")[2] if "#" in call_key else call_key.partition(":")[2]
