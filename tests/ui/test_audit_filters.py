"""The filters of the audit page over the real log: what the table shows is what the files hold, and no row more."""

import csv
import io
from uuid import UUID, uuid4

import httpx
import pytest
from fastapi import FastAPI

from agent.identity import Principal
from store import audit
from store.audit import Entry
from store.pool import Pool
from tests.agent.bench import principal
from tools.toolset import Role
from ui.answers import signed_in
from ui.pages.audit import PAGE, StoredAudit, audit_routes

TENANT, ANN, BOB = "acme", "https://issuer|ann", "https://issuer|bob"
HERE, THERE = uuid4(), uuid4()
SIGNED, GONE, WAITS, EDITED = uuid4(), uuid4(), uuid4(), uuid4()


@pytest.fixture
async def ask(pool: Pool):
    """Ask for a page or a file as somebody: `await ask(principal, "/ui/audit", tool=...)`."""
    who: list[Principal] = [principal()]
    app = FastAPI()
    app.include_router(audit_routes(StoredAudit(pool), {"delete_thing": {"en": "Deleting a thing", "ru": "Удаление"}}))
    app.dependency_overrides[signed_in] = lambda: who[0]
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://chat") as http:

        async def asked(person: Principal, path: str = "/ui/audit", **filters: str) -> httpx.Response:
            who[0] = person
            return await http.get(path, params=filters)

        yield asked


@pytest.fixture
async def story(pool: Pool) -> None:
    """What Ann signed, let expire and left waiting; what Bob edited; a call without a card; Bob at Ann's card."""
    await write(pool, ANN, SIGNED, HERE, "delete_thing", "asked", "shown", decided="approved")
    await write(pool, ANN, None, HERE, "rename_thing", "sent", "came_back")
    await write(pool, ANN, GONE, THERE, "delete_thing", "asked", "shown", "expired")
    await write(pool, ANN, WAITS, THERE, "delete_thing", "asked", "shown")
    await write(pool, BOB, EDITED, uuid4(), "grant_role", "asked", "shown", decided="edited")
    await write(pool, BOB, SIGNED, None, None, "refused")


async def write(
    pool: Pool, owner: str, card: UUID | None, place: UUID | None, tool: str | None, *kinds: str, decided=""
):
    about = {"conversation_id": place, "approval_id": card, "tool": tool}
    name = owner.rpartition("|")[2].title()
    entries = [Entry(TENANT, kind, owner, owner, name, **about) for kind in kinds]
    if decided:
        entries.append(Entry(TENANT, "decided", owner, owner, name, **about, data={"decision": decided}))
    async with pool.connection() as connection:
        for entry in entries:
            await audit.append(connection, entry)


ADMIN = principal("https://issuer|root", role=Role.ADMIN)
FILTERS: dict[str, tuple[dict[str, str], list[int]]] = {
    "nothing": ({}, list(range(14, 0, -1))),
    "person": ({"who": BOB}, [14, 13, 12, 11]),
    "tool": ({"tool": "rename_thing"}, [5, 4]),
    "conversation": ({"conversation": str(HERE)}, [5, 4, 3, 2, 1]),
    "signed": ({"decision": "approved"}, [3, 2, 1]),
    "edited": ({"decision": "edited"}, [13, 12, 11]),
    "expired": ({"decision": "expired"}, [8, 7, 6]),
    "waits": ({"decision": "asked"}, [10, 9]),
    "attempt": ({"decision": "refused"}, [14]),
    "no card": ({"decision": "unasked"}, [5, 4]),
    "nobody's": ({"decision": "superseded"}, []),
    "all at once": ({"who": ANN, "tool": "delete_thing", "conversation": str(THERE), "decision": "asked"}, [10, 9]),
}


@pytest.mark.parametrize("name", FILTERS)
async def test_table_and_files_hold_what_fits_the_filters(ask, story, name):
    filters, wanted = FILTERS[name]
    shown = (await ask(ADMIN, **filters)).json()
    assert [entry["seq"] for entry in shown["entries"]] == wanted
    assert [entry["seq"] for entry in (await ask(ADMIN, "/ui/audit.json", **filters)).json()] == wanted
    rows = csv.DictReader(io.StringIO((await ask(ADMIN, "/ui/audit.csv", **filters)).text.lstrip("\ufeff")))
    assert [int(line["seq"]) for line in rows] == wanted


@pytest.mark.parametrize("path", ["/ui/audit", "/ui/audit.json"])
async def test_no_filter_leads_to_other_peoples_rows(ask, story, path):
    for filters in ({}, {"who": ANN}, {"who": BOB}, {"conversation": str(HERE)}, {"decision": "approved"}):
        found = (await ask(principal(BOB), path, **filters)).json()
        rows = found if isinstance(found, list) else found["entries"]
        assert {entry["owner"] for entry in rows} <= {BOB}, filters
    offered = (await ask(principal(BOB))).json()
    assert (offered["people"], offered["tools"], offered["all"]) == (
        [{"id": BOB, "name": "Bob"}],
        ["grant_role"],
        False,
    )


async def test_who_tried_a_card_does_not_learn_what_became_of_it(ask, story):
    for decision in ("approved", "denied", "asked", "expired"):
        assert (await ask(principal(BOB), decision=decision)).json()["entries"] == [], decision
    assert [entry["seq"] for entry in (await ask(principal(BOB), decision="refused")).json()["entries"]] == [14]


async def test_an_admin_of_another_tenant_sees_nothing(ask, story):
    stranger = principal("https://issuer|root", tenant="other", role=Role.ADMIN)
    for filters in ({}, {"who": ANN}, {"conversation": str(HERE)}, {"decision": "approved"}):
        found = (await ask(stranger, **filters)).json()
        assert (found["entries"], found["people"], found["tools"]) == ([], [], [])


async def test_pages_go_on_where_the_one_before_ended_and_files_hold_them_all(ask, pool):
    async with pool.connection() as connection, connection.transaction():
        for number in range(PAGE + 30):
            tool = "delete_thing" if number % 2 else "=HYPERLINK(1)"
            await audit.append(connection, Entry(TENANT, "sent", ANN, ANN, "@Ann", tool=tool))
    first = (await ask(ADMIN)).json()
    assert (len(first["entries"]), first["earlier"]) == (PAGE, 31)
    rest = (await ask(ADMIN, before="31")).json()
    assert ([entry["seq"] for entry in rest["entries"]], rest["earlier"]) == (list(range(30, 0, -1)), None)
    rows = list(csv.DictReader(io.StringIO((await ask(ADMIN, "/ui/audit.csv")).text.lstrip("\ufeff"))))
    assert len(rows) == PAGE + 30
    assert not any(cell.startswith(("=", "+", "-", "@")) for row in rows for cell in row.values())
    assert len((await ask(ADMIN, "/ui/audit.json", tool="=HYPERLINK(1)")).json()) == (PAGE + 30) // 2


@pytest.mark.parametrize(
    "filters",
    [{"who": "a\0"}, {"tool": "\0"}, {"decision": "all"}, {"conversation": "x"}, {"days": "0"}, {"who": "x" * 501}],
)
async def test_a_filter_that_cannot_be_one_is_refused(ask, filters):
    for path in ("/ui/audit", "/ui/audit.csv", "/ui/audit.json"):
        assert (await ask(ADMIN, path, **filters)).status_code == 422
