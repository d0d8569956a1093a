"""An OpenAPI document as a `Toolset`: every operation a tool, each with an exact schema, an effect and a preview."""

import json
import logging
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from jsonschema.exceptions import ValidationError
from langchain_core.tools import StructuredTool

from tools.client import Answer, BackendClient, UnsafeValueError
from tools.context import Context, current
from tools.openapi import preview
from tools.openapi.document import Document
from tools.openapi.keywords import ExactValidator
from tools.openapi.operations import Operation, survey
from tools.openapi.pages import ALL, ARGUMENT, MOST_ROWS, Paged, pageable, read_paged
from tools.openapi.phrases import phrases
from tools.openapi.policy import CHANGED, Policy, Ruling
from tools.openapi.results import result_of
from tools.openapi.schemas import slim, whole_numbers
from tools.openapi.serialize import to_request
from tools.results import failed
from tools.toolset import ArgumentError, Call, Effect, Preview, Problem, Role, ToolResult, ToolSpec

DESCRIPTION_LIMIT = 400
logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Imported:
    """One operation as a tool, with what decides about it."""

    operation: Operation
    ruling: Ruling
    validator: Any
    spec: ToolSpec
    reader: Operation | None = None
    paged: bool = False


@dataclass
class OpenApiToolset:
    """The tools of one backend. `off` says of each operation that is not offered why not."""

    client: BackendClient
    imported: dict[str, Imported]
    off: dict[str, str] = field(default_factory=dict)

    @classmethod
    def from_document(cls, document: Document, client: BackendClient, policy: Policy | None = None) -> "OpenApiToolset":
        """Import every sound operation; raises `DocumentError` when there is none."""
        policy = policy or Policy()
        there = survey(document)
        found = there.sound
        by_name = {operation.name: operation for operation in found}
        readers = {operation.path: operation for operation in found if operation.method == "GET"}
        imported, off = {}, {broken.name: broken.reason for broken in there.broken}
        for broken in there.broken:
            logger.warning("%s %s is off: %s", broken.method, broken.path, broken.reason)
        for operation in found:
            ruling = policy.judge(operation)
            for wrong in ruling.wrong:
                logger.warning("%s %s: %s", operation.method, operation.path, wrong)
            if ruling.off:
                off[operation.name] = ruling.off
                if ruling.off == CHANGED:
                    logger.warning("%s %s is off: it %s", operation.method, operation.path, CHANGED)
                continue
            reader = by_name.get(ruling.rule.preview or "") or readers.get(operation.path)
            imported[operation.name] = _import(operation, ruling, reader, client.idempotent)
        return cls(client, {name: _with_reader(entry, imported) for name, entry in imported.items()}, off)

    @property
    def specs(self) -> Mapping[str, ToolSpec]:
        """All tools by name."""
        return {name: entry.spec for name, entry in self.imported.items()}

    def validate(self, name: str, args: dict[str, Any]) -> dict[str, Any]:
        """The arguments, checked against the exact schema; raises `ArgumentError` or `KeyError`."""
        try:
            errors = sorted(self.imported[name].validator.iter_errors(args), key=lambda e: [*map(str, e.absolute_path)])
        except RecursionError:
            raise ArgumentError(
                name, [{"type": "circle", "loc": [], "msg": "nested too deeply to be checked"}]
            ) from None
        if errors:
            raise ArgumentError(name, [_told(error) for error in errors[:10]])
        return whole_numbers(args)

    async def preview(self, name: str, args: dict[str, Any], call: Call) -> Preview:
        """What the call would change, from the present state of the thing where the document has a way to read it."""
        entry = self.imported[name]
        current.set(Context(self.client, call))
        try:
            to_request(entry.operation, args)
        except UnsafeValueError as error:
            return preview.refused(Problem(code="unsafe_value", title=str(error)))
        before = await self._before(entry, args, call)
        draw = partial(preview.draw, entry.operation, entry.ruling.rule, entry.spec.effect, args, before)
        card = Preview.drawn(call.lang, draw)
        return card.model_copy(update={"etag": card.etag or preview.seen(entry.operation, args, before)})

    async def call(self, name: str, args: dict[str, Any], call: Call) -> ToolResult:
        """Send the call. Whatever comes back is a result.

        A backend without revisions gets no change of fields that are no longer what the person saw. One that asks for
        a revision and got none from a person gets the present one.
        """
        entry = self.imported[name]
        current.set(Context(self.client, call))
        wanted = entry.operation.method in {"PUT", "PATCH"} or entry.operation.conditional
        before = await self._before(entry, args, call) if wanted else None
        if call.if_match is None and entry.operation.conditional:
            call = replace(call, if_match=preview.revision(before))
        if (call.if_match or "").startswith(preview.SEEN):
            if call.if_match != preview.seen(entry.operation, args, before):
                return failed(Problem(status=412, code="changed_meanwhile", title="The thing changed meanwhile"))
            call = replace(call, if_match=None)

        async def read(asked: dict[str, Any]) -> Answer:
            return await self.client.send(to_request(entry.operation, asked), call)

        try:
            paged = await read_paged(entry.operation, args, read) if entry.paged else Paged(await read(args))
        except UnsafeValueError as error:
            return failed(Problem(code="unsafe_value", title=str(error)))
        answer = paged.answer
        result = result_of(answer, call.lang)
        if told := _of_pages(paged, args):
            return result.model_copy(update={"text": f"{result.text}\n{told}"})
        undo = _undo(entry, args, before, answer) if result.ok else None
        return result.model_copy(update={"undo": undo})

    async def _before(self, entry: Imported, args: dict[str, Any], call: Call) -> Answer | None:
        """The state of the thing that a change is about; None when nothing tells it."""
        if entry.reader is None or entry.reader.name == entry.operation.name or entry.spec.effect is Effect.READ:
            return None
        known = {p.name for p in entry.reader.parameters}
        needed = {p.name for p in entry.reader.parameters if p.required}
        mine = {name: value for name, value in args.items() if name in known}
        if not needed <= set(mine) or entry.reader.body is not None:
            return None
        with suppress(UnsafeValueError):
            return await self.client.send(to_request(entry.reader, mine), call)
        return None


def _import(operation: Operation, ruling: Ruling, reader: Operation | None, repeatable: bool) -> Imported:
    rule = ruling.rule
    title = preview.title_of(operation, rule)
    paged = pageable(operation) and ruling.effect is Effect.READ
    fields = operation.schema["properties"] | ({ALL: ARGUMENT} if paged else {})
    schema = {**operation.schema, "properties": fields}
    tool = StructuredTool(
        name=operation.name,
        description=_description(operation),
        args_schema=slim(schema),
        coroutine=_only_through_the_toolset,
    )
    spec = ToolSpec(
        name=operation.name,
        tool=tool,
        effect=ruling.effect,
        descriptions={"en": _description(operation)},
        titles={"en": title, "ru": title},
        keywords={"en": tuple(rule.keywords)} if rule.keywords else phrases(operation),
        min_role=rule.min_role or Role.VIEWER,
        reasons=ruling.reasons,
        method=operation.method,
        path=operation.path,
        fingerprint=operation.sha256,
        repeatable=repeatable,
    )
    return Imported(operation, ruling, ExactValidator(schema), spec, reader, paged)


def _of_pages(paged: Paged, args: Mapping[str, Any]) -> str:
    """What the model is told of pages that it has not seen."""
    if paged.more is not None:
        changed = {key: value for key, value in paged.more.items() if args.get(key) != value}
        return f"There is more: call again with {json.dumps(changed)} added, or with {ALL}=true."
    return f"There is more; these are the first rows, at most {MOST_ROWS} are read." if paged.cut else ""


def _with_reader(entry: Imported, imported: Mapping[str, Imported]) -> Imported:
    """Beside the tool the name of the one that reads the thing, if it is offered."""
    reader = entry.reader.name if entry.reader is not None else ""
    known = reader in imported and reader != entry.spec.name and imported[reader].spec.effect is Effect.READ
    return replace(entry, spec=replace(entry.spec, reader=reader)) if known else entry


async def _only_through_the_toolset(**_: Any) -> str:
    raise RuntimeError("an imported tool runs through its toolset, which knows on whose behalf")


def _description(operation: Operation) -> str:
    """Summary and the beginning of the description; a provider needs at least a word."""
    text = f"{operation.summary}. {operation.description}".strip(". ") or f"{operation.method} {operation.path}"
    return " ".join(text.split())[:DESCRIPTION_LIMIT]


def _told(error: ValidationError) -> dict[str, Any]:
    """One error in pydantic's shape, without the value; of `anyOf` the branch that came closest."""
    deepest = error
    while deepest.context:
        deepest = max(deepest.context, key=lambda e: len(e.absolute_path))
    message = deepest.message if len(deepest.message) <= 200 else f"does not fit {deepest.validator!r}"
    return {"type": str(deepest.validator), "loc": list(deepest.absolute_path), "msg": message}


def _undo(entry: Imported, args: dict[str, Any], before: Answer | None, after: Answer) -> dict[str, Any] | None:
    """The same call with the values from before: of a PATCH the fields it changed, of a PUT all of them.

    None unless every changed field was readable. `if_match` is the revision that the change left, or a mark of the
    values that it left, so that nothing newer is undone with it.
    """
    body, state = preview.body_of(entry.operation, args), before.body if before is not None and before.ok else None
    fields = entry.operation.body.fields if entry.operation.body else None
    if not (isinstance(body, dict) and isinstance(state, dict) and fields and set(body) <= set(state)):
        return None
    back = set(fields.values()) & set(state) if entry.operation.method == "PUT" else set(body)
    old = {name: state[wire] for name, wire in fields.items() if wire in back}
    kept = {p.name: args[p.name] for p in entry.operation.parameters if p.name in args}
    restored = {**kept, **old}
    if not entry.validator.is_valid(restored):
        return None
    left = after.body if isinstance(after.body, dict) and set(body) <= set(after.body) else {**state, **body}
    mark = preview.revision(after) or preview.seen(entry.operation, restored, Answer(200, {**state, **left}))
    return {"tool": entry.spec.name, "args": restored, "if_match": mark}
