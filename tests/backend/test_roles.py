"""Who may do what: every operation for every role, decided by the users table at the time of the call."""

import pytest

from tests.backend.operations import CHANGES, PEOPLE, READS, Operation
from tests.backend.world import World


@pytest.mark.parametrize("role", PEOPLE)
@pytest.mark.parametrize("operation", [*READS, *CHANGES], ids=lambda operation: operation.name)
async def test_matrix(still: World, operation: Operation, role: str) -> None:
    dry = {} if operation in READS else {"params": {"dry_run": "true"}}
    answer = await still.call(PEOPLE[role], operation.method, operation.path, **operation.options, **dry)
    if operation.allows(role):
        assert answer.status_code == 200, answer.text
    else:
        assert answer.status_code == 403
        assert answer.json()["code"] == "role_required"


async def test_the_role_in_the_token_does_not_count(still: World) -> None:
    token = still.user_token("vera", role="admin", roles=["admin"])
    headers = {"X-User-JWT": token, "Authorization": f"Bearer {still.service_token(token)}"}
    answer = await still.http.delete("/dashboards/88", headers=headers)
    assert (answer.status_code, answer.json()["your_role"]) == (403, "viewer")


async def test_who_may_not_do_it_does_not_learn_whether_it_exists(still: World) -> None:
    for path in ("/dashboards/88", "/dashboards/99999"):
        assert (await still.call("vera", "DELETE", path)).status_code == 403
