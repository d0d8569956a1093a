"""Audit events of the demo workspace, most of them told by its history."""

from backend.seed.history import BACKUPS, COMMITS, EDITS, ROLE_EVENTS
from backend.seed.papers import EDITS as DOCUMENT_EDITS
from backend.seed.rows import SCHEDULER, SeedDashboard, SeedEvent, SeedPerson, documents, rows


def all_events() -> list[SeedEvent]:
    """Every event, in no order."""
    return [*rows("events", SeedEvent), *_edits(), *_commits(), *_backups(), *_roles(), *_documents()]


def _edits() -> list[SeedEvent]:
    names = {
        number: dashboard.name for dashboard in rows("dashboards", SeedDashboard) for number in dashboard.ids.values()
    }
    return [
        SeedEvent(
            edit.hours,
            edit.by,
            "create_dashboard" if edit.before is None else "update_dashboard",
            "dashboard",
            str(edit.dashboard),
            names[edit.dashboard],
            edit.environment,
            f"{'Updated' if edit.before else 'Created'} dashboard “{names[edit.dashboard]}” in {edit.environment}.",
        )
        for edit in EDITS
    ]


def _commits() -> list[SeedEvent]:
    return [
        SeedEvent(
            commit.hours,
            commit.by,
            "commit_changes",
            "commit",
            commit.short_id,
            commit.message,
            commit.environment,
            f"Committed changes of {commit.environment} as {commit.short_id}.",
        )
        for commit in COMMITS
    ]


def _backups() -> list[SeedEvent]:
    return [
        SeedEvent(
            backup.hours,
            backup.by,
            "create_backup",
            "backup",
            backup.id,
            backup.id,
            backup.environment,
            f"Took backup {backup.id} of {backup.environment}.",
        )
        for backup in BACKUPS
        if backup.id and backup.by != SCHEDULER
    ]


def _roles() -> list[SeedEvent]:
    names = {person.id: person.name for person in rows("people", SeedPerson)}
    return [
        SeedEvent(
            days * 24,
            by,
            "grant_role" if granted else "revoke_role",
            "user",
            who,
            names[who],
            None,
            f"{names[who]} {'now has' if granted else 'no longer has'} the role {role}.",
            f"ap-{days:04x}{len(who):04x}",
        )
        for who, role, granted, by, days in ROLE_EVENTS
    ]


def _documents() -> list[SeedEvent]:
    titles = {document: text["title"] for document, text in documents().items()}
    return [
        SeedEvent(
            edit.hours,
            edit.by,
            "apply_document_patch",
            "document",
            edit.document,
            titles[edit.document],
            None,
            f"Changed “{titles[edit.document]}”.",
        )
        for edit in DOCUMENT_EDITS
    ]
