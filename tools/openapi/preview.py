"""The card of a call that has no dry run: what the thing is now, and what would be different.

The state before is the GET of the same path (or the operation that the policy names); nothing is changed to find
out. Words on the card come from the document and from checked values, never from a model.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from tools.client import Answer
from tools.language import say
from tools.openapi.operations import Operation
from tools.openapi.policy import Rule
from tools.openapi.results import changed_fields
from tools.results import failed
from tools.text import visible, visible_text
from tools.toolset import Effect, Lang, Preview, Problem, Resource

NAME_KEYS = ("name", "title", "full_name", "label", "email", "slug", "key", "id")
MOST_FACTS = 30
SEEN = "seen:"


def draw(
    operation: Operation, rule: Rule, effect: Effect, args: Mapping[str, Any], before: Answer | None, lang: Lang
) -> Preview:
    """The preview of one call; `before` is the answer of the reading operation, where there is one."""
    if before is not None and before.problem is not None and before.problem.status in {401, 403, 404, 410}:
        return refused(before.problem)
    state = before.body if before is not None and before.ok else None
    label = title_of(operation, rule)
    resource = _resource(operation, args, state)
    named = say(lang, f"{label}: “{resource.name}”?", f"{label}: «{resource.name}»?") if resource else f"{label}?"
    return Preview(
        title=named,
        lead=visible_text(rule.confirm) if rule.confirm else _lead(operation, state, lang),
        approve=label,
        risk="danger" if effect is Effect.DANGER else "change",
        evidence=_evidence(operation, args, state, lang),
        resource=resource,
        etag=revision(before),
    )


def refused(problem: Problem) -> Preview:
    """The preview of a call that is already known to fail."""
    return Preview(title="", approve="", risk="change", refusal=failed(problem))


def revision(answer: Answer | None) -> str | None:
    """The revision that an answer names, when it can stand in `If-Match`: a weak one never fits (RFC 9110, 13.1.1)."""
    etag = answer.etag if answer is not None else None
    return None if etag is None or etag.startswith("W/") else etag


def seen(operation: Operation, args: Mapping[str, Any], before: Answer | None) -> str | None:
    """A mark of the values that the card shows as they were, for backends that offer no ETag; never sent to them.

    Of the changed fields only: others, such as a counter of visits, may move without making the card wrong.
    """
    body, state = body_of(operation, args), before.body if before is not None and before.ok else None
    if operation.method not in {"PUT", "PATCH"} or not (isinstance(body, dict) and isinstance(state, dict)):
        return None
    shown = json.dumps({name: state.get(name) for name in body}, sort_keys=True)
    return SEEN + hashlib.sha256(shown.encode()).hexdigest()


def title_of(operation: Operation, rule: Rule) -> str:
    """What the call is called: the policy's title, the summary, or the operation's name in words."""
    words = rule.title or operation.summary or operation.name.replace("_", " ").replace("-", " ")
    return visible_text(words.strip().rstrip("."))[:80]


def _resource(operation: Operation, args: Mapping[str, Any], state: Any) -> Resource | None:
    ids = [str(args[p.name]) for p in operation.parameters if p.place == "path" and p.name in args]
    if not ids:
        return None
    kind = next((s for s in reversed(operation.path.split("/")) if s and "{" not in s), "thing")
    known = state if isinstance(state, dict) else {}
    name = next((str(known[key]) for key in NAME_KEYS if isinstance(known.get(key), str | int)), ids[-1])
    return Resource(type=kind, id="/".join(ids), name=visible_text(name)[:120])


def _lead(operation: Operation, state: Any, lang: Lang) -> str:
    if operation.method == "DELETE":
        return say(lang, "There is no undo for this call.", "Отменить этот вызов нельзя.")
    if state is None and operation.method in {"PUT", "PATCH"}:
        return say(lang, "The present state could not be read.", "Текущее состояние прочитать не удалось.")
    if operation.method == "POST":
        return say(
            lang, "The backend has no preview of this call.", "У бэкенда нет предварительного просмотра этого вызова."
        )
    return ""


def _evidence(operation: Operation, args: Mapping[str, Any], state: Any, lang: Lang) -> list[dict[str, Any]]:
    body = body_of(operation, args)
    places = {p.name for p in operation.parameters}
    facts = [[visible(name), visible(value)] for name, value in args.items() if name in places][:MOST_FACTS]
    blocks: list[dict[str, Any]] = [{"type": "facts", "items": facts}] if facts else []
    if operation.method in {"PUT", "PATCH"} and isinstance(body, dict):
        rows, unchanged = changed_fields(state, body)
        return [*blocks, {"type": "fields", "rows": rows, "unchanged": unchanged}]
    if operation.method == "DELETE" and isinstance(state, dict):
        plain = [[visible(k), visible(v)] for k, v in state.items() if not isinstance(v, dict | list)]
        return [*blocks, {"type": "facts", "items": plain[:MOST_FACTS]}]
    if isinstance(body, dict):
        sent = [[visible(k), visible(v)] for k, v in body.items()]
        return [*blocks, {"type": "facts", "items": sent[:MOST_FACTS]}] if sent else blocks
    return blocks if body is None else [*blocks, {"type": "facts", "items": [["body", visible(body)]]}]


def body_of(operation: Operation, args: Mapping[str, Any]) -> Any:
    """The body that these arguments make, under the document's own field names."""
    if operation.body is None:
        return None
    if operation.body.fields is None:
        return args.get(operation.body.argument)
    return {wire: args[name] for name, wire in operation.body.fields.items() if name in args}
