"""A small backend in memory for tests: things with revisions, and a ledger of every effect that ever happened."""

import asyncio
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from langchain_core.tools import StructuredTool
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tools.toolset import ArgumentError, Call, Effect, Preview, Problem, Resource, Role, ToolResult, ToolSpec


class FindArgs(BaseModel):
    """Arguments of find_things."""

    model_config = ConfigDict(extra="forbid")
    query: str = ""


class ThingArgs(BaseModel):
    """Arguments of delete_thing and wipe_thing."""

    model_config = ConfigDict(extra="forbid")
    thing: str = Field(min_length=1)


class ChangeArgs(BaseModel):
    """Arguments of undo_change."""

    model_config = ConfigDict(extra="forbid")
    change_id: int


class RenameArgs(ThingArgs):
    """Arguments of rename_thing."""

    name: str = Field(min_length=1, max_length=40)


@dataclass
class Done:
    """One effect: which call made it, under which key, on which revision."""

    tool: str
    args: dict[str, Any]
    idempotency_key: str
    if_match: str | None
    subject: str
    user_jwt: str


@dataclass
class Shelf:
    """The things, their revisions, and what was done to them. `gate` holds calls back, `calls` counts requests."""

    things: dict[str, dict[str, Any]] = field(default_factory=dict)
    effects: list[Done] = field(default_factory=list)
    ledger: dict[str, ToolResult] = field(default_factory=dict)
    calls: Counter[str] = field(default_factory=Counter)
    gate: asyncio.Event | None = None
    entered: asyncio.Event = field(default_factory=asyncio.Event)
    forbidden: set[str] = field(default_factory=set)
    answer: ToolResult | None = None

    def put(self, thing: str, name: str = "", rev: int = 1) -> None:
        """Place a thing, or bump it to another revision."""
        self.things[thing] = {"name": name or thing, "rev": rev}

    def etag(self, thing: str) -> str | None:
        """Revision of a thing as an entity tag."""
        return f'"{self.things[thing]["rev"]}"' if thing in self.things else None

    async def run(self, tool: str, args: dict[str, Any], call: Call) -> ToolResult:
        """Do it once for each idempotency key: ledger first, then If-Match, then the effect."""
        self.calls[tool] += 1
        self.entered.set()
        if self.gate:
            await self.gate.wait()
        if self.answer:
            return self.answer
        if tool == "find_things":
            found = [t for t in self.things if args["query"] in t]
            return ToolResult(ok=True, status=200, text=f"found: {', '.join(found)}", summary=f"{len(found)} found")
        if tool in self.forbidden or call.role == Role.VIEWER:
            return _problem(403, "forbidden", "your role may not do this")
        if done := self.ledger.get(call.idempotency_key):
            return done.model_copy(update={"replayed": True})
        return self._change(tool, args, call)

    def _change(self, tool: str, args: dict[str, Any], call: Call) -> ToolResult:
        if tool == "undo_change":
            return self._undo(args["change_id"])
        thing = args["thing"]
        if thing not in self.things:
            return _problem(404, "not_found", f"there is no {thing}")
        if call.if_match is not None and call.if_match != self.etag(thing):
            return _problem(412, "precondition_failed", f"{thing} has changed")
        if tool == "rename_thing":
            self.put(thing, args["name"], self.things[thing]["rev"] + 1)
        else:
            del self.things[thing]
        self.effects.append(Done(tool, args, call.idempotency_key, call.if_match, call.subject, call.user_jwt))
        undo = {"tool": "undo_change", "args": {"change_id": len(self.effects)}}
        result = ToolResult(
            ok=True, status=200, text=f"{tool} {thing}: done", summary="done", etag=self.etag(thing), undo=undo
        )
        self.ledger[call.idempotency_key] = result
        return result

    def _undo(self, change_id: int) -> ToolResult:
        done = self.effects[change_id - 1]
        thing = done.args["thing"]
        if done.tool != "delete_thing" or thing in self.things:
            return _problem(409, "touched_since", f"{thing} was changed since")
        self.put(thing)
        return ToolResult(ok=True, status=200, text="undone", summary="undone")


def _problem(status: int, code: str, detail: str) -> ToolResult:
    problem = Problem(status=status, code=code, title=code.replace("_", " "), detail=detail)
    return ToolResult(ok=False, status=status, text=detail, summary=detail, problem=problem)


def _spec(name: str, effect: Effect, schema: type[BaseModel], description: str) -> ToolSpec:
    async def unused(**_: Any) -> str:
        return ""

    tool = StructuredTool.from_function(coroutine=unused, name=name, description=description, args_schema=schema)
    return ToolSpec(name, tool, effect, {"en": description, "ru": description}, {"en": name, "ru": name})


SPECS = {
    spec.name: spec
    for spec in (
        _spec("find_things", Effect.READ, FindArgs, "Find things by name."),
        _spec("rename_thing", Effect.WRITE, RenameArgs, "Give a thing another name."),
        _spec("undo_change", Effect.WRITE, ChangeArgs, "Undo a change."),
        _spec("delete_thing", Effect.DANGER, ThingArgs, "Delete a thing."),
        _spec("wipe_thing", Effect.DANGER, ThingArgs, "Wipe a thing beyond recovery."),
    )
}


class ShelfToolset:
    """The `Toolset` over a shelf. `specs` may be replaced to play a schema that changed."""

    def __init__(self, shelf: Shelf, specs: Mapping[str, ToolSpec] = SPECS):
        self.shelf = shelf
        self.specs = dict(specs)

    def validate(self, name: str, args: dict[str, Any]) -> dict[str, Any]:
        """Arguments with defaults; raises `ArgumentError` or `KeyError`."""
        schema: Any = self.specs[name].tool.args_schema
        try:
            return schema.model_validate(args, strict=True).model_dump(mode="json")
        except ValidationError as error:
            errors = error.errors(include_url=False, include_input=False, include_context=False)
            raise ArgumentError(name, [dict(e) for e in errors]) from None

    async def preview(self, name: str, args: dict[str, Any], call: Call) -> Preview:
        """What would change, with the revision it was read at."""
        thing = args["thing"]
        self.shelf.calls[f"preview {name}"] += 1
        known = self.shelf.things.get(thing)
        refusal = None
        if known is None:
            refusal = _problem(404, "not_found", f"there is no {thing}")
        elif name in self.shelf.forbidden or call.role == Role.VIEWER:
            refusal = _problem(403, "forbidden", "your role may not do this")
        card = Preview(
            title=f"{name} {thing}?",
            approve=name,
            risk="danger" if self.specs[name].effect is Effect.DANGER else "change",
            evidence=[{"type": "facts", "items": [["name", known["name"] if known else ""]]}],
            resource=Resource(type="thing", id=thing, name=known["name"] if known else ""),
            etag=self.shelf.etag(thing),
            refusal=refusal,
        )
        return Preview.drawn(call.lang, lambda _: card)

    async def call(self, name: str, args: dict[str, Any], call: Call) -> ToolResult:
        """Run it against the shelf."""
        return await self.shelf.run(name, args, call)
