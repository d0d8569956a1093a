"""Finds the id of what a person names: from the words, from what was shown before, by searching, by asking."""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

from rapidfuzz import fuzz

from agent.demo.clauses import THINGS, Clause
from agent.demo.language import fold, readings, stem
from agent.demo.questions import choose, free, place_in
from agent.demo.reading import Name
from agent.demo.results import Result
from agent.demo.slots import FILLERS, environments, filled, likely, object_names
from agent.demo.steps import Call, Desk, Goal, Option, Outcome, Step, Stop

_CLOSE = 75
_MOST_AT_ONCE = 10
_LONG = 3
_NEWEST_FIRST = {"backup", "commit", "task"}
Finding = Generator[Sequence[Step], list[Result], Any]


@dataclass(frozen=True)
class Reference:
    """An argument that holds an id: of what, which entity is such an id, which tool finds it, what it is called."""

    thing: str
    entity: str
    search: str
    en: str
    ru: str
    text: str = "text"
    loose: bool = False


REFERENCES: Mapping[str, Reference] = {
    "dashboard_id": Reference("dashboard", "number", "search_dashboards", "dashboard", "дашборд"),
    "dataset_id": Reference("dataset", "number", "search_datasets", "dataset", "датасет"),
    "task_id": Reference("task", "number", "list_tasks", "task", "задача"),
    "backup_id": Reference("backup", "backup", "list_backups", "backup", "резервная копия", loose=True),
    "user_id": Reference("user", "login", "list_users", "person", "человек"),
    "commit": Reference("commit", "commit", "list_changes", "commit", "коммит", loose=True),
}


@dataclass(frozen=True)
class Target:
    """What one action is for: an id, a name, or something that was shown before."""

    id: Any = None
    name: str = ""
    quoted: bool = False
    item: Mapping[str, Any] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """How to speak of it."""
        return str(
            self.item.get("name") or self.item.get("title") or self.name or (self.id if self.id is not None else "")
        )


def targets(goal: Goal, reference: Reference, desk: Desk) -> list[Target]:
    """All that a clause names of one kind; when it names nothing, what it points at in earlier answers."""
    clause = goal.clause
    ids = [Target(id=value) for value in _ids(clause, reference)]
    if ids or reference.entity in {"backup", "commit"}:
        return ids or _pointed(clause, reference, desk)
    names = [_target(n, reference) for n in _acted_on(clause)]
    return names or _pointed(clause, reference, desk) or _from_before(goal, reference)


def _ids(clause: Clause, reference: Reference) -> list[Any]:
    """The ids in a clause; a number that counts ("12 charts") or stands apart from a named thing is none."""
    if reference.entity != "number":
        return clause.values(reference.entity)
    told = set()
    for before, item, after in zip((None, *clause.items), clause.items, (*clause.items[1:], None), strict=False):
        counts = after is not None and after.concepts & (THINGS | {"chart", "row", "column"}) and not after.grammar
        beside = before is not None and before.concepts - {"filler"}
        if item.entity and not counts and (beside or not object_names(clause)):
            told.add(item.start)
    return [e.value for e in clause.entities if e.kind == "number" and e.start in told]


def _acted_on(clause: Clause) -> list[Name]:
    """The likeliest name, and those that are listed beside it ("A and B")."""
    names = object_names(clause)
    if not names or names[0].quoted:
        return names
    listed = [n for n in clause.names if n in names]
    at = listed.index(names[0])
    group = [names[0]]
    for name in listed[at + 1 :]:
        joined = name.before is not None and ("and" in name.before.concepts or name.before.text == ",")
        if not joined or likely(name) < min(likely(names[0]), 2):
            break
        group.append(name)
    return group


def _target(name: Name, reference: Reference) -> Target:
    single = name.text.isascii() and name.text.islower() and " " not in name.text
    if reference.thing == "user" and single and not name.quoted:
        return Target(id=name.text)
    return Target(name=name.text, quoted=name.quoted)


def _pointed(clause: Clause, reference: Reference, desk: Desk) -> list[Target]:
    """What "the second", "the other one", "it", "all of them" mean among the things that were shown last."""
    shown, listed = (
        [Target(id=i["id"], item=i) for i in items if "id" in i]
        for items in (desk.memory.focus(reference.thing), desk.memory.listed(reference.thing))
    )
    place = _place(clause, reference)
    if "other" in clause.concepts and len(listed) == 2 and len(shown) == 1:
        return [t for t in listed if t.id != shown[0].id][:1]
    if place is not None and -len(listed) <= place < len(listed):
        return [listed[place]]
    if "all" in clause.concepts and "it" in clause.concepts and len(shown) <= _MOST_AT_ONCE:
        return shown
    return shown if len(shown) == 1 and ("it" in clause.concepts or not clause.names) else []


def _place(clause: Clause, reference: Reference) -> int | None:
    """Which of a list is meant; the last of things that are listed newest first is the newest."""
    place = place_in(clause)
    return 0 if place == -1 and reference.thing in _NEWEST_FIRST else place


def _from_before(goal: Goal, reference: Reference) -> list[Target]:
    """What an earlier clause of the same message names: "don't delete A, just untag it"."""
    for clause in reversed(goal.before):
        ids = [Target(id=value) for value in clause.values(reference.entity)]
        names = [_target(n, reference) for n in _acted_on(clause)[:1]]
        if (ids or names) and (not clause.things or reference.thing in clause.things or "it" in goal.clause.concepts):
            return ids or names
    return []


def found(goal: Goal, target: Target | None, reference: Reference, desk: Desk) -> Finding:
    """The target with its id; searches and asks as needed. Raises `Stop` when there is none."""
    if target is not None and target.id is not None:
        return target
    if target is not None:
        return (yield from _by_name(goal, target, reference, desk))
    if reference.loose or reference.thing == "task" or _tagged(goal, reference, desk):
        return (yield from _by_filters(goal, reference, desk))
    answer = yield from free(goal, _which(reference, desk), desk)
    asked = Target(id=int(answer)) if answer.isdecimal() else Target(name=answer)
    return (yield from found(goal, asked, reference, desk))


def _tagged(goal: Goal, reference: Reference, desk: Desk) -> bool:
    """Whether the clause says by a tag which thing is meant."""
    tool = desk.tools.get(reference.search)
    told = filled(Goal(tool.name, goal.clause), tool, desk) if tool and "@tagged" in goal.clause.concepts else {}
    return "tag" in told


def picked(goal: Goal, listed: Result, reference: Reference, desk: Desk) -> Finding:
    """The one of a list that the person takes; raises `Stop` when they take none."""
    return (yield from _asked(goal, listed.items, "", reference, desk, total=listed.total))


def _which(reference: Reference, desk: Desk) -> str:
    if reference.thing in {"task", "backup"}:
        return desk.say(f"Which {reference.en}? A name or an id.", f"Какая {reference.ru}? Название или номер.")
    if reference.thing == "user":
        return desk.say("Who? A name, a login or an e-mail.", "Кто именно? Имя, логин или почта.")
    return desk.say(f"Which {reference.en}? A name or an id.", f"Какой {reference.ru}? Название или номер.")


def _by_name(goal: Goal, target: Target, reference: Reference, desk: Desk) -> Finding:
    items: list[dict[str, Any]] = []
    for text in spellings(target.name, target.quoted, desk.in_latin):
        items = (yield from _search(goal, reference, {reference.text: text}, desk)).items
        if items:
            break
    apart = [] if target.quoted or items else _long_words(target.name)
    for text in apart:
        told = yield from _search(goal, reference, {reference.text: text}, desk)
        items = [i for i in told.items if _close(target.name, i)]
        if items:
            break
    return (yield from _picked(goal, target, items, reference, desk))


def _long_words(name: str) -> list[str]:
    """The two longest words of a name of several: one of them may be free of a typo."""
    parts = sorted((w for w in name.split() if len(w) >= _LONG), key=len, reverse=True)[:2]
    return parts if " " in name else []


def spellings(name: str, quoted: bool = False, in_latin: bool = False) -> list[str]:
    """A name as written, then its stems: a search by parts of words finds inflected Russian names.

    With `in_latin`, when Russian was written in Latin letters, the name may be Russian too.
    """
    meant = [name]
    if in_latin and "_" not in name and not any(c.isdigit() for c in name):
        meant.append(" ".join(list(readings(word))[-1] for word in name.split()))
    stems = [" ".join(w if w.isascii() else _without_ending(w) for w in text.split()) for text in meant]
    told = meant[:1] if quoted else [*meant[:1], *stems]
    return list({fold(text): text for text in reversed(told)}.values())[::-1]


def _without_ending(word: str) -> str:
    """The part of a Russian word that all its cases share; short names lose their last vowel (Оле, Оля)."""
    short = word[:-1] if len(word) == 3 and word[-1].lower() in "аеиоуыюя" else ""
    return short or stem(word)


def _search(goal: Goal, reference: Reference, wanted: Mapping[str, Any], desk: Desk) -> Finding:
    tool = desk.tools.get(reference.search)
    if tool is None:
        raise Stop(Outcome("cannot", reference.search))
    args = {name: value for name, value in wanted.items() if name in tool.properties and value is not None}
    place = environments(goal.clause).get("from") or environments(goal.clause).get("first")
    if place and "environment" in tool.properties:
        args["environment"] = place
    (result,) = yield [Call(tool.name, args)]
    if not result.ok:
        raise Stop(Outcome("denied" if result.denied else "failed", tool.name, args, result))
    return result


def _picked(goal: Goal, target: Target, items: Sequence[dict[str, Any]], reference: Reference, desk: Desk) -> Finding:
    """The only match, the only exact one, or the one that the person takes."""
    exact = [i for i in items if _same_name(target.name, i)]
    whole = len(items) == 1 and reference.thing == "user"
    fitting = exact or [i for i in items if whole or _close(target.name, i)]
    if len(fitting) == 1:
        return Target(id=fitting[0]["id"], item=fitting[0])
    if not items:
        raise Stop(Outcome("none", goal.tool, {}, None, target.name))
    return (yield from _asked(goal, fitting or items, target.name, reference, desk))


def _asked(
    goal: Goal, items: Sequence[dict[str, Any]], name: str, reference: Reference, desk: Desk, total: int = 0
) -> Finding:
    options = [Option(label_of(i), i) for i in items if "id" in i]
    about = f" “{name}”" if name else ""
    count = max(total, len(options))
    counted = desk.say(f" {count} match.", f" Подходит: {count}.") if count > 4 else ""
    question = desk.say(
        f"Which {reference.en}{about} do you mean?{counted}",
        f"{_RU_WHICH[reference.thing]}{_quoted(name)} вы имеете в виду?{counted}",
    )
    item = yield from choose(goal, question, options, desk)
    return Target(id=item["id"], item=item)


_RU_WHICH = {
    "dashboard": "Какой дашборд", "dataset": "Какой датасет", "task": "Какую задачу", "backup": "Какую копию",
    "user": "Кого", "commit": "Какой коммит", "document": "Какой документ", "attachment": "Какое вложение",
}  # fmt: skip


def _quoted(name: str) -> str:
    return f" «{name}»" if name else ""


def label_of(item: Mapping[str, Any]) -> str:
    """A thing in one line: name, environment, state or date, id."""
    named = item.get("name") or item.get("title") or item.get("message")
    place, state, day = (
        item.get("environment"),
        item.get("state"),
        str(item.get("created_at") or "")[:16].replace("T", " "),
    )
    shown = item.get("short_id") or item.get("id")
    return " · ".join(str(part) for part in (named, place, state, day if not named else "", shown) if part)


def _names_of(item: Mapping[str, Any]) -> list[str]:
    return [
        str(item[key]) for key in ("name", "name_ru", "title", "title_ru", "id", "email", "message") if item.get(key)
    ]


def _stems(text: str) -> str:
    return " ".join(stem(word) for word in fold(text).split())


def _same_name(name: str, item: Mapping[str, Any]) -> bool:
    return any(fold(name) == fold(other) or _stems(name) == _stems(other) for other in _names_of(item))


def _close(name: str, item: Mapping[str, Any]) -> bool:
    """Whether the words of the name are all in one of the thing's names, give or take an ending."""
    wanted = _stems(name).split()
    return any(all(any(_alike(a, b) for b in _stems(other).split()) for a in wanted) for other in _names_of(item))


def _alike(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return (len(short) > 2 and long.startswith(short)) or fuzz.ratio(one, other) >= _CLOSE


def _by_filters(goal: Goal, reference: Reference, desk: Desk) -> Finding:
    """One of a list that the clause narrows down: the newest backup, the running task, the commit before."""
    result = yield from _listed(goal, reference, desk)
    items = list(result.items) or list(result.object.get("commits") or ())
    fitting = [i for i in items if isinstance(i, dict) and "id" in i and _on_day(i, goal.clause)]
    if not fitting:
        raise Stop(Outcome("none", goal.tool, {}, result))
    place = _place(goal.clause, reference)
    if place is not None and place < len(fitting):
        return Target(id=fitting[place]["id"], item=fitting[place])
    newest = reference.thing == "backup" and goal.tool.startswith("restore")
    if newest or len(fitting) == 1:
        return Target(id=fitting[0]["id"], item=fitting[0])
    return (yield from _asked(goal, fitting, "", reference, desk))


def _listed(goal: Goal, reference: Reference, desk: Desk) -> Finding:
    tool = desk.tools.get(reference.search)
    if tool is None:
        raise Stop(Outcome("cannot", reference.search))
    args = filled(Goal(tool.name, goal.clause, goal.before), tool, desk)
    args.pop("text", None)
    if until := args.get("until"):
        args["until"] = (_day(until) + timedelta(days=1)).isoformat()  # whichever end counts, days are checked below
    for name in tool.required:
        args.setdefault(name, goal.args.get(name) or inherited(goal, name, desk))
    (result,) = yield [Call(tool.name, {k: v for k, v in args.items() if v is not None})]
    if not result.ok:
        raise Stop(Outcome("denied" if result.denied else "failed", tool.name, args, result))
    return result


def inherited(goal: Goal, name: str, desk: Desk) -> Any:
    """A value that an earlier clause of the message gives, the nearest first."""
    filler = FILLERS.get(name)
    values = (filler(Goal(goal.tool, clause), desk) for clause in reversed(goal.before)) if filler else ()
    return next((value for value in values if value is not None), None)


def _on_day(item: Mapping[str, Any], clause: Clause) -> bool:
    """Whether a thing is of the days that the clause names, if it names any."""
    spans = clause.values("date")
    at = str(item.get("at") or item.get("created_at") or "")[:10]
    if not spans or not at:
        return True
    return any(span.since and span.since <= _day(at) <= span.until for span in spans)


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return date.min
