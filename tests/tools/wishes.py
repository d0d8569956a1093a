"""One good call of every changing tool, for the planted workspace."""

from typing import Any

from tests.tools.workspace import Workspace

Args = dict[str, Any]
CHANGES: dict[str, Args] = {
    "set_maintenance_mode": {"environment": "stage", "enabled": True, "message": "release"},
    "create_dashboard": {"name": "Ops Weekly", "environment": "dev", "template": "sales", "tags": ["ops"]},
    "update_dashboard": {"dashboard_id": 61, "name": "Weekly Funnel 2", "add_tags": ["archive"]},
    "delete_dashboard": {"dashboard_id": 61},
    "refresh_dataset": {"dataset_id": 2115},
    "delete_dataset": {"dataset_id": 2106},
    "run_migration": {"source": "stage", "target": "prod", "tag": "finance"},
    "create_backup": {"environment": "dev", "note": "before the release"},
    "restore_backup": {"backup_id": "", "environment": "prod"},
    "delete_backup": {"backup_id": ""},
    "start_task": {"kind": "make_thumbnails", "tag": "finance", "environment": "prod"},
    "cancel_task": {"task_id": 0},
    "commit_changes": {"environment": "dev", "message": "new filters"},
    "rollback_commit": {"environment": "dev", "commit": "a81f0e"},
    "grant_role": {"user_id": "a.ryabova", "role": "analyst"},
    "revoke_role": {"user_id": "tbecker", "role": "publisher"},
    "apply_document_patch": {
        "document_id": "returns-runbook",
        "base_revision": 0,
        "patch": [{"op": "add", "path": "/owner_team", "value": "returns"}],
    },
    "undo_change": {"change_id": 0},
}


async def args_of(workspace: Workspace, name: str) -> Args:
    """The arguments, with the ids and revisions that only the running workspace knows."""
    args = dict(CHANGES[name])
    if "backup_id" in args:
        args["backup_id"] = (await workspace.first("list_backups", environment="prod"))["id"]
    if "task_id" in args:
        args["task_id"] = (await workspace.first("list_tasks", state="running"))["id"]
    if "base_revision" in args:
        args["base_revision"] = 2
    if "change_id" in args:
        args["change_id"] = 2016
    return args
