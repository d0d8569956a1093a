"""Several toolsets as one: the tools of a backend beside those that are always there."""

from collections.abc import Mapping
from typing import Any

from tools.toolset import Call, Preview, ToolResult, Toolset, ToolSpec


class JoinedToolset:
    """Each tool runs in the set that it comes from; raises `ValueError` when two sets have one name."""

    def __init__(self, *toolsets: Toolset):
        self._home = {name: toolset for toolset in toolsets for name in toolset.specs}
        self._specs = {name: spec for toolset in toolsets for name, spec in toolset.specs.items()}
        if len(self._specs) != sum(len(toolset.specs) for toolset in toolsets):
            raise ValueError("two toolsets have a tool of the same name; hide one of them in countersign.toml")

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
