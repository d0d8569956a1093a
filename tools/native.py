"""A toolset of LangChain tools that find their backend in the context: validate, preview, call."""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from pydantic import BaseModel, ValidationError

from tools.client import BackendClient, UnsafeValueError
from tools.context import Context, current
from tools.language import shown_name
from tools.results import failed
from tools.toolset import ArgumentError, Call, Lang, Preview, Problem, ToolResult, ToolSpec


class NativeToolset:
    """Runs its tools against one backend, each call in a context of its own."""

    def __init__(self, specs: Iterable[ToolSpec], client: BackendClient):
        self._specs = {spec.name: spec for spec in specs}
        self._client = client

    @property
    def specs(self) -> Mapping[str, ToolSpec]:
        """All tools of this set by name."""
        return self._specs

    def validate(self, name: str, args: dict[str, Any]) -> dict[str, Any]:
        """The arguments as plain JSON values, defaults filled in, absent ones left out.

        Raises `ArgumentError` when they do not fit and `KeyError` for an unknown tool.
        """
        schema = self._specs[name].tool.args_schema
        assert isinstance(schema, type)
        assert issubclass(schema, BaseModel)
        try:
            return schema.model_validate(args).model_dump(mode="json", exclude_none=True, by_alias=True)
        except ValidationError as error:
            errors = error.errors(include_url=False, include_context=False, include_input=False)
            raise ArgumentError(name, [dict(e) for e in errors]) from None

    async def preview(self, name: str, args: dict[str, Any], call: Call) -> Preview:
        """What the call would change, from the backend's dry run. Changes nothing."""
        spec = self._specs[name]
        token = current.set(Context(self._client, call))
        try:
            checked = self.validate(name, args)
            if spec.preview is not None:
                return await spec.preview(checked, call)
            return Preview.drawn(call.lang, partial(_plain, spec))
        except UnsafeValueError as error:
            return _plain(spec, call.lang).model_copy(update={"refusal": _unsafe(error)})
        finally:
            current.reset(token)

    async def call(self, name: str, args: dict[str, Any], call: Call) -> ToolResult:
        """Run the call. A refusal or failure of the backend is a result, never an exception."""
        token = current.set(Context(self._client, call))
        try:
            request = {"type": "tool_call", "id": call.key, "name": name, "args": self.validate(name, args)}
            message = await self._specs[name].tool.ainvoke(request)
            return message.artifact
        except UnsafeValueError as error:
            return _unsafe(error)
        finally:
            current.reset(token)


def _unsafe(error: UnsafeValueError) -> ToolResult:
    return failed(Problem(code="unsafe_value", title="A value cannot be sent", detail=str(error)))


def _plain(spec: ToolSpec, lang: Lang) -> Preview:
    """The preview of a tool without a dry run: its title."""
    title = shown_name(spec.titles[lang])
    return Preview(title=f"{title}?", approve=title, risk="change")
