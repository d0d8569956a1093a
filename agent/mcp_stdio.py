"""A transport for MCP servers that are programs, which holds no more of a line than an answer may be long."""

import asyncio
import os
import signal
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client.stdio import get_default_environment
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from agent.mcp_bounds import MAX_ANSWER, AnswerTooLarge

GRACE = 2.0
CHUNK = 65_536
Heard = SessionMessage | Exception
Streams = tuple[MemoryObjectReceiveStream[Heard], MemoryObjectSendStream[SessionMessage]]


@asynccontextmanager
async def bounded_stdio(command: Sequence[str]) -> AsyncIterator[Streams]:
    """Start the program, and speak JSON-RPC with it line by line; `AnswerTooLarge` breaks it off."""
    process = await asyncio.create_subprocess_exec(
        *command, stdin=PIPE, stdout=PIPE, limit=MAX_ANSWER, env=get_default_environment(), start_new_session=True
    )
    hear, heard = anyio.create_memory_object_stream[Heard](0)
    say, said = anyio.create_memory_object_stream[SessionMessage](0)
    try:
        async with hear, heard, say, said, anyio.create_task_group() as tasks:
            tasks.start_soon(_listen, process, hear)
            tasks.start_soon(_speak, process, said, hear)
            yield heard, say
            tasks.cancel_scope.cancel()
    finally:
        with anyio.CancelScope(shield=True):
            await _end(process)


async def _listen(process: Process, hear: MemoryObjectSendStream[Heard]) -> None:
    """Pass on every line, until there are no more."""
    assert process.stdout is not None
    async with hear:
        with suppress(anyio.BrokenResourceError):  # nobody listens any more
            while line := await _line(process, process.stdout):
                await hear.send(_message(line))


async def _line(process: Process, output: asyncio.StreamReader) -> bytes:
    try:
        return await output.readline()
    except ValueError:  # what the library makes of a line beyond its limit
        _signal(process, signal.SIGKILL)
        raise AnswerTooLarge(f"the answer is larger than {MAX_ANSWER // 1_000_000} MB") from None


def _message(line: bytes) -> Heard:
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError as error:
        return error


async def _speak(
    process: Process, said: MemoryObjectReceiveStream[SessionMessage], hear: MemoryObjectSendStream[Heard]
) -> None:
    """Write every message; a program that reads no more has ended the conversation."""
    assert process.stdin is not None
    try:
        async for message in said:
            process.stdin.write(message.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")
            await process.stdin.drain()
    except ConnectionError:
        await hear.aclose()


async def _end(process: Process) -> None:
    """Close its input, then ask it and all that it started to end, then make them."""
    assert process.stdin is not None
    process.stdin.close()
    for sent in (None, signal.SIGTERM, signal.SIGKILL):
        if sent is not None:
            _signal(process, sent)
        if await _gone(process):
            return


async def _gone(process: Process) -> bool:
    """Whether it ends soon; what it still says is thrown away, so that it can."""
    assert process.stdout is not None
    with anyio.move_on_after(GRACE):
        while await process.stdout.read(CHUNK):
            pass
        await process.wait()
        return True
    return False


def _signal(process: Process, sent: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, sent)
