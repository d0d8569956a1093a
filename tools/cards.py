"""The card of a change, drawn from validated arguments and the backend's dry run; never from a model's words.

Each change has one function `DryRun -> Card` beside its tool; what all cards share (warnings first, reversibility,
evidence, the resource and its revision) is drawn here.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tools.client import Answer
from tools.labels import count_label, field_label, state_label
from tools.language import moment, number, plural, quoted, say, shown_name
from tools.text import mixed_words, visible
from tools.toolset import Lang, Preview, Resource

MOST_CHANGES = 100
FIRST_NAMES = 10
VALUE_LIMIT = 2_000
Fact = tuple[str, Any]
Risk = Literal["danger", "change", "send"]


@dataclass(frozen=True, slots=True)
class DryRun:
    """What a card is drawn from: the arguments, what the backend says they would do, and the language."""

    args: Mapping[str, Any]
    told: Mapping[str, Any]
    lang: Lang

    def say(self, en: str, ru: str) -> str:
        """The words of the person's language."""
        return say(self.lang, en, ru)

    def plural(self, count: int, en: tuple[str, str], ru: tuple[str, str, str]) -> str:
        """A count with its noun."""
        return plural(self.lang, count, en, ru)

    def quote(self, text: Any) -> str:
        """A name in quotes, hidden characters shown."""
        return quoted(self.lang, str(text))

    @property
    def name(self) -> str:
        """The resource's name, or its id where it has none, hidden characters shown."""
        resource = self.told.get("resource") or {}
        return shown_name(str(resource.get("name") or resource.get("id") or ""))

    @property
    def title_name(self) -> str:
        """The resource as its title tells it from its namesakes: the name in quotes, the id, where it lives."""
        resource = self.told.get("resource") or {}
        identity = shown_name(str(resource.get("id") or ""))
        return self.quote(resource.get("name") or "") + (f" ({identity})" if identity else "") + self.place

    @property
    def environment(self) -> str:
        """The environment that the resource lives in, empty where it lives in none."""
        return shown_name(str(self.told.get("environment") or ""))

    @property
    def place(self) -> str:
        """ " on prod", the end of a title; empty where there is no environment."""
        return self.say(" on ", " на ") + self.environment if self.environment else ""

    def count(self, label: str) -> int:
        """One of the backend's counts, 0 where it has none."""
        value = (self.told.get("counts") or {}).get(label)
        return value if isinstance(value, int) else 0


@dataclass(frozen=True, slots=True)
class Card:
    """The words of one card.

    `facts` stand in the order of their weight, the riskiest first. `total` is how many things are concerned where
    that may be more than the backend names. `back` is how one gets back, where that is not by undoing the change.
    """

    title: str
    approve: str
    lead: str = ""
    risk: Risk = "change"
    facts: Sequence[Fact] = ()
    total: int = 0
    back: str = ""
    type_to_sign: str | None = None


CardOf = Callable[[DryRun], Card]


def draw(card_of: CardOf, args: Mapping[str, Any], answer: Answer, lang: Lang) -> Preview:
    """The preview for a dry run's answer."""
    told = answer.body if isinstance(answer.body, dict) else {}
    dry_run = DryRun(args, told, lang)
    card = card_of(dry_run)
    return Preview(
        title=card.title,
        lead=f"{card.lead} {way_back(dry_run, card)}".strip(),
        approve=card.approve,
        risk=card.risk,
        evidence=evidence(dry_run, card),
        resource=_resource(told),
        etag=told.get("etag") or answer.etag,
        type_to_sign=card.type_to_sign,
    )


def way_back(dry_run: DryRun, card: Card) -> str:
    """Whether and how it can be undone, in one sentence."""
    if not dry_run.told.get("reversible"):
        note = dry_run.told.get("irreversible_note")
        return shown_name(str(note), 300) if note else dry_run.say("This cannot be undone.", "Отменить будет нельзя.")
    return card.back or dry_run.say(
        "Can be undone until something newer touches it.", "Можно отменить, пока этого не коснулось что-то новее."
    )


def evidence(dry_run: DryRun, card: Card) -> list[dict[str, Any]]:
    """The blocks of the card: warnings, facts, what changes, which things are concerned."""
    names = [shown_name(str(name)) for name in dry_run.told.get("first_names") or []]
    groups = _groups(dry_run)
    bulk = not groups and (max(card.total, len(names)) > FIRST_NAMES or card.total > len(names))
    created = _created(dry_run)
    facts = [*_place(dry_run), *card.facts, *(created or ([] if bulk else _counts(dry_run)))]
    blocks = [
        _warnings(dry_run),
        _facts(facts),
        _changes(dry_run),
        *(groups or [_bulk(dry_run, card, names) if bulk else _list(names)]),
    ]
    return [block for block in blocks if block is not None]


def _warnings(dry_run: DryRun) -> dict[str, Any] | None:
    told = [shown_name(str(warning), 300) for warning in dry_run.told.get("warnings") or []]
    texts = [dry_run.name, *(value for value in dry_run.args.values() if isinstance(value, str))]
    mixed = list(dict.fromkeys(word for text in texts for word in mixed_words(text)))
    if mixed:
        words = shown_name(", ".join(mixed))
        told.append(dry_run.say(f"Two alphabets in one word: {words}", f"Буквы двух алфавитов в одном слове: {words}"))
    return _list(told)


def _list(names: Sequence[str]) -> dict[str, Any] | None:
    return {"type": "list", "items": [{"name": name, "meta": ""} for name in names]} if names else None


def _facts(facts: Sequence[Fact]) -> dict[str, Any] | None:
    known = [[label, bounded(value)] for label, value in facts if value not in (None, "", [], {})]
    return {"type": "facts", "items": known} if known else None


def _place(dry_run: DryRun) -> list[Fact]:
    return [(field_label(dry_run.lang, "environment"), dry_run.environment)]


def _counts(dry_run: DryRun) -> list[Fact]:
    """The backend's counts, what is lost first; those whose names are told apart stand above these names."""
    groups = dry_run.told.get("groups") or {}
    grouped = groups.keys() if any(groups.values()) else ()
    told = dry_run.told.get("counts") or {}
    counts = {label: n for label, n in told.items() if isinstance(n, int) and label not in grouped}
    ordered = sorted(counts, key=lambda label: ("delete" not in label, "update" not in label))
    return [(count_label(dry_run.lang, label), counts[label]) for label in ordered]


def _created(dry_run: DryRun) -> list[Fact]:
    """The fields of a thing that is not there yet."""
    changes = _told_changes(dry_run)
    if not changes or any(change.get("before") is not None for change in changes):
        return []
    return [(field_label(dry_run.lang, c["field"]), _shown(dry_run.lang, c["field"], c.get("after"))) for c in changes]


def _told_changes(dry_run: DryRun) -> list[dict[str, Any]]:
    return [change for change in dry_run.told.get("changes") or [] if isinstance(change, dict) and "field" in change]


def _changes(dry_run: DryRun) -> dict[str, Any] | None:
    """Path by path for a document, field by field for anything else that was there before and will be after."""
    changes = _told_changes(dry_run)
    if (dry_run.told.get("resource") or {}).get("type") == "document":
        places = [_path_change(change) for change in changes[:MOST_CHANGES]]
        return {"type": "jsonpath", "doc": dry_run.name, "changes": places + _more(dry_run, len(changes))}
    kept = any(c.get("before") is not None for c in changes) and any(c.get("after") is not None for c in changes)
    if not kept:
        return None
    rows = [_field_change(dry_run.lang, change) for change in changes[:MOST_CHANGES]]
    return {"type": "fields", "rows": rows, "unchanged": 0}


def _more(dry_run: DryRun, count: int) -> list[dict[str, Any]]:
    """A last line that says how many places do not fit the card."""
    if count <= MOST_CHANGES:
        return []
    left = number(dry_run.lang, count - MOST_CHANGES)
    return [{"op": "replace", "path": dry_run.say(f"… {left} more", f"… ещё {left}"), "before": "…", "after": "…"}]


def _field_change(lang: Lang, change: Mapping[str, Any]) -> dict[str, Any]:
    field = str(change["field"])
    before, after = (_shown(lang, field, change.get(side)) for side in ("before", "after"))
    return {"field": field_label(lang, field), "before": before, "after": after}


def _path_change(change: Mapping[str, Any]) -> dict[str, Any]:
    """One change of a document as the `jsonpath` block draws it."""
    before, after = change.get("before"), change.get("after")
    op = "add" if before is None else "remove" if after is None else "replace"
    path = shown_name(str(change["field"]) or "/", 300)
    return {"op": op, "path": path, "before": bounded(before), "after": bounded(after)}


def _groups(dry_run: DryRun) -> list[dict[str, Any]]:
    """A block for each thing that happens, with the names that it happens to, what is lost first."""
    told = dry_run.told.get("groups") or {}
    named = {label: names for label, names in told.items() if names}
    ordered = sorted(named, key=lambda label: ("delete" not in label, "update" not in label))
    return [_group(dry_run, label, [shown_name(str(name)) for name in named[label]]) for label in ordered]


def _group(dry_run: DryRun, label: str, names: Sequence[str]) -> dict[str, Any]:
    total = max(dry_run.count(label), len(names))
    counts = [{"label": count_label(dry_run.lang, label), "n": total}]
    return {"type": "bulk", "counts": counts, "first": list(names[:FIRST_NAMES]), "names": list(names), "total": total}


def _bulk(dry_run: DryRun, card: Card, names: Sequence[str]) -> dict[str, Any]:
    """Counts first, then the first names, of more things than fit a card; the other names open on demand."""
    counts = [{"label": label, "n": n} for label, n in _counts(dry_run)]
    return {
        "type": "bulk",
        "counts": counts,
        "first": list(names[:FIRST_NAMES]),
        "names": list(names),
        "total": max(card.total, len(names)),
    }


def _shown(lang: Lang, field: str, value: Any) -> Any:
    """A field's value in the person's language."""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return bounded(", ".join(value))
    if isinstance(value, bool):
        return say(lang, "on", "вкл.") if value else say(lang, "off", "выкл.")
    if isinstance(value, str) and field.endswith("_at"):
        return moment(lang, value)
    return bounded(state_label(lang, value) if field == "state" else value)


def bounded(value: Any) -> Any:
    """A value for a card: hidden characters shown, long texts cut with a mark."""
    shown = visible(value)
    return f"{shown[: VALUE_LIMIT - 1]}…" if isinstance(shown, str) and len(shown) > VALUE_LIMIT else shown


def _resource(told: Mapping[str, Any]) -> Resource | None:
    resource = told.get("resource")
    if not isinstance(resource, dict):
        return None
    kind, identity, name = (shown_name(str(resource.get(key) or "")) for key in ("type", "id", "name"))
    return Resource(type=kind, id=identity, name=name)
