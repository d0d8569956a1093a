"""Updates follow at once after a quiet while, and on average at most 12 times a second."""

import asyncio
import time
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

from agent.draft import Draft
from agent.steps import TokenText
from agent.tail import BURST, PACE, Tails
from agent.transcript import Transcript
from store.messages import Content


async def never(content: Content) -> None:
    raise AssertionError("nothing is saved here")


async def times_of(seconds: float, every: float) -> list[float]:
    """When updates came, in seconds, while a word was said `every` so often."""
    draft, turn, pool = Draft(Transcript(), never), SimpleNamespace(id=uuid4()), SimpleNamespace()
    tails = Tails(pool, lambda _: draft)  # type: ignore[arg-type]
    began, seen = time.monotonic(), []

    async def talk() -> None:
        while True:
            draft.tell(TokenText("m", " word"))
            await asyncio.sleep(every)

    talking = asyncio.create_task(talk())
    frames: Any = tails.follow(None, turn)  # type: ignore[arg-type]
    try:
        async with asyncio.timeout(seconds):
            async for _ in frames:
                seen.append(time.monotonic() - began)
    except TimeoutError:
        pass
    finally:
        talking.cancel()
        await frames.aclose()
    return seen


async def test_after_a_quiet_while_a_few_updates_come_at_once_then_twelve_a_second():
    seen = await times_of(2.0, 0.001)
    assert len(seen) <= 2.0 / PACE + BURST + 1
    assert seen[BURST - 1] - seen[0] < PACE  # evenly spread they would take two paces
