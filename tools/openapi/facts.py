"""What the rules of effects look at, and the grammar of names and paths: verbs, things, and which is which."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from tools.openapi import ordinary, words
from tools.openapi.sentences import plain_verb, spelled

JOINS = frozenset({"by", "for", "from", "in", "of", "on", "to", "with", "at", "as", "and", "using", "via", "per"})
FILLERS = frozenset({"the", "a", "an", "my", "me", "own", "current", "new", "all", "v1", "v2", "v3", "v4"})

# Names that say nothing: `op_17`, `handler`.
NAMELESS = frozenset({"op", "handler", "endpoint", "operation"})


@dataclass(frozen=True)
class Facts:
    """What the rules look at: an operation with its references resolved."""

    method: str
    path: str
    operation_id: str = ""
    summary: str = ""
    description: str = ""
    parameters: tuple[str, ...] = ()
    body_fields: tuple[str, ...] = ()
    body_is_list: bool = False
    answers: tuple[str, ...] = ()


def repeats_path(facts: Facts, name: list[str]) -> bool:
    """Whether a name only repeats method and path: `PostInvoicesUpcoming` of `POST /invoices/upcoming`."""
    return (
        len(name) > 1
        and name[0] == facts.method.lower()
        and {singular(word) for word in name[1:]} <= path_things(facts)
    )


def singular(word: str) -> str:
    """“story” of “stories”; a word that is known as it stands stays."""
    if word in ordinary.THINGS or word.endswith("ss"):
        return word
    return f"{word[:-3]}y" if word.endswith("ies") else word.removesuffix("s")


def name_words(facts: Facts) -> list[str]:
    """The words of the operation's own name, without the method and path that frameworks append."""
    name = facts.operation_id
    tail = re.sub(r"\W+", "_", f"{facts.path}_{facts.method.lower()}").strip("_")
    squeezed = re.sub(r"\W", "_", facts.path) + "_" + facts.method.lower()
    for suffix in (squeezed, squeezed.replace("__", "_"), tail):
        if len(suffix) > len(facts.method) + 1 and name.lower().endswith(suffix.lower()):
            name = name[: -len(suffix)]
            break
    tag, _, rest = re.sub(r"[:.]", "-", name).partition("-")
    if (
        rest
        and plain_verb(tag.lower()) not in words.READ | words.WRITE | words.DANGER
        and ("_" in rest or "-" not in name)
    ):
        name = rest
    said = [w for w in spelled(name) if w not in FILLERS]
    return [] if set(said) <= NAMELESS else said


def path_words(facts: Facts) -> list[str]:
    """The words of the last fixed path segment, when it follows the thing it acts on (`/runs/{id}/cancel`)."""
    segments = path_segments(facts.path)
    return spelled(segments[-1]) if segments and "{" not in segments[-1] else []


def path_things(facts: Facts) -> set[str]:
    """All words of the path, in the singular."""
    return {singular(word) for segment in path_segments(facts.path) for word in spelled(segment)}


def path_segments(path: str) -> list[str]:
    return [s for s in path.split("/") if s and not re.fullmatch(r"v\d+|api", s)]


def lead_verb(name: list[str]) -> str:
    """The verb that leads a name; verbs that are as often nouns lead only from the first place."""
    if not name:
        return ""
    known = words.READ | words.WRITE | words.DANGER
    if plain_verb(name[0]) in known:
        return plain_verb(name[0])
    return next((w for w in name[1:] if w in known - words.NOUNS_TOO), "")


def danger_verbs(name: list[str]) -> list[str]:
    """Danger verbs of a name, except behind a plain verb: in `create_run` and `update_schedule` they are nouns."""
    if not name:
        return []
    plain = plain_verb(name[0]) in words.WRITE
    allowed = words.DANGER - words.NOUNS_TOO if plain else words.DANGER
    return [w for w in name if w in allowed]


def head_noun(name: list[str], last: list[str]) -> str:
    """What a name is about: the last word before a joint; of `create_run_input` it is “input”, of `keys_add` “keys”."""
    phrase: list[str] = []
    for word in name or last:
        if word in JOINS:
            break
        phrase.append(word)
    if len(phrase) > 1 and phrase[-1] in words.WRITE - words.NOUNS_TOO | {"update", "change", "set"}:
        phrase.pop()
    return phrase[-1] if phrase else ""


def field_among(facts: Facts, wanted: frozenset[str]) -> str:
    return next((name for name in snake(facts.body_fields) if name in wanted), "")


def snake(names: Iterable[str]) -> list[str]:
    return [re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower() for name in names]
