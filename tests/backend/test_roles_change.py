"""A role that is taken no longer counts, whatever the token was made with."""

from tests.backend.world import World


async def test_a_revoked_role_stops_counting_at_the_next_call(world: World) -> None:
    assert (await world.call("tbecker", "DELETE", "/backups/bk-549")).status_code == 200
    assert (await world.call("anna", "DELETE", "/users/tbecker/roles/admin")).status_code == 200
    refused = await world.call("tbecker", "DELETE", "/backups/bk-551")
    assert (refused.status_code, refused.json()["your_role"]) == (403, "publisher")


async def test_a_replay_needs_the_role_too(world: World) -> None:
    call = ("tbecker", "DELETE", "/backups/bk-549")
    assert (await world.call(*call, key="replay-me-1")).status_code == 200
    await world.call("anna", "DELETE", "/users/tbecker/roles/admin")
    assert (await world.call(*call, key="replay-me-1")).status_code == 403
