"""Names of tools and arguments that every provider takes: `[a-zA-Z0-9_-]`, at most 64 characters, unique, stable."""

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

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


def argument(wire: str) -> str:
    """An argument name for a parameter or a field; others may have it too."""
    name = "".join(c if c.isascii() and (c.isalnum() or c in "_-") else "_" for c in wire).strip("_-")
    return name[:MAX_NAME] or "value"


class Names:
    """Gives every name once: cut to its limit, with a number behind it where it is taken."""

    def __init__(self, taken: Iterable[str] = ()):
        self._taken = set(taken)
        self._numbers: Counter[str] = Counter()

    def __contains__(self, name: str) -> bool:
        return name in self._taken

    def take(self, name: str) -> str:
        """The name, or the first like it that is free."""
        free = name[:MAX_NAME]
        while free in self._taken:
            self._numbers[name] += 1
            mark = f"_{self._numbers[name] + 1}"
            free = name[: MAX_NAME - len(mark)] + mark
        self._taken.add(free)
        return free


def argument_names(parameters: Sequence[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """A name for each (place, wire name): with its place before it where several would have the same."""
    often, names = Counter(argument(wire) for _, wire in parameters), Names()
    found: dict[tuple[str, str], str] = {}
    for place, wire in sorted(parameters, key=lambda key: (often[argument(key[1])] > 1, key)):
        name = argument(wire)
        found[place, wire] = names.take(name if often[name] == 1 else f"{place}_{name}")
    return found
