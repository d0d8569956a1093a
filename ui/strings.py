"""The words of the interface, English and Russian, shared with the browser."""

import json
from functools import cache
from pathlib import Path

from tools.toolset import Lang

FOLDER = Path(__file__).parent / "strings"


@cache
def strings() -> dict[str, dict[str, str]]:
    """Key -> {"en", "ru"}, of all files."""
    merged: dict[str, dict[str, str]] = {}
    for file in sorted(FOLDER.glob("*.json")):
        merged |= json.loads(file.read_text())
    return merged


def words(key: str, lang: Lang, **values: object) -> str:
    """The sentence behind a key; raises `KeyError` for a key that is not there."""
    sentence = strings()[key][lang]
    for name, value in values.items():
        sentence = sentence.replace("{" + name + "}", str(value))
    return sentence


def module(value: object) -> str:
    """A JavaScript module of plain data: the same strings, say."""
    return f"export default {json.dumps(value, ensure_ascii=False, separators=(',', ':'))};\n"
