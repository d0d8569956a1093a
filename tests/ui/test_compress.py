"""The chat's stream is compressed for those who take it, and still arrives event by event."""

import asyncio
import gzip
import zlib
from collections.abc import AsyncIterator, Iterator

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, StreamingResponse
from starlette.routing import Route

from tests.browser.serve import Served, serve
from tests.ui.house import House
from tests.ui.test_tab_owners import ANNA, browser, join
from ui.compress import Compressed

EVENTS = [b'data: {"text": "one"}\n\n', b'data: {"text": "two"}\n\n']


async def stream(request: Request) -> StreamingResponse:
    async def events() -> AsyncIterator[bytes]:
        for event in EVENTS:
            yield event

    return StreamingResponse(events(), media_type="text/event-stream")


async def data(request: Request) -> JSONResponse:
    return JSONResponse({"words": "again " * 100})


APP = Compressed(
    Starlette(
        routes=[
            Route("/gradio_api/queue/data", stream),
            Route("/gradio_api/run/predict", data),
            Route("/ui/data", data),
        ]
    )
)


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with serve(House()) as running:
        yield running


async def sent(path: str, accept: str) -> tuple[dict[str, str], list[bytes]]:
    """Headers and pieces of body as the app hands them to the server."""
    messages = []
    scope = {
        "type": "http", "method": "GET", "path": path, "query_string": b"", "http_version": "1.1",
        "headers": [(b"accept-encoding", accept.encode())],
    }  # fmt: skip

    async def receive():
        await asyncio.Event().wait()  # the client stays

    async def send(message):
        messages.append(message)

    await APP(scope, receive, send)
    headers = {name.decode(): value.decode() for name, value in messages[0]["headers"]}
    return headers, [message["body"] for message in messages[1:]]


async def test_every_event_can_be_read_as_soon_as_it_is_sent():
    headers, pieces = await sent("/gradio_api/queue/data", "gzip, br")
    reader = zlib.decompressobj(31)
    assert headers["content-encoding"] == "gzip"
    assert [reader.decompress(piece) for piece in pieces[:2]] == EVENTS
    assert reader.decompress(pieces[-1]) == b""
    assert reader.eof


async def test_a_whole_answer_is_compressed_and_its_length_no_longer_told():
    headers, pieces = await sent("/gradio_api/run/predict", "gzip")
    assert "content-length" not in headers
    assert headers["vary"] == "Accept-Encoding"
    assert b"again again" in gzip.decompress(b"".join(pieces))
    assert sum(map(len, pieces)) < 120


@pytest.mark.parametrize(
    ("path", "accept"), [("/gradio_api/queue/data", "identity"), ("/gradio_api/queue/data", ""), ("/ui/data", "gzip")]
)
async def test_others_get_what_they_asked_for(path, accept):
    headers, _ = await sent(path, accept)
    assert "content-encoding" not in headers


async def test_the_page_streams_compressed_and_says_the_same(served):
    async with browser(served, "anna") as client:
        said = {}
        for accept in ("gzip", "identity"):
            session = f"s-{accept}"
            assert (await join(client, session)).status_code == 200
            got = await client.get(
                "/gradio_api/queue/data", params={"session_hash": session}, headers={"accept-encoding": accept}
            )
            assert got.headers.get("content-encoding", "identity") == accept
            said[accept] = [line.split('"event_id"')[0] for line in got.text.splitlines() if '"msg"' in line]
    assert said["gzip"][-1] == said["identity"][-1]
    assert "process_completed" in "".join(said["gzip"])


async def test_t57_no_credential_is_in_a_stream_that_is_compressed(served):
    async with browser(served, "anna") as client:
        assert (await join(client, "s-secret", "Say eyJ")).status_code == 200
        got = await client.get("/gradio_api/queue/data", params={"session_hash": "s-secret"})
        config = await client.get("/config")
        handles = [value for value in client.cookies.values() if len(value) > 20]
    assert got.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in config.headers
    assert handles
    assert not [secret for secret in (*handles, ANNA) if secret in got.text]


async def test_t57_another_site_cannot_make_a_browser_ask(served):
    async with browser(served, "anna") as client:
        assert (await join(client, "s-evil", origin="https://evil.example")).status_code == 403
