"""Where a document may be read from: real sockets for what is allowed, invented name service for what is not."""

import asyncio

import pytest
from fastapi import Response

from tests.tools.recorder import Recorder, reply, serving
from tools.openapi.document import DocumentError
from tools.openapi.fetch import fetcher


@pytest.fixture
async def place(recorder: Recorder):
    async with serving(recorder.app()) as url:
        yield url


async def test_the_backends_own_host_is_read(place, recorder):
    recorder.answers(reply({"openapi": "3.1.0"}))
    raw = await asyncio.to_thread(fetcher(place), f"{place}/v1/openapi.json?x=1")
    assert raw == b'{"openapi": "3.1.0"}'
    assert (recorder.seen[0].path, recorder.seen[0].query) == ("/v1/openapi.json", "x=1")


async def test_what_was_checked_is_what_is_connected_to(place, recorder):
    recorder.answers(reply({}))
    port, asked = place.rpartition(":")[2], []

    def resolve(host, port):
        asked.append(host)
        return ["127.0.0.1"]

    own = f"http://backend.example:{port}"
    await asyncio.to_thread(fetcher(own, resolve), f"{own}/openapi.json")
    assert asked == ["backend.example"]
    assert recorder.seen[0].headers["host"] == f"backend.example:{port}"


@pytest.mark.parametrize("own", [None, "https://api.example"])
async def test_a_private_address_of_somebody_else_is_refused(place, recorder, own):
    with pytest.raises(DocumentError, match="private network"):
        await asyncio.to_thread(fetcher(own), f"{place}/openapi.json")
    assert recorder.seen == []


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.0.0.5",
        "192.168.1.1",
        "172.16.0.1",
        "100.64.0.1",
        "::1",
        "fd00::1",
        "::ffff:10.0.0.5",
        "64:ff9b::a00:5",
        "2002:a00:5::1",
        "198.18.0.1",
        "240.0.0.1",
        "fec0::1",
        "2001:db8::1",
    ],
)
def test_names_that_lead_inside_are_refused(address):
    with pytest.raises(DocumentError, match="private network"):
        fetcher("https://api.example", lambda host, port: ["93.184.216.34", address])("https://docs.example/o.json")


@pytest.mark.parametrize(
    "address",
    [
        "169.254.169.254",
        "fe80::1%eth0",
        "::ffff:169.254.169.254",
        "fd00:ec2::254",
        "100.100.100.200",
        "0.0.0.0",
        "64:ff9b::a9fe:a9fe",
        "2002:a9fe:a9fe::1",
        "168.63.129.16",
        "192.0.0.192",
        "ff02::1",
        "::",
    ],
)
def test_metadata_addresses_are_refused_even_to_the_operator(address):
    with pytest.raises(DocumentError, match="not an address that documents are read from"):
        fetcher("http://own.example", lambda host, port: [address])("http://own.example/latest")


@pytest.mark.parametrize("uri", ["http://2852039166/", "http://0xa9fea9fe/", "http://[::ffff:169.254.169.254]/"])
def test_metadata_addresses_in_disguise_are_refused(uri):
    with pytest.raises(DocumentError):
        fetcher(uri)(uri)


@pytest.mark.parametrize("host", ["localhost", "127.1", "2130706433", "0x7f000001", "017700000001", "[::1]"])
async def test_this_machine_by_any_name_is_refused(recorder, place, host):
    port = place.rpartition(":")[2]
    with pytest.raises(DocumentError):
        await asyncio.to_thread(fetcher("https://api.example"), f"http://{host}:{port}/openapi.json")
    assert recorder.seen == []


async def test_a_name_that_leads_elsewhere_the_second_time_is_asked_once(place, recorder):
    """DNS rebinding: the address that was checked is the one that is connected to."""
    answers = [["127.0.0.1"], ["169.254.169.254"]]
    own = f"http://backend.example:{place.rpartition(':')[2]}"
    recorder.answers(reply({}))
    await asyncio.to_thread(fetcher(own, lambda host, port: answers.pop(0)), f"{own}/openapi.json")
    assert answers == [["169.254.169.254"]]
    assert len(recorder.seen) == 1


@pytest.mark.parametrize("uri", ["ftp://a.example/x", "gopher://a.example/", "http://"])
def test_other_schemes_are_refused(uri):
    with pytest.raises(DocumentError):
        fetcher()(uri)


async def test_a_redirect_is_not_followed(place, recorder):
    recorder.answers(Response(status_code=302, headers={"Location": "http://169.254.169.254/latest"}))
    with pytest.raises(DocumentError, match="answered 302"):
        await asyncio.to_thread(fetcher(place), f"{place}/openapi.json")
    assert len(recorder.seen) == 1


async def test_an_endless_document_is_cut_off(place, recorder):
    recorder.answers(Response(b" " * 10_100_000))
    with pytest.raises(DocumentError, match="larger than 10 MB"):
        await asyncio.to_thread(fetcher(place), f"{place}/openapi.json")


def test_a_host_that_nobody_knows_says_so():
    def resolve(host, port):
        raise OSError("unknown")

    with pytest.raises(DocumentError, match="cannot be found"):
        fetcher(None, resolve)("https://nowhere.example/openapi.json")
