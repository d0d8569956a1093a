"""Several toolsets as one: the tools of a backend beside those that are always there."""

from collections.abc import Mapping
from typing import Any

from tools.toolset import Call, Preview, ToolResult, Toolset, ToolSpec


class NameClashError(ValueError):
    """Two tools have one name; the text names both and says what to do."""


class JoinedToolset:
    """Each tool runs in the set that it comes from; raises `NameClashError` when two sets have one name."""

    def __init__(self, *toolsets: Toolset):
        self._home: dict[str, Toolset] = {}
        self._specs: dict[str, ToolSpec] = {}
        for toolset in toolsets:
            for name, spec in toolset.specs.items():
                if name in self._specs:
                    raise NameClashError(
                        f"{_described(self._specs[name])} and {_described(spec)} are both called {name}; set "
                        f"hidden = true for one of them, under [operations.{name}] of countersign.toml"
                    )
                self._home[name], self._specs[name] = toolset, spec

    @property
    def specs(self) -> Mapping[str, ToolSpec]:
        """All tools by name."""
        return self._specs

    def validate(self, name: str, args: dict[str, Any]) -> dict[str, Any]:
        """As the tool's own set."""
        return self._home[name].validate(name, args)

    async def preview(self, name: str, args: dict[str, Any], call: Call) -> Preview:
        """As the tool's own set."""
        return await self._home[name].preview(name, args, call)

    async def call(self, name: str, args: dict[str, Any], call: Call) -> ToolResult:
        """As the tool's own set."""
        return await self._home[name].call(name, args, call)


def _described(spec: ToolSpec) -> str:
    return f"{spec.method} {spec.path}" if spec.method else f"the built-in tool {spec.name}"
