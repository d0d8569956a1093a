"""What the tool tests share: a recording backend, a client for it, and one call's particulars."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from joserfc.jwk import ECKey

from tests.tools.recorder import Recorder, serving
from tools.client import BackendClient
from tools.identity import ServiceIdentity
from tools.toolset import Call

USER_JWT = "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhbm5hIn0.c2lnbmF0dXJl"
KEY = ECKey.generate_key("P-256")


@dataclass
class FakeTime:
    """A monotonic clock that only `sleep` moves."""

    now: float = 0.0
    slept: list[float] = field(default_factory=list)

    def clock(self) -> float:
        """Seconds."""
        return self.now

    async def sleep(self, seconds: float) -> None:
        """Move the clock."""
        self.slept.append(seconds)
        self.now += seconds


def make_call(**changes: Any) -> Call:
    """A call of one editor, with `changes`."""
    plain = {
        "user_jwt": USER_JWT,
        "tenant": "default",
        "subject": "anna",
        "role": "editor",
        "lang": "en",
        "conversation_id": "c1",
        "turn_id": "t1",
        "key": "m1:call_1",
        "idempotency_key": "tc-0123456789abcdef",
    }
    return Call(**(plain | changes))


@pytest.fixture
def time() -> FakeTime:
    """A clock of this test's own."""
    return FakeTime()


@pytest.fixture
def service() -> ServiceIdentity:
    """The agent's identity."""
    return ServiceIdentity(KEY)


@pytest.fixture
def recorder() -> Recorder:
    """A recorder, not yet served."""
    return Recorder()


@pytest.fixture
async def address(recorder: Recorder) -> AsyncIterator[str]:
    """The base URL of the served recorder, with a path prefix as real backends have."""
    async with serving(recorder.app()) as url:
        yield f"{url}/api/v1"


@pytest.fixture
async def client(address: str, service: ServiceIdentity, time: FakeTime) -> AsyncIterator[BackendClient]:
    """A client of the recorder whose waits take no time."""
    opened = BackendClient(address, service, clock=time.clock, sleep=time.sleep)
    yield opened
    await opened.aclose()
