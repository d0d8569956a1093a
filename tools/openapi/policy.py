"""What people decided about operations: `x-countersign` in the document and `countersign.toml` beside the app.

The file wins over the document, the document over the rules. An operation that changed after its review is
switched off until somebody reviews it again.
"""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tomlkit
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from tools.openapi.effects import classify
from tools.openapi.operations import Operation
from tools.toolset import Effect, Role


class PolicyError(ValueError):
    """`countersign.toml` cannot be used; the text says which entry and why."""


class Rule(BaseModel):
    """What somebody decided about one operation; unset means: as the document or the rules say."""

    model_config = ConfigDict(extra="forbid")

    sha256: str | None = None
    effect: Effect | None = None
    hidden: bool = False
    title: str | None = Field(default=None, max_length=80)
    confirm: str | None = Field(default=None, max_length=400)
    keywords: list[str] = Field(default_factory=list)
    preview: str | None = None
    min_role: Role | None = None


RULES = TypeAdapter(dict[str, Rule])


@dataclass(frozen=True)
class Ruling:
    """The outcome for one operation. `off` says why it is not offered, if it is not."""

    effect: Effect
    reasons: tuple[str, ...]
    rule: Rule
    off: str | None = None


@dataclass(frozen=True)
class Policy:
    """The rules of a `countersign.toml` by operation name."""

    rules: Mapping[str, Rule] = field(default_factory=dict)

    @classmethod
    def load(cls, path: Path) -> "Policy":
        """Read the file; no file is an empty policy. Raises `PolicyError`."""
        if not path.exists():
            return cls()
        try:
            entries = tomllib.loads(path.read_text("utf-8")).get("operations", {})
            return cls(RULES.validate_python(entries))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
            raise PolicyError(f"{path.name} cannot be read as TOML: {error}") from None
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            raise PolicyError(f"{path.name}: operations.{'.'.join(map(str, first['loc']))}: {first['msg']}") from None

    def judge(self, operation: Operation) -> Ruling:
        """Effect, reasons and whether the operation is offered at all."""
        verdict = classify(operation.facts)
        written = self.rules.get(operation.name)
        rule = written or _from_document(operation)
        effect, reasons = verdict.effect, verdict.reasons
        if rule.effect is not None:
            source = "countersign.toml" if written else "x-countersign in the document"
            effect, reasons = rule.effect, (f"{source} says {rule.effect}",)
        return Ruling(effect, reasons, rule, _off(operation, rule))


def _off(operation: Operation, rule: Rule) -> str | None:
    if rule.hidden:
        return "hidden by the policy"
    if rule.sha256 is not None and rule.sha256 != operation.sha256:
        return "changed since it was reviewed; review it again"
    return None


def _from_document(operation: Operation) -> Rule:
    """`x-countersign` of an operation; what it gets wrong is ignored, which leaves the stricter rules."""
    known = {k: v for k, v in operation.extensions.items() if k in Rule.model_fields and k != "sha256"}
    try:
        return Rule.model_validate(known)
    except ValidationError:
        return Rule()


def write_policy(operations: Iterable[Operation]) -> str:
    """A first `countersign.toml` to review: every operation with its effect and why, dangers first."""
    document = tomlkit.document()
    document.add(
        tomlkit.comment("Effects of your operations: read never asks, write asks on demand, danger always asks.")
    )
    document.add(
        tomlkit.comment("Review, correct, commit. sha256 marks what you reviewed; a changed operation is off.")
    )
    table: Any = tomlkit.table(is_super_table=True)
    order = {Effect.DANGER: 0, Effect.WRITE: 1, Effect.READ: 2}
    judged = [(operation, classify(operation.facts)) for operation in operations]
    for operation, verdict in sorted(judged, key=lambda pair: (order[pair[1].effect], pair[0].path, pair[0].method)):
        entry: Any = tomlkit.table()
        entry.add(tomlkit.comment(f"{operation.method} {operation.path}"))
        for reason in verdict.reasons[:3]:
            entry.add(tomlkit.comment(" ".join(reason.split())))
        entry["effect"] = str(verdict.effect)
        entry["sha256"] = operation.sha256
        table[operation.name] = entry
    document["operations"] = table
    return tomlkit.dumps(document)
