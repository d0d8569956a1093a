"""The backend client over real HTTP: identities, keys, retries, caps, and where a request can go."""

import asyncio
import gzip
import zlib
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx
import pytest
from fastapi import Response
from joserfc import jwt

from tests.tools.calls import KEY, USER_JWT, FakeTime, make_call
from tests.tools.recorder import Cut, Recorder, problem, reply
from tools.client import ANSWER_LIMIT, BackendClient, Request, UnsafeValueError
from tools.identity import ServiceIdentity, user_token_hash

READ = Request("GET", "/things/{thing_id}", {"thing_id": 7})
CHANGE = Request("POST", "/things", body={"name": "x"})


def in_seconds(seconds: float) -> Callable[[], str]:
    """A date so many seconds after it is asked for."""
    return lambda: format_datetime(datetime.now(UTC) + timedelta(seconds=seconds), usegmt=True)


async def test_both_identities_and_no_key_on_a_read(client: BackendClient, recorder: Recorder) -> None:
    recorder.answers(reply({"id": 7}, etag='"3"'))
    answer = await client.send(READ, make_call(if_match='"2"', lang="ru"))
    seen = recorder.seen[0]
    assert (answer.ok, answer.status, answer.body, answer.etag) == (True, 200, {"id": 7}, '"3"')
    assert seen.path == "/api/v1/things/7"
    assert seen.headers["x-user-jwt"] == USER_JWT
    assert seen.headers["authorization"].startswith("Bearer ey")
    assert seen.headers["accept-language"] == "ru"
    assert not {"idempotency-key", "if-match", "cookie"} & seen.headers.keys()


async def test_a_change_carries_key_revision_and_approval(client: BackendClient, recorder: Recorder) -> None:
    recorder.answers(reply({}, idempotency_replayed="true"))
    answer = await client.send(CHANGE, make_call(if_match='"2"', approval_id="a-1"))
    headers = recorder.seen[0].headers
    assert headers["idempotency-key"] == "tc-0123456789abcdef"
    assert headers["if-match"] == '"2"'
    assert headers["x-approval-id"] == "a-1"
    assert recorder.seen[0].json == {"name": "x"}
    assert answer.replayed


async def test_a_dry_run_is_a_read(client: BackendClient, recorder: Recorder) -> None:
    recorder.answers(problem(503, "down"))
    answer = await client.send(CHANGE.dry(), make_call(if_match='"2"'))
    assert [seen.query for seen in recorder.seen] == ["dry_run=true"] * 3
    assert not {"idempotency-key", "if-match"} & recorder.seen[0].headers.keys()
    assert not answer.outcome_unknown


async def test_a_read_is_tried_three_times(client: BackendClient, recorder: Recorder, time: FakeTime) -> None:
    recorder.answers(problem(502, "bad_gateway"), problem(502, "bad_gateway"), reply({"id": 7}))
    assert (await client.send(READ, make_call())).ok
    assert time.slept == [0.25, 0.5]
    recorder.answers(problem(502, "bad_gateway"))
    answer = await client.send(READ, make_call())
    assert (answer.status, answer.outcome_unknown, len(recorder.seen)) == (502, False, 6)


@pytest.mark.parametrize("status", [400, 403, 404, 405, 409, 412, 415, 422, 501])
async def test_a_refusal_is_not_repeated(client: BackendClient, recorder: Recorder, status: int) -> None:
    recorder.answers(problem(status, "no_way"))
    answer = await client.send(CHANGE, make_call())
    assert answer.problem is not None
    assert (answer.problem.status, answer.problem.code, len(recorder.seen)) == (status, "no_way", 1)
    assert not answer.outcome_unknown


async def test_a_change_is_repeated_with_the_same_key(
    client: BackendClient, recorder: Recorder, time: FakeTime
) -> None:
    in_flight = problem(409, "request_in_flight")
    in_flight.headers["Retry-After"] = "1"
    limited = problem(429, "slow_down")
    limited.headers["Retry-After"] = "7"
    recorder.answers(Cut(), problem(502, "bad_gateway"), in_flight, limited, reply({"id": 1}, 201))
    answer = await client.send(CHANGE, make_call())
    assert (answer.status, answer.outcome_unknown) == (201, False)
    assert {seen.headers["idempotency-key"] for seen in recorder.seen} == {"tc-0123456789abcdef"}
    assert time.slept == [0.25, 0.5, 1.0, 7.0]


@pytest.mark.parametrize(
    ("value", "least", "most"),
    [(in_seconds(9), 7.0, 9.0), (in_seconds(-60), 0.25, 0.25), ("soon", 0.25, 0.25), ("-1", 0.25, 0.25)],
    ids=["later", "past", "no date", "negative"],
)
async def test_a_date_in_retry_after_is_waited_for(
    client: BackendClient, recorder: Recorder, time: FakeTime, value: Callable[[], str] | str, least: float, most: float
) -> None:
    limited = problem(429, "slow_down")
    limited.headers["Retry-After"] = value if isinstance(value, str) else value()
    recorder.answers(limited, reply({"id": 1}, 201))
    assert (await client.send(CHANGE, make_call())).status == 201
    assert least <= time.slept[0] <= most


async def test_a_long_retry_after_is_capped(client: BackendClient, recorder: Recorder, time: FakeTime) -> None:
    limited = problem(429, "slow_down")
    limited.headers["Retry-After"] = "3600"
    recorder.answers(limited)
    answer = await client.send(CHANGE, make_call())
    assert time.slept == [30.0]
    assert answer.problem is not None
    assert answer.problem.retry_after == 3600
    assert not answer.outcome_unknown


async def test_the_outcome_is_unknown_after_the_budget(
    client: BackendClient, recorder: Recorder, time: FakeTime
) -> None:
    recorder.answers(Cut())
    answer = await client.send(CHANGE, make_call())
    assert answer.outcome_unknown
    assert 30 < time.now < 60
    assert answer.problem is not None
    assert answer.problem.code == "connection_lost"


@pytest.mark.parametrize(("status", "unknown"), [(401, True), (403, True), (404, False), (412, False), (422, False)])
async def test_only_the_ledger_settles_a_lost_answer(
    client: BackendClient, recorder: Recorder, status: int, unknown: bool
) -> None:
    recorder.answers(Cut(), problem(status, "whatever"))
    assert (await client.send(CHANGE, make_call())).outcome_unknown == unknown


async def test_nothing_ran_when_the_backend_was_never_reached(service: ServiceIdentity, time: FakeTime) -> None:
    async def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused", request=request)

    client = BackendClient(
        "http://backend.test", service, httpx.MockTransport(refuse), clock=time.clock, sleep=time.sleep
    )
    answer = await client.send(CHANGE, make_call())
    assert answer.problem is not None
    assert (answer.problem.code, answer.outcome_unknown) == ("unreachable", False)
    assert len(time.slept) > 3


async def test_401_asks_for_a_fresh_token_at_once(client: BackendClient, recorder: Recorder) -> None:
    recorder.answers(problem(401, "user_token_invalid"))
    answer = await client.send(CHANGE, make_call())
    assert answer.problem is not None
    assert (answer.problem.code, len(recorder.seen)) == ("auth", 1)


async def test_a_slow_backend_is_a_timeout(address: str, service: ServiceIdentity, recorder: Recorder) -> None:
    released = asyncio.Event()

    async def hang() -> Response:
        await released.wait()
        return reply({})

    recorder.answers(hang)
    client = BackendClient(address, service, timeout=0.05, retry_budget=0.2)
    answer = await client.send(CHANGE, make_call())
    released.set()
    await client.aclose()
    assert answer.problem is not None
    assert (answer.problem.code, answer.outcome_unknown) == ("timeout", True)


async def test_cancellation_passes_through(client: BackendClient, recorder: Recorder) -> None:
    arrived, released = asyncio.Event(), asyncio.Event()

    async def hang() -> Response:
        arrived.set()
        await released.wait()
        return reply({})

    recorder.answers(hang)
    sending = asyncio.create_task(client.send(CHANGE, make_call()))
    await arrived.wait()
    sending.cancel()
    with pytest.raises(asyncio.CancelledError):
        await sending
    released.set()


async def test_a_redirect_is_told_not_followed(client: BackendClient, recorder: Recorder) -> None:
    recorder.answers(Response(status_code=307, headers={"Location": "http://169.254.169.254/latest"}))
    answer = await client.send(READ, make_call())
    assert answer.problem is not None
    assert (answer.problem.code, len(recorder.seen)) == ("redirect", 1)


async def test_a_large_answer_is_cut(client: BackendClient, recorder: Recorder) -> None:
    recorder.answers(Response(b"x" * (3 * ANSWER_LIMIT), media_type="text/plain"))
    answer = await client.send(READ, make_call())
    assert (answer.truncated, len(answer.body)) == (True, ANSWER_LIMIT)


@pytest.mark.parametrize(("encoding", "squeeze"), [("gzip", gzip.compress), ("deflate", zlib.compress)])
async def test_a_compressed_bomb_unfolds_to_the_cap_only(
    client: BackendClient, recorder: Recorder, encoding: str, squeeze
) -> None:
    bomb = squeeze(b"\0" * 50_000_000)
    recorder.answers(Response(bomb, headers={"Content-Encoding": encoding}, media_type="text/plain"))
    answer = await client.send(READ, make_call())
    assert (answer.truncated, len(answer.body)) == (True, ANSWER_LIMIT)


async def test_a_small_compressed_answer_is_read(client: BackendClient, recorder: Recorder) -> None:
    packed = gzip.compress(b'{"a": [1, 2]}')
    recorder.answers(Response(packed, headers={"Content-Encoding": "gzip"}, media_type="application/json"))
    assert (await client.send(READ, make_call())).body == {"a": [1, 2]}


async def test_a_compression_that_was_not_offered_still_tells_the_status(
    client: BackendClient, recorder: Recorder
) -> None:
    recorder.answers(Response(b"\x0b\x02", 201, headers={"Content-Encoding": "br"}))
    answer = await client.send(CHANGE, make_call())
    assert (answer.ok, answer.truncated, len(recorder.seen)) == (True, True, 1)


@pytest.mark.parametrize("body", [b"\xff\xfe\x00", b"{broken", b"[" * 100_000, b"1" * 5_000, b'{"a": NaN}'])
async def test_an_unreadable_body_is_not_an_exception(client: BackendClient, recorder: Recorder, body: bytes) -> None:
    recorder.answers(Response(body, media_type="application/json"))
    answer = await client.send(READ, make_call())
    assert answer.ok
    assert answer.body in (body.decode("utf-8", "replace"), {"a": "NaN"})


async def test_validation_errors_are_short_and_structured(client: BackendClient, recorder: Recorder) -> None:
    errors = [{"type": "missing", "loc": ["body", "name"], "msg": "Field required", "input": "x" * 9_000}] * 50
    recorder.answers(reply({"detail": errors}, 422))
    answer = await client.send(CHANGE, make_call())
    assert answer.problem is not None
    assert answer.problem.code == "invalid"
    assert answer.problem.errors == [{"field": "body.name", "message": "Field required"}] * 10


async def test_an_html_error_page_does_not_reach_the_model(client: BackendClient, recorder: Recorder) -> None:
    recorder.answers(Response("<html><img src=//evil/x></html>", 404, media_type="text/html"))
    answer = await client.send(READ, make_call())
    assert answer.problem is not None
    assert (answer.problem.title, answer.problem.detail) == ("HTTP 404", "")


@pytest.mark.parametrize("value", ["a\r\nX-Evil: 1", "a\n", "", " padded ", "снег", "nul\0"])
async def test_a_hostile_header_value_is_refused_before_anything_is_sent(
    client: BackendClient, recorder: Recorder, value: str
) -> None:
    with pytest.raises(UnsafeValueError):
        await client.send(CHANGE, make_call(if_match=value))
    with pytest.raises(UnsafeValueError):
        await client.send(Request("GET", "/x", headers={"X-Trace": value}), make_call())
    assert recorder.seen == []


@pytest.mark.parametrize("url", ["ftp://backend", "backend:80", "http://", "http://a/b?c=d", "file:///etc/passwd"])
def test_the_address_must_be_plain_http(service: ServiceIdentity, url: str) -> None:
    with pytest.raises(ValueError, match="address"):
        BackendClient(url, service)


async def test_the_service_token_belongs_to_the_user_token(client: BackendClient, recorder: Recorder) -> None:
    recorder.answers(reply({}))
    await client.send(READ, make_call())
    token = recorder.seen[0].headers["authorization"].removeprefix("Bearer ")
    decoded = jwt.decode(token, KEY, algorithms=["ES256"])
    assert decoded.header["typ"] == "svc+jwt"
    assert decoded.claims["uth"] == user_token_hash(USER_JWT)
    assert decoded.claims["exp"] - decoded.claims["iat"] == 60
    assert (decoded.claims["iss"], decoded.claims["aud"]) == ("countersign", "workspace")


async def test_no_header_of_a_request_shadows_an_identity(client: BackendClient, recorder: Recorder) -> None:
    recorder.answers(reply({}))
    forged = {"authorization": "Bearer x.y.z", "X-USER-JWT": "x.y.z", "idempotency-key": "mine-mine", "IF-MATCH": "*"}
    await client.send(Request("POST", "/things", body={}, headers=forged), make_call(if_match='"2"'))
    headers = recorder.seen[0].headers
    assert headers["x-user-jwt"] == USER_JWT
    assert headers["authorization"] != "Bearer x.y.z"
    assert (headers["idempotency-key"], headers["if-match"]) == ("tc-0123456789abcdef", '"2"')


@pytest.mark.parametrize("name", ["Host", "Transfer-Encoding", "content-length", "Connection"])
async def test_no_header_of_a_request_steers_the_connection(
    client: BackendClient, recorder: Recorder, name: str
) -> None:
    with pytest.raises(UnsafeValueError, match="cannot be set"):
        await client.send(Request("GET", "/x", headers={name: "evil.test"}), make_call())
    assert recorder.seen == []


async def test_a_retry_carries_a_fresh_service_token(address: str, recorder: Recorder, time: FakeTime) -> None:
    service = ServiceIdentity(KEY, clock=time.clock)
    client = BackendClient(address, service, clock=time.clock, sleep=time.sleep)
    limited = problem(429, "slow_down")
    limited.headers["Retry-After"] = "30"
    recorder.answers(limited, reply({}))
    await client.send(CHANGE, make_call())
    await client.aclose()
    tokens = [seen.headers["authorization"].removeprefix("Bearer ") for seen in recorder.seen]
    assert [jwt.decode(token, KEY, algorithms=["ES256"]).claims["iat"] for token in tokens] == [0, 30]


async def test_a_backend_that_echoes_tokens_does_not_spread_them(client: BackendClient, recorder: Recorder) -> None:
    async def echo() -> Response:
        return reply({"headers": recorder.seen[-1].headers, "detail": f"bad token {USER_JWT}"}, 400)

    recorder.answers(echo)
    answer = await client.send(READ, make_call())
    service = recorder.seen[0].headers["authorization"].removeprefix("Bearer ")
    assert USER_JWT not in repr(answer)
    assert service not in repr(answer)
    assert answer.problem is not None
    assert answer.problem.detail == "bad token [token]"
