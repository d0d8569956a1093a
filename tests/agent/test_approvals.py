"""Asking about one exact call, and the one decision that counts."""

import asyncio
from contextlib import aclosing
from dataclasses import replace

import pytest

from agent.approvals import Decision, refusal
from agent.refused import Refused
from store import audit, verify
from store.approvals import Approval
from store.errors import NotFound
from tests.agent.bench import BOB, KEYS, NEXT_KEYS, TENANT, Bench, other_tenant, principal
from tests.tools.calls import KEY
from tests.tools.recorder import Recorder, reply, serving
from tools.catalogue import workspace_toolset
from tools.client import BackendClient
from tools.identity import ServiceIdentity
from tools.toolset import ArgumentError, ToolResult


@pytest.fixture
async def bench(pool):
    return await Bench.open(pool)


async def test_audit_says_who_saw_and_decided_what(bench):
    row = await bench.ask()
    await bench.decide(row, "deny", reason="not today")
    async with bench.pool.connection() as connection:
        decided, shown, asked = await audit.page(connection, TENANT, audit.Filter())
        assert [report.problems for report in await verify.verify(connection)] == [[]]
    assert asked.data["args"] == {"thing": "d-1"}
    assert shown.data["card_sha256"] == row.card_sha256.hex()
    assert (decided.data["decision"], decided.data["reason"], decided.actor_name) == ("denied", "not today", "Ann")


async def test_asking_again_finds_the_same_card(bench):
    first, second = await bench.ask(), await bench.ask()
    assert first == second
    assert bench.shelf.calls["preview delete_thing"] == 1


async def test_card_is_drawn_from_arguments_with_hidden_characters_visible(bench):
    bench.shelf.put("d\u202e1", "evil\u200bname")
    row = await bench.ask("d\u202e1")
    assert row.card["call"]["args"] == {"thing": "d\\u202E1"}
    assert row.card["resource"]["name"] == "evil\\u200Bname"
    assert row.args_jcs == '{"thing":"d\u202e1"}'.encode()


async def test_card_is_signed_in_both_languages_and_its_form_is_drawn_in_its_own(bench):
    call = replace(bench.call(), lang="ru")
    row = await bench.approvals.ask(bench.lease, call, "ai-1:c1#1", "delete_thing", {"thing": "d-1"})
    assert isinstance(row, Approval)
    assert row.card["lang"] == "ru"
    assert row.card["other"]["en"]["title"] == "delete_thing d-1?"
    assert bench.approvals.holds(row)
    row.card["other"]["en"]["title"] = "Look at thing d-1?"
    assert not bench.approvals.holds(row)
    [field] = bench.approvals.part(row).args_schema["properties"].values()
    assert field["title"] == "thing"
    assert "description" not in field


async def test_a_proposal_asks_the_backend_once_and_tells_of_that_answer_in_both_languages(bench):
    seen = Recorder()
    seen.answers(*(reply(dry_run(name, revision)) for revision, name in enumerate(["Sales", "Renamed meanwhile"])))
    async with serving(seen.app()) as url, aclosing(BackendClient(url, ServiceIdentity(KEY))) as client:
        bench.toolset = workspace_toolset(client)
        bench.use_keys(KEYS)
        call = replace(bench.call(), lang="ru")
        row = await bench.approvals.ask(bench.lease, call, "ai-1:c1#1", "delete_dashboard", {"dashboard_id": 61})
    assert [(asked.query, asked.headers["accept-language"]) for asked in seen.seen] == [("dry_run=true", "ru")]
    own, other = row.card, row.card["other"]["en"]
    assert (own["title"], other["title"]) == ("Удалить дашборд «Sales» (61)?", "Delete the dashboard “Sales” (61)?")
    assert (own["approve"], other["approve"]) == ("Удалить дашборд", "Delete dashboard")
    assert own["evidence"][0] == other["evidence"][0] == {"type": "list", "items": [{"name": "Осторожно.", "meta": ""}]}
    assert row.etag == '"0"'
    assert bench.approvals.holds(row)


def dry_run(name, revision):
    """What a workspace says of a deletion, in Russian."""
    resource = {"type": "dashboard", "id": "61", "name": name}
    return {"resource": resource, "etag": f'"{revision}"', "warnings": ["Осторожно."], "reversible": True}


async def test_what_the_backend_refuses_is_not_asked(bench):
    result = await bench.approvals.ask(bench.lease, bench.call(), "k#1", "delete_thing", {"thing": "nothing"})
    assert isinstance(result, ToolResult)
    assert result.status == 404
    assert await bench.kinds() == []


@pytest.mark.parametrize("args", [{}, {"thing": 7}, {"thing": ""}, {"thing": "d-1", "more": 1}])
async def test_arguments_that_do_not_fit_are_not_asked(bench, args):
    with pytest.raises(ArgumentError):
        await bench.approvals.ask(bench.lease, bench.call(), "k#1", "delete_thing", args)


@pytest.mark.parametrize("thing", ["d\0", "d\ud800"])
async def test_text_without_an_exact_form_is_not_asked(bench, thing):
    bench.shelf.put(thing)
    with pytest.raises(ArgumentError):
        await bench.approvals.ask(bench.lease, bench.call(), "k#1", "delete_thing", {"thing": thing})


async def test_at_most_twenty_cards_wait_for_one_person(bench):
    for number in range(20):
        await bench.ask(key=f"ai-1:c{number}")
    result = await bench.approvals.ask(bench.lease, bench.call("x"), "x#1", "delete_thing", {"thing": "d-1"})
    assert isinstance(result, ToolResult)
    assert result.problem.code == "too_many_pending"


async def test_denied_call_does_not_run_and_is_not_asked_again_in_this_turn(bench):
    row = await bench.ask()
    await bench.decide(row, "deny", reason="keep it")
    assert (await bench.run(row)).problem.code == "approval_not_approved"
    again = await bench.approvals.ask(bench.lease, bench.call("ai-2:c1"), "ai-2:c1#1", "delete_thing", {"thing": "d-1"})
    assert again.problem.code == "denied_before"
    assert "keep it" in again.text
    assert bench.shelf.effects == []


async def test_same_decision_twice_is_harmless_and_the_opposite_learns_the_winner(bench):
    row = await bench.ask()
    assert (await bench.decide(row)).won
    again, opposite = await bench.decide(row), await bench.decide(row, "deny")
    assert refusal(again, Decision("", "approve", ""), "en") is None
    refused = refusal(opposite, Decision("", "deny", ""), "en")
    assert (refused.status, refused.code, refused.winner) == (409, "already_decided", "approved")
    assert "approved" in refused.text
    assert (await bench.kinds()).count("decided") == 1


async def test_stale_card_decides_nothing(bench):
    row = await bench.ask()
    decided = await bench.decide(replace(row, card_sha256=b"x" * 32))
    assert (refusal(decided, Decision("", "approve", ""), "en").code, decided.approval.state) == (
        "stale_card",
        "pending",
    )


async def test_expired_card_cannot_be_approved(bench):
    row = await bench.ask()
    await bench.sql("update approvals set expires_at = clock_timestamp()")
    decided = await bench.decide(row)
    refused = refusal(decided, Decision("", "approve", ""), "ru")
    assert (refused.status, decided.approval.state) == (410, "expired")


@pytest.mark.parametrize("who", [principal(BOB), other_tenant()], ids=["other user", "other tenant"])
async def test_other_people_find_nothing(bench, who):
    row = await bench.ask()
    with pytest.raises(NotFound):
        await bench.decide(row, who=who)
    assert (await bench.row(row.id)).state == "pending"


@pytest.mark.parametrize("approval_id", ["0b8e1c2a-5d0f-4c57-9c38-6f2f3f0f7a11", "x", "", "0" * 36])
async def test_forged_id_finds_nothing(bench, approval_id):
    async with bench.pool.connection() as connection:
        with pytest.raises(NotFound):
            await bench.approvals.decide(connection, principal(), Decision(approval_id, "approve", ""))
    result = await bench.gate.call_approved(approval_id, "delete_thing", {"thing": "d-1"}, bench.call())
    assert result.problem.code == "approval_unknown"


async def test_thirty_deciders_one_winner(bench):
    row = await bench.ask()
    outcomes = await asyncio.gather(*(bench.decide(row, ("approve", "deny")[n % 2]) for n in range(30)))
    assert sum(outcome.won for outcome in outcomes) == 1
    assert len({outcome.approval.state for outcome in outcomes}) == 1
    assert (await bench.kinds()).count("decided") == 1


async def test_twenty_pairs_of_approve_and_deny(pool):
    async def pair():
        bench = await Bench.open(pool)
        row = await bench.ask()
        yes, no = await asyncio.gather(bench.decide(row), bench.decide(row, "deny"))
        assert yes.won != no.won
        await bench.run(row)
        assert len(bench.shelf.effects) == (1 if yes.won else 0)

    await asyncio.gather(*(pair() for _ in range(20)))


async def test_next_round_says_what_changed_in_between(bench):
    row = await bench.approved()
    bench.shelf.put("d-1", "Marketing", rev=2)
    await bench.run(row)
    new = await bench.approvals.ask(bench.lease, bench.call(), "ai-1:c1#2", "delete_thing", {"thing": "d-1"})
    assert new.card["evidence"][0]["rows"] == [{"field": "name", "before": "Sales", "after": "Marketing"}]
    assert new.etag == '"2"'


async def test_next_round_tells_revisions_apart_where_nothing_shown_has_changed(bench):
    row = await bench.approved()
    bench.shelf.put("d-1", "Sales", rev=2)
    await bench.run(row)
    new = await bench.approvals.ask(bench.lease, bench.call(), "ai-1:c1#2", "delete_thing", {"thing": "d-1"})
    assert new.card["evidence"][0]["rows"] == [{"field": "Revision", "before": '"1"', "after": '"2"'}]


async def test_next_round_keeps_what_the_person_had_edited(bench):
    bench.shelf.put("d-2")
    row = (await bench.edit(await bench.ask(), thing="d-2")).approval
    await bench.decide(row)
    bench.shelf.put("d-2", rev=2)
    assert (await bench.run(row)).status == 412
    new = await bench.approvals.ask(bench.lease, bench.call(), "ai-1:c1#2", "delete_thing", {"thing": "d-1"})
    assert (new.args_jcs, new.version) == (b'{"thing":"d-2"}', 1)
    await bench.decide(new)
    assert "changed the arguments" in (await bench.run(new)).text
    assert [e.args for e in bench.shelf.effects] == [{"thing": "d-2"}]


def edit(row: Approval) -> Decision:
    return Decision(str(row.id), "edit", row.card_sha256.hex())


async def test_edit_is_a_new_card_of_the_same_tool(bench):
    bench.shelf.put("d-2")
    row = await bench.ask()
    decided = await bench.edit(row, thing="d-2")
    new = decided.approval
    assert (decided.won, new.version, new.state, new.tool, new.etag) == (True, 2, "pending", "delete_thing", '"1"')
    assert new.card["title"] == "delete_thing d-2?"
    assert (await bench.row(row.id)).state == "superseded"
    await bench.decide(new)
    result = await bench.run(new, thing="d-1")
    assert 'changed the arguments before approving, to {"thing":"d-2"}' in result.text
    assert [e.args for e in bench.shelf.effects] == [{"thing": "d-2"}]


async def test_edited_card_does_not_excuse_changed_arguments_in_the_state(bench):
    bench.shelf.put("d-2")
    row = await bench.ask()
    new = (await bench.edit(row, thing="d-2")).approval
    await bench.decide(new)
    assert (await bench.run(new, thing="d-2")).problem.code == "approval_arguments"
    assert bench.shelf.effects == []


async def test_edit_is_validated_field_by_field(bench):
    row = await bench.ask(tool="rename_thing", name="New")
    with pytest.raises(Refused) as caught:
        await bench.edit(row, thing="d-1", name="x" * 41)
    assert (caught.value.status, caught.value.errors[0]["loc"]) == (422, ("name",))
    assert (await bench.row(row.id)).state == "pending"


async def test_edit_that_the_backend_refuses_changes_nothing(bench):
    row = await bench.ask()
    with pytest.raises(Refused) as caught:
        await bench.edit(row, thing="nothing")
    assert caught.value.code == "refused_by_backend"
    assert (await bench.row(row.id)).state == "pending"


async def test_edit_of_a_stale_card_is_refused(bench):
    bench.shelf.put("d-2")
    row = await bench.ask()
    await bench.edit(row, thing="d-1")
    decided = await bench.edit(row, thing="d-2")
    assert not decided.won
    assert refusal(decided, edit(row), "en").winner == "superseded"
    assert (await bench.kinds())[-1] == "refused"


async def test_same_edit_twice_finds_the_card_that_it_made(bench):
    bench.shelf.put("d-2")
    row = await bench.ask()
    first, second = await asyncio.gather(*(bench.edit(row, thing="d-2") for _ in range(2)))
    assert first.approval.id == second.approval.id
    assert (first.won + second.won, first.approval.state) == (1, "pending")
    assert refusal(second if first.won else first, edit(row), "en") is None
    assert (await bench.kinds()).count("decided") == 1


async def test_card_with_a_retired_key_is_not_edited(bench):
    row = await bench.ask()
    bench.use_keys(NEXT_KEYS)
    decided = await bench.edit(row, thing="d-1")
    assert (decided.won, decided.approval.state, decided.approval.id) == (False, "expired", row.id)
    assert (await bench.kinds())[-1] == "refused"


async def test_what_an_edit_leaves_alone_keeps_its_hidden_characters(bench):
    row = await bench.ask(tool="rename_thing", name="two\nlines\u200b")
    shown = bench.approvals.part(row).args
    new = (await bench.edit(row, **{**shown, "thing": "d-1"})).approval
    assert new.args_jcs == row.args_jcs
    typed = (await bench.edit(new, **{**shown, "name": "one"})).approval
    assert typed.args_jcs == b'{"name":"one","thing":"d-1"}'


async def test_other_people_cannot_edit(bench):
    row = await bench.ask()
    with pytest.raises(NotFound):
        await bench.edit(row, principal(BOB), thing="d-1")


async def test_part_shows_the_state_and_a_form_only_while_it_waits(bench):
    row = await bench.ask()
    part = bench.approvals.part(row)
    assert (part.state, part.card_sha256, part.args) == ("pending", row.card_sha256.hex(), {"thing": "d-1"})
    assert part.args_schema["properties"].keys() == {"thing"}
    decided = (await bench.decide(row, "deny", reason="no")).approval
    part = bench.approvals.part(decided)
    assert (part.state, part.decided_by, part.reason, part.args_schema) == ("denied", "Ann", "no", None)
