"""What people decided about operations: `x-countersign` in the document and `countersign.toml` beside the app.

The file wins over the document, the document over the rules. An operation that changed after its review is
switched off until somebody reviews it again.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from tools.openapi.effects import classify
from tools.openapi.operations import Operation
from tools.text import clean_text
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


IN_DOCUMENTS = frozenset(Rule.model_fields) - {"sha256"}
RULES = TypeAdapter(dict[str, Rule])


CHANGED = "changed since it was reviewed; review it again"


@dataclass(frozen=True)
class Ruling:
    """The outcome for one operation. `off` says why it is not offered; `wrong` what was not understood."""

    effect: Effect
    reasons: tuple[str, ...]
    rule: Rule
    off: str | None = None
    wrong: tuple[str, ...] = ()


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
        """Effect, reasons and whether the operation is offered at all.

        Key by key the file wins over the document. A document that says something wrong is not trusted with less than
        danger; the file may still say so.
        """
        verdict = classify(operation.facts)
        told, wrong = _from_document(operation)
        written = self.rules.get(operation.name, Rule())
        rule = told.model_copy(update={key: getattr(written, key) for key in written.model_fields_set})
        effect, reasons = verdict.effect, verdict.reasons
        if written.effect is not None:
            effect, reasons = written.effect, (f"countersign.toml says {written.effect}",)
        elif wrong:
            effect, reasons = Effect.DANGER, wrong
        elif told.effect is not None:
            effect, reasons = told.effect, (f"x-countersign in the document says {told.effect}",)
        return Ruling(effect, reasons, rule, _off(operation, rule), wrong)


def _off(operation: Operation, rule: Rule) -> str | None:
    if rule.hidden:
        return "hidden by the policy"
    if rule.sha256 is not None and rule.sha256 != operation.sha256:
        return CHANGED
    return None


def _from_document(operation: Operation) -> tuple[Rule, tuple[str, ...]]:
    """`x-countersign` of an operation: what is right of it, and what is wrong, in words.

    A `hidden` that is no yes or no hides.
    """
    said = operation.extension
    if not isinstance(said, dict):
        return Rule(), () if said is None else ("x-countersign in the document is not an object",)
    known = {key: value for key, value in said.items() if key in IN_DOCUMENTS}
    wrong = [key for key in said if key not in IN_DOCUMENTS]
    while True:
        try:
            rule = Rule.model_validate(known)
            break
        except ValidationError as error:
            bad = {str(found["loc"][0]) for found in error.errors(include_url=False, include_input=False)}
            wrong += sorted(bad)
            known = {
                key: True if key == "hidden" else value for key, value in known.items() if key not in bad - {"hidden"}
            }
    return rule, tuple(f"x-countersign in the document: “{clean_text(str(key))[:40]}” is wrong" for key in wrong)
