"""What a client hears of one answer: how far behind each token is, and how many bytes came."""

import re
import time
from dataclasses import dataclass, field

STAMP = re.compile(rb"time-(\d{16})")
_LONGEST = 24


@dataclass(slots=True)
class Ear:
    """Finds the times that the model server wrote into its tokens; `asked` and the answers are in microseconds."""

    asked: int = field(default_factory=lambda: now())
    first: int | None = None
    ended: int | None = None
    bytes: int = 0
    lags: list[int] = field(default_factory=list)
    error: str | None = None
    _last: int = 0
    _rest: bytes = b""

    def hear(self, data: bytes) -> None:
        """Take what has just arrived; a token that was seen before counts once."""
        arrived = now()
        self.bytes += len(data)
        for stamp in STAMP.findall(self._rest + data):
            if (sent := int(stamp)) > self._last:
                self._last = sent
                self.first = self.first or arrived
                self.lags.append(arrived - sent)
        self._rest = data[-_LONGEST:] if len(data) >= _LONGEST else (self._rest + data)[-_LONGEST:]

    def end(self, error: str | None = None) -> None:
        """The answer is over, well or not."""
        self.ended = now()
        self.error = error


def now() -> int:
    """Microseconds since the epoch, by the clock that the model server also reads."""
    return time.time_ns() // 1000
