"""The secrets of the installation: a ring of keys, a derived key for each purpose, signatures and seals."""

import base64
import binascii
import hmac
import os
import secrets
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

SALT = b"countersign/hkdf/v1"
PLACEHOLDERS = (b"changeme", b"change-me", b"secret", b"password", b"example", b"placeholder", b"your-")
KEY_BYTES = 32
NONCE_BYTES = 12


class BadSecrets(ValueError):  # noqa: N818
    """`APP_SECRETS` cannot be used; the message says why and never holds a secret."""


class Unsealable(ValueError):  # noqa: N818
    """A sealed value was changed, belongs to something else, or its key has been retired."""


@dataclass(frozen=True)
class KeyRing:
    """`APP_SECRETS="k2:<base64>,k1:<base64>"`: the first key signs and seals, all of them verify and open.

    Keys are derived with HKDF-SHA256 (RFC 5869), one for each purpose and key id, so a signature made for one
    purpose is worth nothing for another. Raises `BadSecrets` for a key under 32 bytes or a known placeholder.
    """

    spec: str = field(repr=False)

    def __post_init__(self) -> None:
        self._secrets()

    @classmethod
    def load_or_create(cls, path: Path) -> "KeyRing":
        """The ring kept in `path`; a new one with mode 0600 is made when there is none."""
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
        with os.fdopen(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
            file.write(new_secrets())
        try:
            os.link(draft, path)
        except FileExistsError:
            path.chmod(0o600)
        finally:
            draft.unlink()
        return cls(path.read_text().strip())

    @property
    def kid(self) -> str:
        """Id of the key that signs now."""
        return next(iter(self._secrets()))

    def sign(self, purpose: str, data: bytes) -> tuple[str, bytes]:
        """(key id, HMAC-SHA256) of the data."""
        return self.kid, hmac.digest(self._key(purpose, self.kid), data, "sha256")

    def verify(self, purpose: str, kid: str, data: bytes, signature: bytes) -> bool:
        """Whether this ring made the signature; false as well when the key id is not in the ring (any more)."""
        if kid not in self._secrets():
            return False
        return hmac.compare_digest(hmac.digest(self._key(purpose, kid), data, "sha256"), signature)

    def seal(self, purpose: str, plain: str, bound_to: str) -> bytes:
        """AES-256-GCM: key id, nonce, ciphertext. Opens only with the same `bound_to`."""
        nonce = secrets.token_bytes(NONCE_BYTES)
        box = AESGCM(self._key(purpose, self.kid)).encrypt(nonce, plain.encode(), bound_to.encode())
        return self.kid.encode() + b"\0" + nonce + box

    def unseal(self, purpose: str, sealed: bytes, bound_to: str) -> str:
        """What `seal` was given; raises `Unsealable`."""
        kid, _, rest = sealed.partition(b"\0")
        name = kid.decode(errors="replace")
        if name not in self._secrets() or len(rest) <= NONCE_BYTES:
            raise Unsealable("the key of this value has been retired")
        try:
            key = AESGCM(self._key(purpose, name))
            return key.decrypt(rest[:NONCE_BYTES], rest[NONCE_BYTES:], bound_to.encode()).decode()
        except InvalidTag:
            raise Unsealable("this value was changed or belongs to something else") from None

    def service_private_key(self) -> Ed25519PrivateKey:
        """The Ed25519 key that signs service tokens; every replica with the same secrets has the same one."""
        return Ed25519PrivateKey.from_private_bytes(self._key("service-jwt", self.kid))

    def _secrets(self) -> dict[str, bytes]:
        return _parse(self.spec)

    def _key(self, purpose: str, kid: str) -> bytes:
        return _derive(self._secrets()[kid], f"{purpose}|{kid}")


@cache
def _parse(spec: str) -> dict[str, bytes]:
    ring: dict[str, bytes] = {}
    for entry in spec.split(","):
        kid, colon, encoded = entry.strip().partition(":")
        if not colon or not kid or not kid.isascii() or not kid.isalnum() or kid in ring:
            raise BadSecrets("APP_SECRETS must look like k2:<base64>,k1:<base64> with different key ids")
        ring[kid] = _decoded(kid, encoded)
    return ring


def _decoded(kid: str, encoded: str) -> bytes:
    try:
        secret = base64.b64decode(encoded, altchars=b"-_" if set("-_") & set(encoded) else None, validate=True)
    except binascii.Error:
        raise BadSecrets(f"key {kid} in APP_SECRETS is not base64") from None
    if len(secret) < KEY_BYTES:
        raise BadSecrets(
            f"key {kid} in APP_SECRETS has {len(secret)} bytes; it needs {KEY_BYTES}: openssl rand -base64 32"
        )
    if len(set(secret)) < 8 or any(
        word in text for text in (secret.lower(), encoded.lower().encode()) for word in PLACEHOLDERS
    ):
        raise BadSecrets(f"key {kid} in APP_SECRETS is a placeholder; make one with: openssl rand -base64 32")
    return secret


@cache
def _derive(secret: bytes, info: str) -> bytes:
    return HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=SALT, info=info.encode()).derive(secret)


def new_secrets() -> str:
    """A fresh ring of one key, as `APP_SECRETS` takes it."""
    return f"k1:{base64.b64encode(secrets.token_bytes(KEY_BYTES)).decode()}"


if __name__ == "__main__":
    print(new_secrets())
