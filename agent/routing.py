"""Which tools a turn is offered: what the router finds, what is always on, what the last turns used."""

import asyncio
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Protocol

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from agent.calls import mark, turn_of
from router.entry import Choice, Entry, Selection
from tools.toolset import Effect, Lang, Role, ToolSpec

RECENT_TURNS = 2
FOUND = 5


class Selector(Protocol):
    """The part of `router.Router` that a turn needs."""

    def select(
        self, query: str, recent: Sequence[Sequence[str]] = (), allowed: Collection[str] | None = None
    ) -> Selection:
        """Tools for a query; `recent` are the tools of the last turns, newest last."""
        ...

    def find(self, description: str, allowed: Collection[str] | None = None) -> Selection:
        """Tools for a description of what one should do."""
        ...


@dataclass(frozen=True, slots=True)
class Offer:
    """The tools of one turn, in catalogue order, and why the router chose its own."""

    tools: list[str]
    choices: tuple[Choice, ...]
    notice: str | None


class Routing:
    """Offers tools of a catalogue by what was said, within what a role may use."""

    def __init__(self, specs: Mapping[str, ToolSpec], router: Selector):
        self._specs = specs
        self._router = router
        self._news: list[str] = []

    def allowed(self, role: str) -> set[str]:
        """Names of the tools that this role may use; an unknown role is the weakest."""
        known = Role(role) if role in set(Role) else Role.VIEWER
        return {name for name, spec in self._specs.items() if known.covers(spec.min_role)}

    async def offer(self, messages: Sequence[BaseMessage], role: str) -> Offer:
        """The tools for the turn that `messages` end with. The router may embed, so it runs in a thread."""
        allowed = self.allowed(role)
        recent = used(messages)
        query = next((m.text for m in reversed(messages) if isinstance(m, HumanMessage)), "")
        selection = await asyncio.to_thread(self._router.select, query, recent, allowed)
        names = {*selection.tools, *(name for turn in recent for name in turn), *self._always} & allowed
        return Offer(self._ordered(names), selection.choices, self._news_for(role, selection.notice))

    def _news_for(self, role: str, notice: str | None) -> str | None:
        """What the router has to say about itself, once, to an admin: others can do nothing about it."""
        if notice:
            self._news = [*self._news, notice] if notice not in self._news else self._news
        return self._news.pop(0) if self._news and role == Role.ADMIN else None

    async def find(self, description: str, role: str) -> tuple[list[ToolSpec], list[ToolSpec]]:
        """More tools for a description, best first: those that the role may use, and those that it may not.

        The router ranks within the role first, so that tools beyond it push none out.
        """
        allowed = self.allowed(role)
        mine = await asyncio.to_thread(self._router.find, description, allowed)
        nearest = await asyncio.to_thread(self._router.find, description)
        found = [self._specs[name] for name in mine.tools if name in allowed][:FOUND]
        return found, [self._specs[name] for name in nearest.tools if name not in allowed][:FOUND]

    def bound(self, offered: Iterable[str], turn: Sequence[BaseMessage], role: str) -> list[str]:
        """What the model gets now: the offer and whatever it found since."""
        found = (name for m in turn if isinstance(m, ToolMessage) for name in mark(m, "offered") or ())
        return self._ordered({*offered, *found} & self.allowed(role))

    def schemas(self, names: Iterable[str]) -> list[dict[str, Any]]:
        """Function schemas as providers take them."""
        return [self._schemas[name] for name in names]

    def capabilities(self, role: str, lang: Lang, topic: str | None = None) -> list[ToolSpec]:
        """What the person may do here, reads first; all of it, or what fits a topic."""
        allowed = [s for n, s in self._specs.items() if n in self.allowed(role) and not s.always_on]
        words = [word[:5].casefold() for word in (topic or "").split() if len(word) > 2]
        fitting = [spec for spec in allowed if any(word in _said(spec, lang) for word in words)]
        order = {Effect.READ: 0, Effect.WRITE: 1, Effect.DANGER: 2}
        return sorted(fitting or allowed, key=lambda spec: order[spec.effect])

    @cached_property
    def _always(self) -> set[str]:
        return {name for name, spec in self._specs.items() if spec.always_on}

    @cached_property
    def _schemas(self) -> dict[str, dict[str, Any]]:
        return {name: spec.json_schema() for name, spec in self._specs.items()}

    def _ordered(self, names: Collection[str]) -> list[str]:
        """Catalogue order, so that requests of a conversation share their beginning and can be cached."""
        return [name for name in self._specs if name in names]


def entry_of(spec: ToolSpec) -> Entry:
    """A tool as the router sees it."""
    parameters = spec.json_schema()["function"].get("parameters", {}).get("properties", {})
    return Entry(
        name=spec.name,
        descriptions=spec.descriptions,
        keywords=spec.keywords,
        parameters=tuple(parameters),
        path=spec.path or "",
        method=spec.method or "",
        effect=spec.effect,
        companions=spec.companions,
    )


def entries_of(specs: Mapping[str, ToolSpec]) -> list[Entry]:
    """The catalogue for the router: all tools that are not offered anyway."""
    return [entry_of(spec) for spec in specs.values() if not spec.always_on]


def catalogue_page(specs: Mapping[str, ToolSpec]) -> str:
    """The catalogue as `python -m router --catalogue` reads it: a JSON list, one tool a line."""
    return "[\n" + ",\n".join(json.dumps(asdict(e), ensure_ascii=False) for e in entries_of(specs)) + "\n]\n"


def used(messages: Sequence[BaseMessage]) -> list[list[str]]:
    """The tools that each of the last turns called, newest last; the running turn does not count."""
    before = messages[: len(messages) - len(turn_of(messages))]
    turns: list[list[str]] = []
    while before and len(turns) < RECENT_TURNS:
        turn = turn_of(before)
        turns.insert(0, [call["name"] for m in turn if isinstance(m, AIMessage) for call in m.tool_calls])
        before = before[: len(before) - len(turn)]
    return turns


def _said(spec: ToolSpec, lang: Lang) -> str:
    texts = (spec.name, spec.titles.get(lang, ""), spec.descriptions.get(lang, ""), *spec.keywords.get(lang, ()))
    return " ".join(texts).casefold()


if __name__ == "__main__":
    from tools.catalogue import WORKSPACE

    print(catalogue_page({spec.name: spec for spec in WORKSPACE}), end="")
