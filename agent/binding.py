"""What an approval is bound to: the bytes that are signed, the bytes that are sent, the card that is shown."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any
from uuid import UUID

import rfc8785

from agent.keys import KeyRing
from tools.reasons import spoken
from tools.text import visible
from tools.toolset import ArgumentError, Lang, Preview, ToolSpec

PURPOSE = "tool-approval"
DOMAIN = b"countersign/approval/v1\0"
DECISION = "tool-decision"
SAFE_INTEGER = 2**53 - 1


@dataclass(frozen=True, slots=True)
class Binding:
    """Everything that an approval holds for; changing any of it voids the signature."""

    id: UUID
    tenant: str
    owner: str
    conversation_id: UUID
    turn_id: UUID
    call_key: str
    version: int
    tool: str
    effect: str
    tool_sha256: bytes
    args_jcs: bytes
    resource: dict[str, Any] | None
    etag: str | None
    card_sha256: bytes
    nonce: bytes
    expires_at: datetime

    def message(self, kid: str) -> bytes:
        """The signed bytes: a domain, then RFC 8785 of all fields; raises `rfc8785.CanonicalizationError`."""
        fields = {
            "kid": kid,
            "id": str(self.id),
            "tenant": self.tenant,
            "owner": self.owner,
            "conversation": str(self.conversation_id),
            "turn": str(self.turn_id),
            "call": self.call_key,
            "version": self.version,
            "tool": self.tool,
            "effect": self.effect,
            "tool_sha256": self.tool_sha256.hex(),
            "args": self.args_jcs.hex(),
            "resource": self.resource,
            "etag": self.etag,
            "card_sha256": self.card_sha256.hex(),
            "nonce": self.nonce.hex(),
            "expires_at": self.expires_at.astimezone(UTC).isoformat(timespec="microseconds"),
        }
        return DOMAIN + rfc8785.dumps(fields)

    def sign(self, keys: KeyRing) -> tuple[str, bytes]:
        """(key id, signature)."""
        return keys.kid, keys.sign(PURPOSE, self.message(keys.kid))[1]

    def holds(self, keys: KeyRing, kid: str, signature: bytes) -> bool:
        """Whether these very fields were signed by a key that is still in the ring."""
        try:
            return keys.verify(PURPOSE, kid, self.message(kid), signature)
        except (rfc8785.CanonicalizationError, ValueError):
            return False


def sign_decision(keys: KeyRing, card_sig: bytes, decision: str, by: str) -> bytes:
    """Key id and signature of a decision on the approval that has the signature `card_sig`."""
    kid, signature = keys.sign(DECISION, _decision(card_sig, decision, by))
    return kid.encode() + b"\0" + signature


def decision_holds(keys: KeyRing, card_sig: bytes, decision: str, by: str | None, signed: bytes | None) -> bool:
    """Whether this person made this decision here; a state that was merely written into the database did not."""
    kid, _, signature = (signed or b"").partition(b"\0")
    return keys.verify(DECISION, kid.decode(errors="replace"), _decision(card_sig, decision, by or ""), signature)


def _decision(card_sig: bytes, decision: str, by: str) -> bytes:
    return rfc8785.dumps({"approval": card_sig.hex(), "decision": decision, "by": by})


def argument_bytes(tool: str, args: Mapping[str, Any]) -> bytes:
    """RFC 8785 bytes of validated arguments; raises `ArgumentError` for what has no exact JSON form."""
    try:
        canonical = rfc8785.dumps(dict(args))
    except (rfc8785.CanonicalizationError, ValueError):
        raise ArgumentError(tool, [{"loc": [], "msg": "numbers and texts must have an exact JSON form"}]) from None
    if _holds_nul(args):
        raise ArgumentError(tool, [{"loc": [], "msg": "texts must not hold NUL characters"}])
    return canonical


def _holds_nul(value: Any) -> bool:
    if isinstance(value, str):
        return "\0" in value
    if isinstance(value, Mapping):
        return any(_holds_nul(part) for pair in value.items() for part in pair)
    return isinstance(value, list) and any(_holds_nul(item) for item in value)


def card_of(
    spec: ToolSpec,
    preview: Preview,
    args: Mapping[str, Any],
    args_jcs: bytes,
    lang: Lang,
) -> dict[str, Any]:
    """What the person is shown: the tool's own words and the exact call, hidden characters written out.

    It holds the words of every language in which it may be read; the signature covers them all.
    """
    return visible(
        exact(
            {
                "lang": lang,
                **_words(spec, preview, lang),
                "other": {name: _words(spec, words, name) for name, words in preview.others.items()},
                "risk": preview.risk,
                "type_to_sign": preview.type_to_sign,
                "resource": preview.resource.model_dump() if preview.resource else None,
                "call": {"tool": spec.name, "args": dict(sorted(args.items())), "digest": sha256(args_jcs).hexdigest()},
            }
        )
    )


def _words(spec: ToolSpec, preview: Preview, lang: Lang) -> dict[str, Any]:
    """What a card says in one language."""
    said = {name: getattr(preview, name) for name in ("title", "lead", "approve", "evidence")}
    return {**said, "reasons": [spoken(lang, reason) for reason in spec.reasons]}


def card_sha256(card: Mapping[str, Any]) -> bytes:
    """Hash of a card, the same before and after a round trip through `jsonb`."""
    return sha256(rfc8785.dumps(dict(card))).digest()


def exact(value: Any) -> Any:
    """JSON in which every number survives other JSON parsers; those that would not are written as text."""
    if isinstance(value, dict):
        return {str(key): exact(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [exact(item) for item in value]
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > SAFE_INTEGER:
        return str(value)
    if isinstance(value, float) and not abs(value) <= SAFE_INTEGER:
        return str(value)
    return value
