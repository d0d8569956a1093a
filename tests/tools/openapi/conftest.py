import json
from pathlib import Path

import pytest

from tools.openapi.document import load_document
from tools.openapi.operations import operations

DATA = Path(__file__).parents[2] / "data" / "openapi"
DOCUMENTS = sorted(p.name for p in DATA.glob("*.json"))


@pytest.fixture(scope="session")
def imported():
    """All operations of the real documents, by document name."""
    return {name: operations(load_document(str(DATA / name))) for name in DOCUMENTS}


@pytest.fixture
def write(tmp_path):
    """Write a small document and return its path."""

    def _write(paths: dict, **root) -> str:
        file = tmp_path / "api.json"
        file.write_text(
            json.dumps({"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": paths, **root})
        )
        return str(file)

    return _write
