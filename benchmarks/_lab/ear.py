"""What a client hears of one answer: how far behind each token is, and how many bytes came."""

import re
import time
from dataclasses import dataclass, field

STAMP = re.compile(rb"time-(\d{16})")
_LONGEST = 24


@dataclass(slots=True)
class Ear:
    """Finds the times that the model server wrote into its tokens, and when `mark` came; times are in microseconds.

    Only tokens that were sent after `newest` (at first: since it was asked) count, each once.
    """

    mark: bytes = b""
    asked: int = field(default_factory=lambda: now())
    first: int | None = None
    marked: int | None = None
    ended: int | None = None
    size: int = 0
    lags: list[int] = field(default_factory=list)
    error: str | None = None
    newest: int = field(default_factory=lambda: now())
    _rest: bytes = b""

    def hear(self, data: bytes) -> None:
        """Take what has just arrived."""
        arrived, heard = now(), self._rest + data
        if self.mark and not self.marked and self.mark in heard:
            self.marked = arrived
        for stamp in STAMP.findall(heard):
            if (sent := int(stamp)) > self.newest:
                self.newest = sent
                self.first = self.first or arrived
                self.lags.append(arrived - sent)
        self._rest = heard[-_LONGEST:]

    def end(self, error: str | None = None) -> None:
        """The answer is over, well or not."""
        self.ended = now()
        self.error = error


def now() -> int:
    """Microseconds since the epoch, by the clock that the model server also reads."""
    return time.time_ns() // 1000
