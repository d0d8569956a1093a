"""One built-in embedder and one router over the workspace for all routing tests."""

from pathlib import Path

import pytest

from router import Entry, Router
from router.builtin import BuiltinEmbedder
from router.cases import load_catalogue

DATA = Path(__file__).resolve().parent.parent / "data" / "router"
WORKSPACE = Path(__file__).resolve().parent.parent.parent / "router" / "workspace.json"


@pytest.fixture(scope="session")
def embedder() -> BuiltinEmbedder:
    """The built-in model, loaded once."""
    return BuiltinEmbedder()


@pytest.fixture(scope="session")
def workspace() -> list[Entry]:
    """The workspace's catalogue."""
    return load_catalogue(WORKSPACE)


@pytest.fixture(scope="session")
def router(workspace: list[Entry], embedder: BuiltinEmbedder) -> Router:
    """Both tiers over the workspace."""
    return Router(workspace, embedder)


@pytest.fixture(scope="session")
def keywords_only(workspace: list[Entry]) -> Router:
    """The workspace without an embedder."""
    return Router(workspace)
