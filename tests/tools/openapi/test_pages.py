"""Lists that come page by page: by link, cursor, page, offset; the next one and all of them, over HTTP."""

from collections.abc import AsyncIterator

import pytest
from fastapi import FastAPI, Request, Response

from tests.tools.calls import make_call
from tests.tools.openapi.test_without_revisions import _raw
from tests.tools.recorder import serving
from tools.client import BackendClient
from tools.credentials import Person
from tools.openapi.document import load_document
from tools.openapi.toolset import OpenApiToolset

ROWS = [{"id": n, "name": f"n{n}"} for n in range(25)]
asked: list[str] = []
app = FastAPI()


@app.get("/linked", operation_id="list_linked")
def linked(request: Request, response: Response, page: int = 1) -> list[dict]:
    asked.append(str(request.url))
    if page < 3:
        response.headers["Link"] = f'</linked?page={page + 1}>; rel="next", </linked?page=3>; rel="last"'
    return ROWS[(page - 1) * 10 : page * 10]


@app.get("/elsewhere", operation_id="list_elsewhere")
def elsewhere(request: Request, response: Response, page: int = 1) -> list[dict]:
    asked.append(str(request.url))
    response.headers["Link"] = '<http://169.254.169.254/latest?page=2>; rel="next"'
    return ROWS


@app.get("/cursor", operation_id="list_by_cursor")
def by_cursor(cursor: str = "0") -> dict:
    at = int(cursor)
    return {"items": ROWS[at : at + 10], "next_cursor": str(at + 10) if at < 20 else None}


@app.get("/offset", operation_id="list_by_offset")
def by_offset(offset: int = 0, limit: int = 10) -> dict:
    return {"items": ROWS[offset : offset + limit], "total": len(ROWS)}


@app.get("/pages", operation_id="list_by_page")
def by_page(page: int = 1, per_page: int = 10) -> list[dict]:
    return ROWS[(page - 1) * per_page : page * per_page]


@app.get("/endless", operation_id="list_endless")
def endless(page: int = 1, limit: int = 100) -> list[dict]:
    return [{"id": page * limit + n} for n in range(limit)]


@app.get("/stuck", operation_id="list_stuck")
def stuck(cursor: str = "a") -> dict:
    return {"items": [1], "next_cursor": "a"}


@app.get("/one/{key}", operation_id="get_one")
def one(key: str) -> dict:
    return {"key": key}


@pytest.fixture
async def tools() -> AsyncIterator[OpenApiToolset]:
    asked.clear()
    async with serving(app) as url:
        client, raw = BackendClient(url, credentials=Person()), await _raw(url)
        yield OpenApiToolset.from_document(load_document(f"{url}/openapi.json", lambda uri: raw), client)
        await client.aclose()


async def read(tools, name, **args):
    return await tools.call(name, tools.validate(name, args), make_call())


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("list_linked", '{"page": 2}'),
        ("list_by_cursor", '{"cursor": "10"}'),
        ("list_by_offset", '{"offset": 10}'),
        ("list_by_page", '{"page": 2}'),
    ],
)
async def test_a_page_tells_how_to_ask_for_the_next_and_all_pages_are_one_table(tools, name, more):
    first = await read(tools, name)
    assert first.text.endswith(f"There is more: call again with {more} added, or with all_pages=true.")
    everything = await read(tools, name, all_pages=True)
    assert (everything.data["total"], "There is more" in everything.text) == (25, False)
    assert [row[1] for row in everything.data["rows"]] == [row["id"] for row in ROWS]


async def test_the_last_page_tells_of_no_other(tools):
    assert "There is more" not in (await read(tools, "list_linked", page=3)).text
    assert "There is more" not in (await read(tools, "list_by_offset", offset=20)).text
    assert "There is more" not in (await read(tools, "list_by_page", page=3)).text


async def test_all_pages_end_at_the_bound_and_say_so(tools):
    everything = await read(tools, "list_endless", all_pages=True)
    assert everything.data["total"] == 1_000
    assert everything.text.endswith("There is more; these are the first rows, at most 1000 are read.")


async def test_a_link_to_another_place_is_not_followed_and_a_cursor_that_stands_still_ends(tools):
    await read(tools, "list_elsewhere", all_pages=True)
    assert len(asked) == 1
    assert (await read(tools, "list_stuck", cursor="a", all_pages=True)).data == [1]


def test_only_lists_with_pages_take_the_argument(tools):
    assert "all_pages" in tools.specs["list_by_page"].json_schema()["function"]["parameters"]["properties"]
    assert "all_pages" not in tools.specs["get_one"].json_schema()["function"]["parameters"]["properties"]
