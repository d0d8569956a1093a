"""What people see of a turn: in order, once, with ids that stay, and never an unfinished answer as a final one."""

import pytest

from agent.events import Part
from agent.steps import ModelEnded, ModelStarted, Notice, Offered, Reasoning, TokenText, ToolEnded, ToolStarted, Usage
from agent.transcript import Transcript


def start(key):
    return ModelStarted(key, "m", 10)


def end(key, finish="stop", usage=Usage(10, 4, 2, 5)):  # noqa: B008
    return ModelEnded(key, "m", usage, finish, 0.5)


TOOL = {"call_id": "c1", "tool": "find", "effect": "read", "args": {"q": "x"}, "title": "Find"}
RAN = {"ok": True, "summary": "2 found", "data": {"rows": []}, "duration": 0.1}


def fold(*steps, onto=None):
    transcript = onto or Transcript()
    for step in steps:
        transcript.fold(step)
    return transcript


def kinds(transcript):
    return [part["metadata"]["type"] for part in transcript.parts()]


def whole_turn():
    return fold(
        Offered([{"tool": "find", "tier": "keywords", "score": 1.0, "words": ["x"]}]),
        start("a"),
        Reasoning("a", "Hm."),
        TokenText("a", "Let me "),
        TokenText("a", "look."),
        end("a", "tool_calls"),
        ToolStarted("a:c1", **TOOL),
        ToolEnded("a:c1", **TOOL, **RAN),
        start("b"),
        TokenText("b", "Two."),
        end("b"),
    )


def test_a_turn_is_told_in_order():
    transcript = whole_turn()
    assert kinds(transcript) == ["stream_token", "stream_token", "tool_end", "stream_token", "usage"]
    assert [p["content"] for p in transcript.parts()] == ["Hm.", "Let me look.", "2 found", "Two.", ""]
    assert transcript.text() == "Let me look.\n\nTwo."
    assert all(p["metadata"]["status"] == "done" for p in transcript.parts())


def test_every_part_is_one_of_the_protocol():
    transcript = whole_turn()
    transcript.notice("router", "Keywords only.")
    transcript.ask("c2", {"id": "q1", "question": "Which?", "choices": [], "free": True, "state": "pending"})
    transcript.error("model_failed", "The model failed.", retry=True, ref="r1")
    for part in transcript.parts():
        Part.model_validate(part)


def test_usage_is_the_sum_and_comes_last():
    transcript = whole_turn()
    meta = transcript.parts()[-1]["metadata"]
    assert (meta["input"], meta["cached"], meta["reasoning"], meta["output"]) == (20, 8, 4, 10)
    fold(start("c"), TokenText("c", "More."), onto=transcript)
    assert kinds(transcript)[-2:] == ["stream_token", "usage"]


def test_cost_is_that_of_the_whole_turn():
    transcript = Transcript(price=lambda usage: usage.input / 10)
    fold(start("a"), end("a"), start("b"), end("b"), onto=transcript)
    assert transcript.parts()[-1]["metadata"]["cost"] == 2.0


def test_ids_stay_and_seq_grows_with_each_change():
    transcript = fold(start("a"), TokenText("a", "One"))
    (before,) = transcript.parts()
    fold(TokenText("a", " two"), onto=transcript)
    (after,) = transcript.parts()
    assert before["metadata"]["id"] == after["metadata"]["id"]
    assert before["metadata"]["seq"] < after["metadata"]["seq"] == transcript.version
    assert before["content"] == "One"


def test_words_of_a_running_request_are_pending():
    transcript = fold(start("a"), TokenText("a", "Half an"))
    assert transcript.unfinished()
    assert transcript.parts()[0]["metadata"]["status"] == "pending"


def test_after_a_restart_text_appears_once():
    stored = fold(start("a"), Reasoning("a", "Hm"), TokenText("a", "Half an")).parts()
    transcript = Transcript.from_parts(stored)
    fold(start("b"), TokenText("b", "Half an answer."), end("b"), onto=transcript)
    assert transcript.text() == "Half an answer."
    assert kinds(transcript) == ["stream_token", "usage"]
    assert transcript.version > max(p["metadata"]["seq"] for p in stored)


def test_a_call_that_runs_again_after_a_restart_stays_one_part():
    transcript = Transcript.from_parts(fold(start("a"), end("a"), ToolStarted("a:c1", **TOOL)).parts())
    fold(ToolStarted("a:c1", **TOOL), ToolEnded("a:c1", **TOOL, **RAN), onto=transcript)
    assert kinds(transcript) == ["tool_end", "usage"]


def test_a_failed_request_leaves_its_words_pending_until_the_turn_closes():
    transcript = fold(start("a"), TokenText("a", "Half an"), end("a", "failed"))
    assert transcript.unfinished()
    transcript.error("model_interrupted", "The connection broke.", retry=True)
    transcript.close()
    assert not transcript.unfinished()
    assert kinds(transcript) == ["stream_token", "error", "usage"]
    transcript.reopen()
    assert "error" not in kinds(transcript)


def test_a_call_whose_outcome_nobody_knows_is_closed_as_an_error():
    transcript = fold(start("a"), end("a"), ToolStarted("a:c1", **TOOL))
    transcript.close("The outcome is unknown.")
    meta = transcript.parts()[0]["metadata"]
    assert (meta["type"], meta["status"], meta["error"]["title"]) == ("tool_error", "done", "The outcome is unknown.")


@pytest.mark.parametrize("code", ["model_slow", "model_retry"])
def test_passing_notices_go_when_the_model_speaks(code):
    transcript = fold(start("a"), Notice(code, "Still waiting."), Notice(code, "Still waiting."))
    assert kinds(transcript) == ["notice"]
    fold(TokenText("a", "Here."), onto=transcript)
    assert kinds(transcript) == ["stream_token"]


def test_a_card_is_resolved_in_its_place():
    approval = {"id": "p1", "state": "pending", "tool": "delete", "effect": "danger", "args": {}, "card": {}}
    approval |= {"card_sha256": "ff", "expires_at": "2026-12-01T00:00:00Z"}
    transcript = fold(start("a"), end("a"))
    transcript.confirm("c1", "delete", approval, title="Delete 1?")
    fold(start("b"), TokenText("b", "Done."), end("b"), onto=transcript)
    transcript.close()
    assert transcript.parts()[0]["metadata"]["status"] == "pending"
    transcript.confirm("c1", "delete", {**approval, "state": "consumed"}, title="Delete 1?")
    assert kinds(transcript) == ["confirm_resolved", "stream_token", "usage"]
    Part.model_validate(transcript.parts()[0])


def test_a_question_is_answered_in_its_place():
    question = {"id": "q1", "question": "Which?", "choices": [], "free": True, "state": "pending"}
    transcript = Transcript()
    transcript.ask("c1", question)
    transcript.ask("c1", {**question, "state": "answered", "answer": "this"})
    (part,) = transcript.parts()
    assert (part["metadata"]["status"], part["metadata"]["question"]["answer"]) == ("done", "this")


def test_why_a_tool_was_offered_goes_with_the_first_call():
    transcript = whole_turn()
    fold(ToolStarted("a:c2", **{**TOOL, "call_id": "c2"}), onto=transcript)
    offered = [p["metadata"].get("offered") for p in transcript.parts() if p["metadata"].get("tool")]
    assert [bool(o) for o in offered] == [True, False]


def test_why_a_tool_was_offered_stays_with_the_request_that_came_first():
    reasons = [{"tool": "delete", "tier": "keywords", "score": 1.0, "words": ["delete"]}]
    transcript = fold(Offered(reasons))
    approval = {"id": "a1", "state": "pending"}
    transcript.confirm("c1", "delete", approval, title="Delete 1?")
    fold(ToolStarted("a:c1", **{**TOOL, "tool": "delete"}), onto=transcript)
    transcript.confirm("c1", "delete", {**approval, "state": "consumed"}, title="Delete 1?")
    assert [part["metadata"].get("offered") for part in transcript.parts()] == [reasons, None]


def test_large_arguments_and_data_are_cut_to_what_a_card_shows():
    data = {"rows": [[n, "x" * 9_000] for n in range(500)], "total": 500}
    transcript = fold(ToolEnded("a:c1", **TOOL, **{**RAN, "data": data}))
    shown = transcript.parts()[0]["metadata"]["data"]
    assert (len(shown["rows"]), shown["total"]) == (50, 500)
    assert len(shown["rows"][0][1]) < 2_100


def views(transcript, *steps):
    """What is in view after each of these steps."""
    return [fold(step, onto=transcript).text() for step in steps]


def broken_off(*steps):
    """What another worker finds of an answer that was broken off."""
    return Transcript.from_parts(fold(start("a"), *steps).parts())


def test_words_stay_in_view_until_a_new_request_has_said_as_much():
    transcript = broken_off(TokenText("a", "One two"))
    steps = [start("b"), TokenText("b", "One"), TokenText("b", " tw"), TokenText("b", "o"), TokenText("b", " three")]
    assert views(transcript, *steps, end("b")) == ["One two"] * 4 + ["One two three"] * 2
    assert [part["metadata"]["id"] for part in transcript.parts()] == ["b.t0", "usage"]


def test_fewer_words_take_the_place_when_their_request_ends():
    transcript = broken_off(TokenText("a", "One two"))
    assert views(transcript, start("b"), TokenText("b", "No."), end("b")) == ["One two", "One two", "No."]


def test_words_behind_those_in_view_change_nothing_that_is_told():
    transcript = broken_off(TokenText("a", "One two"))
    before = transcript.parts()
    fold(start("b"), Reasoning("b", "Hm"), TokenText("b", "One"), onto=transcript)
    assert (transcript.parts(), transcript.version) == (before, before[0]["metadata"]["seq"])
    fold(TokenText("b", " twenty"), onto=transcript)
    seqs = [part["metadata"]["seq"] for part in transcript.parts()]
    assert len(set(seqs)) == 2
    assert min(seqs) > before[0]["metadata"]["seq"]


@pytest.mark.parametrize("finish", ["canceled", "failed"])
def test_a_request_that_is_broken_off_sooner_leaves_the_longer_words(finish):
    transcript = broken_off(TokenText("a", "One two"))
    fold(start("b"), TokenText("b", "No."), end("b", finish), onto=transcript)
    assert transcript.text() == "One two"
    assert transcript.unfinished() == (finish == "failed")


def test_a_request_that_is_broken_off_later_leaves_its_own_words():
    transcript = broken_off(TokenText("a", "One"))
    fold(start("b"), TokenText("b", "No. Nothing"), end("b", "canceled"), onto=transcript)
    assert transcript.text() == "No. Nothing"


def test_a_call_without_words_ends_those_of_the_request_before():
    transcript = broken_off(TokenText("a", "One two"))
    fold(start("b"), end("b", "tool_calls"), ToolStarted("b:c1", **TOOL), onto=transcript)
    assert kinds(transcript) == ["tool_start", "usage"]


def test_thoughts_stay_until_as_much_is_thought_or_something_is_said():
    def thoughts(transcript, *steps):
        return [[p["content"] for p in fold(step, onto=transcript).parts()] for step in steps]

    transcript = broken_off(Reasoning("a", "Let me see"))
    assert thoughts(transcript, start("b"), Reasoning("b", "Let"), TokenText("b", "I")) == [
        ["Let me see"],
        ["Let me see"],
        ["Let", "I"],
    ]
    transcript = broken_off(Reasoning("a", "Let"), TokenText("a", "One two"))
    assert thoughts(transcript, start("b"), Reasoning("b", "Let me see"), TokenText("b", "One"), end("b"))[-2:] == [
        ["Let", "One two"],
        ["Let me see", "One", ""],
    ]


def test_a_message_of_the_checkpoint_takes_the_place_of_words_that_were_asked_for_before_it():
    transcript = broken_off(TokenText("a", "One two"))
    transcript.settle({"b"})
    transcript.recall("b", "Three.", "stop")
    assert [(p["metadata"]["id"], p["metadata"]["status"]) for p in transcript.parts()] == [("b.t0", "done")]


def test_a_stopped_message_of_the_checkpoint_leaves_the_longer_words():
    transcript = broken_off(TokenText("a", "One two"))
    transcript.settle({"b"})
    transcript.recall("b", "", "canceled")
    assert (transcript.text(), transcript.unfinished()) == ("One two", False)


def test_the_rest_of_a_message_of_the_checkpoint_comes_back_with_its_thoughts():
    transcript = broken_off(Reasoning("a", "Hm"), TokenText("a", "One"))
    transcript.settle({"a"})
    transcript.recall("a", "One two", "stop")
    assert [p["content"] for p in transcript.parts()] == ["Hm", "One two"]
    assert not transcript.unfinished()


def test_words_of_a_message_that_the_checkpoint_does_not_hold_are_no_answer():
    transcript = whole_turn()
    before = transcript.parts()
    transcript.settle({"a"})
    assert [p["metadata"]["status"] for p in transcript.parts()] == ["done", "done", "done", "pending", "done"]
    fold(start("c"), TokenText("c", "Two, I think."), onto=transcript)
    assert transcript.parts()[:3] == before[:3]
    assert transcript.text() == "Let me look.\n\nTwo, I think."


def test_an_outcome_that_nobody_knew_may_still_be_told():
    transcript = fold(start("a"), end("a"), ToolStarted("a:c1", **TOOL))
    transcript.close("The outcome is unknown.")
    assert not transcript.known("a:c1")
    fold(ToolEnded("a:c1", **TOOL, **RAN), onto=transcript)
    assert transcript.known("a:c1")
