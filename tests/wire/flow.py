"""How a reply flows: its tokens in time, and the ways in which a stream breaks."""

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any

from tests.wire.script import Reply


class BrokenConnectionError(Exception):
    """Raised into the server so that it closes the socket in the middle of the body."""


@dataclass(frozen=True, slots=True)
class Stream:
    """The bytes of a streamed reply: what comes first, one entry a token, what ends it, and an error event."""

    opening: bytes
    tokens: list[bytes]
    ending: bytes
    failure: bytes
    usage: dict[str, int] | None


async def flow(reply: Reply, stream: Stream) -> AsyncIterator[bytes]:
    """The bytes of the stream at the reply's rate, up to the place where it is told to break."""
    yield stream.opening
    start = time.monotonic()
    for sent, token in enumerate(stream.tokens):
        if reply.rate:
            await asyncio.sleep(max(0.0, start + (sent + 1) / reply.rate - time.monotonic()))
        if sent == reply.error_after:
            yield stream.failure
        if sent in (reply.cut_after, reply.error_after):
            return
        await _break(reply, sent)
        yield token
    await _break(reply, len(stream.tokens))
    if reply.cut_after is None or reply.cut_after < len(stream.tokens):
        yield stream.ending


async def _break(reply: Reply, sent: int) -> None:
    if sent == reply.drop_after:
        await asyncio.sleep(0.01)  # what was sent so far leaves the socket before it closes
        raise BrokenConnectionError
    if sent == reply.stall_after:
        await asyncio.Event().wait()


def words(text: str) -> list[str]:
    """The text in pieces of one word."""
    return re.findall(r"\s*\S+|\s+", text)


def argument_pieces(raw: str) -> list[str]:
    """Argument text in pieces of eight characters, as models stream it."""
    return [raw[i : i + 8] for i in range(0, len(raw), 8)]


def usage_of(reply: Reply, body: Mapping[str, Any]) -> dict[str, int] | None:
    """The numbers that the reply reports: as scripted, else a plausible count, else none."""
    if reply.usage is False:
        return None
    sent = len(json.dumps(body.get("messages") or body.get("input"), ensure_ascii=False)) // 4
    thought = len(words(reply.reasoning))
    said = len(reply.pieces()) + sum(1 + len(argument_pieces(call.raw)) for call in reply.calls)
    numbers = {"input": sent, "cached": 0, "output": said + thought, "reasoning": thought}
    return {**numbers, **(reply.usage if isinstance(reply.usage, Mapping) else {})}
