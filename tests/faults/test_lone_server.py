"""The whole product as one process, killed with -9 under a page and two API clients, started again on its port."""

import asyncio
import json
import re
import threading
import uuid
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import psycopg
import pytest
from playwright.sync_api import Page, expect

from tests.browser.acts import say, settled
from tests.browser.conftest import Driver, sign_in
from tests.browser.workspace import Workspace
from tests.clients.chats import of, words
from tests.clients.drivers import ClientError, Parts, node_client, python_client
from tests.clients.product import Product

pytestmark = [pytest.mark.faults, pytest.mark.timeout(600)]
SLOW = 120_000  # milliseconds: the server has to start
SETTINGS = {"DEMO_TOKENS_PER_SECOND": "6", "LEASE_SECONDS": "4"}
NAMES = {"page": "Page Run", "python": "Python Run", "node": "Node Run"}
CLIENTS = {"python": python_client, "node": node_client}
QUESTION = "какие есть окружения?"


@dataclass
class Lone:
    """The only server there is. `spoken` is set by each client once its answer has begun, `back` when it is back."""

    workspace: Workspace
    spoken: dict[str, threading.Event] = field(default_factory=lambda: {name: threading.Event() for name in CLIENTS})
    back: threading.Event = field(default_factory=threading.Event)

    @property
    def product(self) -> Product:
        """What stands behind the server that runs now."""
        assert self.workspace.process
        folder = self.workspace.folder
        return Product(folder, folder / "data", "", self.workspace.process)

    def stored(self, name: str) -> list[str]:
        """The words of every answer to the message that names this dashboard."""
        query = """
            select a.text from messages a join messages u on u.turn_id = a.turn_id and u.role = 'user'
            where a.role = 'assistant' and u.text like %s
        """
        with psycopg.connect(self.product.database_url) as connection:
            return [row[0] for row in connection.execute(query, (f"%{name}%",))]


@pytest.fixture
def lone() -> Iterator[Lone]:
    made = Lone(Workspace())
    try:
        made.workspace.start(**SETTINGS)
        yield made
    finally:
        made.workspace.remove()


@pytest.fixture
def tabs() -> Iterator[list[Page]]:
    """Two people's browsers."""
    driver = Driver()
    driver.show()
    pages = [driver.browser.new_context(locale=locale).new_page() for locale in ("en-GB", "ru-RU")]
    for page in pages:
        page.set_default_timeout(SLOW)
    yield pages
    driver.stop()


def wish(name: str) -> str:
    """A change that needs no approval, so that nothing but the product keeps it from happening twice."""
    return f"create an empty dashboard {NAMES[name]} on stage"


@dataclass
class Talk:
    """What a client had when the server died, and what it has since."""

    seen: Parts
    rest: list[Parts]
    again: Parts

    def whole(self) -> Parts:
        """The last list, with what the client had in the place of what it has seen."""
        have = {part["metadata"]["id"]: part for part in self.seen}
        return [have[p["metadata"]["id"]] if p["metadata"]["type"] == "seen" else p for p in self.rest[-1]]


async def talk(connect: Any, lone: Lone, name: str, jwt: str) -> Talk:
    """Ask; lose the server in the middle of the answer; go on from the last `seq`; ask again for the whole."""
    turn_id, message = uuid.uuid4().hex, wish(name)
    async with connect(lone.workspace.url, jwt) as client:
        asking = asyncio.create_task(client.submit(message=message, turn_id=turn_id))
        place = await client.first_words()
        lone.spoken[name].set()
        with pytest.raises(ClientError):
            await asking
        seen = client.updates[-1]
    await asyncio.to_thread(lone.back.wait)
    async with connect(lone.workspace.url, jwt) as client:
        after = json.dumps({"after": max(part["metadata"]["seq"] for part in seen)})
        rest = await client.submit(conversation_id=place, action="attach", turn_id=turn_id, decision=after)
        again = await client.submit(conversation_id=place, message=message, turn_id=turn_id)
        return Talk(seen, rest, again[-1])


def assert_once_and_in_order(told: Talk, stored: list[str]) -> None:
    """The words came once, complete and in order, and nothing was sent again that the client had."""
    [text] = stored
    assert told.whole() == told.again
    assert words(told.again) == text
    assert of("tool_end", told.rest[-1]) == []
    said = [words(parts) for parts in told.rest]
    restarted = next(i for i, later in enumerate(said) if text.startswith(later) and later)
    assert all(b.startswith(a) for a, b in zip(said[restarted:], said[restarted + 1 :], strict=False))


@contextmanager
def talking(lone: Lone) -> Iterator[dict[str, Future[Talk]]]:
    """Both API clients in the middle of an answer, each in a thread of its own; they end when the server is back."""
    jwt = lone.product.token("ilya")
    with ThreadPoolExecutor() as threads:
        try:
            yield {
                name: threads.submit(asyncio.run, talk(connect, lone, name, jwt)) for name, connect in CLIENTS.items()
            }
        finally:
            lone.back.set()


def test_killed_under_a_page_and_two_clients_it_goes_on_with_all_of_them(lone: Lone, tabs: list[Page]):
    streaming, idle = tabs
    for page, person in zip(tabs, ("anna", "vera"), strict=True):
        sign_in(page, lone.workspace.url, person)
    idle.locator(".cs-box textarea").fill(QUESTION)
    with talking(lone) as talks:
        say(streaming, wish("page"))
        expect(streaming.locator(".bot .md").last).to_be_visible(timeout=SLOW)
        assert all(event.wait(60) for event in lone.spoken.values())
        lone.workspace.kill()

        expect(streaming.locator(".cs-away")).to_contain_text("The server does not answer", timeout=SLOW)
        expect(streaming.get_by_text("Attempting reconnection")).to_be_hidden()
        expect(idle.locator(".cs-away")).to_contain_text("Сервер не отвечает", timeout=SLOW)
        idle.locator(".cs-box textarea").press("Enter")
        expect(idle.get_by_text("Attempting reconnection")).to_be_hidden()
        lone.workspace.start(**SETTINGS)
    told = {name: running.result() for name, running in talks.items()}

    for page in tabs:
        expect(page.locator(".cs-away")).to_have_count(0, timeout=SLOW)
    assert_shown(streaming, lone.stored(NAMES["page"]))
    expect(idle.locator(".cs-box textarea")).to_have_value(QUESTION, timeout=SLOW)
    idle.locator(".cs-box textarea").press("Enter")
    expect(idle.locator(".bot .md").last).to_contain_text("stage", timeout=SLOW)
    settled(idle)
    expect(idle.locator(".cs-box textarea")).to_have_value("")
    for name, what in told.items():
        assert_once_and_in_order(what, lone.stored(NAMES[name]))
    made = list(lone.product.boards().values())
    assert {name: made.count(board) for name, board in NAMES.items()} == dict.fromkeys(NAMES, 1)
    assert lone.workspace.faults() == []


def assert_shown(page: Page, stored: list[str]) -> None:
    """The page has the message and the whole answer once each."""
    [text] = stored
    expect(page.locator(".bot .md")).to_have_text(re.compile(re.escape(text.split()[-1]) + r"\s*$"), timeout=SLOW)
    settled(page)
    assert page.locator(".bot .md").inner_text().split() == text.split()
    expect(page.locator(".user-row")).to_have_count(1)
