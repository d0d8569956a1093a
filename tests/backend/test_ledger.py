"""A key acts at most once: races, retries, crashes, and the order of the checks."""

import asyncio
import uuid
from pathlib import Path

import pytest

from backend import ledger
from backend.database import open_pool
from tests.backend.world import World, rows, running

NEW = {"name": "Payment calendar", "environment": "dev"}
COUNT = "select count(*) as n from dashboards where name = 'Payment calendar'"


def key() -> str:
    return f"tc-{uuid.uuid4().hex}"


async def make(world: World, idempotency_key: str, who: str = "ilya", **options: object):
    return await world.call(who, "POST", "/dashboards", json=options.pop("json", NEW), key=idempotency_key, **options)


async def test_a_retry_gets_the_first_answer(world: World) -> None:
    first, second = await make(world, "tc-retry-1"), await make(world, "tc-retry-1")
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.content == second.content
    assert first.headers["ETag"] == second.headers["ETag"]
    assert "Idempotency-Replayed" not in first.headers
    assert second.headers["Idempotency-Replayed"] == "true"
    assert rows(world.database_url, COUNT)[0]["n"] == 1


async def test_forty_at_once_act_once(world: World) -> None:
    answers = await asyncio.gather(*(make(world, "tc-race-40") for _ in range(40)))
    assert {answer.status_code for answer in answers} <= {201, 409}
    made = [answer for answer in answers if answer.status_code == 201]
    assert len({answer.content for answer in made}) == 1
    assert sum("Idempotency-Replayed" not in answer.headers for answer in made) == 1
    assert all(answer.headers["Retry-After"] == "1" for answer in answers if answer.status_code == 409)
    assert rows(world.database_url, COUNT)[0]["n"] == 1
    assert len(rows(world.database_url, "select 1 from audit_events where resource_name = 'Payment calendar'")) == 1


async def test_different_keys_act_each(world: World) -> None:
    body = {"kind": "validate_dashboard", "target_id": 101}
    answers = [await world.call("ilya", "POST", "/tasks", json=body, key=key()) for _ in range(2)]
    assert len({answer.json()["resource"]["id"] for answer in answers}) == 2


@pytest.mark.parametrize(
    ("method", "path", "options"),
    [
        ("POST", "/dashboards", {"json": {**NEW, "name": "Other"}}),
        ("POST", "/dashboards?x=1", {"json": NEW}),
        ("POST", "/dashboards", {"json": NEW, "match": '"x"'}),
        ("POST", "/tasks", {"json": {"kind": "validate_dashboard", "target_id": 101}}),
        ("DELETE", "/dashboards/94", {}),
    ],
    ids=["body", "query", "if-match", "path", "method"],
)
async def test_a_key_belongs_to_one_call(world: World, method: str, path: str, options: dict) -> None:
    await make(world, "tc-mine-12")
    answer = await world.call("ilya", method, path, key="tc-mine-12", **options)
    assert (answer.status_code, answer.json()["code"]) == (422, "idempotency_key_reused")


async def test_the_same_call_may_be_written_differently(world: World) -> None:
    first = await make(world, '"tc-quoted-1"')
    second = await make(world, "tc-quoted-1", json=dict(reversed(NEW.items())))
    assert first.content == second.content


@pytest.mark.parametrize("body", [b"no json", b"\xff", b"[" * 100_000])
async def test_a_body_that_nobody_reads_does_no_harm(world: World, body: bytes) -> None:
    answer = await world.call("ilya", "DELETE", "/dashboards/94", content=body, key="tc-unread-1")
    assert answer.status_code == 200


async def test_keys_of_different_people_do_not_meet(world: World) -> None:
    first = await make(world, "tc-shared-key")
    second = await make(world, "tc-shared-key", who="anna", json={**NEW, "name": "Annas"})
    assert (first.status_code, second.status_code) == (201, 201)
    assert "Idempotency-Replayed" not in second.headers


async def test_a_retry_of_a_success_with_the_old_etag_is_replayed_not_refused(world: World) -> None:
    etag = (await world.get("/dashboards/88"))["etag"]
    call = ("ilya", "PATCH", "/dashboards/88")
    first = await world.call(*call, json={"name": "One"}, key="tc-order-1", match=etag)
    second = await world.call(*call, json={"name": "One"}, key="tc-order-1", match=etag)
    assert (first.status_code, second.status_code) == (200, 200)
    assert second.headers["Idempotency-Replayed"] == "true"
    stale = await world.call(*call, json={"name": "One"}, key="tc-order-2", match=etag)
    assert stale.status_code == 412


async def test_a_refused_call_is_decided_afresh(world: World) -> None:
    call = ("ilya", "POST", "/environments/prod/commits")
    await world.call(*call, json={"message": "a"}, key=key())
    refused = await world.call(*call, json={"message": "b"}, key="tc-refused-1")
    assert refused.json()["code"] == "nothing_to_commit"
    await world.call("ilya", "PATCH", "/dashboards/88", json={"name": "One"})
    assert (await world.call(*call, json={"message": "b"}, key="tc-refused-1")).status_code == 201


async def test_a_dry_run_does_not_use_up_the_key(world: World) -> None:
    assert (await make(world, "tc-dry-001", params={"dry_run": "true"})).status_code == 200
    assert (await make(world, "tc-dry-001")).status_code == 201


@pytest.mark.parametrize("bad", ["short", '"quoted"', "x" * 256, "with\ttab-in-it"])
async def test_a_key_has_a_form(world: World, bad: str) -> None:
    answer = await make(world, bad)
    assert (answer.status_code, answer.json()["errors"][0]["loc"]) == (422, ["header", "Idempotency-Key"])


async def test_without_a_key_every_call_acts(world: World) -> None:
    body = {"kind": "validate_dashboard", "target_id": 101}
    ids = [(await world.call("ilya", "POST", "/tasks", json=body)).json()["resource"]["id"] for _ in range(2)]
    assert ids[0] != ids[1]


async def test_an_answer_is_kept_for_thirty_days_and_swept_then(world: World) -> None:
    await make(world, "tc-sweep-1")
    (kept,) = rows(world.database_url, "select expires_at - at as life from ledger")
    assert kept["life"].days == 30
    rows(world.database_url, "update ledger set expires_at = clock_timestamp() - interval '1 s' returning key")
    pool = await open_pool(world.database_url)
    async with pool, pool.connection() as connection:
        assert await ledger.sweep(connection) == 1
        assert await ledger.sweep(connection) == 0


class CrashError(RuntimeError):
    """The process dies here."""


class Places:
    """A failpoint that raises at one place, once, and remembers where the call came by."""

    def __init__(self, at: str | None = None):
        self.at = at
        self.seen: list[str] = []

    async def __call__(self, name: str) -> None:
        self.seen.append(name)
        if name == self.at:
            self.at = None
            raise CrashError(name)


@pytest.mark.parametrize(
    ("place", "acted"),
    [("before_ledger", 0), ("after_ledger", 0), ("after_effect", 0), ("after_commit_before_response", 1)],
)
async def test_a_crash_at_any_place_and_a_retry_act_once(
    workspace_url: str, tmp_path: Path, place: str, acted: int
) -> None:
    async with running(workspace_url, tmp_path, failpoint=Places(place)) as world:
        crashed = await make(world, "tc-crash-1")
        assert (crashed.status_code, crashed.json()["code"]) == (500, "internal")
        assert "CrashError" not in crashed.text
        assert rows(world.database_url, COUNT)[0]["n"] == acted
        retried = await make(world, "tc-crash-1")
        assert retried.status_code == 201
        assert ("Idempotency-Replayed" in retried.headers) == bool(acted)
        assert rows(world.database_url, COUNT)[0]["n"] == 1
        assert len(rows(world.database_url, "select 1 from ledger")) == 1


async def test_the_places_come_in_order(workspace_url: str, tmp_path: Path) -> None:
    places = Places()
    async with running(workspace_url, tmp_path, failpoint=places) as world:
        await make(world, "tc-places")
    assert places.seen == ["before_ledger", "after_ledger", "after_effect", "after_commit_before_response"]


class Gate:
    """A failpoint that holds the first call after its effect until it is opened."""

    def __init__(self) -> None:
        self.reached, self.opened = asyncio.Event(), asyncio.Event()

    async def __call__(self, name: str) -> None:
        if name == "after_effect" and not self.reached.is_set():
            self.reached.set()
            await self.opened.wait()


async def test_a_retry_while_the_first_is_in_flight_is_told_to_wait(workspace_url: str, tmp_path: Path) -> None:
    gate = Gate()
    async with running(workspace_url, tmp_path, failpoint=gate) as world:
        first = asyncio.create_task(make(world, "tc-flight-1"))
        await gate.reached.wait()
        async with asyncio.timeout(20):
            second, other, dry = await asyncio.gather(
                make(world, "tc-flight-1"),
                make(world, "tc-flight-2", json={**NEW, "name": "Other"}),
                make(world, "tc-flight-3", json={**NEW, "name": "Third"}, params={"dry_run": "true"}),
            )
        assert (second.status_code, second.json()["code"]) == (409, "request_in_flight")
        assert second.headers["Retry-After"] == "1"
        for busy in (other, dry):
            assert (busy.status_code, busy.json()["code"]) == (409, "resource_busy")
        gate.opened.set()
        assert (await first).status_code == 201
        assert (await make(world, "tc-flight-1")).headers["Idempotency-Replayed"] == "true"
