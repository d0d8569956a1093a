"""What a browser does over HTTP, without one: the same Gradio endpoint, from one user agent."""

import json
from collections.abc import AsyncIterator
from typing import Any

import httpx

FIELDS = ("message", "conversation_id", "action", "user_jwt", "turn_id", "decision")
Parts = list[dict[str, Any]]


class Tab:
    """One person at one place, which the proxy sends to one replica."""

    def __init__(self, url: str, agent: str, jwt: str):
        headers = {"User-Agent": agent, "X-User-JWT": jwt}
        self.http = httpx.AsyncClient(base_url=url, headers=headers, timeout=90, trust_env=False)

    async def updates(self, **fields: str) -> AsyncIterator[Parts]:
        """Every update of one submit; raises `httpx.HTTPError` if the server goes away, `ValueError` for a refusal."""
        data = {"data": [fields.get(name, "") for name in FIELDS]}
        joined = (await self.http.post("/gradio_api/call/chat", json=data)).raise_for_status()
        kind = ""
        async with self.http.stream("GET", f"/gradio_api/call/chat/{joined.json()['event_id']}") as told:
            async for text in told.aiter_lines():
                name, _, value = text.partition(": ")
                if name == "event":
                    kind = value
                elif name == "data" and kind == "error":
                    raise ValueError(value)
                elif name == "data" and kind in ("generating", "complete"):
                    yield json.loads(value)[0]

    async def last(self, **fields: str) -> Parts:
        """The last update of one submit."""
        return [parts async for parts in self.updates(**fields)][-1]
