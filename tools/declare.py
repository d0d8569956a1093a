"""How a workspace tool is declared: the LangChain tool, its effect, its words, and how its card is drawn."""

import json
from collections.abc import Callable
from functools import cache
from importlib.resources import files

from langchain_core.tools import BaseTool

from tools.cards import CardOf, draw
from tools.client import Request
from tools.context import send
from tools.results import failed
from tools.toolset import Call, Effect, Preview, Previewer, Role, ToolSpec

RequestOf = Callable[..., Request]


def declare(
    tool: BaseTool,
    effect: Effect,
    *,
    ru: str,
    title: tuple[str, str],
    companions: tuple[str, ...] = (),
    role: Role = Role.VIEWER,
    reason: str = "",
    request: RequestOf | None = None,
    card: CardOf | None = None,
    reader: str | None = None,
) -> ToolSpec:
    """The spec of one tool; `title` is English, then Russian; `reason` says why it is dangerous.

    The words by which people ask for it stand in `workspace/words.json`. `request` and `card` come together: the
    request is sent with `dry_run` and the card drawn from the answer. `reader` is the tool that reads the same thing.
    """
    titles = {"en": title[0], "ru": title[1]}
    return ToolSpec(
        name=tool.name,
        tool=tool,
        effect=effect,
        descriptions={"en": tool.description, "ru": ru},
        titles=titles,
        keywords=_words().get(tool.name, {}),
        companions=companions,
        min_role=role,
        reasons=(reason,) if reason else (),
        preview=_previewer(request, card, titles) if request and card else None,
        reader=reader,
    )


@cache
def _words() -> dict[str, dict[str, tuple[str, ...]]]:
    told = json.loads(files("tools.workspace").joinpath("words.json").read_text("utf-8"))
    return {entry["name"]: {lang: tuple(words) for lang, words in entry["keywords"].items()} for entry in told}


def _previewer(request: RequestOf, card: CardOf, titles: dict[str, str]) -> Previewer:
    async def preview(args: dict[str, object], call: Call) -> Preview:
        answer = await send(request(**args).dry())
        if answer.problem is not None:
            title = titles[call.lang]
            return Preview(title=title, approve=title, risk="change", refusal=failed(answer.problem))
        return Preview.drawn(call.lang, lambda lang: draw(card, args, answer, lang))

    return preview
