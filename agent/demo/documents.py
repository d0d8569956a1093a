"""Scripts for documents: read one, change it with a JSON Patch (RFC 6902), read an attached file."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from agent.demo.fields import Field, fields_of, new_value, rank
from agent.demo.language import fold, stem
from agent.demo.lookup import Finding, label_of, spellings
from agent.demo.questions import choose, free, missing
from agent.demo.results import Result
from agent.demo.schemas import fitted
from agent.demo.slots import filled, object_names
from agent.demo.steps import Call, Desk, Goal, Option, Outcome, Script, Stop, Tool

_DOCUMENT = ("document_id", "document", "title", "text")
_ATTACHMENT = ("attachment_id", "attachment", "name", "text")
_PATCH = ("patch", "operations")
_ID = re.compile(r"(?<![\w-])[a-z]+(?:[-_][a-z0-9]+)+(?![\w-])")


def read_script(goal: Goal, desk: Desk) -> Script:
    """Read the document that the clause names, or that the talk was about; asks when it names none or several fit."""
    if goal.tool not in desk.tools:
        return Outcome("cannot", goal.tool)
    tool = desk.tools[goal.tool]
    known, names = _named(goal, desk)
    if not names:
        names = [(yield from free(goal, desk.say("Which document?", "Какой документ?"), desk))]
    argument = next((a for a in _DOCUMENT if a in tool.properties), "")
    result, args = Result("", ok=False), {}
    for name in names:
        args = {**_extras(goal, tool, desk), argument: fitted(name, tool.properties.get(argument, {}))}
        if args[argument] is None:
            continue
        (result,) = yield [Call(tool.name, args)]
        if result.ok and (not _is_list(result) or result.items):
            break
    if _is_list(result) and result.items:
        return (yield from _one_of(goal, result, argument, desk))
    if _not_there(result) and not known:
        return Outcome("none", goal.tool, args, result, names[0])
    return Outcome("done" if result.ok else "failed", tool.name, args, result, names[0])


def _named(goal: Goal, desk: Desk) -> tuple[bool, list[str]]:
    """What the document may be called, the likeliest first; whether it is known by its id."""
    for clause in (goal.clause, *reversed(goal.before)):
        if ids := [m[0] for i in clause.items if i.unknown and (m := _ID.fullmatch(i.text)) and "-" in m[0]]:
            return True, ids[:1]
        names = [n for n in object_names(clause) if not (n.before and "section" in n.before.concepts)]
        if names and (clause is goal.clause or "document" in clause.things):
            return False, spellings(names[0].text, names[0].quoted)
    shown = desk.memory.focus("document")
    return (True, [str(shown[0]["id"])]) if len(shown) == 1 else (False, [])


def _extras(goal: Goal, tool: Tool, desk: Desk) -> dict[str, Any]:
    told = filled(Goal(tool.name, goal.clause), tool, desk)
    return {name: value for name, value in told.items() if name == "kind"}


def _is_list(result: Result) -> bool:
    return isinstance(result.data, list) or "items" in result.object


def _not_there(result: Result) -> bool:
    return _is_list(result) or "not_found" in result.code or not result.text


def _one_of(goal: Goal, listed: Result, argument: str, desk: Desk) -> Finding:
    """The one document of several that fit: the only one, or the one that the person takes."""
    options = [Option(label_of(i), i) for i in listed.items if "id" in i]
    question = desk.say("Which document do you mean?", "Какой документ вы имеете в виду?")
    item = options[0].value if len(options) == 1 else (yield from choose(goal, question, options, desk))
    tool = desk.tools[goal.tool]
    args = {argument: fitted(item["id"], tool.properties[argument])}
    (result,) = yield [Call(tool.name, args)]
    return Outcome("done" if result.ok else "failed", tool.name, args, result, label_of(item))


def attachment_script(goal: Goal, desk: Desk) -> Script:
    """Read an attached file: by its id, else by its name among the attachments of the document."""
    tool = desk.tools[goal.tool]
    if direct := _direct(goal, tool):
        (result,) = yield [Call(tool.name, direct)]
        return Outcome("done" if result.ok else "failed", tool.name, direct, result)
    outcome = yield from read_script(replace(goal, tool="read_document"), desk)
    if outcome.kind != "done" or outcome.result is None:
        return outcome
    attached = [a for a in outcome.result.object.get("attachments") or () if isinstance(a, dict) and "id" in a]
    wanted = [fold(name) for name in goal.clause.values("file")]
    fitting = [a for a in attached if fold(str(a.get("name"))) in wanted] if wanted else attached
    if not fitting:
        return Outcome("none", goal.tool, {}, outcome.result, ", ".join(goal.clause.values("file")))
    if len(fitting) > 1 and "@plural" in goal.clause.concepts and len(fitting) <= 4:
        chosen = fitting
    else:
        chosen = [(yield from _taken(goal, fitting, desk))]
    calls = [_attachment_args(tool, item, outcome.result.object) for item in chosen]
    results = yield [Call(tool.name, args) for args in calls]
    more = list(zip(calls, results, strict=True))
    return Outcome("done" if results[0].ok else "failed", tool.name, calls[0], results[0], more=more[1:])


def _direct(goal: Goal, tool: Tool) -> dict[str, Any] | None:
    """The arguments when the clause alone gives them: the id of an attachment."""
    numbers = goal.clause.values("number")
    if "attachment_id" in tool.properties and numbers and not goal.clause.things & {"document"}:
        return {"attachment_id": fitted(numbers[0], tool.properties["attachment_id"])}
    return None


def _taken(goal: Goal, attached: Sequence[dict[str, Any]], desk: Desk) -> Finding:
    if len(attached) == 1:
        return attached[0]
    options = [Option(str(a.get("name") or a["id"]), a) for a in attached]
    return (yield from choose(goal, desk.say("Which attachment?", "Какое вложение?"), options, desk))


def _attachment_args(tool: Tool, item: Mapping[str, Any], document: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments for one attachment, whichever way the tool names it."""
    argument = next((a for a in _ATTACHMENT if a in tool.properties), "attachment_id")
    value = item["id"] if argument.endswith("_id") else item.get("name")
    args = {argument: fitted(value, tool.properties.get(argument, {}))}
    place = next((a for a in _DOCUMENT[:2] if a in tool.required), None)
    return args | ({place: document.get("id")} if place else {})


def patch_script(goal: Goal, desk: Desk) -> Script:
    """Read the document, find the field, then change it on the revision that was read."""
    tool = desk.tools[goal.tool]
    if "read_document" not in desk.tools:
        return Outcome("cannot", "read_document")
    read = yield from read_script(replace(goal, tool="read_document"), desk)
    if read.kind != "done" or read.result is None:
        return read
    document = read.result.object
    operations = yield from _operations(goal, document.get("content"), desk)
    args: dict[str, Any] = {}
    for name, value in _patch_values(document, operations).items():
        if name in tool.properties:
            args[name] = fitted(value, tool.properties[name])
    for name in tool.required:
        if args.get(name) is None:
            args[name] = yield from missing(goal, tool, name, desk)
    (result,) = yield [Call(tool.name, args)]
    kind = "done" if result.ok else "denied" if result.denied else "failed"
    return Outcome(kind, tool.name, args, result, str(document.get("title") or ""))


def _patch_values(document: Mapping[str, Any], operations: list[dict[str, Any]]) -> dict[str, Any]:
    told = dict.fromkeys(_PATCH, operations)
    return {
        **told,
        "document_id": document.get("id"),
        "document": document.get("id"),
        "base_revision": document.get("revision"),
    }


def _operations(goal: Goal, content: Any, desk: Desk) -> Finding:
    """A `test` of what stands there now, and the change."""
    fields = fields_of(content)
    field = yield from _field(goal, fields, desk)
    if goal.clause.acts & {"delete", "revoke"} and not goal.clause.acts & {"set", "update"}:
        return [{"op": "test", "path": field.pointer, "value": field.value}, {"op": "remove", "path": field.pointer}]
    value = new_value(goal.clause, field)
    if value is None:
        question = desk.say(f"What should {field.pointer} be?", f"Какое значение записать в {field.pointer}?")
        value = field.typed((yield from free(goal, question, desk)))
    if isinstance(field.value, list):
        return [{"op": "add", "path": f"{field.pointer}/-", "value": value}]
    test = {"op": "test", "path": field.pointer, "value": field.value}
    return [test, {"op": "replace", "path": field.pointer, "value": value}]


def _field(goal: Goal, fields: Sequence[Field], desk: Desk) -> Finding:
    """The field that is meant: by its pointer, by its words, by its present value, else as the person says."""
    if not fields:
        raise Stop(Outcome("none", goal.tool))
    pointers = goal.clause.values("pointer")
    exact = [f for f in fields if f.pointer in pointers]
    ranked = exact or rank(goal.clause, fields)
    if len(ranked) == 1:
        return ranked[0]
    options = [Option(f"{f.pointer} = {f.shown}", f) for f in ranked or fields]
    return (yield from choose(goal, desk.say("Which field should change?", "Какое поле изменить?"), options, desk))


def section_of(content: Any, words: Sequence[str]) -> Any:
    """The part of a document whose key or title has these words; None when there is none."""
    wanted = {stem(word) for word in words}
    parts = content.items() if isinstance(content, dict) else enumerate(content) if isinstance(content, list) else ()
    for key, value in parts:
        title = f"{key} {value.get('title', '') if isinstance(value, dict) else ''}"
        if wanted & {stem(w) for w in re.split(r"[\W_]+", title) if w}:
            return value
        if (inner := section_of(value, words)) is not None and isinstance(value, dict | list):
            return inner
    return None
