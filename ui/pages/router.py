"""Which tools a message would reach, and why; how labelled messages fare. Nothing runs here. For admins."""

import asyncio
from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from agent.identity import Principal
from agent.routing import Selector
from agent.trial import MOST, Trial, attempt
from tools.toolset import Effect, Lang, ToolSpec
from ui.answers import admin, request_language
from ui.strings import words

Admin = Annotated[Principal, Depends(admin)]
SHOWN = 200


class RouteBody(BaseModel):
    """The message to route."""

    model_config = ConfigDict(extra="forbid")
    query: Annotated[str, Field(min_length=1, max_length=2000)]


class LabelledBody(BaseModel):
    """Labelled messages, one JSON object a line."""

    model_config = ConfigDict(extra="forbid")
    lines: Annotated[str, Field(min_length=1, max_length=250_000)]


def router_routes(selector: Selector, specs: Mapping[str, ToolSpec]) -> APIRouter:
    """`POST /ui/route`: the offered tools and the near misses. `POST /ui/route/labelled`: figures and misses."""
    router = APIRouter(prefix="/ui")

    @router.post("/route")
    async def route(request: Request, body: RouteBody, person: Admin) -> dict[str, Any]:
        lang = request_language(request)
        allowed = {name for name, spec in specs.items() if person.role.covers(spec.min_role)}
        found = await asyncio.to_thread(selector.select, body.query, (), allowed)
        rows = [_row(choice, specs, lang, passed=passed)
                for passed, choices in ((True, found.choices), (False, found.below)) for choice in choices]  # fmt: skip
        return {"rows": rows, "threshold": found.threshold, "notice": found.notice}

    @router.post("/route/labelled")
    async def labelled(request: Request, body: LabelledBody, _: Admin) -> JSONResponse:
        lang = request_language(request)
        trial = await asyncio.to_thread(attempt, selector, specs, body.lines)
        if not trial.figures:
            return JSONResponse(
                {"code": "bad_lines", "text": _refusal(trial, lang), "errors": _errors(trial, lang)}, 422
            )
        misses = [asdict(miss) for miss in trial.misses[:SHOWN]]
        return JSONResponse({"figures": trial.figures, "misses": misses, "missed": len(trial.misses)})

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


def _refusal(trial: Trial, lang: Lang) -> str:
    if trial.bad:
        return words("router.bad", lang, n=len(trial.bad))
    return words("router.many", lang, n=trial.queries, m=MOST) if trial.queries else words("router.nothing", lang)


def _errors(trial: Trial, lang: Lang) -> list[dict[str, Any]]:
    return [{"line": bad.number, "text": words(f"router.bad.{bad.reason}", lang, detail=bad.detail)}
            for bad in trial.bad[:SHOWN]]  # fmt: skip
