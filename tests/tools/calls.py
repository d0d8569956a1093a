"""One call's particulars, a key and a clock for tool tests."""

from dataclasses import dataclass, field
from typing import Any

from joserfc.jwk import ECKey

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
