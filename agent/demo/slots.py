"""Fills arguments from a clause by their names: environments, names, people, tags, days, states, messages."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any

from agent.demo.clauses import THINGS, Clause, is_filter
from agent.demo.intents import INTENTS
from agent.demo.reading import Item, Name
from agent.demo.schemas import Tool, fitted, options_of, type_of
from agent.demo.steps import Desk, Goal

_FROM = {"from", "с", "со", "из", "off", "iz", "s", "so"}
_TO = {"to", "на", "в", "into", "onto", "->", "→", "na", "v", "as", "до"}
_CALLED = {"called", "named", "titled", "названием", "именем", "name", "имя", "название", "imenem", "nazvaniem"}
_ROLE_OF_CONCEPT = {
    "tag": "tag", "template": "template", "owner": "owner", "schema": "schema", "source": "source",
    "message": "message", "description": "description", "user": "person", "section": "section", "hand_over": "value",
}  # fmt: skip
_BESIDE = frozenset({":", "=", "is", "are"})
_CHANGES = frozenset({"rename", "update", "set", "hand_over", "refresh"})
_LOGIN = re.compile(r"[a-z][a-z0-9._-]{2,40}")
_DID = re.compile(r"[а-яё]{2,}[аеиыуя](?:л|ла|ло|ли)")
_MADE_UP = re.compile(r"\b(?:придумай|сам|сама|any|whatever|yourself|up to you)\b", re.IGNORECASE)
_KINDS = (
    ("validate", "validate_dashboard"), ("write_docs", "document_dataset"), ("draw", "make_thumbnails"),
)  # fmt: skip
_EVENTS = (
    ("delete", "dashboard", "delete_dashboard"), ("delete", "dataset", "delete_dataset"),
    ("delete", "backup", "delete_backup"), ("create", "dashboard", "create_dashboard"),
    ("create", "backup", "create_backup"), ("refresh", "dataset", "refresh_dataset"),
    ("update", "dashboard", "update_dashboard"), ("restore", "backup", "restore_backup"),
    ("grant", "role", "grant_role"), ("revoke", "role", "revoke_role"), ("cancel", "task", "cancel_task"),
    ("start", "task", "start_task"), ("migrate", "migration_thing", "run_migration"),
    ("switch_on", "maintenance", "set_maintenance_mode"),
)  # fmt: skip
_TEMPLATES = (
    ("прода", "sales"), ("ворон", "funnel"), ("финанс", "finance"), ("логист", "logistics"), ("поддерж", "support"),
)  # fmt: skip
_STATES = (
    ("failed", "failed"), ("done", "succeeded"), ("stuck", "running"), ("queue", "running"),
)  # fmt: skip
_DOCUMENT_KINDS = (
    (r"runbook|playbook|runbok|ранбук\w*|рунбук\w*|регламент\w*|инструкци\w*", "runbook"),
    (r"contract|дата-?\s?контракт\w*|контракт\w*", "data_contract"),
    (r"report|отч[её]т\w*", "report"),
)


def names_by_role(clause: Clause) -> dict[str, list[Name]]:
    """The names of a clause by what they are for; those that the clause acts on have the role `object`."""
    roles: dict[str, list[Name]] = {}
    for name in clause.names:
        roles.setdefault(_role_of(clause, name), []).append(name)
    return roles


def _role_of(clause: Clause, name: Name) -> str:
    if name.preposition in _TO and clause.concepts & _CHANGES and any(i.end < name.start for i in _subjects(clause)):
        return "value"
    if name.before is not None and name.before.text.lower() in _CALLED:
        return "name"
    for item in _two_before(clause, name):
        for concept, role in _ROLE_OF_CONCEPT.items():
            if concept in item.concepts and not item.concepts & {"document", "dashboard"}:
                return role
    if name.after is not None and "template" in name.after.concepts:
        return "template"
    if name.after is not None and "tag" in name.after.concepts and name.text.islower() and " " not in name.text:
        return "tag"
    return "object"


def _subjects(clause: Clause) -> list[Item]:
    """What may be the thing that is changed: a noun, a number, a name."""
    return [i for i in clause.items if i.unknown or i.entity is not None or not i.grammar]


def _two_before(clause: Clause, name: Name) -> Sequence[Item]:
    """The item before the name, and the one before that if a word like "with" stands between; "of" cuts the tie."""
    at = next((i for i, item in enumerate(clause.items) if item.start >= name.start), len(clause.items))
    before = [item for item in clause.items[max(at - 2, 0) : at] if item.text not in {":", "="}]
    if not before or before[-1].text.lower() in {"of", "for", "у", "для", "on", "from", "из"}:
        return before[-1:]
    return before[::-1] if before[-1].grammar or before[-1].entity is not None else before[-1:]


def object_names(clause: Clause) -> list[Name]:
    """The names that a clause acts on; quoted ones alone if there are any, else the likeliest first."""
    names = names_by_role(clause).get("object", [])
    quoted = [n for n in names if n.quoted]
    return quoted or sorted(names, key=lambda n: -likely(n))


def likely(name: Name) -> int:
    """How much a run of words looks like a name."""
    beside = any(i is not None and i.concepts and not i.grammar for i in (name.before, name.after))
    shaped = name.text[0].isupper() or "_" in name.text or any(c.isdigit() for c in name.text)
    return 2 * shaped + beside


def environments(clause: Clause) -> dict[str, str]:
    """The environments of a clause: `from`, `to` and `first`, as its prepositions say."""
    found: dict[str, str] = {}
    loose: list[str] = []
    for at, item in enumerate(clause.items):
        if item.entity is None or item.entity.kind != "environment":
            continue
        found.setdefault("first", item.entity.value)
        before = clause.items[at - 1].text.lower() if at else ""
        if before in _FROM:
            found.setdefault("from", item.entity.value)
        elif before in _TO or before in {">", "→"}:
            found.setdefault("to", item.entity.value)
        else:
            loose.append(item.entity.value)
    for key in ("from", "to"):
        if loose and key not in found and len(found) + len(loose) > 1:
            found[key] = loose.pop(0)
    return found


def _environment(goal: Goal, desk: Desk) -> Any:
    return environments(goal.clause).get("first")


def _text(goal: Goal, desk: Desk) -> Any:
    told = [n.text for n in object_names(goal.clause) if n.quoted or not _DID.fullmatch(n.text)]
    return told[0] if told else None


def _message(goal: Goal, desk: Desk) -> Any:
    """The words after "message:" or "with the message"; a quote in a clause that speaks of a message."""
    clause = goal.clause
    named = [n.text for n in names_by_role(clause).get("message", []) if not _MADE_UP.search(n.text)]
    quotes = clause.values("quote") if "message" in clause.concepts else []
    return next(iter([*quotes, *clause.values("message"), *named]), None)


def _description(goal: Goal, desk: Desk) -> Any:
    quotes = goal.clause.values("quote") if "description" in goal.clause.concepts else []
    return next(iter([*goal.clause.values("description"), *quotes[-1:]]), None)


def _owner(goal: Goal, desk: Desk) -> Any:
    roles = names_by_role(goal.clause)
    logins = goal.clause.values("login")
    if goal.tool.startswith("search"):
        owned = [*clause_possessives(goal.clause), *(n.text for n in roles.get("owner", []))]
        return next(iter([*logins, *owned, *_owner_object(goal)]), None)
    if not goal.clause.concepts & {"owner", "hand_over"}:
        return None
    named = [n.text for n in [*roles.get("value", []), *roles.get("owner", [])]]
    return next(iter([*logins, *named]), None)


def _owner_object(goal: Goal) -> list[str]:
    return [n.text for n in object_names(goal.clause)] if "owner" in goal.clause.concepts else []


def clause_possessives(clause: Clause) -> list[str]:
    """Names with a possessive ending: "Karolina's dashboards"."""
    return [n.text for n in clause.names if clause.text[n.start : n.end].endswith(("'s", "’s"))]


def _tags(goal: Goal, desk: Desk) -> list[str]:
    named = [_tag_of(n) for n in names_by_role(goal.clause).get("tag", [])]
    return [*goal.clause.values("hashtag"), *named]


def _tag_of(name: Name) -> str:
    """A tag is one word, unless it is quoted; what follows it ("с тегом kpi в Foo") is none of it."""
    return name.text if name.quoted else name.text.split()[0]


def _filter_tags(clause: Clause) -> list[str]:
    """The tags that say which things are meant ("boards tagged x"), not which tag to set."""
    words = [at for at in range(len(clause.items)) if is_filter(clause.items, at)]
    return [tag for at in words if (tag := _filter_tag(clause, at))]


def _filter_tag(clause: Clause, at: int) -> str:
    """The tag beside the word that filters by it; any word right behind that word may be a tag ("tagged new")."""
    word = clause.items[at]
    named = names_by_role(clause).get("tag", [])
    beside = next((n for n in named if word in (n.before, n.after)), None)
    later = [i for i in clause.items[at + 1 :] if i.text.lower() not in _BESIDE]
    if beside is None and later and not later[0].is_mark and not later[0].concepts & (THINGS | {"filler"}):
        return str(later[0].entity.value) if later[0].entity else later[0].text
    return _tag_of(beside) if beside else ""


def _tag(goal: Goal, desk: Desk) -> Any:
    return next(iter([*_filter_tags(goal.clause), *_tags(goal, desk)]), None)


def _loses_tag(goal: Goal) -> bool:
    taking = {"delete", "revoke", "cancel"} & goal.clause.concepts
    return bool(taking) and not {"set", "grant"} & goal.clause.concepts


def _add_tags(goal: Goal, desk: Desk) -> Any:
    if "tag" not in goal.clause.concepts or _loses_tag(goal):
        return None
    tags = _tags(goal, desk)
    if "@plural" not in goal.clause.concepts:
        return tags or None
    rest = [tag for tag in tags if tag not in _filter_tags(goal.clause)]
    return [n.text for n in object_names(goal.clause)] or rest or None


def _remove_tags(goal: Goal, desk: Desk) -> Any:
    return (_tags(goal, desk) or None) if _loses_tag(goal) else None


def _name(goal: Goal, desk: Desk) -> Any:
    if goal.tool.startswith("create"):
        named = names_by_role(goal.clause).get("name", [])
        return named[0].text if named else _text(goal, desk)
    if not goal.clause.concepts & {"rename", "name"}:
        return None
    return _after_to(goal.clause)


def _after_to(clause: Clause) -> Any:
    """The new name in "rename X to Y": a quote, else the words to the end."""
    quotes = [n for n in names_by_role(clause).get("value", []) if n.quoted]
    if quotes:
        return quotes[0].text
    told = clause.values("quote")
    if len(told) > 1:
        return told[-1]
    named = [i.start for i in clause.items if i.entity is not None or i.unknown or "it" in i.concepts]
    to = [i.end for i in clause.items if i.text.lower() in _TO and named and i.start > named[0]]
    return clause.text[to[0] : clause.items[-1].end].strip(' .,!?"«»') or None if to else None


def _since(goal: Goal, desk: Desk) -> Any:
    return next((span.since.isoformat() for span in goal.clause.values("date") if span.since), None)


def _until(goal: Goal, desk: Desk) -> Any:
    days = next(iter(goal.clause.values("age")), None)
    if days is not None:
        return (desk.today - timedelta(days=days.days)).isoformat()
    return next((span.until.isoformat() for span in goal.clause.values("date") if span.until), None)


def _not_refreshed_days(goal: Goal, desk: Desk) -> Any:
    return next((span.days for span in goal.clause.values("age")), None)


def _enabled(goal: Goal, desk: Desk | None = None) -> Any:
    concepts = goal.clause.concepts
    if "switch_on" in concepts and "switch_off" not in concepts:
        return True
    if "switch_off" in concepts:
        return False
    return True if concepts & {"set", "create"} else None


def _first_concept(table: Sequence[tuple[str, str]]) -> Callable[[Goal, Desk], Any]:
    """A filler that looks for the first concept of a table that the clause has."""

    def fill(goal: Goal, desk: Desk) -> Any:
        return next((value for concept, value in table if concept in goal.clause.concepts), None)

    return fill


def _kind(goal: Goal, desk: Desk) -> Any:
    told = _first_concept(_KINDS)(goal, desk)
    if told or "task" in goal.tool:
        return told
    text = goal.clause.own_text
    return next((kind for words, kind in _DOCUMENT_KINDS if re.search(rf"\b(?:{words})\b", text, re.IGNORECASE)), None)


def _role(goal: Goal, desk: Desk) -> Any:
    return next(iter(goal.clause.values("role")), None)


def _login(goal: Goal, desk: Desk) -> Any:
    return next(iter(goal.clause.values("login")), None)


def _schema(goal: Goal, desk: Desk) -> Any:
    named = names_by_role(goal.clause).get("schema", [])
    origin = [n for n in goal.clause.names if n.preposition in _FROM and _LOGIN.fullmatch(n.text) and "_" in n.text]
    return next((n.text for n in [*named, *origin]), None)


def _source(goal: Goal, desk: Desk) -> Any:
    named = names_by_role(goal.clause).get("source", [])
    origin = [n for n in goal.clause.names if n.preposition in _FROM and "_" not in n.text]
    return next((n.text for n in [*origin, *named]), None)


def _template(goal: Goal, desk: Desk) -> Any:
    told = next((n.text.lower() for n in names_by_role(goal.clause).get("template", [])), None)
    return told and next((name for start, name in _TEMPLATES if told.startswith(start)), told)


def _limit(goal: Goal, desk: Desk) -> Any:
    numbers = goal.clause.values("number")
    return numbers[0] if numbers and "last" in goal.clause.concepts and "@plural" in goal.clause.concepts else None


def _action(goal: Goal, desk: Desk) -> Any:
    """The tool that an event came from: "who deleted the dashboard" asks for `delete_dashboard`."""
    told = {c for item in goal.clause.items for c in item.concepts}
    return next((tool for verb, thing, tool in _EVENTS if {verb, thing} <= told), None)


FILLERS: Mapping[str, Callable[[Goal, Desk], Any]] = {
    "environment": _environment,
    "source": lambda goal, desk: environments(goal.clause).get("from"),
    "target": lambda goal, desk: environments(goal.clause).get("to"),
    "text": _text,
    "owner": _owner,
    "tag": _tag,
    "tags": lambda goal, desk: (_tags(goal, desk) or None) if goal.tool.startswith("create") else None,
    "add_tags": _add_tags,
    "remove_tags": _remove_tags,
    "name": _name,
    "template": _template,
    "description": _description,
    "message": _message,
    "note": _message,
    "since": _since,
    "until": _until,
    "not_refreshed_days": _not_refreshed_days,
    "enabled": _enabled,
    "kind": _kind,
    "state": _first_concept(_STATES),
    "role": _role,
    "started_by": _login,
    "actor": _login,
    "action": _action,
    "schema_name": _schema,
    "source_system": _source,
    "limit": _limit,
    "commit": lambda goal, desk: next(iter(goal.clause.values("commit")), None),
}


def filled(goal: Goal, tool: Tool, desk: Desk) -> dict[str, Any]:
    """The arguments that the clause gives, each fitting its schema, without those that must be looked up."""
    args: dict[str, Any] = {}
    for name, schema in tool.properties.items():
        filler = FILLERS.get(name)
        value = filler(goal, desk) if filler else _by_schema(goal, tool, name)
        if (value := fitted(value, schema)) is not None:
            args[name] = value
    return args


def _by_schema(goal: Goal, tool: Tool, name: str) -> Any:
    """A value for an argument of a tool that the rules do not know: by its enumeration or its type."""
    if tool.name in INTENTS:
        return None
    schema = tool.properties[name]
    stems = {item.text.lower() for item in goal.clause.items}
    if options := options_of(schema):
        return next((o for o in options if str(o).lower() in stems), None)
    if type_of(schema) in {"integer", "number"} and (name == "id" or name.endswith("_id")):
        return next((i.entity.value for i in goal.clause.items if i.entity and i.entity.kind == "number"), None)
    if type_of(schema) == "boolean":
        return _enabled(goal) if {"switch_on", "switch_off"} & goal.clause.concepts else None
    if type_of(schema) == "string" and name in tool.required:
        return next(iter([*goal.clause.values("quote"), *(n.text for n in object_names(goal.clause))]), None)
    return None
