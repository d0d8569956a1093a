"""How each wish is carried out: what is looked up first, what is asked, which call acts, one script a target.

A script is a generator: it yields the steps it wants next and gets their results. Scripts start anew on every
request of the model and are replayed from the results that the conversation holds, so they keep no state.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from agent.demo.clauses import Clause
from agent.demo.documents import attachment_script, patch_script, read_script
from agent.demo.lookup import REFERENCES, Finding, Reference, Target, found, inherited, picked, spellings, targets
from agent.demo.questions import choose, free, missing
from agent.demo.results import Result
from agent.demo.schemas import Tool, fitted
from agent.demo.slots import environments, filled
from agent.demo.steps import Call, Desk, Goal, Option, Outcome, Script, Stop, ended

_MOST_AT_ONCE = 10
_MOST_REMOVED = 5
_NARROWING = frozenset({"tag", "@tagged", "owner", "@date", "@age", "@hashtag", "schema", "source"})
_PEOPLE = ("owner",)
_FILTERS = frozenset({"tag", "owner", "since", "until", "not_refreshed_days", "schema_name", "source_system", "state"})
_ONE_OF = {"update_dashboard": ("name", "description", "owner", "tags", "add_tags", "remove_tags")}


def scripts(goal: Goal, desk: Desk) -> list[Script]:
    """The scripts of a wish: one for each thing it names, so that several run side by side."""
    if recipe := RECIPES.get(goal.tool):
        return [recipe(goal, desk)]
    argument = reference_of(desk.tools[goal.tool])
    if argument is None:
        return [_simple(goal, desk)]
    if _many(goal) and not goal.clause.values(REFERENCES[argument].entity):
        return [_fan_out(goal, argument, desk)]
    named = targets(goal, REFERENCES[argument], desk)
    return [_act(goal, target, argument, desk) for target in named or [None]]


def reference_of(tool: Tool) -> str | None:
    """The required argument of a tool that holds the id of what it acts on."""
    return next((name for name in tool.required if name in REFERENCES), None)


def _many(goal: Goal) -> bool:
    """Whether a wish is for all of a kind: "all boards tagged retail", "the backups from March"."""
    clause = goal.clause
    wide = {"all", "@plural"} & clause.concepts
    narrow = _NARROWING & clause.concepts - (
        {"owner"} if "hand_over" in clause.acts or "update" in clause.acts else set()
    )
    return bool(wide and narrow and not goal.tool.startswith(("get_", "read_", "restore_", "rollback_")))


def _simple(goal: Goal, desk: Desk) -> Script:
    """A tool without a thing to look up: fill, ask for what is missing, call; a search in vain tries other words."""
    tool = desk.tools.get(goal.tool)
    if tool is None:
        raise Stop(Outcome("cannot", goal.tool))
    args = yield from completed(goal, {**_in_passing(goal, tool, desk), **filled(goal, tool, desk), **goal.args}, desk)
    wider = _wider(args, tool, desk)
    while True:
        (result,) = yield [Call(tool.name, args)]
        if not (result.ok and wider and result.data is not None and not result.items):
            return ended(tool.name, args, result, str(args.get("text") or args.get("owner") or ""))
        args = wider.pop(0)


def _in_passing(goal: Goal, tool: Tool, desk: Desk) -> dict[str, Any]:
    """Who an earlier clause was about, for "and what did he publish"."""
    actor = inherited(goal, "actor", desk) if "actor" in tool.properties and "it" in goal.clause.concepts else None
    return {"actor": actor} if actor else {}


def _wider(args: Mapping[str, Any], tool: Tool, desk: Desk) -> list[dict[str, Any]]:
    """Other ways to search for a text: by its stems, by owner."""
    text = args.get("text")
    if not isinstance(text, str):
        return []
    stems = [{**args, "text": other} for other in spellings(text, in_latin=desk.in_latin)[1:]]
    if "owner" not in tool.properties or "owner" in args or any(c.isdigit() or c == "_" for c in text):
        return stems
    rest = {k: v for k, v in args.items() if k != "text"}
    return stems + [{**rest, "owner": other} for other in spellings(text, in_latin=desk.in_latin)]


def completed(goal: Goal, args: Mapping[str, Any], desk: Desk, found_item: Mapping[str, Any] | None = None) -> Finding:
    """The arguments with the required ones: from the found thing, from earlier clauses, else from the person."""
    tool = desk.tools[goal.tool]
    whole = dict(args)
    for name in _PEOPLE:
        if name in whole and not goal.tool.startswith("search"):
            whole[name] = yield from _login_of(goal, str(whole[name]), desk)
    for name in tool.required:
        if name in whole or (name in REFERENCES and name != "commit"):
            continue
        known = ((found_item or {}).get(name), inherited(goal, name, desk), _of_last(goal, name, desk))
        value = fitted(next((v for v in known if v is not None), None), tool.properties[name])
        whole[name] = value if value is not None else (yield from missing(goal, tool, name, desk))
    if (options := _ONE_OF.get(goal.tool)) and not set(options) & whole.keys():
        whole["name"] = yield from free(goal, desk.say("What should its new name be?", "Какое новое название?"), desk)
    return whole


def _of_last(goal: Goal, name: str, desk: Desk) -> Any:
    """What the last call had for an argument, when the clause points back at it."""
    last = desk.memory.last()
    return last.args.get(name) if last and "it" in goal.clause.concepts else None


def _login_of(goal: Goal, person: str, desk: Desk) -> Finding:
    """The login of a person who may be given by name."""
    if person.isascii() and " " not in person and person == person.lower():
        return person
    target = Target(name=person)
    return (
        yield from found(replace(goal, clause=replace(goal.clause, items=())), target, REFERENCES["user_id"], desk)
    ).id


def _act(goal: Goal, target: Target | None, argument: str, desk: Desk) -> Script:
    """Find the thing, fill in the rest, act."""
    tool = desk.tools[goal.tool]
    reference = REFERENCES[argument]
    args = {**filled(goal, tool, desk), **goal.args}
    if reference.loose:
        goal = replace(goal, args={**args, **(yield from _search_needs(goal, args, target, reference, desk))})
        args = {**args, **goal.args}
    thing = yield from _seen(goal, (yield from found(goal, target, reference, desk)), reference, desk)
    args = yield from completed(goal, {**args, argument: thing.id}, desk, thing.item)
    args = {name: value for name, value in args.items() if name in tool.properties}
    args[argument] = fitted(thing.id, tool.properties[argument])
    if args[argument] is None:
        raise Stop(Outcome("none", goal.tool, subject=thing.label))
    (result,) = yield [Call(tool.name, args)]
    return ended(tool.name, args, result, thing.label)


def _search_needs(
    goal: Goal, args: Mapping[str, Any], target: Target | None, reference: Reference, desk: Desk
) -> Finding:
    """What the search for a thing needs first: the commits of which environment."""
    search = desk.tools.get(reference.search)
    if target is not None or search is None:
        return {}
    required = desk.tools[goal.tool].required
    needed = [n for n in required if n in search.properties and n not in args]
    told: dict[str, Any] = {}
    for name in needed:
        value = inherited(goal, name, desk)
        told[name] = value if value is not None else (yield from missing(goal, desk.tools[goal.tool], name, desk))
    return told


def _seen(goal: Goal, thing: Target, reference: Reference, desk: Desk) -> Finding:
    """A backup that was given by id, with its environment, when the call needs that and nobody said it."""
    needs = "environment" in desk.tools[goal.tool].required and not environments(goal.clause)
    if reference.thing != "backup" or thing.item or not needs or reference.search not in desk.tools:
        return thing
    (result,) = yield [Call(reference.search, {})]
    item = next((i for i in result.items if i.get("id") == thing.id), {})
    return replace(thing, item=item)


def _fan_out(goal: Goal, argument: str, desk: Desk) -> Script:
    """The same call for each thing that a search finds; a long list is not acted on."""
    tool, search = desk.tools[goal.tool], desk.tools.get(REFERENCES[argument].search)
    if search is None:
        return Outcome("cannot", REFERENCES[argument].search)
    wanted = filled(Goal(search.name, goal.clause), search, desk)
    if "tag" in wanted or goal.tool == "delete_backup":
        wanted.pop("text", None)
    (listed,) = yield [Call(search.name, wanted)]
    if not listed.ok or not listed.items:
        return ended(search.name, wanted, listed)
    if _unclear(goal, wanted, listed, desk):
        return (yield from _act(goal, (yield from picked(goal, listed, REFERENCES[argument], desk)), argument, desk))
    if listed.total > _MOST_AT_ONCE:
        return Outcome("many", search.name, wanted, listed)
    args = yield from completed(goal, filled(goal, tool, desk) | {argument: 0}, desk)
    calls = [{**args, argument: item["id"]} for item in listed.items if "id" in item]
    results = yield [Call(tool.name, call) for call in calls]
    more = list(zip(calls, results, strict=True))
    return replace(ended(tool.name, more[0][0], more[0][1]), more=more[1:])


def _unclear(goal: Goal, wanted: Mapping[str, Any], listed: Result, desk: Desk) -> bool:
    """Whether a person must say which of the found is meant: no filter was read, too many to delete, one name only."""
    if not wanted.keys() & _FILTERS:
        return True
    if goal.tool.startswith("delete_"):
        return listed.total > _MOST_REMOVED
    args = filled(goal, desk.tools[goal.tool], desk)
    unsaid = goal.tool in _ONE_OF and not args.keys() & set(_ONE_OF[goal.tool])
    return len(listed.items) > 1 and ("name" in args or unsaid)


def _migrate(goal: Goal, desk: Desk) -> Script:
    """Source, target and dashboards; the plan first; then the run, if that is the wish and there is work."""
    tool = desk.tools[goal.tool]
    args = {**filled(goal, tool, desk), **goal.args}
    args = yield from _ends(goal, tool, args, desk)
    if "tag" not in args and "dashboard_ids" not in args:
        args = yield from _which_dashboards(goal, args, desk)
    args = yield from completed(goal, args, desk)
    args = {name: value for name, value in args.items() if name in tool.properties}
    if goal.tool == "run_migration" and "plan_migration" in desk.tools:
        (plan,) = yield [Call("plan_migration", args)]
        if not plan.ok or not (plan.object.get("create") or plan.object.get("update")):
            return ended("plan_migration", args, plan)
    (result,) = yield [Call(goal.tool, args)]
    return ended(goal.tool, args, result)


def _ends(goal: Goal, tool: Tool, args: Mapping[str, Any], desk: Desk) -> Finding:
    """Source and target; "there" is the environment of the clause before."""
    whole = dict(args)
    earlier = inherited(replace(goal, tool="list_backups"), "environment", desk)
    if "target" not in whole and (lone := environments(goal.clause).get("first")) and lone != whole.get("source"):
        whole["target"] = lone
    if "target" not in whole and earlier and earlier != whole.get("source"):
        whole["target"] = earlier
    if "target" not in whole:
        whole["target"] = yield from missing(goal, tool, "target", desk)
    return whole


def _which_dashboards(goal: Goal, args: Mapping[str, Any], desk: Desk) -> Finding:
    """The ids of the dashboards; where they are copied from is where they were found, if nobody said it."""
    reference = REFERENCES["dashboard_id"]
    ids: list[Any] = []
    source = args.get("source")
    for target in targets(goal, reference, desk) or [None]:
        if target is not None and target.id is None and source is None:
            thing, source = yield from _found_elsewhere(goal, target, args["target"], desk)
        else:
            place = replace(goal, clause=replace(goal.clause, items=_only_source(goal)))
            thing = yield from found(place, target, reference, desk)
        ids.append(thing.id)
    return {**args, "dashboard_ids": ids} | ({"source": source} if source else {})


def _only_source(goal: Goal) -> tuple[Any, ...]:
    """The clause without its target, so that a search looks where the copies come from."""
    to = environments(goal.clause).get("to")
    lone = "from" not in environments(goal.clause)
    return tuple(
        i
        for i in goal.clause.items
        if i.entity is None or i.entity.kind != "environment" or (i.entity.value != to and not lone)
    )


def _found_elsewhere(goal: Goal, target: Target, away: str, desk: Desk) -> Finding:
    """A dashboard by name in any environment but the target, and that environment."""
    nowhere = replace(goal, clause=replace(goal.clause, items=()))
    search = desk.tools.get("search_dashboards")
    if search is None:
        raise Stop(Outcome("cannot", "search_dashboards"))
    for text in spellings(target.name, target.quoted):
        (result,) = yield [Call(search.name, {"text": text})]
        fitting = [i for i in result.items if i.get("environment") != away]
        if fitting:
            break
    options = [Option(f"{i.get('name')} · {i.get('environment')} · {i.get('id')}", i) for i in fitting]
    if not options:
        raise Stop(Outcome("none", goal.tool, {}, result, target.name))
    question = desk.say(f"Copy “{target.name}” from where?", f"Откуда перенести «{target.name}»?")
    item = options[0].value if len(options) == 1 else (yield from choose(nowhere, question, options, desk))
    return Target(id=item["id"], item=item), item.get("environment")


def _commit(goal: Goal, desk: Desk) -> Script:
    """A commit with the message given, else with one made of the changes' own summaries."""
    tool = desk.tools[goal.tool]
    args = {**filled(goal, tool, desk), **goal.args}
    for name in tool.required:
        if name != "message" and name not in args:
            value = inherited(goal, name, desk)
            args[name] = value if value is not None else (yield from missing(goal, tool, name, desk))
    if "message" not in args and "list_changes" in desk.tools:
        (listed,) = yield [Call("list_changes", {"environment": args["environment"]})]
        changes = [c for c in listed.object.get("uncommitted") or () if isinstance(c, dict)]
        if not listed.ok or not changes:
            return ended("list_changes", {"environment": args["environment"]}, listed, "uncommitted")
        args["message"] = _message_of(changes)
    args = yield from completed(goal, args, desk)
    (result,) = yield [Call(tool.name, args)]
    return ended(tool.name, args, result)


def _message_of(changes: Sequence[Mapping[str, Any]]) -> str:
    """The summaries of the first changes, and how many more there are."""
    told = list(dict.fromkeys(str(c.get("summary") or c.get("operation") or "") for c in changes))
    more = f" (+{len(told) - 3})" if len(told) > 3 else ""
    return ("; ".join(told[:3]) + more)[:200]


def _start_task(goal: Goal, desk: Desk) -> Script:
    """A task by kind: for one dashboard or dataset, or for all with a tag."""
    tool = desk.tools[goal.tool]
    args = {**filled(goal, tool, desk), **goal.args}
    if "kind" not in args:
        args["kind"] = yield from missing(goal, tool, "kind", desk)
    if "tag" not in args or not {"all", "@plural"} & goal.clause.concepts:
        args.pop("tag", None)
        reference = REFERENCES["dataset_id" if args["kind"] == "document_dataset" else "dashboard_id"]
        first = next(iter(targets(goal, reference, desk)), None)
        args["target_id"] = (yield from found(goal, first, reference, desk)).id
        args.pop("environment", None)
    elif "environment" not in args:
        args["environment"] = yield from missing(goal, tool, "environment", desk)
    args = yield from completed(goal, args, desk)
    (result,) = yield [Call(tool.name, args)]
    return ended(tool.name, args, result)


def _undo(goal: Goal, desk: Desk) -> Script:
    """Undo the change with the number given, the last one made here, or the last one of a dashboard or document."""
    change = yield from _change_of(goal, desk)
    if change is None:
        return Outcome("none", goal.tool)
    args = {"change_id": change}
    (result,) = yield [Call(goal.tool, args)]
    return ended(goal.tool, args, result)


def _change_of(goal: Goal, desk: Desk) -> Finding:
    clause = goal.clause
    if goal.tool == "undo_change" and _points_nowhere(clause):
        return _last_change(desk)
    numbers = clause.values("number")
    about = clause.named_things & {"dashboard", "document"}
    if numbers and not about:
        return numbers[0]
    if not clause.names and not about and (last := _last_change(desk)) is not None:
        return last
    if "document" in clause.things:
        outcome = yield from read_script(replace(goal, tool="read_document"), desk)
        return _change_in(outcome)
    if clause.names or numbers or "dashboard" in clause.things:
        return (yield from _change_of_dashboard(goal, desk))
    listed = yield from _simple(replace(goal, tool="list_changes"), desk)
    return _change_in(listed)


def _change_of_dashboard(goal: Goal, desk: Desk) -> Finding:
    if "get_dashboard" not in desk.tools:
        raise Stop(Outcome("cannot", "get_dashboard"))
    target = next(iter(targets(goal, REFERENCES["dashboard_id"], desk)), None)
    return _change_in((yield from _act(replace(goal, tool="get_dashboard"), target, "dashboard_id", desk)))


def _last_change(desk: Desk) -> Any:
    """The newest change that was made in this conversation, if it can be undone."""
    told = (d.result.object for d in reversed(desk.memory.earlier) if d.result and d.result.ok)
    return next((t["change_id"] for t in told if t.get("change_id") is not None), None)


def _points_nowhere(clause: Clause) -> bool:
    """Whether a wish to undo names neither a thing nor a place: it is about what was done in this conversation."""
    return not (clause.names or clause.entities or clause.named_things & {"dashboard", "document", "environment"})


def _change_in(outcome: Outcome) -> Any:
    """The last change that an answer tells of; raises `Stop` when the answer was a refusal."""
    if outcome.kind != "done" or outcome.result is None:
        raise Stop(outcome)
    told = outcome.result.object
    last = told.get("last_change") or next(iter(told.get("uncommitted") or ()), None)
    return last.get("id") if isinstance(last, dict) else None


RECIPES: Mapping[str, Callable[[Goal, Desk], Script]] = {
    "plan_migration": _migrate,
    "run_migration": _migrate,
    "commit_changes": _commit,
    "start_task": _start_task,
    "undo_change": _undo,
    "read_document": read_script,
    "apply_document_patch": patch_script,
    "read_attachment": attachment_script,
}
