"""Walking back through the history: what the content was at each commit, backup and edit."""

import copy
from dataclasses import dataclass, field
from typing import Any

import jsonpatch

from backend.db.content import Content
from backend.differences import Image
from backend.seed.history import BACKUPS, COMMITS, EDITS, NIGHTLY_DAYS, SeedBackup, SeedCommit, SeedEdit
from backend.seed.rows import SCHEDULER

Mark = SeedCommit | SeedBackup


@dataclass(slots=True)
class PastEdit:
    """An edit with both images and the commit that holds it."""

    edit: SeedEdit
    before: Image | None
    after: Image
    commit: str | None


@dataclass(slots=True)
class Past:
    """The history of one environment, newest first."""

    edits: list[PastEdit] = field(default_factory=list)
    commits: list[tuple[SeedCommit, Content]] = field(default_factory=list)
    backups: list[tuple[SeedBackup, Content]] = field(default_factory=list)


def look_back(environment: str, content: Content) -> Past:
    """The past of an environment whose content is now `content`."""
    past, now = Past(), {image["id"]: image for image in content["dashboards"]}
    moments: list[SeedEdit | Mark] = [*EDITS, *COMMITS, *BACKUPS, *_nightlies(environment)]
    for moment in sorted((m for m in moments if m.environment == environment), key=lambda m: m.hours):
        if isinstance(moment, SeedEdit):
            past.edits.append(_undo(now, moment))
            continue
        was = {"dashboards": copy.deepcopy(list(now.values())), "datasets": content["datasets"]}
        if isinstance(moment, SeedCommit):
            past.commits.append((moment, was))
        else:
            past.backups.append((moment, was))
    return past


def _undo(now: dict[int, Image], edit: SeedEdit) -> PastEdit:
    after = now.pop(edit.dashboard)
    before: Image | None = None
    if edit.before is not None:
        before = {**after, **edit.before}
        now[edit.dashboard] = before
    return PastEdit(edit, before, after, _commit_after(edit))


def _commit_after(edit: SeedEdit) -> str | None:
    later = [commit for commit in COMMITS if commit.environment == edit.environment and commit.hours < edit.hours]
    return max(later, key=lambda commit: commit.hours).short_id if later else None


def _nightlies(environment: str) -> list[SeedBackup]:
    return [SeedBackup(environment, None, SCHEDULER, 24.0 * days) for days in range(1, NIGHTLY_DAYS + 1)]


def document_versions(content: Any, backs: list[list[dict[str, Any]]]) -> list[Any]:
    """The contents of a document, newest first, given the patches that lead back."""
    versions = [content]
    for back in backs:
        versions.append(jsonpatch.JsonPatch(back).apply(versions[-1]))
    return versions
