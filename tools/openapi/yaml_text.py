"""YAML as OpenAPI reads it (OpenAPI 3.1, 4.3): the core schema of YAML 1.2, so `on`, `no` and dates are text."""

import re
from itertools import islice
from typing import Any

import yaml

try:
    from yaml import CSafeLoader as Base
except ImportError:  # PyYAML built without libyaml
    from yaml import SafeLoader as Base

MAX_EVENTS = 250_000
RESOLVED = (
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("null", r"~|null|Null|NULL|", "~nN"),
    ("int", r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", "-+0123456789"),
    ("float", r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", "-+.0123456789"),
    ("float", r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)", "-+."),
    ("merge", r"<<", "<"),
)


class TooMuch(yaml.YAMLError):
    """More than a document of a thousand operations needs."""


class CoreLoader(Base):  # pyright: ignore[reportGeneralTypeIssues]
    """A safe loader with the resolvers of YAML 1.2 and the merge key that many documents still use."""

    yaml_implicit_resolvers = {}  # noqa: RUF012  PyYAML's own attribute


def _integer(loader: Any, node: Any) -> int:
    text = loader.construct_scalar(node)
    return int(text, 0) if text.startswith(("0o", "0x")) else int(text)


for _kind, _pattern, _first in RESOLVED:
    _firsts = [*_first, ""] if _kind == "null" else list(_first)
    CoreLoader.add_implicit_resolver(f"tag:yaml.org,2002:{_kind}", re.compile(rf"^(?:{_pattern})$"), _firsts)
CoreLoader.add_constructor("tag:yaml.org,2002:int", _integer)


def read(text: str) -> Any:
    """The data of a YAML text; raises `yaml.YAMLError`, also when it has more than `MAX_EVENTS` parts.

    Counting is cheap beside building, so a text that is made to be slow is refused before it is built.
    """
    if any(True for _ in islice(yaml.parse(text, CoreLoader), MAX_EVENTS, None)):
        raise TooMuch("the YAML has too many parts")
    return yaml.load(text, CoreLoader)  # noqa: S506  a safe loader
