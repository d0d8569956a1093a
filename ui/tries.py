"""How often passwords may be tried from one address, counted over all replicas."""

from ipaddress import IPv6Address, ip_address
from typing import Protocol

from store import limits
from store.person import SERVICE
from store.pool import Pool, lent

WINDOW = 60.0
SUBSCRIBER = 64  # the bits of an IPv6 address that one subscriber's devices share (RFC 6177)


class Tries(Protocol):
    """Counts the tries of an address."""

    async def wait(self, address: str) -> float:
        """Count one try; 0.0 when it may be made, else the seconds until the next one may."""
        ...


class StoredTries:
    """So many tries a minute for an address."""

    def __init__(self, pool: Pool, limit: int):
        self._pool = pool
        self._limit = limit

    async def wait(self, address: str) -> float:
        """Count one try; 0.0 when it may be made, else the seconds until the next one may."""
        async with lent(self._pool, SERVICE) as connection:
            return await limits.hit(connection, f"sign-in|{place_of(address)}", self._limit, WINDOW)


def place_of(address: str) -> str:
    """What is counted together: an IPv4 address, the network of an IPv6 subscriber; other texts as they are."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address[:100]
    if not isinstance(parsed, IPv6Address):
        return str(parsed)
    if parsed.ipv4_mapped:
        return str(parsed.ipv4_mapped)
    return f"{IPv6Address(int(parsed) >> SUBSCRIBER << SUBSCRIBER)}/{SUBSCRIBER}"
