"""Every operation of the workspace with a call that works on the planted data."""

from dataclasses import dataclass
from typing import Any

PEOPLE = {
    "none": "a.ryabova",
    "viewer": "vera",
    "analyst": "d.shubin",
    "editor": "ilya",
    "publisher": "e.orlova",
    "admin": "anna",
}
RANKS = list(PEOPLE)


@dataclass(frozen=True)
class Operation:
    """A call that works, and the weakest role that may make it."""

    id: str
    role: str
    method: str
    path: str
    body: Any = None
    case: str = ""

    @property
    def name(self) -> str:
        """The name of the test case."""
        return f"{self.id}{self.case}"

    @property
    def options(self) -> dict[str, Any]:
        """The keyword arguments of the request."""
        return {} if self.body is None else {"json": self.body}

    def allows(self, role: str) -> bool:
        """Whether a person whose strongest role is this one may make the call."""
        return RANKS.index(role) >= RANKS.index(self.role)


READS = [
    Operation("list_environments", "viewer", "GET", "/environments"),
    Operation("check_environment_health", "viewer", "GET", "/environments/prod/health"),
    Operation("search_dashboards", "viewer", "GET", "/dashboards"),
    Operation("get_dashboard", "viewer", "GET", "/dashboards/412"),
    Operation("search_datasets", "viewer", "GET", "/datasets"),
    Operation("get_dataset", "viewer", "GET", "/datasets/204"),
    Operation("plan_migration", "viewer", "GET", "/migrations/plan?source=stage&target=prod&dashboard_ids=52"),
    Operation("list_backups", "viewer", "GET", "/backups"),
    Operation("get_backup", "viewer", "GET", "/backups/bk-551"),
    Operation("list_tasks", "viewer", "GET", "/tasks"),
    Operation("get_task", "viewer", "GET", "/tasks/5520"),
    Operation("list_changes", "viewer", "GET", "/environments/dev/changes"),
    Operation("get_change", "viewer", "GET", "/changes/2001"),
    Operation("list_users", "viewer", "GET", "/users"),
    Operation("get_user", "viewer", "GET", "/users/tbecker"),
    Operation("search_documents", "viewer", "GET", "/documents"),
    Operation("read_document", "viewer", "GET", "/documents/orders-contract"),
    Operation("search_attachments", "viewer", "GET", "/attachments"),
    Operation("read_attachment", "viewer", "GET", "/attachments/1/text"),
    Operation("list_audit_events", "viewer", "GET", "/audit-events"),
    Operation("read_me", "viewer", "GET", "/auth/me"),
]
PATCH = [{"op": "test", "path": "/version", "value": "2.1"}, {"op": "replace", "path": "/version", "value": "2.2"}]
TO_PROD = {"source": "stage", "target": "prod", "dashboard_ids": [52]}
CHANGES = [
    Operation("set_maintenance_mode", "admin", "PUT", "/environments/stage/maintenance", {"enabled": True}),
    Operation("create_dashboard", "editor", "POST", "/dashboards", {"name": "Ops Weekly", "environment": "stage"}),
    Operation("update_dashboard", "editor", "PATCH", "/dashboards/88", {"name": "Spend FY26"}),
    Operation("delete_dashboard", "editor", "DELETE", "/dashboards/317"),
    Operation("refresh_dataset", "analyst", "POST", "/datasets/204/refresh"),
    Operation("delete_dataset", "admin", "DELETE", "/datasets/340"),
    Operation("run_migration", "editor", "POST", "/migrations", {**TO_PROD, "source": "dev", "target": "stage",
        "dashboard_ids": [133]}),
    Operation("run_migration", "publisher", "POST", "/migrations", TO_PROD, "_to_prod"),
    Operation("create_backup", "editor", "POST", "/environments/dev/backups", {"note": "before the test"}),
    Operation("restore_backup", "admin", "POST", "/backups/bk-551/restore", {"environment": "stage"}),
    Operation("delete_backup", "admin", "DELETE", "/backups/bk-551"),
    Operation("start_task", "analyst", "POST", "/tasks", {"kind": "validate_dashboard", "target_id": 101}),
    Operation("cancel_task", "editor", "POST", "/tasks/7714/cancel"),
    Operation("undo_change", "editor", "POST", "/changes/2014/undo"),
    Operation("commit_changes", "editor", "POST", "/environments/dev/commits", {"message": "fix fx rates filter"}),
    Operation("rollback_commit", "admin", "POST", "/environments/dev/rollback", {"commit": "4fa91c2"}),
    Operation("grant_role", "admin", "PUT", "/users/o.trofimchuk/roles/editor"),
    Operation("revoke_role", "admin", "DELETE", "/users/tbecker/roles/publisher"),
    Operation("apply_document_patch", "editor", "PATCH", "/documents/orders-contract", PATCH),
]  # fmt: skip
MAKES_NEW = {"create_dashboard", "start_task"}
