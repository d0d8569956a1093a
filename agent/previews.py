"""What a call would change, in every language in which its card may be read."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, get_args

from tools.toolset import Call, Lang, Preview, Toolset

LANGUAGES: tuple[Lang, ...] = get_args(Lang)


async def previews(
    toolset: Toolset, tool: str, args: dict[str, Any], call: Call
) -> tuple[Preview, dict[Lang, Preview]]:
    """The preview in the call's language, and in the others those that tell of the same state of the same thing."""
    others: list[Lang] = [lang for lang in LANGUAGES if lang != call.lang]
    calls = [call, *(replace(call, lang=lang) for lang in others)]
    first, *rest = await asyncio.gather(*(toolset.preview(tool, args, one) for one in calls))
    return first, {lang: preview for lang, preview in zip(others, rest, strict=True) if _same(first, preview)}


def _same(one: Preview, other: Preview) -> bool:
    about = [(p.resource, p.etag, p.risk, p.type_to_sign, len(p.evidence)) for p in (one, other)]
    return other.refusal is None and about[0] == about[1]


def in_language(card: Mapping[str, Any], lang: str) -> Mapping[str, Any]:
    """The words of a card in a language, its own where it has no others."""
    return card.get("other", {}).get(lang, card)
