"""The tools of one backend under its name, so that several backends may have tools of the same name."""

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tools.toolset import ArgumentError, Call, Preview, ToolResult, Toolset, ToolSpec

MAX_NAME = 64


class Namespaced:
    """A toolset whose tools are called `NAME__tool`, each acting in the set that it comes from."""

    def __init__(self, name: str, toolset: Toolset):
        self._toolset = toolset
        self._public = {inner: _named(name, inner) for inner in toolset.specs}
        self._inner = {public: inner for inner, public in self._public.items()}
        self._specs = {self._public[inner]: self._renamed(name, spec) for inner, spec in toolset.specs.items()}

    @property
    def specs(self) -> Mapping[str, ToolSpec]:
        """All tools by their full names."""
        return self._specs

    def validate(self, name: str, args: dict[str, Any]) -> dict[str, Any]:
        """As the tool's own set; raises `ArgumentError` or `KeyError`."""
        try:
            return self._toolset.validate(self._inner[name], args)
        except ArgumentError as error:
            raise ArgumentError(name, error.errors) from None

    async def preview(self, name: str, args: dict[str, Any], call: Call) -> Preview:
        """As the tool's own set."""
        return await self._toolset.preview(self._inner[name], args, call)

    async def call(self, name: str, args: dict[str, Any], call: Call) -> ToolResult:
        """As the tool's own set; the way back is named in full."""
        result = await self._toolset.call(self._inner[name], args, call)
        if result.undo is None or result.undo.get("tool") not in self._public:
            return result
        return result.model_copy(update={"undo": {**result.undo, "tool": self._public[result.undo["tool"]]}})

    def _renamed(self, name: str, spec: ToolSpec) -> ToolSpec:
        public = self._public[spec.name]
        return replace(
            spec,
            name=public,
            tool=spec.tool.model_copy(update={"name": public}),
            titles={lang: f"{name}: {title}" for lang, title in spec.titles.items()},
            companions=tuple(self._public[inner] for inner in spec.companions if inner in self._public),
            reader=self._public.get(spec.reader or ""),
        )


def _named(name: str, inner: str) -> str:
    """The full name, at most 64 characters; a longer one ends in a mark of its own."""
    full = f"{name}__{inner}"
    if len(full) <= MAX_NAME:
        return full
    return f"{full[: MAX_NAME - 9].rstrip('_-')}_{hashlib.sha256(full.encode()).hexdigest()[:8]}"
