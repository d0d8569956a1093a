import json
import re
from pathlib import Path

import pytest
from pydantic import ValidationError

from agent.events import Part, protocol_schema

DOCS = Path(__file__).parents[2] / "docs"


def test_the_published_schema_is_the_models():
    assert json.loads((DOCS / "protocol.schema.json").read_text("utf-8")) == protocol_schema()


def test_the_page_names_every_type():
    types = {
        value
        for definition in protocol_schema()["$defs"].values()
        for value in [definition.get("properties", {}).get("type", {})]
        for value in value.get("enum", [value.get("const")])
        if value
    }
    named = set(re.findall(r"^\| `(\w+)` \|", (DOCS / "protocol.md").read_text("utf-8"), re.M))
    assert types <= named


def test_unknown_metadata_is_refused():
    with pytest.raises(ValidationError, match="extra"):
        Part.model_validate(
            {"content": "", "metadata": {"type": "notice", "id": "n", "seq": 1, "code": "x", "jwt": "y"}}
        )
