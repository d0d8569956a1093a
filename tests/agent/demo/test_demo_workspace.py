"""Dialogues with the real workspace: what is called, what changes there, what is said."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from typing import Any

import pytest

from tests.agent.demo.live import LiveChat
from tests.backend.world import World

Opened = Callable[..., LiveChat]


@pytest.fixture
async def chat(world: World) -> AsyncIterator[Opened]:
    """Opens conversations with the workspace of this test."""
    async with AsyncExitStack() as stack:

        def opened(**options: Any) -> LiveChat:
            made = LiveChat(world, **options)
            stack.push_async_callback(made.aclose)
            return made

        yield opened


async def names(world: World, path: str, **params: Any) -> set[str]:
    """The names of a list, straight from the workspace."""
    return {item["name"] for item in (await world.get(path, limit=100, **params))["items"]}


async def test_delete_by_name_and_undo(world: World, chat: Opened) -> None:
    talk = chat()
    said = await talk.say("delete dashboard Weekly Funnel (copy)")
    assert "Weekly Funnel (copy)" in said
    assert "undo" in said
    assert "Weekly Funnel (copy)" not in await names(world, "/dashboards", environment="dev")
    await talk.say("undo that")
    assert "Weekly Funnel (copy)" in await names(world, "/dashboards", environment="dev")


async def test_an_ambiguous_name_is_asked_for(world: World, chat: Opened) -> None:
    talk = chat(lang="ru", answers=["prod"])
    await talk.say("удали дашборд Retail Pulse")
    asked = next(args for name, args in talk.calls if name == "ask_user_question")
    assert len(asked["choices"]) == 3
    assert "Retail Pulse" not in await names(world, "/dashboards", environment="prod")
    assert "Retail Pulse" in await names(world, "/dashboards", environment="stage")


async def test_a_viewer_is_refused_in_plain_words(world: World, chat: Opened) -> None:
    talk = chat(who="vera", lang="ru")
    said = await talk.say("удали дашборд «Weekly Funnel (copy)»")
    assert "роль этого не позволяет" in said
    assert "Error" not in said
    assert "Weekly Funnel (copy)" in await names(world, "/dashboards", environment="dev")


async def test_a_document_is_patched_on_the_revision_that_was_read(world: World, chat: Opened) -> None:
    talk = chat()
    await talk.say("in the shipments data contract set freshness to 6h")
    args = next(args for name, args in talk.calls if name == "apply_document_patch")
    assert args["patch"][0]["op"] == "test"
    document = await world.get(f"/documents/{args['document_id']}")
    assert document["content"]["sla"]["freshness_hours"] == 6
    await talk.say("undo that")
    document = await world.get(f"/documents/{args['document_id']}")
    assert document["content"]["sla"]["freshness_hours"] == 24


async def test_migration_is_planned_then_run(world: World, chat: Opened) -> None:
    talk = chat(lang="ru")
    await talk.say("перенеси Тест Ильдара 2 с дева на стейдж")
    assert [name for name, _ in talk.calls][-2:] == ["plan_migration", "run_migration"]
    assert "Тест Ильдара 2" in await names(world, "/dashboards", environment="stage")


async def test_restore_from_the_latest_backup(world: World, chat: Opened) -> None:
    talk = chat()
    await talk.say("restore stage from the latest backup")
    newest = (await world.get("/backups", environment="stage"))["items"][0]["id"]
    assert talk.calls[-1] == ("restore_backup", {"environment": "stage", "backup_id": newest})
    assert talk.results[-1].ok


async def test_a_role_by_name_in_the_dative(world: World, chat: Opened) -> None:
    talk = chat(lang="ru")
    await talk.say("дай Оле Трофимчук права на редактирование")
    assert "editor" in (await world.get("/users/o.trofimchuk"))["roles"]


async def test_a_list_and_a_follow_up_on_it(chat: Opened) -> None:
    talk = chat(lang="ru")
    said = await talk.say("покажи последние коммиты на dev")
    assert "| 4fa91c2 |" in said
    await talk.say("откати на второй")
    name, args = talk.calls[-1]
    assert name == "rollback_commit"
    assert args["environment"] == "dev"
    assert args["commit"].startswith("4fa91c2")


async def test_create_rename_tag_delete_by_it(world: World, chat: Opened) -> None:
    talk = chat()
    for text in (
        "create an empty dashboard Ops Weekly on stage",
        "rename it to Ops Monthly",
        "add the tag ops to it",
    ):
        await talk.say(text)
    found = (await world.get("/dashboards", text="Ops Monthly"))["items"]
    assert [board["tags"] for board in found] == [["ops"]]
    await talk.say("delete it")
    assert not (await world.get("/dashboards", text="Ops Monthly"))["items"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("which environments do we have?", ["| dev |", "| prod |"]),
        ("is prod ok?", ["prod", "database"]),
        ("по каким датасетам данные не обновлялись больше недели?", ["Нашлось", "pl_month"]),
        ("найди все дашборды Светы Корнеевой на проде", ["Ежедневная касса"]),
        ("что там с задачей 6602", ["выполняется", "6602"]),
        ("кто удалил датасет stg_crm_leads и когда это было", ["Шубин", "stg_crm_leads"]),
        ("прочитай регламент закрытия месяца", ["month-close", "Закрыть реализации"]),
        ("read the attachment pricing_notes.txt", ["> "]),
        ("кто сейчас админ?", ["anna"]),
    ],
)
async def test_questions_are_answered_from_the_workspace(chat: Opened, text: str, words: list[str]) -> None:
    talk = chat(lang="ru" if not text.isascii() else "en")
    said = await talk.say(text)
    assert all(word in said for word in words), said
    assert all(result.ok for result in talk.results)
