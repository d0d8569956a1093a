"""Named places where a test may kill or pause the process. Nothing happens in them outside of a test."""

import asyncio
import os
import signal
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Literal

POLL = 0.02

NAMES = {
    "K01": "the message and its turn are committed, the client has not been answered",
    "K02": "a turn was claimed",
    "K03": "before a model request",
    "K04": "a model answered, its message is not checkpointed",
    "K05": "before the approval row",
    "K06": "after the approval row",
    "K07": "the graph waits, the turn does not yet",
    "K08": "the turn waits",
    "K08b": "a decision is committed",
    "K09": "before the graph is resumed",
    "K10": "before a backend call",
    "K11": "after a backend call",
    "K12": "the result of a call is checkpointed",
    "K13": "before the end of a turn is written",
    "K14": "inside of the transaction that ends a turn",
    "K15": "after the end of a turn is written",
    "K16": "in the middle of a model stream",
    "K17": "while a draft is saved",
    "K18": "while dead turns are reaped",
    "K19": "a cancellation is committed",
    "S1": "after a checkpoint was written",
    "S2": "after writes of a task were written",
}


@dataclass(frozen=True, slots=True)
class Trap:
    """What happens at the `nth` time a point is reached; `once` is a file that disarms it for later processes."""

    name: str
    nth: int = 1
    action: Literal["kill", "pause"] = "kill"
    gate: Path | None = None
    once: Path | None = None


@dataclass
class Failpoints:
    """Inert unless it holds a trap. `hit` is for code without an event loop, `reach` for coroutines."""

    trap: Trap | None = None
    seen: Counter[str] = field(default_factory=Counter)
    _lock: Lock = field(default_factory=Lock, repr=False)

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> "Failpoints":
        """`FAILPOINT=K10:2` kills at the second K10, `FAILPOINT=K10:1:pause:/some/file` waits there for the file.

        Read only with `FAILPOINTS=test`. `FAILPOINT_ONCE` names a file that makes the trap work once for all
        processes. Raises `ValueError` for an unknown name.
        """
        spec = environ.get("FAILPOINT", "")
        if not spec or environ.get("FAILPOINTS") != "test":
            return cls()
        name, nth, action, gate, *_ = [*spec.split(":", 3), "", "", ""]
        if name not in NAMES or action not in ("", "kill", "pause"):
            raise ValueError(f"FAILPOINT={spec} is not one of {', '.join(NAMES)}")
        once = environ.get("FAILPOINT_ONCE")
        return cls(
            Trap(
                name,
                int(nth or 1),
                "pause" if action == "pause" else "kill",
                Path(gate) if gate else None,
                Path(once) if once else None,
            )
        )

    def hit(self, name: str) -> None:
        """Count the point; kill the process or block the thread here if the trap says so."""
        if gate := self._sprung(name):
            _wait(gate)

    async def reach(self, name: str) -> None:
        """Like `hit`, and waits without blocking the event loop."""
        if gate := self._sprung(name):
            await asyncio.to_thread(_wait, gate)

    def _sprung(self, name: str) -> Path | None:
        trap = self.trap
        if trap is None or trap.name != name or not self._due(trap):
            return None
        if trap.action == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if trap.gate:
            trap.gate.with_suffix(".reached").touch()
        return trap.gate

    def _due(self, trap: Trap) -> bool:
        with self._lock:
            self.seen[trap.name] += 1
            if self.seen[trap.name] != trap.nth:
                return False
        if trap.once is None:
            return True
        try:
            trap.once.touch(exist_ok=False)
        except FileExistsError:
            return False
        return True


def _wait(gate: Path) -> None:
    while not gate.exists():
        time.sleep(POLL)
