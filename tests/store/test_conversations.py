"""Conversations: only their owner's, in order, found by words of two languages, gone when deleted."""

from datetime import timedelta
from uuid import uuid4

import pytest

from store import conversations, leases, messages, turns
from store.conversations import Conversation
from store.errors import NotFound, TurnActive
from store.messages import Content
from store.pool import Connection
from tests.store import scenes
from tests.store.scenes import OTHER, OWNER, TENANT


async def test_pages_go_from_the_last_used_to_the_first_without_gaps(connection: Connection) -> None:
    made = [await scenes.conversation(connection) for _ in range(7)]
    await conversations.create(connection, TENANT, OTHER)
    seen: list[Conversation] = []
    while page := await conversations.page(connection, TENANT, OWNER, after=seen[-1].id if seen else None, limit=3):
        seen += page
    assert [one.id for one in seen] == [one.id for one in reversed(made)]


async def test_a_message_moves_its_conversation_to_the_top(connection: Connection) -> None:
    old, new = await scenes.conversation(connection), await scenes.conversation(connection)
    await turns.accept(connection, scenes.request(old.id))
    assert [one.id for one in await conversations.page(connection, TENANT, OWNER)] == [old.id, new.id]


async def test_a_conversation_says_that_it_waits_for_its_person(connection: Connection) -> None:
    turn, _ = await scenes.waiting(connection)
    waiting = await conversations.get(connection, TENANT, OWNER, turn.conversation_id)
    assert waiting is not None
    assert waiting.waiting
    await turns.cancel(connection, TENANT, OWNER, turn.id)
    ended = await conversations.get(connection, TENANT, OWNER, turn.conversation_id)
    assert ended is not None
    assert not ended.waiting


async def test_a_title_of_the_person_is_not_replaced_by_a_suggestion(connection: Connection) -> None:
    place = await scenes.conversation(connection)
    await conversations.suggest_title(connection, place.id, "Suggested")
    await _titled(connection, place, "Suggested")
    await conversations.rename(connection, TENANT, OWNER, place.id, "Mine")
    await conversations.suggest_title(connection, place.id, "Again")
    await _titled(connection, place, "Mine")


async def test_review_is_not_switched_while_a_turn_is_active(connection: Connection) -> None:
    turn = await scenes.running(connection)
    with pytest.raises(TurnActive):
        await conversations.set_review(connection, TENANT, OWNER, turn.conversation_id, True)
    await leases.finish(connection, turn, "succeeded", Content())
    await conversations.set_review(connection, TENANT, OWNER, turn.conversation_id, True)
    found = await conversations.get(connection, TENANT, OWNER, turn.conversation_id)
    assert found is not None
    assert found.review_changes


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("дашборд", True),
        ("ДАШБОРДАМИ", True),
        ("refreshes", True),
        ("продажам refresh", True),
        ("квартал", True),
        ("backup", False),
        ('"', False),
        ("\0", False),
    ],
)
async def test_search_finds_words_in_titles_and_messages_in_both_languages(
    connection: Connection, words: str, found: bool
) -> None:
    place = await conversations.create(connection, TENANT, OWNER, title="Отчёт за Квартал", lang="ru")
    await turns.accept(connection, scenes.request(place.id, text="Обнови дашборды по продажам, please refresh them"))
    await turns.accept(connection, scenes.request((await scenes.conversation(connection)).id, text="nothing of it"))
    hits = await conversations.search(connection, TENANT, OWNER, words)
    assert [one.id for one in hits] == ([place.id] if found else [])
    assert await conversations.search(connection, TENANT, OTHER, words) == []


async def test_a_deleted_conversation_is_gone_everywhere_and_its_turn_stopped(connection: Connection) -> None:
    turn, _ = await scenes.waiting(connection)
    place = turn.conversation_id
    await conversations.delete(connection, TENANT, OWNER, place)
    assert await conversations.get(connection, TENANT, OWNER, place) is None
    assert await conversations.page(connection, TENANT, OWNER) == []
    assert await conversations.search(connection, TENANT, OWNER, "hello") == []
    assert await messages.page(connection, TENANT, OWNER, place) == []
    assert await turns.get(connection, TENANT, OWNER, turn.id) is None
    with pytest.raises(NotFound):
        await turns.accept(connection, scenes.request(place, "t2"))
    rows = await connection.execute("select state from turns where id = %s", (turn.id,))
    assert await rows.fetchone() == {"state": "canceled"}


async def test_deleting_asks_a_running_turn_to_stop(connection: Connection) -> None:
    turn = await scenes.running(connection)
    await conversations.delete(connection, TENANT, OWNER, turn.conversation_id)
    assert await leases.cancel_requested(connection, turn)
    await leases.finish(connection, turn, "canceled", Content())


async def test_nobody_else_changes_a_conversation(connection: Connection) -> None:
    place = await scenes.conversation(connection)
    for tenant, owner, where in ((TENANT, OTHER, place.id), ("other", OWNER, place.id), (TENANT, OWNER, uuid4())):
        with pytest.raises(NotFound):
            await conversations.rename(connection, tenant, owner, where, "x")
        with pytest.raises(NotFound):
            await conversations.set_review(connection, tenant, owner, where, True)
        with pytest.raises(NotFound):
            await conversations.delete(connection, tenant, owner, where)
        assert await conversations.get(connection, tenant, owner, where) is None
    assert await conversations.get(connection, TENANT, OWNER, place.id) == place


async def test_retention_takes_what_was_deleted_or_lies_idle_but_nothing_active(connection: Connection) -> None:
    deleted, idle, kept, active = [await scenes.conversation(connection) for _ in range(4)]
    await turns.accept(connection, scenes.request(idle.id))
    await turns.accept(connection, scenes.request(active.id))
    await connection.execute(
        "update turns set state = 'failed', finished_at = now() where conversation_id = %s", (idle.id,)
    )
    await conversations.delete(connection, TENANT, OWNER, deleted.id)
    past = "update conversations set updated_at = now() - interval '40 days' where id = any(%s)"
    await connection.execute(past, ([idle.id, active.id],))
    assert await conversations.stale(connection, deleted=timedelta(days=1)) == []
    assert await conversations.stale(connection, deleted=timedelta(0)) == [deleted.id]
    stale = await conversations.stale(connection, deleted=timedelta(0), idle=timedelta(days=30))
    assert set(stale) == {deleted.id, idle.id}
    await conversations.remove(connection, stale)
    rows = await connection.execute("select id from conversations order by created_at")
    assert [row["id"] for row in await rows.fetchall()] == [kept.id, active.id]


async def _titled(connection: Connection, place: Conversation, title: str) -> None:
    found = await conversations.get(connection, TENANT, OWNER, place.id)
    assert found is not None
    assert found.title == title
