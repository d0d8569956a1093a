"""Function schemas of the workspace's tools as a model gets them, in short."""

from typing import Any

ENV = {"type": "string", "enum": ["dev", "stage", "prod"]}
ROLE = {"type": "string", "enum": ["viewer", "analyst", "editor", "publisher", "admin"]}
ID = {"type": "integer", "minimum": 1, "maximum": 2_147_483_647}
BACKUP = {"type": "string", "pattern": "^bk-[a-z0-9-]{1,60}$"}
USER = {"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._%+@-]{0,119}$"}
COMMIT = {"type": "string", "pattern": "^[0-9a-f]{4,40}$"}
TEXT = {"type": "string", "minLength": 1, "maxLength": 200}
TAG = {"type": "string", "pattern": r"^[\w.\- ]{1,40}$"}
TAGS = {"type": "array", "items": TAG, "maxItems": 20}
DAY = {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$"}
LIMIT = {"type": "integer", "minimum": 1, "maximum": 100}
PATCH = {"type": "array", "items": {"type": "object"}, "minItems": 1}

ARGUMENTS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "list_environments": ({}, []),
    "check_environment_health": ({"environment": ENV}, ["environment"]),
    "set_maintenance_mode": (
        {"environment": ENV, "enabled": {"type": "boolean"}, "message": TEXT},
        ["environment", "enabled"],
    ),
    "search_dashboards": ({"text": TEXT, "owner": TEXT, "tag": TAG, "environment": ENV, "limit": LIMIT}, []),
    "get_dashboard": ({"dashboard_id": ID}, ["dashboard_id"]),
    "create_dashboard": (
        {"name": TEXT, "environment": ENV, "template": TEXT, "description": TEXT, "tags": TAGS, "owner": TEXT},
        ["name", "environment"],
    ),
    "update_dashboard": (
        {
            "dashboard_id": ID,
            "name": TEXT,
            "description": TEXT,
            "owner": TEXT,
            "tags": TAGS,
            "add_tags": TAGS,
            "remove_tags": TAGS,
        },
        ["dashboard_id"],
    ),
    "delete_dashboard": ({"dashboard_id": ID}, ["dashboard_id"]),
    "search_datasets": (
        {
            "text": TEXT,
            "schema_name": TEXT,
            "source_system": TEXT,
            "environment": ENV,
            "not_refreshed_days": {"type": "integer", "minimum": 0, "maximum": 3650},
            "limit": LIMIT,
        },
        [],
    ),
    "get_dataset": ({"dataset_id": ID}, ["dataset_id"]),
    "refresh_dataset": ({"dataset_id": ID}, ["dataset_id"]),
    "delete_dataset": ({"dataset_id": ID}, ["dataset_id"]),
    "plan_migration": (
        {"source": ENV, "target": ENV, "dashboard_ids": {"type": "array", "items": ID, "minItems": 1}, "tag": TAG},
        ["source", "target"],
    ),
    "run_migration": (
        {"source": ENV, "target": ENV, "dashboard_ids": {"type": "array", "items": ID, "minItems": 1}, "tag": TAG},
        ["source", "target"],
    ),
    "list_backups": ({"environment": ENV, "since": DAY, "until": DAY, "limit": LIMIT}, []),
    "create_backup": ({"environment": ENV, "note": TEXT}, ["environment"]),
    "restore_backup": ({"backup_id": BACKUP, "environment": ENV}, ["backup_id", "environment"]),
    "delete_backup": ({"backup_id": BACKUP}, ["backup_id"]),
    "list_tasks": (
        {
            "state": {"type": "string", "enum": ["queued", "running", "succeeded", "failed", "canceled"]},
            "kind": {"type": "string", "enum": ["validate_dashboard", "document_dataset", "make_thumbnails"]},
            "environment": ENV,
            "started_by": TEXT,
            "text": TEXT,
            "limit": LIMIT,
        },
        [],
    ),
    "get_task": ({"task_id": ID}, ["task_id"]),
    "start_task": (
        {
            "kind": {"type": "string", "enum": ["validate_dashboard", "document_dataset", "make_thumbnails"]},
            "target_id": ID,
            "tag": TAG,
            "environment": ENV,
        },
        ["kind"],
    ),
    "cancel_task": ({"task_id": ID}, ["task_id"]),
    "list_changes": ({"environment": ENV, "limit": LIMIT}, ["environment"]),
    "commit_changes": ({"environment": ENV, "message": TEXT}, ["environment", "message"]),
    "rollback_commit": ({"environment": ENV, "commit": COMMIT}, ["environment", "commit"]),
    "list_users": ({"text": TEXT, "role": ROLE, "limit": LIMIT}, []),
    "grant_role": ({"user_id": USER, "role": ROLE}, ["user_id", "role"]),
    "revoke_role": ({"user_id": USER, "role": ROLE}, ["user_id", "role"]),
    "read_document": (
        {"document": TEXT, "kind": {"type": "string", "enum": ["report", "data_contract", "runbook"]}},
        ["document"],
    ),
    "apply_document_patch": ({"document_id": TEXT, "patch": PATCH, "base_revision": ID}, ["document_id", "patch"]),
    "undo_change": ({"change_id": ID}, ["change_id"]),
    "read_attachment": ({"attachment_id": ID}, ["attachment_id"]),
    "list_audit_events": (
        {"text": TEXT, "actor": TEXT, "action": TEXT, "environment": ENV, "since": DAY, "until": DAY, "limit": LIMIT},
        [],
    ),
    "show_capabilities": ({}, []),
    "ask_user_question": (
        {"question": TEXT, "choices": {"type": "array", "items": TEXT, "maxItems": 4}, "free": {"type": "boolean"}},
        ["question"],
    ),
    "find_tools": ({"description": TEXT}, ["description"]),
}
ALWAYS = ("show_capabilities", "ask_user_question", "find_tools")


def schema(name: str) -> dict[str, Any]:
    """The function schema of a tool."""
    properties, required = ARGUMENTS[name]
    parameters = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return {"type": "function", "function": {"name": name, "description": name, "parameters": parameters}}
