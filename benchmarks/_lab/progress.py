"""What is being measured, told on standard error, and an end to whatever takes too long."""

import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

AGAIN = 30.0


class TooLong(Exception):  # noqa: N818
    """A measure did not end in its time."""


def say(what: str) -> None:
    """One line, with the time of day."""
    print(f"{time.strftime('%H:%M:%S')} {what}", file=sys.stderr, flush=True)


@contextmanager
def bounded(seconds: float) -> Iterator[None]:
    """Raises `TooLong` in what takes longer, and again later should that be swallowed; for the main thread alone."""

    def ring(number: int, frame: object) -> None:
        raise TooLong(f"not done in {seconds:.0f} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
