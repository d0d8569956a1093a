"""`/metrics`: who may read it, and that what happened is counted there."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

import httpx
import pytest
from fastapi import FastAPI
from prometheus_client.parser import text_string_to_metric_families

from agent import metrics
from tests.ui.house import OPTIONS, House
from ui.metrics import metrics_routes

TOKEN = "a-token-of-the-scraper"


@pytest.fixture(scope="module")
def guarded():
    async def build():
        return House(replace(OPTIONS, metrics_token=TOKEN)).app()

    with asyncio.Runner() as runner:
        return runner.run(build())


async def ask(app, path: str = "/metrics", client: tuple[str, int] = ("127.0.0.1", 1), **headers: str):
    transport = httpx.ASGITransport(app, client=client)
    async with httpx.AsyncClient(transport=transport, base_url="http://chat.test") as http:
        return await http.get(path, headers=headers)


def value(text: str, name: str, **labels: str) -> float:
    samples = [s for family in text_string_to_metric_families(text) for s in family.samples]
    return sum(s.value for s in samples if s.name == name and labels.items() <= s.labels.items())


@pytest.fixture
def read(app) -> Callable[[], Awaitable[str]]:
    async def text() -> str:
        return (await ask(app)).text

    return text


async def test_the_machine_itself_may_read(app):
    answer = await ask(app)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain")
    assert "countersign_model_seconds" in answer.text


@pytest.mark.parametrize("header", ["x-forwarded-for", "forwarded", "x-real-ip", "x-forwarded-host"])
async def test_what_comes_through_a_proxy_may_not(app, header):
    assert (await ask(app, **{header: "127.0.0.1"})).status_code == 404


@pytest.mark.parametrize("host", ["10.0.0.5", "203.0.113.9", "::ffff:127.0.0.1"])
async def test_other_machines_may_not(app, host):
    assert (await ask(app, client=(host, 1))).status_code == 404


@pytest.mark.parametrize("given", ["", "Bearer ", "Bearer x", f"Bearer {TOKEN} ", f"Basic {TOKEN}"])
async def test_with_a_token_nothing_else_counts(guarded, given):
    answer = await ask(guarded, authorization=given)
    assert (answer.status_code, answer.text) == (404, "Not found.")


async def test_the_token_is_good_from_anywhere(guarded):
    answer = await ask(guarded, client=("203.0.113.9", 1), authorization=f"Bearer {TOKEN}")
    assert answer.status_code == 200


async def test_what_a_turn_did_is_counted(read):
    before = await read()
    step = {"model": "m1", "outcome": "stop", "duration_ms": 1500, "first_token_ms": 200, "input_tokens": 7}
    tool = {"tool": "delete_thing", "effect": "danger", "outcome": "ok", "duration_ms": 20, "approval_id": "a"}
    metrics.count("agent.step", step)
    metrics.count("agent.tool", tool)
    metrics.count("agent.turn", {"outcome": "succeeded"})
    after = await read()

    def grown(name: str, **labels: str) -> float:
        return value(after, name, **labels) - value(before, name, **labels)

    assert grown("countersign_model_seconds_sum", model="m1", outcome="stop") == 1.5
    assert grown("countersign_model_first_token_seconds_count", model="m1") == 1
    assert grown("countersign_model_tokens_total", model="m1", kind="input") == 7
    assert grown("countersign_tool_seconds_count", tool="delete_thing", outcome="ok") == 1
    assert grown("countersign_signed_calls_total", tool="delete_thing", outcome="ok") == 1
    assert grown("countersign_turns_total", outcome="succeeded") == 1


async def test_what_is_right_now_is_read_at_each_scrape():
    waiting = {"pending": 2}

    async def gauges():
        return {"approvals": waiting, "turns_active": {"running": 1}}

    app = FastAPI()
    app.include_router(metrics_routes(gauges, ""))
    assert value((await ask(app)).text, "countersign_approvals", state="pending") == 2
    waiting["pending"] = 5
    assert value((await ask(app)).text, "countersign_approvals", state="pending") == 5


async def test_nothing_of_people_is_a_label(read):
    names = {
        label for family in text_string_to_metric_families(await read()) for s in family.samples for label in s.labels
    }
    assert names <= {"model", "outcome", "kind", "tool", "effect", "decision", "state", "le", "generation",
                     "implementation", "major", "minor", "patchlevel", "version"}  # fmt: skip
