"""The workspace's tools as one toolset."""

from tools.always import ALWAYS
from tools.client import BackendClient
from tools.native import NativeToolset
from tools.toolset import ToolSpec
from tools.workspace import (
    audit,
    backups,
    changes,
    dashboards,
    datasets,
    documents,
    environments,
    migrations,
    tasks,
    users,
)

WORKSPACE: tuple[ToolSpec, ...] = (
    *environments.TOOLS,
    *dashboards.TOOLS,
    *datasets.TOOLS,
    *migrations.TOOLS,
    *backups.TOOLS,
    *tasks.TOOLS,
    *changes.TOOLS,
    *users.TOOLS,
    *documents.TOOLS,
    *audit.TOOLS,
)


def workspace_toolset(client: BackendClient) -> NativeToolset:
    """All tools of the workspace and the always-on ones, running against one backend."""
    return NativeToolset((*WORKSPACE, *ALWAYS), client)
