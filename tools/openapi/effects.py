"""What an operation does to the world, judged from its document alone: rules, no model, with reasons in words.

Deny by default: an operation is `read` or `write` only when something proves it and nothing speaks against it.
"""

import re
from dataclasses import dataclass, field, replace
from itertools import pairwise

from tools.openapi import ordinary, sentences, words
from tools.openapi.facts import (
    Facts,
    danger_verbs,
    field_among,
    head_noun,
    lead_verb,
    name_words,
    path_segments,
    path_things,
    path_words,
    repeats_path,
    singular,
)
from tools.openapi.sentences import first_sentence, plain_verb, russian, russian_deed, spelled
from tools.openapi.small import draft, only_described, proof_of_small_change
from tools.toolset import Effect

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})


@dataclass(frozen=True)
class Verdict:
    """The effect and why, most telling reason first."""

    effect: Effect
    reasons: tuple[str, ...] = field(default_factory=tuple)


def classify(facts: Facts) -> Verdict:
    """The effect of one operation. Every danger that is seen is named; one is enough."""
    method = facts.method.upper()
    if method == "DELETE":
        return Verdict(Effect.DANGER, ("the method is DELETE",))
    if method in SAFE_METHODS:
        return _classify_safe(facts)
    if proof := _proof_of_reading(facts):
        against = _speaks_against_reading(facts)
        return Verdict(Effect.DANGER, against) if against else Verdict(Effect.READ, proof)
    dangers = _dangers(facts)
    if dangers:
        return Verdict(Effect.DANGER, dangers)
    if proof := proof_of_small_change(facts):
        return Verdict(Effect.WRITE, proof)
    return Verdict(Effect.DANGER, (f"{method} and nothing proves that it is harmless",))


def classify_claim(facts: Facts, claims_to_read: bool) -> Verdict:
    """The effect of a tool that says itself whether it only reads: believed when no word of it speaks of danger."""
    if not claims_to_read:
        return Verdict(Effect.DANGER, ("its server does not call it read-only",))
    if (verdict := _classify_safe(replace(facts, method="GET"))).effect is not Effect.READ:
        return Verdict(Effect.DANGER, verdict.reasons)
    verbs = () if lead_verb(name_words(facts)) in words.READ else danger_verbs(name_words(facts))
    found = _speaks_against_reading(facts) + tuple(f"the name says “{verb}”" for verb in verbs)
    return Verdict(Effect.DANGER, found) if found else Verdict(Effect.READ, ("its server calls it read-only",))


def _classify_safe(facts: Facts) -> Verdict:
    """GET should only read (RFC 9110, 9.2.1); the names of many do not keep to that."""
    name, first = _without_things(facts, name_words(facts)), first_sentence(facts.description or facts.summary)
    lead = lead_verb(name)
    if switch := sorted(words.ACTING_SWITCHES & {p.lower() for p in facts.parameters}):
        return Verdict(Effect.DANGER, (f"GET, but it can be told to “{switch[0]}”",))
    if second := sentences.second_order(facts.summary):
        effect = Effect.WRITE if second in words.WRITE - words.DANGER else Effect.DANGER
        return Verdict(effect, (f"GET, but the summary says “and {second}”",))
    if held := _held(facts, name):
        return Verdict(Effect.DANGER, (f"GET, but it hands out what opens doors: “{held}”",))
    if lead in words.READ:
        return _confesses(facts, first) or Verdict(Effect.READ, (f"the method is GET and the name says “{lead}”",))
    if hit := _confession(f"{facts.summary}. {facts.description}"):
        return Verdict(Effect.DANGER, (f"GET, but the description says “{hit}”",))
    named = _name_of_a_get(facts, name, lead)
    return named or _texts_of_a_get(facts, name, first) or Verdict(Effect.READ, ("the method is GET",))


def _name_of_a_get(facts: Facts, name: list[str], lead: str) -> Verdict | None:
    """What the name and the path of a GET say that it does, unless it asks after a state."""
    if done := _done_to_one_or_all(facts):
        return Verdict(Effect.DANGER, (f"GET, but it is told to “{done}”",))
    if sentences.asks(facts.summary) and name[-1:] in (["status"], ["state"]):
        return None
    last = path_words(facts)
    ends = [word for word in name[1:][-1:] if word in words.DANGER]
    for word in (lead, last[0] if len(last) == 1 else _path_verb(facts), *name[:1], *ends):
        if word in (words.DANGER | words.GET_TAKES | words.GET_ORDERS) - words.GET_NOUNS:
            return Verdict(Effect.DANGER, (f"GET, but the name says “{word}”",))
        if word in words.GET_WRITES:
            return Verdict(Effect.WRITE, (f"GET, but the name says “{word}”",))
    return None


def _texts_of_a_get(facts: Facts, name: list[str], first: str) -> Verdict | None:
    """What the summary and the description of a GET say that it does."""
    opening = next(iter(spelled(first)), "")
    orders = opening in words.DANGER - words.GET_NOUNS | words.GET_ORDERS or sentences.phrasal(first)
    deeds = plain_verb(opening) in words.DANGER - words.NOUNS_TOO or russian_deed(facts.summary, facts.description)
    if orders or deeds:
        return Verdict(Effect.DANGER, (f"GET, but the description begins with “{opening}”",))
    if plain_verb(opening) in words.GET_WRITES:
        return Verdict(Effect.WRITE, (f"GET, but the description begins with “{opening}”",))
    if deed := next(filter(None, map(sentences.opening_deed, (facts.summary, facts.description))), ""):
        effect = Effect.WRITE if plain_verb(deed) in ordinary.PERSONAL else Effect.DANGER
        return Verdict(effect, (f"GET, but the text says that it does something: “{deed}”",))
    told = (facts.summary, " ".join(path_words(facts)), " ".join(name))
    if gift := next(filter(None, map(sentences.gives_access, told)), ""):
        return Verdict(Effect.DANGER, (f"GET, but the text says “{gift}”",))
    return None


def _without_things(facts: Facts, name: list[str]) -> list[str]:
    """The name of a GET without the things in front: `bans`, “write-offs”, the claim of `/claims/{id}/payments`."""
    segments = [*path_segments(facts.path), ""]
    listed = {segment for segment, then in pairwise(segments) if not then or then.startswith("{")}
    things = {word for segment in listed for word in spelled(segment) if word != plain_verb(word)}
    if name[1:2] and name[1] in words.PARTICLES:
        return name[2:]
    if len(name) > 1 and f"{name[0]}s" in listed - set(segments[-2:]):
        name = name[1:]
    return name[1:] if name and name[0] in things else name


def _path_verb(facts: Facts) -> str:
    """The verb of a path that says what it does: `/delete_user`, `/doDelete`, `/delete/{id}`; else nothing."""
    fixed = [spelled(segment) for segment in path_segments(facts.path) if "{" not in segment]
    said = _without_things(facts, [word for word in fixed[-1] if word != "do"]) if fixed else []
    verb, alone = plain_verb("".join(said[:1])), words.GET_TAKES if len(said) == 1 else frozenset()
    return verb if verb in (words.DANGER | words.GET_ORDERS | alone | words.GET_WRITES) - words.GET_NOUNS else ""


def _done_to_one_or_all(facts: Facts) -> str:
    """A verb of a GET that can be no noun where it stands: `/doors/{id}/open`, `/doors/lock-all`; else nothing."""
    last, segments = path_words(facts), ["", *path_segments(facts.path)]
    for *_, verb, whole in (["", "", *last], ["", "", *spelled(facts.operation_id)]):
        if whole in {"all", "now"} and verb in words.DANGER | words.GET_TAKES | {"release"}:
            return f"{verb} {whole}"
    if phrasal := next(
        filter(None, (sentences.phrasal(" ".join(spelled(s))) for s in (*segments[-2:], facts.operation_id))), ""
    ):
        return phrasal
    return last[0] if len(last) == 1 and last[0] in words.NO_NOUNS_OF_ONE and segments[-2].endswith("}") else ""


def _held(facts: Facts, name: list[str]) -> str:
    """The credential that a GET shows in the clear, by its path or its name; else nothing."""
    shown = " ".join(name[1:] if name[:1] and name[0] in words.SHOWS else name)
    *_, thing, value = ["", "", *(spelled(s)[-1:] or [""] for s in path_segments(facts.path) if "{" not in s)]
    if value == ["value"] and singular("".join(thing)) in words.HELD:
        shown = "secret value"
    return next((held for held in (" ".join(path_words(facts)), shown) if held in words.HELD), "")


def _confesses(facts: Facts, first: str) -> Verdict | None:
    """A GET that is named like a reading but says that it does more: a second verb, or “Deletes …” in its text."""
    if hit := _confession(f"{facts.summary}. {facts.description}"):
        return Verdict(Effect.DANGER, (f"GET, but the description says “{hit}”",))
    opening = next(iter(spelled(first)), "")
    if opening.endswith("s") and plain_verb(opening) in words.DANGER - words.NOUNS_TOO:
        return Verdict(Effect.DANGER, (f"GET, but the description begins with “{opening}”",))
    return _mixed(name_words(facts)) or _mixed(path_words(facts))


def _confession(text: str) -> str:
    hits = (re.search(phrase, text, re.I) for phrase in words.GET_CONFESSIONS)
    return next((hit.group(0) for hit in hits if hit), "")


def _mixed(name: list[str]) -> Verdict | None:
    """`find_and_delete`, `get_or_create`: the second verb counts."""
    for joint, verb in zip(name, name[1:], strict=False):
        if joint in {"and", "then", "or"} and verb in words.DANGER | words.WRITE:
            effect = Effect.DANGER if verb in words.DANGER else Effect.WRITE
            return Verdict(effect, (f"the name says “{joint} {verb}”",))
    return None


def _proof_of_reading(facts: Facts) -> tuple[str, ...]:
    """Why a POST only reads: its own name, its last path segment or its summary says so."""
    if facts.method.upper() != "POST":
        return ()
    name, last = [w for w in name_words(facts) if w not in words.BULK], path_words(facts)
    name = name[1:] if repeats_path(facts, name) else name
    lead, plain = lead_verb(name), words.READ - words.READ_OR_CHANGE
    acted_on = facts.path.rstrip("/").endswith(f"}}/{'-'.join(last)}") and last[0] in words.CHANGE_WHEN_LAST
    if lead in words.READ_OR_CHANGE or acted_on or (lead == "check" and {"in", "out"} & set(name)):
        return ()
    if lead in plain and not (len(last) == 1 and last[0] in words.DANGER - words.NOUNS_TOO):
        return (f"the name says “{lead}”",)
    if lead in words.DANGER - words.NOUNS_TOO or lead in words.WRITE - words.NOUNS_TOO:
        return ()
    if last and last[0] in plain and lead not in words.DANGER:
        return (f"the path ends in “{'-'.join(last)}”",)
    if name and name[-1] in words.READ_NOUNS and _things_only(facts):
        return (f"the name is of something to read: “{name[-1]}”",)
    return () if lead in words.DANGER | words.WRITE else _told_reading(facts, plain)


def _things_only(facts: Facts) -> bool:
    """Whether no word of a name in front of its last is a verb: the path has them as things, or the summary inside."""
    front = set(name_words(facts)[:-1])
    verbs = {word for word in front & (words.WRITE | words.DANGER) if f"{word}s" not in spelled(facts.path)}
    outer = path_things(replace(facts, path=facts.path.rpartition("/")[0]))
    told = outer | words.READ_NOUNS | set(spelled(facts.summary)[1:])
    return not verbs and all(word in told or singular(word) in told for word in front)


def _told_reading(facts: Facts, plain: frozenset[str]) -> tuple[str, ...]:
    """Why a POST whose name says nothing only reads: its texts say so."""
    opening, *rest = spelled(first_sentence(facts.summary)) or [""]
    checks_in = opening in {"check", "checks"} and {"in", "out"} & {*rest[:1], *rest[-1:]}
    if checks_in:
        return ()
    if plain_verb(opening) in plain:
        return (f"the summary begins with “{opening}”",)
    if sentences.russian_reading(facts.summary):
        return ("the summary says that it reads",)
    if word := sentences.asks(facts.summary):
        return (f"the summary asks “{word}”",)
    if told := sentences.answers(facts.description) or sentences.answers(facts.summary):
        return (f"the description says “{told}”",)
    return ()


def _speaks_against_reading(facts: Facts) -> tuple[str, ...]:
    name = name_words(facts)
    found = []
    if mixed := _mixed(name) or _mixed(path_words(facts)):
        found += mixed.reasons
    if (code := field_among(facts, words.CODE_FIELDS)) and not set(name) & words.LOOKS:
        found.append(f"the body carries code: {code}")
    if russian_deed(facts.summary, facts.description):
        found.append("the text names a danger")
    if plain_verb(deed := sentences.opening_deed(facts.summary)) in (words.WRITE | words.DANGER) - words.RUNS:
        found.append(f"the summary says “{deed}”")
    if second := sentences.second_deed(first_sentence(facts.description)):
        found.append(f"the description says “{second}”")
    if second := sentences.second_order(facts.summary):
        found.append(f"the summary says “and {second}”")
    if gift := sentences.gives_access(facts.summary) or sentences.gives_access(" ".join(name)):
        found.append(f"the text says “{gift}”")
    if facts.answers and set(facts.answers) <= {"201", "202", "204", "205"}:
        found.append(f"its answer is {facts.answers[0]}, not what was asked for")
    if re.search(r"permanent(ly)? delet|cannot be undone|\bdeletes\b|\bcharges\b", facts.description, re.I):
        found.append("the description names a danger")
    return tuple(found)


def _dangers(facts: Facts) -> tuple[str, ...]:
    """Everything that speaks for danger in an operation that changes something."""
    name, last = name_words(facts), path_words(facts)
    name = name[1:] if repeats_path(facts, name) else name
    session = lead_verb(name) in words.SESSION_VERBS or bool(set(last) & words.SESSION_VERBS)
    found = [f"the name says “{w}”" for w in danger_verbs(name)]
    named = words.NOUNS_TOO if name and name[0] in words.WRITE - {"set"} else frozenset()
    found += [f"the path ends in “{w}”" for w in last if w in words.DANGER - named]
    if bulk := sorted(words.BULK & {*name, *last}):
        found.append(f"it touches many things at once: “{bulk[0]}”")
    noun = head_noun(name, last)
    kept = session or only_described(facts) or draft(facts)
    if {noun, noun.removesuffix("s")} & (words.ACTING_NOUNS | words.DEED_NOUNS) and not kept:
        found.append(f"it makes or changes “{noun}”, which acts beyond the record")
    if name and name[0] in words.MAKE and noun.removesuffix("s") in words.DANGER - words.THINGS_TOO:
        found.append(f"to make a “{noun}” is to do it")
    if deed := next((w for w in last if w in words.DEED_NOUNS), None):
        found.append(f"the path ends in “{deed}”")
    if reserved := sorted(
        words.RESERVED_PATHS & {w for s in path_segments(facts.path) for w in _reserving(spelled(s))}
    ):
        found.append(f"the path is reserved: “{reserved[0]}”")
    if not session:
        found += _field_dangers(facts)
    text = f"{facts.summary}. {facts.description}"
    hits = (re.search(phrase, text, re.I) for phrase in words.DANGER_PHRASES)
    found += [f"the description says “{hit.group(0).strip()}”" for hit in hits if hit]
    if russian(facts.summary, words.RU_DANGER):
        found.append(f"the summary says “{facts.summary.split()[0]}”")
    return tuple(dict.fromkeys(found))


def _reserving(segment: list[str]) -> list[str]:
    """The words of a path segment, unless it names what people say: `internal_notes` are notes."""
    return [] if len(segment) > 1 and segment[-1].removesuffix("s") in ordinary.SAYINGS else segment


def _field_dangers(facts: Facts) -> list[str]:
    found = []
    if hit := field_among(facts, words.SENSITIVE_FIELDS):
        found.append(f"the body holds “{hit}”")
    if hit := field_among(facts, words.ACTING_FIELDS):
        found.append(f"the body can set “{hit}”")
    changes = lead_verb(name_words(facts)) not in words.MAKE | {"upload", "log", "record"}
    if changes and (facts.body_is_list or field_among(facts, words.MANY_FIELDS)):
        found.append("the body names many things to change")
    return found
