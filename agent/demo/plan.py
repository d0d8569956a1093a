"""What to do next: wishes from the words, their scripts replayed as far as the results go, steps or outcomes."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from agent.demo.clauses import Clause, split
from agent.demo.howto import EXAMPLES, asks_how
from agent.demo.intents import best, best_known, best_of_nobody, differs
from agent.demo.memory import fingerprint, thing_of
from agent.demo.questions import ASK_TOOL, place_in
from agent.demo.reading import Reading
from agent.demo.recipes import scripts
from agent.demo.results import Result
from agent.demo.schemas import type_of, without_defaults
from agent.demo.slots import filled
from agent.demo.steps import Ask, Call, Desk, Goal, Outcome, Script, Stop

FIND_TOOL = "find_tools"
NOT_THAT = "unsure"
MOST_CALLS = 10
MOST_CHANGES = 3
_LOOKING = ("list_", "search_", "get_", "read_", "check_", "plan_", "find_", "show_")
_MOST_STEPS = 40
_CLEARLY = 2.5
_THINGS = {"commit": "commit_thing", "user": "role"}
_LONGEST_LABEL = 120
_LONGEST_QUESTION = 500


@dataclass(frozen=True)
class Next:
    """The calls to make now; without any, what became of each wish (no wish at all: nothing was understood)."""

    calls: Sequence[Call]
    outcomes: Sequence[Outcome]
    clauses: Sequence[Clause]


def next_of(desk: Desk, reading: Reading) -> Next:
    """The next calls of a turn, or its outcomes when nothing is left to call."""
    clauses = split(reading)
    goals, searches = _goals(clauses, desk)
    if searches:
        return Next(searches, (), clauses)
    progress = _progress(goals, desk)
    while adopted := _edited(progress, desk):
        desk = replace(desk, memory=replace(desk.memory, adopted={**desk.memory.adopted, **adopted}))
        progress = _progress(goals, desk)
    return Next(_issued(progress.pending, desk), progress.outcomes, clauses)


@dataclass
class _Progress:
    """How far the wishes have come; `made` are the calls of this turn that they account for."""

    outcomes: list[Outcome] = field(default_factory=list)
    pending: list[Call | Ask] = field(default_factory=list)
    made: set[str] = field(default_factory=set)


def _progress(goals: Sequence[Goal], desk: Desk) -> _Progress:
    progress = _Progress()
    for goal in goals:
        if goal.after and (progress.pending or any(o.kind != "done" for o in progress.outcomes)):
            progress.outcomes += [] if progress.pending else [Outcome("skipped", goal.tool)]
            continue
        for script in _scripts(goal, desk):
            told = _replayed(script, desk, progress.made)
            progress.outcomes += [told] if isinstance(told, Outcome) else []
            progress.pending += [] if isinstance(told, Outcome) else told
    return progress


def _edited(progress: _Progress, desk: Desk) -> dict[str, Result]:
    """A wanted call that seems unmade, with the result of a call of this turn that no wish accounts for.

    That is the same call with arguments that the person changed before it ran; it must not be made again.
    """
    for done in desk.memory.turn:
        mark = fingerprint(done.tool, done.args)
        if done.result is None or mark in progress.made or done.result in desk.memory.adopted.values():
            continue
        wanted = (s for s in progress.pending if isinstance(s, Call) and s.tool == done.tool)
        if (step := next(wanted, None)) is not None:
            return {fingerprint(step.tool, _said(step, desk)): done.result}
    return {}


def _scripts(goal: Goal, desk: Desk) -> list[Script]:
    if goal.tool == NOT_THAT:
        return [_told(Outcome(NOT_THAT, goal.tool, subject=goal.clause.own_text))]
    if goal.tool not in desk.tools:
        return [_told(_lacking(goal, desk))]
    return [_told(Outcome("how", goal.tool))] if goal.how else scripts(goal, desk)


def _told(outcome: Outcome) -> Script:
    """The script of a wish for which nothing is called."""
    yield from ()
    return outcome


def _lacking(goal: Goal, desk: Desk) -> Outcome:
    """What to say of a wish whose tool is not offered: the search for it knows whether there is one at all."""
    search = _search_call(goal, desk)
    found = desk.memory.result(search.tool, _said(search, desk)) if search else None
    return Outcome("cannot", goal.tool, result=found, subject=goal.clause.own_text)


def _replayed(script: Script, desk: Desk, made: set[str]) -> Outcome | list[Call | Ask]:
    """The outcome of a script, or the steps whose results are not there yet; notes the calls that were made."""
    results: Any = None
    try:
        for _ in range(_MOST_STEPS):
            steps = script.send(results)
            known = [_result_of(step, desk) for step in steps]
            made |= {
                fingerprint(s.tool, _said(s, desk))
                for s, r in zip(steps, known, strict=True)
                if r and isinstance(s, Call)
            }
            if any(result is None for result in known):
                return [step for step, result in zip(steps, known, strict=True) if result is None]
            results = known
    except StopIteration as done:
        return done.value
    except Stop as stop:
        return stop.outcome
    return Outcome("stopped", "")


def _result_of(step: Call | Ask, desk: Desk) -> Result | None:
    call = step if isinstance(step, Call) else asking(step, desk)
    return desk.memory.result(call.tool, _said(call, desk)) if call else Result("", ok=False)


def _said(call: Call, desk: Desk) -> dict[str, Any]:
    """The arguments of a call as the memory keeps them."""
    return without_defaults(call.args, desk.tools.get(call.tool))


def _issued(pending: Sequence[Call | Ask], desk: Desk) -> list[Call]:
    """The calls among the steps, each once and few changes at a time; only when there are none, the first question."""
    calls: list[Call] = []
    for step in pending:
        if isinstance(step, Call) and step not in calls:
            calls.append(step)
    if calls:
        changes = [c for c in calls if not c.tool.startswith(_LOOKING)]
        return [c for c in calls if c not in changes[MOST_CHANGES:]][:MOST_CALLS]
    questions = [call for step in pending if isinstance(step, Ask) and (call := asking(step, desk))]
    return questions[:1]


def asking(ask: Ask, desk: Desk) -> Call | None:
    """The question as a call of the tool that asks; None when that tool is not bound."""
    tool = desk.tools.get(ASK_TOOL)
    if tool is None:
        return None
    args: dict[str, Any] = {"question": ask.question[:_LONGEST_QUESTION]}
    if ask.options and (choices := next((c for c in ("choices", "options") if c in tool.properties), None)):
        args[choices] = [_choice(option.label, tool.properties[choices]) for option in ask.options]
    if "free" in tool.properties:
        args["free"] = ask.free
    return Call(ASK_TOOL, args)


def _choice(label: str, schema: Any) -> Any:
    """A choice as the tool wants it: a plain text, or an object with the text under its first required key."""
    told = schema if "items" in schema else next((p for p in schema.get("anyOf", ()) if "items" in p), {})
    items = told.get("items") or {}
    if type_of(items) != "object":
        return label
    keys = items.get("required") or list(items.get("properties") or {"label": None})
    return dict.fromkeys(keys, label[:_LONGEST_LABEL])


def _goals(clauses: Sequence[Clause], desk: Desk) -> tuple[list[Goal], list[Call]]:
    """The wishes of the clauses, and the searches for tools that must come first."""
    goals: list[Goal] = []
    searches: list[Call] = []
    for at, clause in enumerate(clauses):
        if (clause.ruled_out or "keep" in clause.concepts) and not clause.acts:
            continue
        if nobodys := best_of_nobody(clause):
            goals.append(Goal(nobodys, clause))
            continue
        goal = _goal(_in_context(clause, desk), tuple(clauses[:at]), desk)
        if goal is None:
            continue
        goal = replace(goal, how=goal.tool in EXAMPLES and asks_how(clause))
        if goal.tool not in desk.tools and (search := _search_for(goal, desk)):
            searches.append(search)
        elif differs(clause, goal.tool):
            goals.append(replace(goal, tool=NOT_THAT))
        elif not _repeats(goal, goals, desk):
            goals.append(goal)
    return goals, searches[:1]


def _goal(clause: Clause, before: tuple[Clause, ...], desk: Desk) -> Goal | None:
    offered = [{"name": tool.name} for tool in desk.tools.values() if tool.name not in {ASK_TOOL, FIND_TOOL}]
    match, known = best(clause, offered), best_known(clause)
    lacking = known is not None and known.tool not in desk.tools and bool(clause.things)
    if known and lacking and (match is None or known.score - match.score >= _CLEARLY):
        return Goal(known.tool, clause, before, clause.after)
    if match is not None:
        return Goal(match.tool, clause, before, clause.after)
    return followed_up(clause, before, desk)


def _in_context(clause: Clause, desk: Desk) -> Clause:
    """A clause that names nothing is about what the last answer was about: "delete the second"."""
    points = place_in(clause) is not None or clause.concepts & {"it", "other"}
    last = desk.memory.last()
    if clause.things or clause.names or not points or last is None or not clause.acts:
        return clause
    thing = thing_of(last.tool)
    return replace(clause, borrowed=clause.borrowed | {_THINGS.get(thing, thing)}) if thing else clause


def _search_for(goal: Goal, desk: Desk) -> Call | None:
    """A search for the tool of a wish that is not offered, unless it was made already."""
    call = _search_call(goal, desk)
    return None if call is None or desk.memory.result(call.tool, _said(call, desk)) else call


def _search_call(goal: Goal, desk: Desk) -> Call | None:
    tool = desk.tools.get(FIND_TOOL)
    if tool is None or not tool.properties:
        return None
    argument = next(iter(tool.required), next(iter(tool.properties)))
    return Call(FIND_TOOL, {argument: goal.tool.replace("_", " ")})


def _repeats(goal: Goal, goals: Sequence[Goal], desk: Desk) -> bool:
    """Whether a wish only says more about one before it: the same tool or a list without conditions."""
    if not goals or goal.tool not in desk.tools:
        return False
    bare = not goal.clause.names and not goal.clause.entities
    same = bare and any(g.tool == goal.tool for g in goals)
    aside = bare and goal.tool.startswith(("list_", "search_", "get_")) and not goal.clause.acts
    return same or aside


_AGAIN = frozenset(
    {"now", "same", "it", "second", "first", "third", "break", "and", "filler", "fourth", "last", "other"}
)


def followed_up(clause: Clause, before: tuple[Clause, ...], desk: Desk) -> Goal | None:
    """A wish that only makes sense after the last one: "and on prod?", "go ahead", "the second one"."""
    last = desk.memory.last()
    if last is None or last.tool not in desk.tools:
        return _approved_plan(clause, before, desk)
    if goal := _approved_plan(clause, before, desk):
        return goal
    told = filled(Goal(last.tool, clause), desk.tools[last.tool], desk)
    told.pop("text", None)
    place = place_in(clause)
    if place is None and not told and not (clause.concepts & {"now", "same", "other"}) and not clause.names:
        return None
    if not last.tool.startswith(_LOOKING) and place is None and not clause.concepts & (_AGAIN - {"filler", "break"}):
        return None  # words that nobody understood are no reason to change one thing more
    known = {item.text for item in clause.items if item.concepts and not item.concepts & (_AGAIN | {"ask", "list"})}
    if known and place is None:
        return None
    keep = {k: v for k, v in last.args.items() if k in desk.tools[last.tool].properties and _stays(k, clause)}
    return Goal(last.tool, clause, before, args={**keep, **told})


def _stays(argument: str, clause: Clause) -> bool:
    """Whether an argument of the last call holds on: not when the clause names another thing."""
    points = bool(clause.names or place_in(clause) is not None or "other" in clause.concepts)
    return not (points and (argument.endswith("_id") or argument == "text"))


def _approved_plan(clause: Clause, before: tuple[Clause, ...], desk: Desk) -> Goal | None:
    """After a migration was planned, "go ahead" runs it."""
    plan = desk.memory.last()
    if plan is None or plan.tool != "plan_migration" or not clause.concepts & {"yes", "start"}:
        return None
    return Goal("run_migration", clause, before, args=dict(plan.args))
