"""Scripts for documents: read one, change it with a JSON Patch (RFC 6902), read an attached file."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from agent.demo.fields import Field, fields_of, new_value, rank, section_of
from agent.demo.lookup import Finding, label_of, spellings
from agent.demo.questions import choose, free
from agent.demo.results import Result, rows
from agent.demo.slots import FILLERS, names_by_role, object_names
from agent.demo.steps import Call, Desk, Goal, Option, Outcome, Script, Stop, ended

_MOST_FILES = 4
_LONGEST_NAME = 200
_ID = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)+")


def read_script(goal: Goal, desk: Desk) -> Script:
    """Read the document that the clause names, or that the talk was about; asks when it names none or several fit."""
    if goal.tool not in desk.tools:
        return Outcome("cannot", goal.tool)
    known, names = _named(goal, desk)
    if not names:
        names = [(yield from free(goal, desk.say("Which document?", "Какой документ?"), desk))]
    result, args = Result("", ok=False), {}
    for name in names:
        args = {"document": name[:_LONGEST_NAME]}
        (result,) = yield [Call(goal.tool, args)]
        if result.ok and (not is_list(result) or result.items):
            break
    if is_list(result) and result.items:
        return (yield from _one_of(goal, result, desk))
    if not known and (is_list(result) or result.code.endswith("not_found")):
        return Outcome("none", goal.tool, args, result, names[0])
    return ended(goal.tool, args, _section(goal, result), names[0])


def _section(goal: Goal, result: Result) -> Result:
    """The answer with only the section that the clause names, where the document has it."""
    words = [w for n in names_by_role(goal.clause).get("section", []) for w in n.text.split()]
    part = section_of(result.object.get("content"), words) if words else None
    return result if part is None else replace(result, data={**result.object, "content": part})


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


def is_list(result: Result) -> bool:
    """Whether the answer is a list to choose from."""
    return isinstance(result.data, list) or "items" in result.object


def _one_of(goal: Goal, listed: Result, desk: Desk) -> Finding:
    """The one document of several that fit: the only one, or the one that the person takes."""
    kind = FILLERS["kind"](goal, desk)
    items = [i for i in listed.items if i.get("kind") == kind] or listed.items
    options = [Option(label_of(i), i) for i in items if "id" in i]
    if not options:
        raise Stop(Outcome("none", goal.tool, {}, listed))
    question = desk.say("Which document do you mean?", "Какой документ вы имеете в виду?")
    item = options[0].value if len(options) == 1 else (yield from choose(goal, question, options, desk))
    args = {"document": str(item["id"])}
    (result,) = yield [Call(goal.tool, args)]
    return ended(goal.tool, args, result, label_of(item))


def attachment_script(goal: Goal, desk: Desk) -> Script:
    """Read an attached file: by its id or file name, else the one that hangs on the document that is named."""
    tool = desk.tools[goal.tool]
    wanted = [*map(str, goal.clause.values("file")), *_ids(goal), *_file_names(goal)]
    if wanted:
        return (yield from _attachment(goal, wanted[0], desk))
    if "read_document" not in desk.tools:
        raise Stop(Outcome("cannot", "read_document"))
    outcome = yield from read_script(replace(goal, tool="read_document"), desk)
    if outcome.kind != "done" or outcome.result is None:
        return outcome
    attached = [a for a in rows(outcome.result.object, "attachments") if "id" in a]
    if not attached:
        return Outcome("none", goal.tool, {}, outcome.result)
    plural = "@plural" in goal.clause.concepts and len(attached) <= _MOST_FILES
    chosen = attached if plural else [(yield from _taken(goal, attached, desk))]
    calls = [{"attachment": str(a["id"])} for a in chosen]
    results = yield [Call(tool.name, args) for args in calls]
    more = list(zip(calls, results, strict=True))
    return replace(ended(tool.name, calls[0], results[0]), more=more[1:])


def _ids(goal: Goal) -> list[str]:
    """The number of an attachment; a number beside a document is not one."""
    return [] if "document" in goal.clause.things else [str(n) for n in goal.clause.values("number")]


def _file_names(goal: Goal) -> list[str]:
    """Words of a file's name, when the clause speaks of no document."""
    return [] if "document" in goal.clause.things else [n.text for n in object_names(goal.clause)]


def _attachment(goal: Goal, wanted: str, desk: Desk) -> Script:
    """The attachment by id or name; of several that fit, the one that the person takes."""
    args = {"attachment": wanted}
    (result,) = yield [Call(goal.tool, args)]
    if not is_list(result):
        return ended(goal.tool, args, result)
    if not result.items:
        return Outcome("none", goal.tool, args, result, wanted)
    item = yield from _taken(goal, result.items, desk)
    args = {"attachment": str(item.get("id"))}
    (result,) = yield [Call(goal.tool, args)]
    return ended(goal.tool, args, result)


def _taken(goal: Goal, attached: Sequence[dict[str, Any]], desk: Desk) -> Finding:
    if len(attached) == 1:
        return attached[0]
    options = [Option(label_of(a), a) for a in attached]
    return (yield from choose(goal, desk.say("Which attachment?", "Какое вложение?"), options, desk))


def patch_script(goal: Goal, desk: Desk) -> Script:
    """Read the document, find the field, then change it on the revision that was read."""
    if "read_document" not in desk.tools:
        return Outcome("cannot", "read_document")
    read = yield from read_script(replace(goal, tool="read_document"), desk)
    if read.kind != "done" or read.result is None:
        return read
    document = read.result.object
    operations = yield from _operations(goal, document.get("content"), desk)
    args = {"document_id": document.get("id"), "base_revision": document.get("revision"), "patch": operations}
    (result,) = yield [Call(goal.tool, args)]
    return ended(goal.tool, args, result, str(document.get("title") or ""))


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
