"""Tool names that every provider takes: `[a-zA-Z0-9_-]`, at most 64 characters, unique and stable."""

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

MAX_NAME = 64
CYRILLIC = dict(zip("абвгдеёжзийклмнопрстуфхцчшщъыьэюя", (
    "a b v g d e e zh z i y k l m n o p r s t u f kh ts ch sh shch  y  e yu ya".split(" ")), strict=True))  # fmt: skip


def tool_names(operations: Sequence[tuple[str, str, str]]) -> list[str]:
    """A name for each (method, path, operation id).

    The operation's own name where it is unique, without the path that FastAPI appends; else its whole id; where
    two still meet, both get a mark made from method and path. The order of the document does not matter.
    """
    short = [_legal(_own_name(*operation)) for operation in operations]
    often = Counter(name.lower() for name in short)
    names = [
        name if often[name.lower()] == 1 else _legal(operation[2] or f"{operation[0]}_{operation[1]}")
        for name, operation in zip(short, operations, strict=True)
    ]
    often = Counter(name.lower()[:MAX_NAME] for name in names)
    return [
        name if often[name.lower()[:MAX_NAME]] == 1 and len(name) <= MAX_NAME else _marked(name, operation)
        for name, operation in zip(names, operations, strict=True)
    ]


def _own_name(method: str, path: str, operation_id: str) -> str:
    if not operation_id:
        return f"{method.lower()}_{path}"
    tail = re.sub(r"\W", "_", path) + "_" + method.lower()
    return operation_id[: -len(tail)].rstrip("_") or operation_id if operation_id.endswith(tail) else operation_id


def _legal(name: str) -> str:
    name = "".join(CYRILLIC.get(c, c) for c in unicodedata.normalize("NFC", name.lower())) if _foreign(name) else name
    name = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    name = re.sub(r"[^a-zA-Z0-9_-]+", "_", name)
    name = re.sub(r"_{2,}", "_", name).strip("_-") or "operation"
    return name if name[0].isalpha() else f"op_{name}"


def _foreign(name: str) -> bool:
    return any("\u0400" <= c <= "\u04ff" for c in name)


def _marked(name: str, operation: tuple[str, str, str]) -> str:
    mark = hashlib.sha256(f"{operation[0]} {operation[1]}".encode()).hexdigest()[:8]
    return f"{name[: MAX_NAME - 9].rstrip('_-')}_{mark}"
