"""The end of a history that was broken off: every open call gets its answer, and the model's part an end."""

from collections.abc import Iterable, Mapping, Sequence

from langchain_core.messages import AIMessage, BaseMessage

from agent.calls import OpenCall, answer, open_calls
from agent.checks import ASKING, GATE
from agent.repair import LOST, STOPPED
from store.approvals import Approval
from tools.toolset import ToolResult

STOPPED_BY_PERSON = "Not run: the person stopped the answer before this call."
WENT_ON = "Not run: the person did not approve this and wrote a new message instead. Treat it as denied."


def settled(
    messages: Sequence[BaseMessage], not_run: str, outcomes: Mapping[str, ToolResult | None]
) -> list[BaseMessage]:
    """What to add so that the history is whole.

    Calls that wait for a person are answered with `not_run`, unless `outcomes` knows by call key what became of
    them; None there, and any other open call, means that nobody knows.
    """
    added: list[BaseMessage] = [_answer(call, not_run, outcomes) for call in open_calls(messages)]
    last = messages[-1]
    if added or not isinstance(last, AIMessage):
        added.append(AIMessage(STOPPED, response_metadata={"finish": "canceled"}))
    return added


def outcomes_of(rows: Iterable[Approval]) -> dict[str, ToolResult | None]:
    """What is known of approved calls that began to run, by call key."""
    began = [row for row in rows if row.consumed_at is not None]
    return {row.call_key.rpartition("#")[0]: _result(row) for row in began}


def _result(row: Approval) -> ToolResult | None:
    return ToolResult.model_validate(row.result) if row.result else None


def _answer(call: OpenCall, not_run: str, outcomes: Mapping[str, ToolResult | None]) -> BaseMessage:
    waited = call["route"] in (GATE, ASKING) and call["key"] not in outcomes
    result = outcomes.get(call["key"])
    text = result.text if result else not_run if waited else LOST
    return answer(call["key"], call["call_id"], call["name"], text, ok=bool(result and result.ok))
