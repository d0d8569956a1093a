"""The key that signs our user tokens, and the public keys of the service that calls us."""

import asyncio
import json
import os
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

import httpx
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from joserfc.errors import JoseError
from joserfc.jwk import Key, KeySet, OKPKey

from backend.identity.tokens import InvalidToken

MAX_JWKS = 65_536
FILE = "user-tokens.jwk"
Fetch = Callable[[], Awaitable[bytes]]


def signing_key(folder: Path) -> OKPKey:
    """The private Ed25519 key in this folder; made, readable for its owner only, when there is none."""
    path = folder / FILE
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        _write_once(path, OKPKey.generate_key("Ed25519", {"use": "sig", "alg": "Ed25519"}, auto_kid=True))
    return OKPKey.import_key(json.loads(path.read_text()))


def seed_key(folder: Path, seed: bytes) -> None:
    """Put the Ed25519 key that these 32 bytes make into the folder, in place of any other."""
    private = Ed25519PrivateKey.from_private_bytes(seed)
    key = OKPKey.import_key(private, {"use": "sig", "alg": "Ed25519"})
    key.ensure_kid()
    (folder / FILE).unlink(missing_ok=True)
    _write_once(folder / FILE, key)


def _write_once(path: Path, key: OKPKey) -> None:
    """Write a key so that two starts at once end up with the same one and nobody reads half a file."""
    descriptor, draft = tempfile.mkstemp(dir=path.parent)  # readable for its owner only
    with os.fdopen(descriptor, "w") as file:
        json.dump(key.as_dict(private=True), file)
    with suppress(FileExistsError):
        os.link(draft, path)
    os.unlink(draft)


class OwnKey:
    """Our own key, for checking the tokens that we made."""

    def __init__(self, key: OKPKey):
        self._key = key

    async def key(self, kid: str) -> Key:
        """The key with this id; raises `InvalidToken`."""
        if kid != self._key.kid:
            raise InvalidToken("key id")
        return self._key


class PublishedKeys:
    """Keys that somebody else publishes: kept ten minutes, up to a day while they cannot be fetched.

    An unknown key id causes at most one fetch a minute, however many tokens name one, and calls that come together
    share it; only the place configured is ever asked, never one that a token names.
    """

    FRESH, STALE, PAUSE = 600.0, 86_400.0, 60.0

    def __init__(self, fetch: Fetch, clock: Callable[[], float] = time.monotonic):
        self._fetch = fetch
        self._clock = clock
        self._keys: dict[str, Key] = {}
        self._fetched = self._tried = float("-inf")
        self._lock = asyncio.Lock()

    async def key(self, kid: str) -> Key:
        """The key with this id; raises `InvalidToken`."""
        if self._wanted(kid):
            async with self._lock:
                if self._wanted(kid) and self._clock() - self._tried >= self._pause:
                    await self._refresh()
        if kid not in self._keys or self._age > self.STALE:
            raise InvalidToken("key id")
        return self._keys[kid]

    async def _refresh(self) -> None:
        self._tried = self._clock()
        with suppress(httpx.HTTPError, OSError, JoseError, ValueError, KeyError, TypeError):
            keys = KeySet.import_key_set(json.loads(await self._fetch()))
            self._keys = {key.kid: key for key in keys if key.kid and key.key_type != "oct"}
            self._fetched = self._tried

    def _wanted(self, kid: str) -> bool:
        return kid not in self._keys or self._age > self.FRESH

    @property
    def _age(self) -> float:
        return self._clock() - self._fetched

    @property
    def _pause(self) -> float:
        return self.PAUSE if self._keys else 1.0


def published_at(place: str, client: httpx.AsyncClient, clock: Callable[[], float] = time.monotonic) -> PublishedKeys:
    """The keys at `place`, a file or an http(s) URL that does not redirect."""
    if place.startswith(("http://", "https://")):
        return PublishedKeys(lambda: _download(place, client), clock)
    return PublishedKeys(lambda: asyncio.to_thread(Path(place).read_bytes), clock)


async def _download(url: str, client: httpx.AsyncClient) -> bytes:
    async with client.stream("GET", url, follow_redirects=False) as answer:
        if answer.status_code != 200:
            raise ValueError("the issuer did not answer with its keys")
        body = bytearray()
        async for chunk in answer.aiter_bytes():
            body += chunk
            if len(body) > MAX_JWKS:
                raise ValueError("the issuer's keys are too large")
    return bytes(body)
