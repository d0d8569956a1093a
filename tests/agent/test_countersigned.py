"""Only what was countersigned runs, as it was signed, once; the rest is refused before the backend hears of it."""

import asyncio
from dataclasses import replace

import pytest

from agent.approvals import Decision, refusal
from agent.leases import LeaseLost
from store import audit
from store.errors import LostLease
from tests.agent.bench import BOB, BOTH_KEYS, NEXT_KEYS, TENANT, Bench, other_tenant, principal, running
from tests.agent.shelf import SPECS
from tools.toolset import Problem, Role, ToolResult


@pytest.fixture
async def bench(pool):
    return await Bench.open(pool)


async def test_approved_call_runs_once_with_the_signed_bytes(bench):
    row = await bench.approved()
    result = await bench.run(row)
    assert result.ok
    [done] = bench.shelf.effects
    assert (done.args, done.if_match, done.idempotency_key) == ({"thing": "d-1"}, '"1"', f"ap-{row.id}")
    assert (await bench.row(row.id)).state == "consumed"
    assert await bench.kinds() == ["asked", "shown", "decided", "sent", "came_back"]


async def test_replay_after_the_result_is_known_calls_nothing(bench):
    row = await bench.approved()
    first, second = await bench.run(row), await bench.run(row)
    assert first == second
    assert bench.shelf.calls["delete_thing"] == 1


async def test_approval_of_another_call_is_refused_and_stays_good_for_its_own(bench):
    row = await bench.approved()
    stolen = await bench.run(row, key="ai-2:c1")
    assert stolen.problem.code == "approval_other_call"
    assert bench.shelf.effects == []
    assert (await bench.run(row)).ok


async def test_approval_of_another_conversation_is_refused(bench, pool):
    row = await bench.approved()
    other = await Bench.open(pool)
    result = await other.run(row)
    assert result.problem.code == "approval_other_call"
    assert other.shelf.effects == []


@pytest.mark.parametrize("who", [principal(BOB), other_tenant()], ids=["other user", "other tenant"])
async def test_approval_of_another_person_is_refused(bench, who):
    row = await bench.approved()
    assert (await bench.run(row, who=who)).problem.code == "approval_unknown"
    assert bench.shelf.calls["delete_thing"] == 0


async def test_approval_of_another_tool_is_refused(bench):
    row = await bench.approved()
    result = await bench.gate.call_approved(str(row.id), "wipe_thing", {"thing": "d-1"}, bench.call())
    assert result.problem.code == "approval_other_call"


async def test_changed_arguments_in_the_state_are_refused(bench):
    bench.shelf.put("d-2")
    row = await bench.approved()
    assert (await bench.run(row, thing="d-2")).problem.code == "approval_arguments"
    assert (await bench.row(row.id)).state == "failed"
    assert (await bench.run(row)).problem.code == "approval_arguments", "a refused approval is spent"
    assert bench.shelf.calls["delete_thing"] == 0


async def test_changed_tool_is_refused(bench):
    row = await bench.approved()
    bench.toolset.specs["delete_thing"] = replace(SPECS["wipe_thing"], name="delete_thing")
    assert (await bench.run(row)).problem.code == "approval_tool"
    assert bench.shelf.calls["delete_thing"] == 0


async def test_approved_but_expired_before_it_ran(bench):
    row = await bench.approved()
    await bench.sql("update approvals set expires_at = clock_timestamp()")
    assert (await bench.run(row)).problem.code == "approval_expired"
    assert (await bench.row(row.id)).state == "failed"


async def test_changed_resource_is_left_alone(bench):
    row = await bench.approved()
    bench.shelf.put("d-1", "Sales", rev=2)
    assert (await bench.run(row)).status == 412
    assert bench.shelf.effects == []
    assert (await bench.row(row.id)).state == "failed"


@pytest.mark.parametrize(
    "change",
    [
        'args_jcs = \'{"thing":"d-2"}\'',
        "sig = ''",
        "sig = substr(sig, 1, 16)",
        "kid = 'k2'",
        "etag = null",
        "etag = '\"2\"'",
        "effect = 'write'",
        "version = 2",
        "expires_at = expires_at + interval '1 day'",
        "nonce = '\\x00'",
        'resource = \'{"id": "d-2"}\'',
        'card = card || \'{"title": "Harmless"}\'',
        "card = '{}', card_sha256 = sha256('{}')",
    ],
)
async def test_row_changed_in_the_database_is_refused(bench, change):
    bench.shelf.put("d-2")
    row = await bench.approved()
    await bench.sql(f"update approvals set {change}")
    assert (await bench.run(row)).problem.code == "approval_signature"
    assert bench.shelf.calls["delete_thing"] == 0
    assert (await bench.kinds())[-1] == "refused"


@pytest.mark.parametrize("change", ["owner = 'https://issuer|bob'", "tenant = 'other'", "tool = 'wipe_thing'"])
async def test_row_given_to_somebody_else_is_refused(bench, change):
    row = await bench.approved()
    await bench.sql(f"update approvals set {change}")
    result = await bench.run(row)
    assert result.problem.code in ("approval_unknown", "approval_other_call")
    stolen = await bench.gate.call_approved(
        str(row.id), "delete_thing", {"thing": "d-1"}, bench.call(who=principal(BOB))
    )
    assert not stolen.ok
    assert bench.shelf.effects == []


async def test_approval_written_into_the_database_is_refused(bench):
    row = await bench.ask()
    await bench.sql("update approvals set state = 'approved', decided_by = owner, decided_at = clock_timestamp()")
    assert (await bench.run(row)).problem.code == "approval_signature"
    assert bench.shelf.effects == []


async def test_denial_turned_into_an_approval_is_refused(bench):
    row = await bench.ask()
    await bench.decide(row, "deny")
    await bench.sql("update approvals set state = 'approved'")
    assert (await bench.run(row)).problem.code == "approval_signature"


async def test_decision_copied_from_another_card_is_refused(bench):
    bench.shelf.put("d-2")
    await bench.approved()
    row = await bench.ask("d-2", key="ai-1:c2")
    await bench.sql(
        """update approvals a set state = 'approved', decided_by = b.decided_by, decision_sig = b.decision_sig
        from approvals b where a.state = 'pending' and b.state = 'approved'"""
    )
    assert (await bench.run(row, key="ai-1:c2", thing="d-2")).problem.code == "approval_signature"
    assert bench.shelf.effects == []


async def test_key_may_rotate_while_a_card_waits(bench):
    row = await bench.ask()
    bench.use_keys(BOTH_KEYS)
    assert (await bench.decide(row)).won
    assert (await bench.run(row)).ok


async def test_retired_key_expires_the_card(bench):
    row = await bench.ask()
    bench.use_keys(NEXT_KEYS)
    decided = await bench.decide(row)
    assert refusal(decided, Decision("", "approve", ""), "en").status == 410
    assert (await bench.row(row.id)).state == "expired"
    assert (await bench.kinds())[-1] == "refused"


async def test_retired_key_stops_what_was_approved(bench):
    row = await bench.approved()
    bench.use_keys(NEXT_KEYS)
    assert (await bench.run(row)).problem.code == "approval_signature"
    assert bench.shelf.effects == []


async def test_card_with_a_retired_key_can_still_be_denied(bench):
    row = await bench.ask()
    bench.use_keys(NEXT_KEYS)
    assert (await bench.decide(row, "deny")).won


async def test_danger_without_an_approval_is_refused(bench):
    result = await bench.gate.call("delete_thing", {"thing": "d-1"}, bench.call())
    assert result.problem.code == "approval_needs_approval"
    assert bench.shelf.calls["delete_thing"] == 0
    assert await bench.kinds() == ["refused"]


async def test_write_without_review_runs_and_is_audited(bench):
    result = await bench.gate.call("rename_thing", {"thing": "d-1", "name": "B"}, bench.call())
    assert result.ok
    assert await bench.kinds() == ["sent", "came_back"]
    async with bench.pool.connection() as connection:
        back, sent = await audit.page(connection, TENANT, audit.Filter())
    assert back.data["idempotency_key"] == sent.data["idempotency_key"] == "tc-ai-1:c1"
    assert bench.shelf.effects[0].idempotency_key == "tc-ai-1:c1"


async def test_failure_of_an_approved_call_is_recorded_as_such(bench):
    row = await bench.approved()
    bench.shelf.forbidden.add("delete_thing")
    assert (await bench.run(row)).status == 403
    kept = await bench.row(row.id)
    assert (kept.state, kept.result["status"]) == ("failed", 403)


async def test_worker_that_died_after_the_call_repeats_it_under_the_same_key(bench):
    row = await bench.approved()
    await bench.run(row)
    await bench.sql("update approvals set state = 'consumed', result = null")
    assert (await bench.run(row)).replayed
    assert len(bench.shelf.effects) == 1
    assert bench.shelf.calls["delete_thing"] == 2


async def test_a_backend_that_may_act_twice_is_not_called_again_after_a_crash(bench):
    row = await bench.approved()
    await bench.run(row)
    await bench.sql("update approvals set state = 'consumed', result = null")
    bench.toolset.specs["delete_thing"] = replace(SPECS["delete_thing"], repeatable=False)
    result = await bench.run(row)
    assert (result.ok, result.outcome_unknown, bench.shelf.calls["delete_thing"]) == (False, True, 1)
    assert (await bench.row(row.id)).state == "failed"


async def test_lost_lease_consumes_and_calls_nothing(bench, pool):
    row = await bench.approved()
    await bench.sql("update turns set fence = fence + 1")
    with pytest.raises(LostLease):
        await bench.run(row)
    assert bench.shelf.calls["delete_thing"] == 0
    assert (await bench.row(row.id)).state == "approved"


async def test_lease_that_ran_out_by_our_own_clock_calls_nothing(bench):
    row = await bench.approved()
    bench.lease.ends = float("-inf")
    with pytest.raises(LeaseLost):
        await bench.run(row)
    with pytest.raises(LeaseLost):
        await bench.gate.call("find_things", {"query": ""}, bench.call())
    assert not bench.shelf.calls["delete_thing"]
    assert not bench.shelf.calls["find_things"]


async def test_cancelled_call_is_awaited_and_its_outcome_recorded(bench):
    row = await bench.approved()
    bench.shelf.gate = asyncio.Event()
    running_call = asyncio.create_task(bench.run(row))
    await bench.shelf.entered.wait()
    running_call.cancel()
    await asyncio.sleep(0)
    assert not running_call.done()
    bench.shelf.gate.set()
    with pytest.raises(asyncio.CancelledError):
        await running_call
    kept = await bench.row(row.id)
    assert (kept.state, kept.result["ok"]) == ("consumed", True)


async def test_outcome_that_nobody_knows_is_recorded_as_failed_and_unknown(bench):
    row = await bench.approved()
    problem = Problem(code="timeout", title="no answer")
    bench.shelf.answer = ToolResult(ok=False, text="unknown", outcome_unknown=True, problem=problem)
    await bench.run(row)
    kept = await bench.row(row.id)
    assert (kept.state, kept.result["outcome_unknown"]) == ("failed", True)


@pytest.mark.parametrize("role", [Role.VIEWER])
async def test_role_is_checked_by_the_backend_when_the_call_runs(bench, role):
    row = await bench.approved()
    assert (await bench.run(row, who=principal(role=role))).status == 403
    assert bench.shelf.effects == []


async def test_two_turns_of_one_conversation_share_no_approval(bench, pool):
    row = await bench.approved()
    await bench.sql("update turns set state = 'failed'")
    bench.turn = await running(pool, bench.turn.conversation_id, "t2")
    bench.lease = replace(bench.lease, turn_id=bench.turn.id, fence=bench.turn.fence)
    bench.use_keys(BOTH_KEYS)
    assert (await bench.run(row)).problem.code == "approval_other_call"
