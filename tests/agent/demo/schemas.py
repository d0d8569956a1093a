"""The function schemas of the workspace's tools, and what their argument models accept."""

from typing import Any

from tools.always import ALWAYS as ALWAYS_ON
from tools.catalogue import WORKSPACE

SPECS = {spec.name: spec for spec in (*WORKSPACE, *ALWAYS_ON)}
ALWAYS = tuple(spec.name for spec in ALWAYS_ON)
NAMES = tuple(SPECS)


def schema(name: str) -> dict[str, Any]:
    """The function schema of a tool, as a model gets it."""
    return SPECS[name].json_schema()


def checked(name: str, args: dict[str, Any]) -> dict[str, Any]:
    """The arguments as the tool takes them; raises `pydantic.ValidationError` when they do not fit."""
    model: Any = SPECS[name].tool.args_schema
    return model.model_validate(args).model_dump(mode="json", exclude_none=True)
