"""Log lines: one object each, with what an operator needs and without what nobody may read there."""

import io
import json
import logging

import pytest

from agent.logs import formatter
from agent.models.errors import BadRequest
from tests.agent.assembly import ANN, line

SECRETS = [
    "eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJhbm4ifQ.c2lnbmF0dXJl",
    "sk-proj-1234567890abcdef",
    "Bearer abcdefghijklmnop",
    "Basic dXNlcjpwYXNz",
    "postgresql://user:hunter2@db/countersign",
]


@pytest.fixture
def lines():
    """A logger of this test's own: `lines(style, words)` gives it and the lines that it wrote."""
    logger = logging.Logger("agent")
    stream = io.StringIO()

    def opened(style="json", words=False):
        handler = logging.StreamHandler(stream)
        handler.setFormatter(formatter(style, words=words))
        logger.handlers[:] = [handler]
        return logger, stream

    return opened


@pytest.mark.parametrize("style", ["json", "console"])
@pytest.mark.parametrize("secret", SECRETS)
def test_a_secret_is_in_no_line_wherever_it_hides(lines, style, secret):
    logger, stream = lines(style, words=True)
    hidden = secret.split("//")[-1].split("@")[0].removeprefix("Bearer ").removeprefix("Basic ")
    logger.warning("saw %s", secret, extra={"detail": [secret, {"deep": secret}], "user_jwt": "short"})
    try:
        raise ValueError(f"refused {secret}")
    except ValueError:
        logger.exception("failed")
    assert hidden not in stream.getvalue()
    assert "short" not in stream.getvalue()
    assert stream.getvalue().count("[redacted]") >= 4


def test_what_counts_tokens_is_no_secret(lines):
    logger, stream = lines()
    logger.info("agent.step", extra={"input_tokens": 7, "step_key": "ai_1", "call_key": "ai_1:c"})
    told = json.loads(stream.getvalue())
    assert (told["input_tokens"], told["step_key"], told["call_key"]) == (7, "ai_1", "ai_1:c")
    assert (told["event"], told["level"], told["logger"]) == ("agent.step", "info", "agent")


@pytest.mark.parametrize("style", ["json", "console"])
@pytest.mark.parametrize("words", [True, False])
def test_words_are_in_the_lines_only_where_they_are_wanted(lines, style, words):
    logger, stream = lines(style, words)
    logger.info("agent.tool", extra={"arguments": {"query": "canary"}, "summary": "canary", "detail": "canary"})
    try:
        try:
            raise KeyError("canary")
        except KeyError as inner:
            raise ValueError("canary too") from inner
    except ValueError:
        logger.exception("failed")
    assert ("canary" in stream.getvalue()) is words
    assert "ValueError" in stream.getvalue()
    assert "KeyError" in stream.getvalue()
    assert "test_logs.py" in stream.getvalue()


@pytest.fixture
def journal(lines):
    """What the product writes while a test runs, as objects."""
    ours, stream = lines()
    logging.getLogger("agent").addHandler(ours.handlers[0])
    logging.getLogger("agent").setLevel("INFO")
    yield lambda: [json.loads(told) for told in stream.getvalue().splitlines()]
    logging.getLogger("agent").removeHandler(ours.handlers[0])
    logging.getLogger("agent").setLevel("NOTSET")


async def test_a_turn_writes_a_line_a_step_and_a_call(house, journal):
    house.shelf.put("d-1")
    call = ("rename_thing", {"thing": "d-1", "name": "canary"})
    ref, _ = await house.tell("the canary sings", line("Wait, canary.", call), line("Done, canary."))
    steps = [told for told in journal() if told["event"] == "agent.step"]
    [tool] = [told for told in journal() if told["event"] == "agent.tool"]
    [end] = [told for told in journal() if told["event"] == "agent.turn"]
    assert [(s["step"], s["outcome"], s["input_tokens"], s["output_tokens"]) for s in steps] == [
        (1, "tool_calls", 10, 5),
        (2, "stop", 10, 5),
    ]
    assert all(s["conversation_id"] == ref.conversation_id and s["duration_ms"] >= 0 for s in steps)
    assert {"tool": "rename_thing", "tier": "keywords", "score": 1.0} in steps[0]["offered"]
    assert (tool["tool"], tool["effect"], tool["outcome"]) == ("rename_thing", "write", "ok")
    assert tool["duration_ms"] >= 0
    assert (end["outcome"], end["steps"]) == ("succeeded", 2)
    assert "canary" not in json.dumps(journal())
    assert ANN.user_jwt not in json.dumps(journal())


async def test_a_request_that_failed_says_which_way(house, journal):
    ref, _ = await house.tell("hello", line(fails=BadRequest("canary")))
    [step] = [told for told in journal() if told["event"] == "agent.step"]
    assert (step["outcome"], step["code"], step["level"]) == ("failed", "model_bad_request", "warning")
    assert "input_tokens" not in step
    [end] = [told for told in journal() if told["event"] == "agent.turn"]
    assert (end["outcome"], end["code"], len(end["ref"])) == ("failed", "model_bad_request", 8)
    assert await house.state(ref) == "failed"
    assert "canary" not in json.dumps(journal())
