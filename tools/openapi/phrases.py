"""Words by which people ask for an operation that nobody has given words to: verbs of its kind, and its thing."""

import re

from tools.openapi.effects import classify
from tools.openapi.operations import Operation
from tools.toolset import Effect

VERBS = {
    "list": (("list", "show", "all"), ("покажи", "список", "все")),
    "read": (("show", "open", "get", "details"), ("покажи", "открой", "найди")),
    "create": (("create", "add", "new"), ("создай", "добавь")),
    "change": (("change", "update", "edit", "set"), ("измени", "обнови", "поменяй")),
    "delete": (("delete", "remove"), ("удали", "убери")),
}


def phrases(operation: Operation) -> dict[str, tuple[str, ...]]:
    """Phrases by language, such as “list users”; none for an operation that only its own name describes."""
    path = operation.path
    if asked := operation.method == "POST" and classify(operation.facts).effect is Effect.READ:
        path = path.rstrip("/").rpartition("/")[0]  # `/runs/filter` asks for runs
    kind, thing = "list" if asked else _kind(operation), _thing(path)
    if not kind or not thing:
        return {}
    named = thing if kind == "list" else _singular(thing)
    english, russian = VERBS[kind]
    return {"en": tuple(f"{verb} {named}" for verb in english), "ru": tuple(f"{verb} {named}" for verb in russian)}


def _kind(operation: Operation) -> str:
    one = operation.path.rstrip("/").endswith("}")
    if operation.method == "GET":
        return "read" if one else "list"
    if operation.method == "POST":
        return "" if one else "create"
    return {"PUT": "change", "PATCH": "change", "DELETE": "delete"}.get(operation.method, "")


def _thing(path: str) -> str:
    """The last fixed part of the path in words: of `/v1/flow_runs/{id}` “flow runs”."""
    fixed = [part for part in path.split("/") if part and "{" not in part]
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", fixed[-1]) if fixed else ""
    return " ".join(re.findall(r"[^\W\d_]+", spaced)).lower()


def _singular(words: str) -> str:
    if words.endswith("ies"):
        return words[:-3] + "y"
    return words if words.endswith("ss") else words.removesuffix("s")
