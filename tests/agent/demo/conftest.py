"""The real workspace, planted as for its own tests."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.backend.conftest import planted, workspace_url
from tests.backend.world import World, running

__all__ = ["planted", "workspace_url", "world"]


@pytest.fixture
async def world(workspace_url: str, tmp_path: Path) -> AsyncIterator[World]:
    """A running workspace of this test's own."""
    async with running(workspace_url, tmp_path) as world:
        yield world
