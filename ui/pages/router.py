"""Which tools a message would reach, and why. Nothing runs here."""

import asyncio
from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from pydantic import BaseModel, ConfigDict, Field

from agent.identity import Principal
from agent.routing import Selector
from tools.toolset import Effect, Lang, Role, ToolSpec
from ui.answers import request_language, signed_in

Person = Annotated[Principal, Depends(signed_in)]


class RouteBody(BaseModel):
    """The message to route."""

    model_config = ConfigDict(extra="forbid")
    query: Annotated[str, Field(min_length=1, max_length=2000)]


def router_routes(selector: Selector, specs: Mapping[str, ToolSpec]) -> APIRouter:
    """`POST /ui/route`: the offered tools and the near misses, within what the person's role may use."""
    router = APIRouter(prefix="/ui")

    @router.post("/route")
    async def route(request: Request, body: RouteBody, person: Person) -> dict[str, Any]:
        lang = request_language(request)
        allowed = {name for name, spec in specs.items() if person.role.covers(spec.min_role)}
        found = await asyncio.to_thread(selector.select, body.query, (), allowed)
        rows = [_row(choice, specs, lang, passed=passed)
                for passed, choices in ((True, found.choices), (False, found.below)) for choice in choices]  # fmt: skip
        return {
            "rows": rows,
            "threshold": found.threshold,
            "notice": found.notice if person.role is Role.ADMIN else None,
        }

    return router


def _row(choice: Any, specs: Mapping[str, ToolSpec], lang: Lang, *, passed: bool) -> dict[str, Any]:
    spec = specs.get(choice.tool)
    return {
        "tool": choice.tool,
        "title": spec.titles.get(lang, choice.tool) if spec else choice.tool,
        "sign": spec is None or spec.effect is Effect.DANGER,
        "score": round(float(choice.score), 3),
        "tier": choice.tier,
        "words": list(choice.words),
        "passed": passed,
    }
