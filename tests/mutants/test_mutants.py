"""Break the product on purpose: for each safeguard that is taken out, a test must fail."""

import os
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LONGEST = 240
PACKAGES = ("agent", "store", "tools", "router", "backend", "tests")


@dataclass(frozen=True)
class Mutant:
    """A safeguard taken out: `old` becomes `new` in a file, and `test` has to notice, with the words `told`."""

    name: str
    file: str
    old: str
    new: str
    test: str
    marker: str = "not long"
    told: str = "FAILED "


COUNTERSIGNED = "tests/agent/test_countersigned.py"
FORGERIES = "tests/agent/test_forgeries.py"
FORGED = f"{FORGERIES}::test_forged_decision_is_refused_on_record_and_calls_nothing"
KILLS = "tests/faults/test_kills.py::test_killed_once_the_turn_ends_as_if_nothing_had_happened"
PLAIN = "tests/faults/test_kills.py::test_change_that_needs_no_approval_happens_once_as_well"
MUTANTS = [
    Mutant(
        "signature check skipped",
        "agent/countersigned.py",
        "if not (self._approvals.holds(row) and self._approvals.approved(row)):",
        "if False:",
        f"{COUNTERSIGNED}::test_row_changed_in_the_database_is_refused",
    ),
    Mutant(
        "every signature holds",
        "agent/keys.py",
        'return hmac.compare_digest(hmac.digest(self._key(purpose, kid), data, "sha256"), signature)',
        "return True",
        f"{FORGERIES}::test_a_byte_flipped_anywhere_in_the_row_is_refused_before_the_backend",
    ),
    Mutant(
        "owner not compared",
        "store/approvals.py",
        "a.tenant = %(tenant)s and a.owner = %(owner)s",
        "a.tenant = %(tenant)s",
        "tests/agent/test_approvals.py::test_other_people_find_nothing[other user]",
    ),
    Mutant(
        "tenant not compared",
        "store/approvals.py",
        "a.tenant = %(tenant)s and a.owner = %(owner)s",
        "a.owner = %(owner)s",
        "tests/agent/test_approvals.py::test_other_people_find_nothing[other tenant]",
    ),
    Mutant(
        "conversation not compared",
        "agent/decisions.py",
        "uuid_of(decision.conversation_id) != turn.conversation_id",
        "False",
        f"{FORGED}[other conversation]",
    ),
    Mutant(
        "late decision taken",
        "store/approvals.py",
        "a.state = 'pending' and a.expires_at > clock_timestamp()",
        "a.state = 'pending'",
        f"{FORGERIES}::test_decision_that_comes_too_late_is_refused_on_record",
    ),
    Mutant(
        "refusals not on record",
        "agent/decisions.py",
        "if refused.code in UNFIT:",
        "if False:",
        f"{FORGED}[forged id]",
    ),
    Mutant(
        "approval consumed twice",
        "store/approvals.py",
        "and a.state = 'approved' returning",
        "returning",
        "tests/store/test_approvals.py::test_an_approval_is_consumed_first_exactly_once",
    ),
    Mutant(
        "decision not verified",
        "agent/countersigned.py",
        "self._approvals.holds(row) and self._approvals.approved(row)",
        "self._approvals.holds(row)",
        f"{COUNTERSIGNED}::test_approval_written_into_the_database_is_refused",
    ),
    Mutant(
        "arguments not compared",
        "agent/countersigned.py",
        "if not await self._proposed(connection, row, args):",
        "if False:",
        f"{COUNTERSIGNED}::test_changed_arguments_in_the_state_are_refused",
    ),
    Mutant(
        "tool not compared",
        "agent/countersigned.py",
        "if self.specs[name].sha256() != row.tool_sha256:",
        "if False:",
        f"{COUNTERSIGNED}::test_changed_tool_is_refused",
    ),
    Mutant(
        "If-Match dropped",
        "agent/countersigned.py",
        "if_match=row.etag",
        "if_match=None",
        f"{COUNTERSIGNED}::test_changed_resource_is_left_alone",
    ),
    Mutant(
        "several winners",
        "store/approvals.py",
        "and a.card_sha256 = %(card)s and {_OPEN}\n            returning",
        "and a.card_sha256 = %(card)s\n            returning",
        "tests/agent/test_approvals.py::test_thirty_deciders_one_winner",
    ),
    Mutant(
        "hash of the card not compared",
        "store/approvals.py",
        "and a.card_sha256 = %(card)s and {_OPEN}\n            returning",
        "and {_OPEN}\n            returning",
        "tests/agent/test_approvals.py::test_stale_card_decides_nothing",
    ),
    Mutant(
        "random key for an approved call",
        "agent/countersigned.py",
        'idempotency_key=f"ap-{row.id}"',
        "idempotency_key=f\"ap-{__import__('uuid').uuid4()}\"",
        f"{KILLS}[K11:2]",
        "faults",
        "refused: not_found",  # the second call found nothing left to delete
    ),
    Mutant(
        "random key for a plain call",
        "agent/kit.py",
        'idempotency_key=f"tc-{digest}"',
        "idempotency_key=f\"tc-{__import__('uuid').uuid4()}\"",
        f"{PLAIN}[K11:1]",
        "faults",
        "assert 2 == 1",
    ),
    Mutant(
        "unfenced saver",
        "store/checkpoints.py",
        "        if not await held.fetchone():\n            raise LostLease",
        "        await held.fetchone()",
        "tests/store/test_checkpoints.py::test_a_paused_worker_cannot_erase_later_turns",
        told="DID NOT RAISE LostLease",
    ),
    Mutant(
        "next instead of tasks",
        "agent/driver.py",
        "elif state.tasks:",
        "elif state.next:",
        f"{KILLS}[S2:2]",
        "faults",
        "the turn is failed, not ('waiting_approval',)",
    ),
    Mutant(
        "asynchronous durability",
        "agent/driver.py",
        'durability="sync",',
        'durability="async",',
        "tests/agent/test_durability.py::test_no_call_is_sent_before_the_message_that_made_it_is_kept",
        told="assert not saver.hasty",
    ),
    Mutant(
        "two active turns",
        "store/migrations/versions/0001_initial.sql",
        "create unique index turns_one_active on turns (conversation_id)",
        "create index turns_one_active on turns (conversation_id)",
        "tests/store/test_indexes.py::test_a_conversation_has_one_active_turn",
        told="DID NOT RAISE UniqueViolation",
    ),
    Mutant(
        "two open cards of a call",
        "store/migrations/versions/0001_initial.sql",
        "create unique index approvals_one_open on approvals (turn_id, call_key)",
        "create index approvals_one_open on approvals (turn_id, call_key)",
        "tests/store/test_indexes.py::test_a_call_has_one_open_approval",
        told="DID NOT RAISE UniqueViolation",
    ),
    Mutant(
        "ledger after If-Match",
        "backend/effects.py",
        """        if self.call.entry and (stored := await ledger.claim(connection, self.call.entry)):
            return stored
        await self.failpoint("after_ledger")
        plan = await make_plan(self._act(connection), *args, **kwargs)
""",
        """        plan = await make_plan(self._act(connection), *args, **kwargs)
        if self.call.entry and (stored := await ledger.claim(connection, self.call.entry)):
            return stored
        await self.failpoint("after_ledger")
""",
        "tests/backend/test_ledger.py::test_a_retry_of_a_success_with_the_old_etag_is_replayed_not_refused",
    ),
]


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The product in a folder of its own, where it may be broken."""
    folder = tmp_path_factory.mktemp("mutants")
    for package in PACKAGES:
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__", "node_modules"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


@pytest.fixture(scope="module")
def green() -> set[str]:
    """The tests that were seen to pass on the product as it is."""
    return set()


@pytest.fixture
def mutant(request: pytest.FixtureRequest, copy: Path, green: set[str]) -> Mutant:
    """A mutant whose test passes as long as the safeguard is there: without that its failure says nothing."""
    mutant: Mutant = request.param
    if mutant.test not in green:
        code, told = outcome(copy, mutant)
        assert code == 0, f"not green before anything was broken:\n{told[-3000:]}"
        green.add(mutant.test)
    return mutant


def outcome(folder: Path, mutant: Mutant) -> tuple[int, str]:
    """Exit code and words of the mutant's test in the copy; whatever it started ends with it."""
    command = [sys.executable, "-m", "pytest", "-x", "--timeout", "90", "-m", mutant.marker, mutant.test]
    log = folder / "told.txt"
    with log.open("w") as told:
        run = subprocess.Popen(command, cwd=folder, stdout=told, stderr=told, start_new_session=True)
    try:
        code = run.wait(LONGEST)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(run.pid, signal.SIGKILL)
    return code, log.read_text()


@pytest.mark.long
@pytest.mark.timeout(2 * LONGEST + 60)
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: m.name, indirect=True)
def test_a_safeguard_that_is_missing_is_noticed(copy: Path, mutant: Mutant):
    file = copy / mutant.file
    whole = file.read_text()
    assert whole.count(mutant.old) == 1, f"the safeguard has moved: {mutant.file}"
    try:
        file.write_text(whole.replace(mutant.old, mutant.new))
        code, told = outcome(copy, mutant)
    finally:
        file.write_text(whole)
    assert code == 1, f"nothing noticed:\n{told[-3000:]}"
    assert "FAILED " in told, f"it did not get as far as a test:\n{told[-3000:]}"
    assert mutant.told in told, f"noticed for another reason:\n{told[-3000:]}"
