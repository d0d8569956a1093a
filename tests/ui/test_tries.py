"""How often passwords may be tried from one address."""

from dataclasses import replace

import httpx
import pytest

from tests.ui.house import OPTIONS, House
from ui.tries import StoredTries, place_of

BOUND = 3


class ByPassword(House):
    """The page in the mode of passwords, with tries that are counted in the database."""

    def __init__(self, pool):
        super().__init__(replace(OPTIONS, sign_in="password"), tries=StoredTries(pool, BOUND))


def browser(app, address: str) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(app, client=(address, 40_000))
    return httpx.AsyncClient(transport=transport, base_url="http://chat.test", headers={"origin": "http://chat.test"})


async def tried(http: httpx.AsyncClient, username: str, password: str) -> str:
    return (await http.post("/signin", data={"username": username, "password": password})).headers["location"]


async def test_t60_a_guesser_is_held_up_and_nobody_elsewhere_is(pool):
    app = ByPassword(pool).app()
    async with browser(app, "192.0.2.1") as guesser, browser(app, "192.0.2.2") as other:
        told = [await tried(guesser, "anna", f"guess {n}") for n in range(BOUND)]
        assert all("error=wrong" in place for place in told)
        place = await tried(guesser, "anna", "a")
        assert "error=often" in place
        assert "countersign" not in guesser.cookies
        assert "Wait a minute" in (await guesser.get(place, headers={"accept-language": "en"})).text
        assert await tried(other, "anna", "a") == "/"
        assert "countersign" in other.cookies


async def test_a_minute_later_the_same_address_may_try_again(pool):
    tries = StoredTries(pool, BOUND)
    waits = [await tries.wait("192.0.2.3") for _ in range(BOUND + 1)]
    assert waits[:BOUND] == [0.0] * BOUND
    assert 0 < waits[BOUND] <= 60
    async with pool.connection() as connection:
        await connection.execute("update rate_limits set window_start = window_start - interval '61 seconds'")
    assert await tries.wait("192.0.2.3") == 0.0


@pytest.mark.parametrize(
    ("one", "other", "together"),
    [
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        ("192.0.2.1", "192.0.2.2", False),
        ("192.0.2.1", "::ffff:192.0.2.1", True),
        ("", "", True),
        ("a name", "a name", True),
    ],
)
def test_what_is_counted_together(one, other, together):
    assert (place_of(one) == place_of(other)) == together
