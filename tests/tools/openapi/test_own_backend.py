"""An own FastAPI service, driven as tools over real HTTP."""

from collections.abc import AsyncIterator

import pytest

from tests.tools.calls import make_call
from tests.tools.openapi.shop import Shop, open_shop
from tools.openapi.policy import Policy, Rule
from tools.toolset import ArgumentError, Effect


@pytest.fixture
async def shop() -> AsyncIterator[Shop]:
    async with open_shop() as opened:
        yield opened


async def test_each_operation_is_a_tool_with_its_effect(shop):
    specs = (await shop.tools()).specs
    assert {name: spec.effect for name, spec in specs.items()} == {
        "list_items": Effect.READ,
        "read_item": Effect.READ,
        "create_item": Effect.WRITE,
        "change_item": Effect.WRITE,
        "replace_item": Effect.DANGER,
        "delete_item": Effect.DANGER,
    }
    assert (specs["delete_item"].method, specs["delete_item"].path) == ("DELETE", "/items/{item_id}")


async def test_a_list_is_a_table(shop):
    result = await (await shop.tools()).call("list_items", {"in_stock": True}, shop.call())
    assert (result.ok, result.summary) == (True, "1 found")
    assert result.data == {
        "columns": ["name", "id", "quantity", "in_stock"],
        "rows": [["Tea", 1, 40, True]],
        "total": 1,
    }
    assert '"name":"Tea"' in result.text


async def test_an_empty_list_says_so(shop):
    shop.items.clear()
    result = await (await shop.tools()).call("list_items", {}, shop.call(lang="ru"))
    assert (result.ok, result.summary, result.data) == (True, "найдено: 0", [])


async def test_one_thing_comes_with_its_revision(shop):
    result = await (await shop.tools()).call("read_item", {"item_id": 2}, shop.call())
    assert result.data == {"id": 2, "name": "Mug", "quantity": 0, "in_stock": False}
    assert result.etag


async def test_a_change_is_shown_before_and_after_and_nothing_is_changed(shop):
    card = await (await shop.tools()).preview("change_item", {"item_id": 1, "quantity": 30}, shop.call())
    assert (card.title, card.others["ru"].title) == ("Change an item: “Tea”?", "Change an item: «Tea»?")
    assert (card.resource.type, card.resource.id, card.resource.name) == ("items", "1", "Tea")
    assert card.evidence[-1] == {
        "type": "fields",
        "rows": [{"field": "quantity", "before": 40, "after": 30}],
        "unchanged": 3,
    }
    assert (card.risk, card.refusal) == ("change", None)
    assert shop.items[1]["quantity"] == 40


async def test_a_deletion_shows_what_would_be_gone(shop):
    card = await (await shop.tools()).preview("delete_item", {"item_id": 1}, shop.call())
    assert card.risk == "danger"
    assert ["name", "Tea"] in card.evidence[-1]["items"]
    assert card.lead == "There is no undo for this call."
    assert card.others["ru"].lead == "Отменить этот вызов нельзя."
    assert 1 in shop.items


async def test_a_creation_shows_what_is_sent(shop):
    card = await (await shop.tools()).preview("create_item", {"name": "Pot\u202e", "quantity": 3}, shop.call())
    assert card.evidence == [{"type": "facts", "items": [["name", "Pot\\u202E"], ["quantity", 3]]}]


async def test_the_preview_of_a_missing_thing_is_its_refusal(shop):
    card = await (await shop.tools()).preview("delete_item", {"item_id": 99}, shop.call())
    assert (card.refusal.ok, card.refusal.status) == (False, 404)
    assert "there is no item 99" in card.refusal.text


async def test_a_call_without_a_good_token_asks_for_one(shop):
    result = await (await shop.tools()).call("list_items", {}, make_call())
    assert (result.status, result.problem.code) == (401, "auth")


async def test_the_approved_revision_guards_the_change(shop):
    tools = await shop.tools()
    card = await tools.preview("delete_item", {"item_id": 1}, shop.call())
    shop.items[1]["quantity"] = 7
    result = await tools.call("delete_item", {"item_id": 1}, shop.call(if_match=card.etag))
    assert (result.status, result.problem.code) == (412, "changed_meanwhile")
    assert 1 in shop.items
    fresh = await tools.preview("delete_item", {"item_id": 1}, shop.call())
    assert (await tools.call("delete_item", {"item_id": 1}, shop.call(if_match=fresh.etag))).ok
    assert 1 not in shop.items


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("change_item", {"item_id": 1, "quantity": 30}),
        ("change_item", {"item_id": 1, "name": "Green tea", "in_stock": False}),
        ("replace_item", {"item_id": 2, "name": "Cup", "quantity": 5}),
    ],
)
async def test_the_undo_of_a_change_is_valid_and_brings_everything_back(shop, name, args):
    tools, before = await shop.tools(), {key: dict(item) for key, item in shop.items.items()}
    result = await tools.call(name, args, shop.call())
    assert shop.items != before
    assert result.undo["tool"] == name
    undone = await tools.call(name, tools.validate(name, result.undo["args"]), shop.call())
    assert undone.ok
    assert shop.items == before


async def test_a_refused_change_a_creation_and_a_deletion_have_no_undo(shop):
    tools = await shop.tools()
    missing = await tools.call("change_item", {"item_id": 99, "quantity": 1}, shop.call())
    created = await tools.call("create_item", {"name": "Pot", "quantity": 3}, shop.call())
    deleted = await tools.call("delete_item", {"item_id": 2}, shop.call())
    assert [r.ok for r in (missing, created, deleted)] == [False, True, True]
    assert [r.undo for r in (missing, created, deleted)] == [None] * 3
    assert deleted.text == "Done; no content."


@pytest.mark.parametrize(
    ("args", "loc", "type_"),
    [
        ({}, [], "required"),
        ({"item_id": "one", "quantity": 1}, ["item_id"], "type"),
        ({"item_id": 1, "price": 1}, [], "additionalProperties"),
        ({"item_id": 1, "quantity": "many"}, ["quantity"], "type"),
    ],
)
async def test_arguments_that_do_not_fit_are_told_in_pydantics_shape(shop, args, loc, type_):
    with pytest.raises(ArgumentError) as caught:
        (await shop.tools()).validate("change_item", args)
    assert caught.value.errors[0]["loc"] == loc
    assert caught.value.errors[0]["type"] == type_
    assert set(caught.value.errors[0]) == {"type", "loc", "msg"}


async def test_a_hidden_or_changed_operation_is_off_and_the_log_names_what_changed(shop, caplog):
    policy = Policy({"delete_item": Rule(hidden=True), "replace_item": Rule(sha256="0" * 64, effect=Effect.WRITE)})
    tools = await shop.tools(policy)
    assert not {"delete_item", "replace_item"} & set(tools.specs)
    assert tools.off["delete_item"] == "hidden by the policy"
    assert "review it again" in tools.off["replace_item"]
    assert [record.getMessage() for record in caplog.records if "is off" in record.getMessage()] == [
        "PUT /items/{item_id} is off: it changed since it was reviewed; review it again"
    ]
    with pytest.raises(KeyError):
        await tools.call("delete_item", {"item_id": 1}, shop.call())


async def test_the_document_can_say_what_an_operation_does(shop):
    said = {"x-countersign": {"effect": "danger", "title": "Put on sale", "confirm": "Customers see it at once."}}
    tools = await shop.tools(create=said)
    assert tools.specs["create_item"].effect is Effect.DANGER
    card = await tools.preview("create_item", {"name": "Pot", "quantity": 3}, shop.call())
    assert (card.title, card.approve, card.lead) == ("Put on sale?", "Put on sale", "Customers see it at once.")
    policy = Policy({"create_item": Rule(effect=Effect.WRITE)})
    decided = await shop.tools(policy, create=said)
    assert decided.specs["create_item"].effect is Effect.WRITE
    assert decided.specs["create_item"].reasons == ("countersign.toml says write",)


async def test_an_extension_that_is_wrong_leaves_the_rules(shop):
    tools = await shop.tools(delete={"x-countersign": {"effect": "harmless", "title": 5}})
    assert tools.specs["delete_item"].effect is Effect.DANGER
