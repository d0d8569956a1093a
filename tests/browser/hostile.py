"""Conversations in which every string that can come from outside is an attack."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from tests.ui.fake_turns import FakeConversation, FakeTurn
from tests.ui.house import House


def hostile_turn(conversation: FakeConversation, turn_id: str, evil: str, said: Sequence[str] = ()) -> FakeTurn:
    """A turn in which every string that can come from outside is an attack."""
    turn = FakeTurn(conversation, turn_id, evil, "waiting_approval")
    for attack in (evil, *said):
        turn.put("stream_token", attack)
    turn.put("tool_end", call_id="1", tool=evil, title=evil, summary=evil, args={evil: evil}, data={evil: evil})
    turn.put("tool_end", call_id="2", tool="x", title="x", data={"columns": [evil], "rows": [[evil]], "total": 1})
    files = {"columns": ["file_name", "size"], "rows": [[f"{evil}.pdf", evil]], "total": 1}
    turn.put("tool_end", call_id="6", tool="attach", title="attach", args={"file_name": evil}, data=files)
    turn.put("tool_error", call_id="3", tool="x", title=evil, error={"code": evil, "title": evil, "detail": evil})
    turn.put("notice", evil, code=evil)
    turn.put("error", evil, code=evil, retry=True, ref=evil)
    turn.put("stream_token", evil, reasoning=True)
    choices = [{"value": evil, "label": evil, "hint": evil}]
    question = {"id": f"q-{turn_id}", "question": evil, "choices": choices, "free": True}
    turn.put("ask_user", call_id="4", question={**question, "state": "pending", "answer": None})
    blocks = [
        {"type": "list", "items": [{"name": evil, "meta": evil}]},
        {"type": "facts", "items": [[evil, evil]]},
        {"type": "fields", "title": evil, "rows": [{"field": evil, "before": evil, "after": evil}]},
        {"type": "jsonpath", "doc": evil, "changes": [{"op": evil, "path": evil, "before": evil, "after": evil}]},
        {"type": "bulk", "total": 2, "counts": [{"label": evil, "n": 2}], "first": [evil], "names": [evil, evil]},
        {"type": evil, evil: evil},
    ]
    card = {"title": evil, "lead": evil, "approve": evil, "risk": "danger", "evidence": blocks, "reasons": [evil]}
    schema = {"type": "object", "properties": {evil: {"type": "string", "title": evil, "description": evil}}}
    approval = {
        "id": f"a-{turn_id}", "state": "pending", "version": 1, "tool": evil, "effect": "danger", "args": {evil: evil},
        "args_schema": schema, "card": card | {"type_to_sign": evil}, "card_sha256": "0" * 64,
        "expires_at": "2999-01-01T00:00:00+00:00",
    }  # fmt: skip
    turn.put("confirm_required", call_id="5", tool=evil, approval=approval)
    conversation.turns.append(turn)
    return turn


@contextmanager
def hostile(house: House, owner: str, *evil: str, said: Sequence[str] = ()) -> Iterator[FakeConversation]:
    """A conversation with one hostile turn for each of the strings, there while the test looks at it."""
    conversation = FakeConversation(owner, title=evil[0])
    for number, text in enumerate(evil):
        hostile_turn(conversation, f"{conversation.id}-{number}", text, said)
    house.turns.conversations_[conversation.id] = conversation
    try:
        yield conversation
    finally:
        del house.turns.conversations_[conversation.id]
