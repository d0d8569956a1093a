"""What a native tool knows besides its arguments: the backend and on whose behalf it is called.

The toolset sets the variable around each call, so neither the client nor a token is ever an argument that a
model could name, nor part of the graph's state.
"""

from contextvars import ContextVar
from dataclasses import dataclass

from tools.client import Answer, BackendClient, Request
from tools.toolset import Call


@dataclass(frozen=True, slots=True)
class Context:
    """The surroundings of one tool call."""

    client: BackendClient
    call: Call


current: ContextVar[Context] = ContextVar("current")


async def send(request: Request) -> Answer:
    """Send a request for the current call; raises `LookupError` outside of one."""
    context = current.get()
    return await context.client.send(request, context.call)
