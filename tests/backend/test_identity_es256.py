"""A service may sign with P-256 as well, and then with nothing else."""

from pathlib import Path

from joserfc.jwk import ECKey

from tests.backend.world import new_key, running, sign


async def test_a_service_with_a_p256_key(workspace_url: str, tmp_path: Path) -> None:
    key = ECKey.generate_key("P-256", {"use": "sig", "alg": "ES256"}, auto_kid=True)
    async with running(workspace_url, tmp_path, service_key=key) as world:
        assert (await world.call("vera", "GET", "/auth/me")).json()["id"] == "vera"
        token = world.user_token("vera")
        forged = sign(world.service_claims(token), new_key(), "svc+jwt", kid=key.kid)
        headers = {"Authorization": f"Bearer {forged}", "X-User-JWT": token}
        assert (await world.http.get("/auth/me", headers=headers)).json()["code"] == "service_token_invalid"
