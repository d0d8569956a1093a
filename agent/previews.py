"""What a call would change, in every language in which its card may be read."""

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, get_args

from tools.toolset import Call, Lang, Preview, Toolset

LANGUAGES: tuple[Lang, ...] = get_args(Lang)
TRIES = 3


async def previews(
    toolset: Toolset, tool: str, args: dict[str, Any], call: Call
) -> tuple[Preview, dict[Lang, Preview]]:
    """The preview in the call's language, and in the others those that tell of the same state of the same thing.

    The dry runs of the languages are requests of their own: where the thing changed between them, all are asked again.
    A thing that changes all the time is told of in the call's language alone.
    """
    others: list[Lang] = [lang for lang in LANGUAGES if lang != call.lang]
    calls = [call, *(replace(call, lang=lang) for lang in others)]
    for _ in range(TRIES):
        first, *rest = await asyncio.gather(*(toolset.preview(tool, args, one) for one in calls))
        if all(_state(first) == _state(other) for other in rest):
            return first, dict(zip(others, rest, strict=True))
    return first, {}


def _state(preview: Preview) -> tuple[Any, ...]:
    """What a preview says in no language: the thing, its revision, and every number that is shown of it."""
    told = (preview.resource, preview.etag, preview.risk, preview.type_to_sign, list(_numbers(preview.evidence)))
    return preview.refusal is not None, *told


def _numbers(shown: Any) -> Iterator[tuple[str, Any]]:
    """The kinds of the blocks and the numbers in them, in their order."""
    if isinstance(shown, Mapping):
        yield "block", shown.get("type")
        shown = list(shown.values())
    if isinstance(shown, list | tuple):
        for part in shown:
            yield from _numbers(part)
    elif isinstance(shown, int | float):
        yield "number", shown


def in_language(card: Mapping[str, Any], lang: str) -> Mapping[str, Any]:
    """The words of a card in a language, its own where it has no others."""
    return card.get("other", {}).get(lang, card)
