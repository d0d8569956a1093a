"""The tools of the scripted backend, over the product's own backend client."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from tests.agent.shelf import SPECS
from tools.always import ALWAYS
from tools.client import Answer, BackendClient, Request
from tools.toolset import ArgumentError, Call, Effect, Preview, Resource, ToolResult, ToolSpec

WIRE_SPECS = {
    **{name: SPECS[name] for name in ("find_things", "rename_thing", "delete_thing")},
    **{spec.name: spec for spec in ALWAYS},
}


class NoIdentity:
    """A service token that the scripted backend does not look at."""

    def token(self, user_jwt: str) -> str:
        """The same for everybody."""
        return "service"


class WireTools:
    """The `Toolset` over the scripted backend."""

    def __init__(self, client: BackendClient):
        self._client = client

    @property
    def specs(self) -> Mapping[str, ToolSpec]:
        """All tools by name."""
        return WIRE_SPECS

    def validate(self, name: str, args: dict[str, Any]) -> dict[str, Any]:
        """Arguments with defaults; raises `ArgumentError` or `KeyError`."""
        schema: Any = WIRE_SPECS[name].tool.args_schema
        try:
            return schema.model_validate(args).model_dump(mode="json", exclude_none=True)
        except ValidationError as error:
            raise ArgumentError(name, [dict(e) for e in error.errors(include_input=False)]) from None

    async def preview(self, name: str, args: dict[str, Any], call: Call) -> Preview:
        """The thing as it is now."""
        answer = await self._client.send(_request(name, args).dry(), call)
        thing = args["thing"]
        return Preview(
            title=f"{name} {thing}?",
            approve=name,
            risk="danger" if WIRE_SPECS[name].effect is Effect.DANGER else "change",
            evidence=[{"type": "facts", "items": [["name", answer.body["name"]]]}] if answer.ok else [],
            resource=Resource(type="thing", id=thing),
            etag=answer.etag,
            refusal=None if answer.ok else _result(answer),
        )

    async def call(self, name: str, args: dict[str, Any], call: Call) -> ToolResult:
        """Run it."""
        return _result(await self._client.send(_request(name, args), call))


def _request(name: str, args: dict[str, Any]) -> Request:
    if name == "find_things":
        return Request("GET", "/things", query={"query": args["query"]})
    path = {"thing": args["thing"]}
    if name == "delete_thing":
        return Request("DELETE", "/things/{thing}", path)
    return Request("PATCH", "/things/{thing}", path, body={"name": args["name"]})


def _result(answer: Answer) -> ToolResult:
    if answer.outcome_unknown:
        text = "outcome unknown"
    else:
        text = str(answer.body) if answer.ok else f"refused: {answer.problem.code if answer.problem else ''}"
    return ToolResult(
        ok=answer.ok,
        status=answer.status,
        text=text,
        summary=text,
        problem=answer.problem,
        replayed=answer.replayed,
        outcome_unknown=answer.outcome_unknown,
    )
