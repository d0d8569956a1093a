"""What a model server may do wrong, and what the person is told, for both APIs."""

import asyncio
import socket

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from pydantic import SecretStr

from agent.guards import Limits
from agent.model import Ask, ModelClient
from agent.models.errors import ModelError
from agent.models.provider import Provider
from agent.steps import ModelEnded, Notice, TokenText
from tests.agent.kit import SPECS
from tests.wire.conftest import client

SCHEMAS = [spec.json_schema() for spec in SPECS.values()]
PATIENT = Limits(backoff=0.01, first_token=30.0, between_tokens=30.0)


async def ask(model: ModelClient, told: list, **more) -> AIMessage:
    return await model.reply(Ask([HumanMessage("hello")], SCHEMAS, more.pop("lang", "en"), told.append, **more))


async def failure(model: ModelClient, told: list, **more) -> ModelError:
    with pytest.raises(ModelError) as error:
        await ask(model, told, **more)
    return error.value


async def test_a_passing_failure_is_asked_again(wire, model):
    told = []
    wire.push({"status": 500}, {"status": 503}, "Here.")
    assert (await ask(model, told)).text == "Here."
    assert [n.code for n in told if isinstance(n, Notice)] == ["model_retry", "model_retry"]


async def test_after_two_retries_the_failure_stands(wire, model):
    wire.push(*[{"status": 500}] * 4)
    error = await failure(model, [])
    assert (error.code, error.retry) == ("model_unreachable", True)
    assert len(wire.requests) == 3


async def test_a_server_that_is_not_there_is_unreachable(api):
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{nobody.getsockname()[1]}/v1"
        model = ModelClient(Provider("m", api, base_url=url).chat(), "m", PATIENT)
        assert (await failure(model, [])).code == "model_unreachable"
        await model.aclose()


@pytest.mark.parametrize(
    "headers",
    [
        {"retry-after": "7"},
        {"retry-after": "Mon, 30 Nov 2026 10:00:07 GMT", "date": "Mon, 30 Nov 2026 10:00:00 GMT"},
        {"retry-after": "Monday, 30-Nov-26 10:00:07 GMT", "date": "Mon Nov 30 10:00:00 2026"},
    ],
)
async def test_retry_after_is_waited_for(wire, api, headers):
    slept = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    model = ModelClient(Provider("m", api, base_url=wire.url).chat(), "m", PATIENT, sleep=sleep)
    wire.push({"status": 429, "headers": headers}, "Here.")
    assert (await ask(model, [])).text == "Here."
    assert slept == [7.0]
    await model.aclose()


@pytest.mark.parametrize(
    ("value", "pause"), [("soon", 0.01), ("", 0.01), ("-3", 0.0), ("Mon, 30 Nov 2020 10:00:07 GMT", 0.0)]
)
async def test_a_retry_after_that_says_nothing_or_is_over_does_not_hold_up(wire, api, value, pause):
    slept = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    model = ModelClient(Provider("m", api, base_url=wire.url).chat(), "m", PATIENT, sleep=sleep)
    wire.push({"status": 503, "headers": {"retry-after": value}}, "Here.")
    assert (await ask(model, [])).text == "Here."
    assert slept == [pause]
    await model.aclose()


async def test_a_long_retry_after_is_told_instead(wire, model):
    wire.push({"status": 429, "headers": {"retry-after": "31"}})
    error = await failure(model, [])
    assert (error.code, error.retry_after) == ("model_rate_limited", 31.0)
    assert len(wire.requests) == 1


@pytest.mark.parametrize(
    ("reply", "code", "retry"),
    [
        ({"status": 429, "error": {"code": "insufficient_quota"}}, "model_quota", True),
        ({"status": 401}, "model_config", False),
        ({"status": 404}, "model_config", False),
        ({"status": 400}, "model_bad_request", False),
        ({"status": 413}, "model_context", False),
        ({"status": 400, "error": {"code": "context_length_exceeded"}}, "model_context", False),
        (
            {"status": 400, "error": {"message": "the request exceeds the available context size"}},
            "model_context",
            False,
        ),
        ({"status": 400, "error": {"code": "content_filter"}}, "model_filtered", False),
        ({"text": "Well", "finish": "content_filter"}, "model_filtered", False),
        ({"refusal": "I will not do that."}, "model_refused", False),
        ({"text": "One two three", "drop_after": 2}, "model_unreachable", True),
        ({"text": "One two three", "cut_after": 2}, "model_interrupted", True),
        ({"text": "One two three", "error_after": 2}, "model_interrupted", True),
    ],
)
async def test_each_failure_has_its_kind_and_is_asked_once(wire, model, reply, code, retry):
    wire.push(reply)
    error = await failure(model, [])
    assert (error.code, error.retry) == (code, retry)
    assert len(wire.requests) == 1
    assert error.text("en") != error.text("ru")


async def test_a_refusal_is_told_in_the_models_words(wire, model):
    wire.push({"refusal": "I will not do that."})
    error = await failure(model, [], lang="ru")
    assert error.text("ru") == "Модель отказалась выполнять этот запрос. I will not do that."


async def test_what_was_heard_of_a_broken_stream_is_told_and_counted(wire, model):
    told = []
    wire.push({"text": "One two three", "drop_after": 2})
    await failure(model, told)
    assert "".join(t.text for t in told if isinstance(t, TokenText)) == "One two"
    (ended,) = [t for t in told if isinstance(t, ModelEnded)]
    assert ended.finish == "failed"
    assert ended.usage.estimated


async def test_an_empty_reply_is_asked_for_once_more(wire, model):
    wire.push({}, "Now.")
    assert (await ask(model, [])).text == "Now."
    wire.push({"text": "  "}, {"reasoning": "Hm."})
    assert (await failure(model, [])).code == "model_empty"


async def test_silence_before_the_first_token_ends_the_request(wire, api):
    async with client(wire, api, Limits(backoff=0.01, first_token=0.3, notice_after=0.05)) as model:
        await _warm(wire, model)
        told = []
        wire.push({"stall_after": 0}, {"stall_after": 0}, "never asked for")
        assert (await failure(model, told)).code == "model_timeout"
        assert [n.code for n in told if isinstance(n, Notice)].count("model_slow") == 2
        assert len(wire.requests) == 3


async def test_silence_between_tokens_ends_the_request_without_another(wire, api):
    async with client(wire, api, Limits(backoff=0.01, between_tokens=0.2)) as model:
        await _warm(wire, model)
        told = []
        wire.push({"text": "One two three", "stall_after": 2})
        error = await failure(model, told)
        assert (error.code, error.streamed) == ("model_timeout", True)
        assert "".join(t.text for t in told if isinstance(t, TokenText)) == "One two"
        assert len(wire.requests) == 2


async def test_a_request_ends_in_time_although_tokens_come(wire, api):
    async with client(wire, api, Limits(request=0.4)) as model:
        await _warm(wire, model)
        wire.push({"text": "word " * 1000, "rate": 50})
        assert (await failure(model, [])).code == "model_timeout"


async def test_the_end_of_the_run_ends_the_request(wire, model):
    wire.push({"text": "word " * 1000, "rate": 50})
    error = await failure(model, [], run_end=asyncio.get_running_loop().time() + 0.3)
    assert (error.code, error.retry) == ("run_timeout", True)


async def test_stop_ends_the_stream_at_once_and_closes_the_connection(wire, model):
    told, stop = [], asyncio.Event()

    def tell(step) -> None:
        told.append(step)
        if isinstance(step, TokenText):
            stop.set()

    wire.push({"text": "One two three four", "stall_after": 2})
    message = await model.reply(Ask([HumanMessage("hello")], SCHEMAS, "en", tell, stop=stop))
    assert message.response_metadata["finish"] == "canceled"
    assert message.text.startswith("One")
    assert told[-1].finish == "canceled"
    await _until(lambda: wire.left == 1)


async def test_stop_during_a_pause_between_tries_ends_it(wire, api):
    stop = asyncio.Event()

    async def sleep(seconds: float) -> None:
        stop.set()
        await asyncio.Event().wait()

    model = ModelClient(Provider("m", api, base_url=wire.url).chat(), "m", PATIENT, sleep=sleep)
    wire.push({"status": 500}, "never asked for")
    message = await ask(model, [], stop=stop)
    assert len(wire.requests) == 1
    assert (message.text, message.response_metadata["finish"]) == ("", "canceled")
    await model.aclose()


async def test_a_cancelled_request_leaves_no_connection_behind(wire, model):
    heard = asyncio.Event()

    def tell(step) -> None:
        if isinstance(step, TokenText):
            heard.set()

    wire.push({"text": "One two three four", "stall_after": 2})
    request = asyncio.create_task(model.reply(Ask([HumanMessage("hello")], SCHEMAS, "en", tell)))
    await heard.wait()
    request.cancel()
    with pytest.raises(asyncio.CancelledError):
        await request
    await _until(lambda: wire.left == 1)


async def test_what_the_provider_needs_is_sent(wire, model, api):
    wire.push("Hello.")
    await ask(model, [])
    body = wire.requests[0].body
    assert body["stream"] is True
    assert body["max_tokens" if api == "chat" else "max_output_tokens"] == 8192
    assert len(body["tools"]) == len(SCHEMAS)
    if api == "chat":
        assert body["stream_options"] == {"include_usage": True}


async def test_a_key_is_in_no_repr_and_no_error(wire, api):
    provider = Provider("m", api, api_key=SecretStr("sk-canary"), base_url=wire.url)
    model = ModelClient(provider.chat(), "m", PATIENT)
    wire.push({"status": 401})
    error = await failure(model, [])
    assert wire.requests[0].headers["authorization"] == "Bearer sk-canary"
    assert "canary" not in repr((provider, provider.chat(), error, error.__cause__))
    await model.aclose()


async def _warm(wire, model) -> None:
    """The first request of a process imports for half a second, which short deadlines would count."""
    wire.push("Warm.")
    await asyncio.gather(ask(model, []), return_exceptions=True)
    wire.script.clear()


async def _until(condition) -> None:
    async with asyncio.timeout(5):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.01)
