"""Which tool a clause asks for: patterns of concepts for each known tool, the router's order as the prior.

A pattern is a set of concepts that must all hold; `a|b` is either, `-a` must not hold, `@kind` is a value of that
kind. The more of a clause a tool explains, the higher it scores; verbs and things that it leaves unexplained cost.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from agent.demo.clauses import ACTIONS, READS, THINGS, Clause, wished
from agent.demo.language import stem
from agent.demo.vocabulary import meaning

THRESHOLD = 2.0
_GRAVE = frozenset({"delete", "rename"})


@dataclass(frozen=True, slots=True)
class Intent:
    """How a tool is asked for: patterns of which one must hold, and what else it explains when it is there."""

    patterns: tuple[str, ...]
    also: str = ""


INTENTS: Mapping[str, Intent] = {
    "list_environments": Intent(
        ("environment", "version ask|list", "version @environment", "ask maintenance @environment", "list maintenance"),
        "list ask find all version now @environment",
    ),
    "check_environment_health": Intent(
        ("health @environment", "health environment", "check health", "check @environment", "component",
         "ask @environment"),
        "ask list check health component environment @environment",
    ),
    "set_maintenance_mode": Intent(
        (
            "switch_on|switch_off|set|update|create maintenance",
            "switch_on environment -health",
            "switch_on @environment -open -migrate -health",
            "switch_off @environment -open -list -migrate -create -component -backup",
        ),
        "@environment",
    ),
    "search_dashboards": Intent(
        ("find dashboard", "list|ask dashboard", "dashboard @plural", "dashboard tag", "find dashboard @name",
         "dashboard @plural @name"),
        "list ask find all tag @plural @environment @hashtag @login",
    ),
    "get_dashboard": Intent(
        ("open dashboard", "dashboard @name -@plural -tag", "dashboard @number -@plural", "dashboard chart",
         "chart @name", "who owner dashboard", "dashboard it"),
        "list ask open who owner chart it @environment",
    ),
    "create_dashboard": Intent(("create dashboard",), "template @environment @name"),
    "update_dashboard": Intent(
        ("rename", "update|set dashboard", "update|set owner|description", "hand_over", "create description dashboard",
         "update|set|grant tag", "create tag -@tagged", "delete|revoke tag @part"),
        "dashboard tag owner description name @name @number @login @hashtag",
    ),
    "delete_dashboard": Intent(
        ("delete dashboard -@part",
         "delete @name -user -@part -document -dataset -backup -task -environment -attachment"),
        "dashboard all tag owner @plural @tagged @whole @hashtag @login @environment @name @number"),
    "search_datasets": Intent(
        ("find dataset", "list|ask dataset", "dataset @plural", "dataset schema", "dataset source", "dataset @age",
         "fresh @age", "find dataset @name", "find @technical"),
        "list ask find all schema source fresh @age @plural @environment",
    ),
    "get_dataset": Intent(
        ("open dataset", "dataset @name -@plural -source", "dataset @number", "dataset it", "column", "row dataset",
         "row @name", "fresh dataset -@plural", "fresh @name -document", "fresh @technical", "open @technical",
         "list|ask row", "list|ask fresh"),
        "list ask open check column row fresh schema dataset it @name @technical",
    ),
    "refresh_dataset": Intent(
        ("refresh dataset|source|it|@name|@number",), "dataset source it @name @number @technical"),
    "delete_dataset": Intent(("delete dataset -@part", "delete @technical -@part"),
        "dataset all schema source fresh @age @plural @tagged @whole @environment @name @number"),
    "plan_migration": Intent(
        ("plan", "plan migrate", "plan migration_thing"),
        "migrate migration_thing dashboard ask list start all tag @plural @environment",
    ),
    "run_migration": Intent(
        ("migrate -plan", "migrate -plan -ask -list", "start migration_thing -plan"),
        "migration_thing dashboard start all tag @plural @environment @name",
    ),
    "list_backups": Intent(
        ("backup", "list|find|ask|open backup", "backup @plural"),
        "list find ask last when @plural @environment @date @age",
    ),
    "create_backup": Intent(
        ("create backup", "make_backup", "backup @environment -@plural -list -ask -find -open -last"),
        "backup environment @environment",
    ),
    "restore_backup": Intent(
        ("restore backup|@backup|environment|@environment -@commit -commit_thing", "rollback backup|@backup"),
        "restore backup environment last @environment @backup @date"
    ),
    "delete_backup": Intent(("delete backup", "delete @backup"), "backup last @backup @environment @age @date"),
    "list_tasks": Intent(
        ("list|ask|find task", "task @plural", "task queue|failed|done|stuck", "queue -version", "task who start",
         "task draw|validate|write_docs -start -cancel"),
        "list ask find all queue failed done stuck @plural @environment",
    ),
    "get_task": Intent(
        ("task @number", "task progress", "task log", "list|ask|open log", "task it", "open task",
         "progress it"),
        "list ask open check health progress log it @number @name",
    ),
    "start_task": Intent(
        ("validate", "start|create|refresh|update draw", "draw dashboard", "draw all", "start write_docs", "start task",
         "write_docs dataset", "write_docs @technical"),
        "start create refresh update draw dashboard dataset task all tag @name @number @technical",
    ),
    "cancel_task": Intent(
        ("cancel task", "cancel validate|draw|write_docs", "cancel stuck", "cancel @number", "delete task"),
        "task validate draw write_docs stuck it dashboard @number @name",
    ),
    "list_changes": Intent(
        ("change", "list|ask|find change", "commit_thing @plural", "list|ask|find commit_thing", "uncommitted",
         "history", "last commit_thing", "ask update @environment"),
        "list ask find open last change commit_thing uncommitted history @plural @environment",
    ),
    "commit_changes": Intent(
        ("commit", "create commit_thing"), "change message uncommitted history all commit_thing @environment @quote"
    ),
    "rollback_commit": Intent(
        ("rollback @environment|@commit -backup -@backup", "rollback commit_thing", "undo commit_thing",
         "restore commit_thing"),
        "commit commit_thing last environment @commit @environment",
    ),
    "list_users": Intent(
        ("list|ask|find user", "user @plural", "user @role", "who role", "list|ask role", "who @role", "who user",
         "list|find @role", "ask @role", "find @login", "who @login -@past"),
        "list ask find who role user @role @plural @environment",
    ),
    "grant_role": Intent(
        ("grant @role", "grant role", "set|update role @role", "set @role user", "create @role user"),
        "role user @role @name @login",
    ),
    "revoke_role": Intent(
        ("revoke @role", "revoke role", "cancel role @role", "delete role", "delete @role -dashboard -dataset -backup"),
        "role user @role @name @login",
    ),
    "read_document": Intent(
        ("document", "list|find|ask|open|read document", "list|ask|open|read section", "read @name"),
        "list find ask open read section last fresh schema @name @quote @plural",
    ),
    "apply_document_patch": Intent(
        ("set|update|create|delete|rename document", "set|update|create|delete @pointer", "set|update @measure",
         "set|update|create|delete section", "set|update fresh", "set|update @quote -dashboard -dataset -tag"),
        "document section fresh row column owner version source description schema name @pointer @measure @name @quote",
    ),
    "undo_change": Intent(
        ("undo", "undo change", "undo last", "cancel change", "rollback change", "restore change"),
        "change last it dashboard document description update rename @number",
    ),
    "read_attachment": Intent(
        ("attachment", "@file"), "list find ask open read document attachment @plural @file"
    ),
    "list_audit_events": Intent(
        ("audit", "who @past", "who approve", "when @past -fresh -last", "ask|list @past @login -task",
         "ask|list @past it -task -dataset -dashboard"),
        "list ask find open who when last approve role migration_thing dashboard dataset document backup change "
        "@past @login @environment @date @role",
    ),
    "show_capabilities": Intent(("capability", "list|ask tool_word"), "ask list"),
}  # fmt: skip


# Wishes that no tool of the workspace can grant; they must not be taken for a wish that sounds like them.
NOBODYS: Mapping[str, Intent] = {
    "archive": Intent(
        ("archive dashboard|dataset|document -open -find", "archive @tagged", "archive it"),
        "all tag owner @tagged @plural @number @name",
    ),
    "delete_document": Intent(
        ("delete document @whole -section -@pointer -@measure -dashboard -dataset -row -column",),
        "all tag @tagged @whole @plural @name @number",
    ),
    "manage_people": Intent(
        (
            "delete|switch_off|ban user -role -@role -tag -dashboard -dataset -document -list",
            "delete|switch_off|ban @login -role -@role -tag -owner -dashboard -dataset -document -backup -task",
            "create user -role -@role -list",
        ),
        "user @name @login",
    ),
}


@dataclass(frozen=True, slots=True)
class Match:
    """A tool and how well it fits a clause."""

    tool: str
    score: float


def best(clause: Clause, offered: Sequence[Mapping[str, Any]]) -> Match | None:
    """The offered tool that fits best, if any fits; `offered` are function schemas in the router's order."""
    matches = [
        Match(tool["name"], fit + _prior(at, len(offered)))
        for at, tool in enumerate(offered)
        if (fit := _fit(clause, tool)) >= THRESHOLD
    ]
    return max(matches, key=lambda m: m.score, default=None)


def best_known(clause: Clause) -> Match | None:
    """The best of all tools that the patterns know, offered or not."""
    return best(clause, [{"name": name} for name in INTENTS])


def best_of_nobody(clause: Clause) -> str | None:
    """What a clause asks for that no tool can do, if that explains it better than any tool."""
    fits = {name: max(_pattern_fits(clause, intent)) for name, intent in NOBODYS.items()}
    name, fit = max(fits.items(), key=lambda pair: pair[1])
    known = best_known(clause)
    return name if fit >= THRESHOLD and (known is None or fit > known.score) else None


def differs(clause: Clause, tool: str) -> bool:
    """Whether a clause asks for an act that the tool does not do: it must not be done in its place."""
    intent = INTENTS.get(tool)
    if intent is None:
        return False
    does = {c for pattern in intent.patterns for c in _parsed(pattern).named}
    asked = [item.concepts for item in clause.items if (wished(item) - clause.ruled_out) & _GRAVE]
    return any(not concepts & does for concepts in asked)


def _prior(at: int, count: int) -> float:
    """Less than any concept is worth: it only decides between equals."""
    return 0.9 * (count - at) / count


def _fit(clause: Clause, tool: Mapping[str, Any]) -> float:
    intent = INTENTS.get(tool["name"])
    if intent is None:
        return _fit_by_name(clause, tool)
    return max(_pattern_fits(clause, intent))


def _pattern_fits(clause: Clause, intent: Intent) -> list[float]:
    also = frozenset(intent.also.split())
    return [_score(clause, _parsed(pattern), also) for pattern in intent.patterns]


@dataclass(frozen=True, slots=True)
class _Pattern:
    needed: tuple[frozenset[str], ...]
    unwanted: frozenset[str]
    named: frozenset[str]


@lru_cache(maxsize=2048)
def _parsed(pattern: str) -> _Pattern:
    parts = pattern.split()
    needed = tuple(frozenset(p.split("|")) for p in parts if not p.startswith("-"))
    unwanted = frozenset(p[1:] for p in parts if p.startswith("-"))
    return _Pattern(needed, unwanted, frozenset().union(*needed))


def _score(clause: Clause, pattern: _Pattern, also: frozenset[str]) -> float:
    """The worth of the explained concepts, less what stays unexplained; 0 when a concept is missing."""
    concepts = clause.concepts
    if pattern.unwanted & concepts or any(not options & concepts for options in pattern.needed):
        return 0.0
    worth = sum(max(_worth(c) for c in options & concepts) for options in pattern.needed)
    worth += sum(_worth(c) for c in (also - pattern.named) & concepts)
    explained = pattern.named | also
    return worth - sum(_loss(wished(item) - clause.ruled_out, explained) for item in clause.items)


def _worth(concept: str) -> float:
    if concept in READS or concept == "ask":
        return 1.0
    if concept in ACTIONS or concept in THINGS:
        return 3.0
    return 1.0 if concept.startswith("@") and concept != "@past" else 2.0


def _loss(concepts: frozenset[str], explained: frozenset[str]) -> float:
    """What an unexplained word costs; reading words and hints cost nothing."""
    if concepts & explained or concepts & READS:
        return 0.0
    if concepts & ACTIONS:
        return 1.5
    return 1.0 if concepts & THINGS else 0.0


def _fit_by_name(clause: Clause, tool: Mapping[str, Any]) -> float:
    """For a tool that the patterns do not know: words of its name in the clause, by concept or stem."""
    stems = {item.stem for item in clause.items} | {part for n in clause.names for part in map(stem, n.text.split())}
    words = [w for w in re.split(r"[^a-zA-Z]+|(?<=[a-z])(?=[A-Z])", tool["name"]) if w]
    hits = [meaning(w, guess=False).concepts & clause.concepts or stem(w) in stems for w in words]
    verbs = [meaning(w, guess=False).concepts & ACTIONS for w in words]
    if not any(hit for hit, verb in zip(hits, verbs, strict=True) if not verb):
        return 0.0
    refused = any(verb & clause.ruled_out for verb in verbs)
    return 0.0 if refused else sum(2.0 if hit else -0.5 for hit in hits)
