"""How the agent proves itself to a backend: each scheme as it arrives there."""

import base64

import httpx
import pytest

from tests.tools.calls import USER_JWT, FakeTime, make_call
from tests.tools.recorder import Cut, problem, reply
from tools.client import BackendClient, Request, UnsafeValueError
from tools.credentials import Person, Together
from tools.openapi.security import ApiKey, Basic, Bearer, PasswordGrant, StaticHeaders, api_key

READ, CHANGE = Request("GET", "/things"), Request("POST", "/things", body={"name": "x"})


@pytest.fixture
def sent(address, recorder):
    """Send one request with these credentials; what arrived."""

    async def _sent(*parts, request=READ, answer=None):
        recorder.answers(answer or reply({}))
        client = BackendClient(address, credentials=Together(*parts))
        result = await client.send(request, make_call())
        await client.aclose()
        return recorder.seen[-1], result

    return _sent


async def test_a_bearer_token_beside_the_persons_own(sent):
    seen, _ = await sent(Bearer("service-secret"), Person("X-User"))
    assert (seen.headers["authorization"], seen.headers["x-user"]) == ("Bearer service-secret", USER_JWT)


async def test_the_persons_token_as_the_bearer(sent):
    seen, _ = await sent(Person("Authorization"))
    assert seen.headers["authorization"] == f"Bearer {USER_JWT}"


async def test_basic(sent):
    seen, _ = await sent(Basic("bot", "pässword"))
    assert base64.b64decode(seen.headers["authorization"].removeprefix("Basic ")).decode() == "bot:pässword"


async def test_a_key_in_each_place(sent):
    seen, _ = await sent(api_key("k&1", "header:X-Key"))
    assert seen.headers["x-key"] == "k&1"
    seen, _ = await sent(api_key("k&1", "query:key"), request=Request("GET", "/things", raw_query="a=1,2&b=%2C"))
    assert seen.query == "a=1,2&b=%2C&key=k%261"
    seen, _ = await sent(
        api_key("k1", "cookie:sid"), request=Request("GET", "/things", headers={"Cookie": "theme=dark"})
    )
    assert seen.headers["cookie"] == "theme=dark; sid=k1"


@pytest.mark.parametrize("place", ["header", "body:x", "query:", ""])
def test_a_key_without_a_place_is_refused(place):
    with pytest.raises(ValueError, match="SERVICE_KEY_PLACE"):
        api_key("k", place)


async def test_static_headers_and_what_they_cannot_do(sent):
    seen, _ = await sent(StaticHeaders({"X-Gateway": "g-1"}))
    assert seen.headers["x-gateway"] == "g-1"
    for headers in ({"Host": "evil.example"}, {"X-A": "a\r\nX-B: b"}):
        with pytest.raises(UnsafeValueError):
            await sent(StaticHeaders(headers))


async def test_a_tool_cannot_shadow_the_proof(sent):
    request = Request("GET", "/things", headers={"x-api-key": "stolen", "authorization": "Bearer other"})
    seen, _ = await sent(ApiKey("right"), Bearer("right"), request=request)
    assert (seen.headers["x-api-key"], seen.headers["authorization"]) == ("right", "Bearer right")


async def test_an_echo_carries_no_secret(sent):
    basic = base64.b64encode(b"bot:hunter2").decode()
    answer = reply({"echo": ["key-123456", "hunter2", basic, USER_JWT]})
    _, result = await sent(ApiKey("key-123456"), Basic("bot", "hunter2"), Person(), answer=answer)
    assert result.body == {"echo": ["[token]"] * 4}


@pytest.mark.parametrize(
    "kind", [Bearer("canary"), ApiKey("canary"), Basic("u", "canary"), StaticHeaders({"A": "canary"})]
)
async def test_no_secret_is_in_a_repr(kind):
    assert "canary" not in repr(kind)
    assert "canary" not in repr(await kind.proof(make_call()))


class Endpoint:
    """A token endpoint that answers from a script and remembers what it was asked."""

    def __init__(self, *answers):
        self.answers, self.asked = list(answers), []
        self.transport = httpx.MockTransport(self.answer)

    def answer(self, request):
        self.asked.append(dict(httpx.QueryParams(request.content.decode())))
        return self.answers.pop(0)


def token(name, **more):
    return httpx.Response(200, json={"access_token": name, "token_type": "bearer", **more})


async def test_a_password_grant_keeps_its_token_until_it_runs_out():
    endpoint, time = Endpoint(token("one", expires_in=300), token("two")), FakeTime()
    grant = PasswordGrant("https://id.example/token", "bot", "p&w", endpoint.transport, time.clock)
    headers = [(await grant.proof(make_call())).headers["Authorization"] for _ in range(2)]
    assert headers == ["Bearer one"] * 2
    time.now = 271
    assert (await grant.proof(make_call())).headers["Authorization"] == "Bearer two"
    assert endpoint.asked == [{"grant_type": "password", "username": "bot", "password": "p&w"}] * 2


async def test_a_refused_password_is_told_and_not_tried_again_at_once(address, recorder):
    endpoint, time = Endpoint(httpx.Response(401, json={})), FakeTime()
    grant = PasswordGrant("https://id.example/token", "bot", "wrong", endpoint.transport, time.clock)
    client = BackendClient(address, credentials=grant)
    answers = [await client.send(CHANGE, make_call()) for _ in range(3)]
    await client.aclose()
    assert {a.problem.code for a in answers} == {"service_sign_in"}
    assert not any(a.outcome_unknown for a in answers)
    assert (len(endpoint.asked), recorder.seen) == (1, [])


@pytest.fixture
async def careful(address, service, time):
    """A client of a backend that does not honour Idempotency-Key."""
    client = BackendClient(address, service, idempotent=False, clock=time.clock, sleep=time.sleep)
    yield client
    await client.aclose()


@pytest.mark.parametrize("broken", [Cut(), problem(500, "oops"), problem(502, "bad_gateway")])
async def test_a_change_that_may_have_run_is_never_repeated(careful, recorder, broken):
    recorder.answers(broken, reply({}))
    answer = await careful.send(CHANGE, make_call())
    assert (answer.outcome_unknown, len(recorder.seen)) == (True, 1)


async def test_a_change_that_surely_did_not_run_is_tried_again(careful, recorder, time):
    recorder.answers(problem(429, "slow_down"), reply({}, 201))
    answer = await careful.send(CHANGE, make_call())
    assert (answer.status, answer.outcome_unknown, len(recorder.seen)) == (201, False, 2)


async def test_a_read_is_tried_again_all_the_same(careful, recorder):
    recorder.answers(Cut(), reply({}))
    assert (await careful.send(READ, make_call())).ok
