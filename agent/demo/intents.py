"""Which tool a clause asks for: patterns of concepts for each known tool, the router's order as the prior.

A pattern is a set of concepts that must all hold; `a|b` is either, `-a` must not hold, `@kind` is a value of that
kind. The more of a clause a pattern explains, the higher it scores.
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
_LOOK = "list|find|ask|open|check|read"

PATTERNS: Mapping[str, Sequence[str]] = {
    "list_environments": (
        "environment", "list|ask|find environment", "environment version", "version ask|list", "version @environment",
        "ask maintenance @environment", "ask|list environment all", "list maintenance",
    ),
    "check_environment_health": (
        "health @environment", "health environment", "check health", "check @environment", "component",
        "component @environment", "component health", "check component", "ask|list health @environment",
        "check environment", "health component @environment", "check health @environment",
    ),
    "set_maintenance_mode": (
        "switch_on maintenance", "switch_off maintenance", "set maintenance", "update maintenance",
        "switch_on maintenance @environment", "switch_off maintenance @environment", "set maintenance @environment",
        "create maintenance @environment", "switch_on environment -health",
        "switch_on @environment -open -migrate -health", "switch_off @environment -open -list -migrate -create",
    ),
    "search_dashboards": (
        "find dashboard", "list dashboard", "ask dashboard", "dashboard @plural", "list|ask|find dashboard @plural",
        "list|ask|find dashboard all", "list|find dashboard tag", "dashboard owner @plural", "dashboard tag",
        "list|ask|find dashboard owner @plural", "list|ask|find dashboard tag @plural", "find dashboard @name",
        "list|ask|find dashboard @environment", "list|ask|find dashboard @environment @plural", "find dashboard owner",
        "list|ask|find dashboard @plural @name", "list|ask|find dashboard @hashtag",
    ),
    "get_dashboard": (
        "open dashboard", "open dashboard @name", "open dashboard @number", "list|ask dashboard @name -@plural -tag",
        "dashboard @name -@plural -tag", "dashboard @number -@plural", "list|ask dashboard @number", "chart @name",
        "dashboard chart", "list|ask|open dashboard chart", "list|ask dashboard chart @name", "who owner dashboard",
        "who owner dashboard @name", "dashboard owner @number", "dashboard it", "list|open|ask dashboard it",
        "list|ask dashboard @name @environment -@plural -tag", "ask|who|list owner dashboard @name -@plural",
    ),
    "create_dashboard": (
        "create dashboard", "create dashboard template", "create dashboard @environment",
        "create dashboard template @environment", "create dashboard @name",
    ),
    "update_dashboard": (
        "rename", "rename dashboard", "rename @number", "rename @name", "update|set dashboard", "update|set owner",
        "update|set dashboard owner", "update|set|create|delete|revoke tag", "update|set dashboard description",
        "update|set description", "update|set|create|delete|revoke dashboard tag", "hand_over", "hand_over dashboard",
        "update|set dashboard name", "grant|revoke tag", "grant|revoke dashboard tag", "create description dashboard",
        "rename dashboard @name", "update|set name dashboard", "delete|revoke|create dashboard tag @number",
        "hand_over dashboard @login",
    ),
    "delete_dashboard": ("delete dashboard", "delete @name", "delete dashboard @name", "delete dashboard @number"),
    "search_datasets": (
        "find dataset", "list dataset", "ask dataset", "dataset @plural", "list|ask|find dataset @plural",
        "list|ask|find dataset all", "list|ask|find dataset schema", "list|ask|find dataset source", "dataset schema",
        "dataset source", "dataset @age", "fresh @age", "list|ask|find dataset @age", "find dataset @name",
        "list|ask|find dataset @environment @plural", "list|ask|find dataset source @plural", "dataset fresh @plural",
        "list|ask|find dataset schema @plural", "list|ask|find dataset fresh @plural", "find @technical",
        "list|ask|find dataset fresh @age", "list|ask|find dataset @age @plural fresh",
    ),
    "get_dataset": (
        "open dataset", "open dataset @name", "open dataset @number", "list|ask dataset @name -@plural",
        "dataset @name -@plural", "dataset @number -@plural", "list|ask dataset @number", "column dataset", "column",
        "row dataset", "fresh dataset", "column @technical", "row @technical", "fresh @technical", "column row",
        "list|ask|open column", "list|ask row", "list|ask fresh", "fresh @name", "column @name", "row @name",
        "open @technical", "list|ask|open column dataset", "list|ask row dataset", "list|ask fresh dataset -@plural",
        "list|ask|check fresh @name", "list|ask|check column @name", "list|ask row @name", "dataset it",
        "list|open|ask dataset it", "list|ask dataset schema @technical column", "check fresh dataset @name",
    ),
    "refresh_dataset": (
        "refresh", "refresh dataset", "refresh @name", "refresh @technical", "refresh dataset @name", "refresh source",
        "refresh dataset @number", "refresh dataset source", "refresh dataset @technical", "refresh it",
    ),
    "delete_dataset": ("delete dataset", "delete @technical", "delete dataset @name", "delete dataset @number"),
    "plan_migration": (
        "plan migrate", "plan dashboard migrate", "plan", "plan @environment", "plan migrate @environment",
        "plan migrate migration_thing", "ask plan migrate", "plan migration_thing", "list plan",
        "plan dashboard migrate @environment", "plan start migrate",
    ),
    "run_migration": (
        "migrate -plan -ask -list", "migrate -plan", "migrate dashboard -plan", "migrate @environment -plan -ask",
        "start migration_thing -plan", "migrate migration_thing -plan", "migrate dashboard @environment -plan -ask",
        "start migrate migration_thing -plan", "migrate @environment @name -plan -ask",
        "migrate dashboard @environment @name -plan -ask",
    ),
    "list_backups": (
        "backup", "list|find|ask backup", "backup @plural", "list|find|ask backup @plural", "last backup", "backup @date",
        "list|find|ask backup @environment", "list|find|ask backup @plural @environment", "list|ask backup @age",
        "list|ask backup last", "open backup", "list|find|ask backup @environment last",
    ),
    "create_backup": (
        "create backup", "create backup @environment", "backup @environment -@plural -list -ask -find -open -last",
        "make_backup", "make_backup @environment", "make_backup environment", "create backup environment",
    ),
    "restore_backup": (
        "restore backup", "restore @environment", "restore @backup", "rollback backup", "restore", "restore environment",
        "restore backup @environment", "rollback backup @environment", "restore @backup @environment",
        "restore backup @environment environment", "rollback @backup @environment",
    ),
    "delete_backup": (
        "delete backup", "delete @backup", "delete backup @backup", "delete backup @environment", "delete backup last",
    ),
    "list_tasks": (
        "list|ask|find task", "task @plural", "task queue", "task failed", "task done", "queue", "task stuck",
        "list|ask|find task @plural", "list|ask|find task queue", "list|ask|find task failed", "list|ask|find task done",
        "list|ask task failed @plural", "list|ask task queue @plural", "list|ask task done @plural", "list|ask queue",
        "list|ask|find task all", "list|ask|find task @environment", "task who start",
    ),
    "get_task": (
        "task @number", "task progress", "task log", "progress @number", "list|ask|open task @number", "task it",
        "log task @number", "list|ask|open log", "progress task @number", "list|ask|open log task @number",
        "list|ask progress task @number", "open task", "progress it", "task health @number", "list|ask progress",
        "check task @number", "list|ask|open log task", "list|ask|open|check progress task @name",
        "list|ask|open|check log task @name", "ask health task @number",
    ),
    "start_task": (
        "start validate", "validate dashboard", "validate @name", "validate @number", "write_docs dataset",
        "start write_docs", "draw", "start draw", "create draw", "start task", "start validate dashboard", "validate",
        "start write_docs dataset", "start draw dashboard", "create draw dashboard", "refresh draw", "refresh draw dashboard",
        "draw dashboard", "update draw dashboard", "start validate task", "write_docs @technical", "create write_docs dataset",
        "start task draw", "start validate dashboard @name", "create dashboard draw @name",
    ),
    "cancel_task": (
        "cancel task", "cancel task @number", "cancel validate", "cancel draw", "cancel write_docs", "cancel stuck",
        "cancel draw task", "cancel validate task", "cancel validate dashboard", "cancel task it", "cancel @number",
        "delete task", "delete task @number", "cancel task stuck", "cancel write_docs task",
    ),
    "list_changes": (
        "change", "list|ask|find change", "change @plural", "list|ask|find commit_thing", "commit_thing @plural", "uncommitted",
        "list|ask uncommitted", "history", "list|ask|open history", "last commit_thing", "list|ask last commit_thing",
        "list|ask|find change uncommitted", "uncommitted change", "list|ask commit_thing @plural", "history commit_thing",
        "list|ask|find change @plural", "list|ask|find change @environment", "list|ask history @environment",
        "list|ask|find commit_thing @environment", "list|ask commit_thing @plural @environment", "ask update @environment",
        "list|ask uncommitted change @environment", "list|ask last commit_thing @environment", "list|ask history commit_thing",
        "list|ask commit_thing last @plural", "last change", "list|ask last change @environment",
    ),
    "commit_changes": (
        "commit", "commit change", "commit @environment", "commit message", "commit uncommitted", "commit history",
        "commit change message", "commit change @environment", "commit all", "commit change message @environment",
        "commit message @environment", "commit all @environment", "create commit_thing", "create commit_thing @environment",
    ),
    "rollback_commit": (
        "rollback commit_thing", "rollback @commit", "rollback @environment -backup", "rollback", "rollback -undo",
        "rollback commit_thing @environment", "rollback commit_thing @commit", "rollback @commit @environment",
        "undo commit_thing", "rollback last commit_thing", "rollback commit_thing @commit @environment",
        "rollback environment commit_thing", "restore commit_thing @environment",
    ),
    "list_users": (
        "list|ask|find user", "user @plural", "who role", "who @role", "user @role", "list|ask user role", "ask|list @role",
        "list|ask|find user @plural", "list|ask|find user @role", "list|ask who @role", "list|ask|find role", "role",
        "who role @environment", "who @role @environment", "list|ask who role", "ask role @login", "ask role @name",
        "list|ask|find user @plural role", "list|ask|find user @name", "who role @role", "list|find user @role @plural",
        "find @login", "list|ask role @plural", "who user", "list|ask who user",
    ),
    "grant_role": (
        "grant @role", "grant role", "grant role @role", "grant @role @name", "grant @role @login", "grant role @role @name",
        "grant role @role @login", "set role @role", "update role @role", "set @role user", "grant user @role",
        "update role user @role", "set|update role @role @login", "grant role user @role @login", "create @role user",
    ),
    "revoke_role": (
        "revoke @role", "revoke role", "revoke role @role", "revoke @role @name", "revoke @role @login", "delete role @role",
        "revoke role @role @name", "revoke role @role @login", "delete role", "delete @role -dashboard -dataset -backup",
        "revoke role user @role @login", "revoke user @role", "cancel role @role",
    ),
    "read_document": (
        "document", "list|find|ask|open|read document", "document section", "document @name", "document @quote",
        "list|find|ask|open|read document section", "list|find|ask|open|read document @name", "read @name", "open section",
        "list|ask|open|read section", "document last", "list|find|ask|open|read document @plural", "fresh document",
        "list|find|ask|open|read fresh document", "list|find|ask|open|read schema document",
    ),
    "apply_document_patch": (
        "set|update|create|delete|rename document", "set @pointer", "update @pointer", "delete @pointer", "create @pointer",
        "set|update|create|delete document section", "set|update section", "set @measure", "update fresh @measure",
        "set fresh", "set fresh @measure", "set document @measure", "update fresh document", "update document @measure",
        "set|update|create|delete @pointer document", "set|update document fresh @measure", "update @measure",
        "set|update|create document @name", "set|update|create|delete document row", "set|update document owner",
        "set|update document version", "set|update|create document source", "set|update document description",
        "set|update fresh document @name", "set|update document name", "set|update|create|delete document column",
        "set document description @pointer", "set|update document description @name", "set|update document schema",
    ),
    "undo_change": (
        "undo change", "undo dashboard", "undo document", "undo", "undo last change", "undo change @number", "undo it",
        "undo change document", "undo change dashboard", "undo change last document", "undo change last dashboard",
        "rollback change", "undo last", "cancel change", "cancel change last", "cancel change @number", "undo description",
        "undo change it", "restore change", "undo update dashboard", "undo change dashboard @number", "undo rename",
    ),
    "read_attachment": (
        "attachment", "list|find|ask|open|read attachment", "@file", "read @file", "open @file", "attachment document",
        "list|find|ask|open|read attachment document", "list|ask|open|read attachment @file", "attachment @plural",
        "list|find|ask|open|read attachment @plural", "list|find|ask|open|read attachment document @plural",
        "list|find|ask|open|read attachment document @file",
    ),
    "list_audit_events": (
        "audit", "list|ask|find|open audit", "who @past", "who approve", "when @past", "who @past delete", "who @past dashboard",
        "who @past dataset", "who @past delete dashboard", "who @past delete dataset", "who @past update dashboard",
        "who approve migration_thing", "who @past approve", "who @past document", "who @past backup", "who @past restore backup",
        "list|ask|open audit @environment", "who approve migrate migration_thing", "when @past @role", "who @past migrate",
        "list|ask|open audit @login", "list|ask audit last", "who @past role", "who @past grant", "when @past delete",
        "who @past switch_on maintenance", "who @past update", "who approve backup", "who @past role grant @role",
        "list audit approve", "who when @past", "who when @past delete dataset", "who when @past dashboard delete",
        "ask @past @login -task", "ask|list @past @login @date", "ask @past it @date", "who @past delete backup",
        "list|ask|find audit @date", "who @past change", "who @past approve migrate migration_thing",
    ),
    "show_capabilities": ("capability", "ask capability", "list capability", "list|ask tool_word", "ask create it you"),
}  # fmt: skip


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
    return best(clause, [{"name": name} for name in PATTERNS])


def _prior(at: int, count: int) -> float:
    """Less than any concept is worth: it only decides between equals."""
    return 0.9 * (count - at) / count


def _fit(clause: Clause, tool: Mapping[str, Any]) -> float:
    patterns = PATTERNS.get(tool["name"])
    if patterns is None:
        return _fit_by_name(clause, tool)
    return max((_score(clause, _parsed(pattern)) for pattern in patterns), default=0.0)


@dataclass(frozen=True, slots=True)
class _Pattern:
    needed: tuple[frozenset[str], ...]
    unwanted: frozenset[str]


@lru_cache(maxsize=2048)
def _parsed(pattern: str) -> _Pattern:
    parts = pattern.split()
    needed = tuple(frozenset(p.split("|")) for p in parts if not p.startswith("-"))
    return _Pattern(needed, frozenset(p[1:] for p in parts if p.startswith("-")))


def _score(clause: Clause, pattern: _Pattern) -> float:
    """The worth of the explained concepts, less what stays unexplained; 0 when a concept is missing."""
    concepts = clause.concepts
    if pattern.unwanted & concepts or any(not options & concepts for options in pattern.needed):
        return 0.0
    explained = frozenset().union(*pattern.needed)
    worth = sum(max(_worth(c) for c in options & concepts) for options in pattern.needed)
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
