"""Where a request can go: whatever a model puts into arguments, under the backend's address and to one operation."""

from contextlib import suppress
from urllib.parse import unquote

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tools.calls import KEY, make_call
from tools.catalogue import WORKSPACE, workspace_toolset
from tools.client import BackendClient, Request, UnsafeValueError, path_segment
from tools.identity import ServiceIdentity
from tools.toolset import ArgumentError

BASE = "http://backend.test:8080/api/v1"
HOSTILE = st.text(max_size=60) | st.sampled_from(
    [
        *(".", "..", "...", "../admin", "..%2fadmin", "%2e%2e", "a/b", "a\\b", "7/restore", "7?x=1", "7#x", "7;x"),
        *("//evil", "http://evil.test/", "@evil.test", "\r\nHost: evil.test", "\0", "%00", "‥", "．．／", "7%2Fadmin"),
    ]
)
# Loopback, private, link-local, carrier, multicast, documentation and metadata addresses in all their spellings.
ADDRESSES = (
    "127.0.0.1 10.1.1.1 169.254.169.254 100.64.0.1 0.0.0.0 [::1] [::ffff:127.0.0.1] [::ffff:169.254.169.254] "
    "[64:ff9b::7f00:1] [64:ff9b::a9fe:a9fe] [2002:7f00:1::] [fd00::1] [fe80::1] 224.0.0.1 192.0.2.1 198.18.0.1 "
    "192.88.99.1 255.255.255.255 [::] 168.63.129.16 [fec0::1] [2001::1] 100.100.100.200 2130706433"
).split()


def recording() -> tuple[BackendClient, list[httpx.Request]]:
    """A client whose requests end up in a list."""
    seen: list[httpx.Request] = []

    async def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        body = httpx.ByteStream(b'{"items": [], "total": 0}')
        return httpx.Response(200, headers={"Content-Type": "application/json"}, stream=body)

    return BackendClient(BASE, ServiceIdentity(KEY), httpx.MockTransport(answer)), seen


@given(HOSTILE, HOSTILE)
async def test_the_path_keeps_its_prefix_and_its_shape(first: str, second: str) -> None:
    client, seen = recording()
    request = Request("GET", "/things/{a}/parts/{b}", {"a": first, "b": second}, {"q": first})
    with suppress(UnsafeValueError):
        await client.send(request, make_call())
    for sent in seen:
        path, _, query = sent.url.raw_path.decode().partition("?")
        assert sent.url.host == "backend.test"
        assert path.startswith("/api/v1/things/")
        segments = unquote(path, errors="strict").split("/")
        assert [segments[i] for i in (1, 2, 3, 5)] == ["api", "v1", "things", "parts"]
        assert len(segments) == 7
        assert segments[4::2] == [first, second]
        assert query.startswith("q=")
        assert "&" not in query


@given(st.text(max_size=40))
def test_a_segment_is_refused_or_comes_back_as_it_was(value: str) -> None:
    with suppress(UnsafeValueError):
        assert unquote(path_segment(value), errors="strict") == value
        assert not set(path_segment(value)) & set("/\\?#")


@pytest.mark.parametrize("value", ["", ".", "..", "a/b", "..\\x", "a\nb", "\ud800", "x\0"])
def test_what_could_be_read_as_another_path_is_refused(value: str) -> None:
    with pytest.raises(UnsafeValueError):
        path_segment(value)


@pytest.mark.parametrize("address", ADDRESSES)
async def test_an_address_as_an_argument_never_becomes_the_host(address: str) -> None:
    client, seen = recording()
    tools = workspace_toolset(client)
    for name, argument in [("read_document", "document"), ("read_attachment", "attachment")]:
        await tools.call(name, {argument: f"http://{address}/latest/meta-data"}, make_call())
    await tools.call("search_dashboards", {"text": f"http://{address}/", "owner": f"@{address}"}, make_call())
    assert len(seen) >= 3
    assert {(sent.url.scheme, sent.url.host, sent.url.port) for sent in seen} == {("http", "backend.test", 8080)}
    assert all(sent.url.path.startswith("/api/v1/") for sent in seen)


@given(st.data())
async def test_every_tool_keeps_to_the_backend_whatever_strings_it_is_given(data: st.DataObject) -> None:
    client, seen = recording()
    tools = workspace_toolset(client)
    spec = data.draw(st.sampled_from(WORKSPACE))
    fields = spec.json_schema()["function"]["parameters"].get("properties", {})
    args = {name: data.draw(HOSTILE, label=name) for name in fields if data.draw(st.booleans(), label=f"give {name}")}
    with suppress(ArgumentError):
        await tools.call(spec.name, args, make_call())
    for sent in seen:
        assert sent.url.host == "backend.test"
        assert unquote(sent.url.raw_path.decode().partition("?")[0]).startswith("/api/v1/")
