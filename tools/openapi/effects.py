"""What an operation does to the world, judged from its document alone: rules, no model, with reasons in words.

Deny by default: an operation is `read` or `write` only when something proves it and nothing speaks against it.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from tools.openapi import ordinary, sentences, words
from tools.openapi.sentences import first_sentence, plain_verb, russian, russian_deed, spelled
from tools.toolset import Effect

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
JOINS = frozenset({"by", "for", "from", "in", "of", "on", "to", "with", "at", "as", "and", "using", "via", "per"})
FILLERS = frozenset({"the", "a", "an", "my", "me", "own", "current", "new", "all", "v1", "v2", "v3", "v4"})


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
    if proof := _proof_of_small_change(facts):
        return Verdict(Effect.WRITE, proof)
    return Verdict(Effect.DANGER, (f"{method} and nothing proves that it is harmless",))


def classify_claim(facts: Facts, claims_to_read: bool) -> Verdict:
    """The effect of a tool that says itself whether it only reads: believed when no word of it speaks of danger."""
    if not claims_to_read:
        return Verdict(Effect.DANGER, ("its server does not call it read-only",))
    if (verdict := _classify_safe(replace(facts, method="GET"))).effect is not Effect.READ:
        return Verdict(Effect.DANGER, verdict.reasons)
    verbs = () if _lead(name_words(facts)) in words.READ else _danger_verbs(name_words(facts))
    found = _speaks_against_reading(facts) + tuple(f"the name says “{verb}”" for verb in verbs)
    return Verdict(Effect.DANGER, found) if found else Verdict(Effect.READ, ("its server calls it read-only",))


def _classify_safe(facts: Facts) -> Verdict:
    """GET should only read (RFC 9110, 9.2.1); the names of many do not keep to that."""
    lead, last = _lead(name_words(facts)), path_words(facts)
    first = first_sentence(facts.description or facts.summary)
    deed = next(filter(None, map(sentences.opening_deed, (facts.summary, facts.description))), "")
    if switch := sorted(words.ACTING_SWITCHES & {p.lower() for p in facts.parameters}):
        return Verdict(Effect.DANGER, (f"GET, but it can be told to “{switch[0]}”",))
    if lead in words.READ:
        return _confesses(facts, first) or Verdict(Effect.READ, (f"the method is GET and the name says “{lead}”",))
    if hit := _confession(f"{facts.summary}. {facts.description}"):
        return Verdict(Effect.DANGER, (f"GET, but the description says “{hit}”",))
    for word in (lead, last[0] if len(last) == 1 else None, *name_words(facts)[:1]):
        if word in (words.DANGER | words.GET_TAKES) - words.GET_NOUNS:
            return Verdict(Effect.DANGER, (f"GET, but the name says “{word}”",))
        if word in words.GET_WRITES:
            return Verdict(Effect.WRITE, (f"GET, but the name says “{word}”",))
    opening = next(iter(spelled(first)), "")
    if plain_verb(opening) in words.DANGER - words.NOUNS_TOO or russian_deed(facts.summary, facts.description):
        return Verdict(Effect.DANGER, (f"GET, but the description begins with “{opening}”",))
    if plain_verb(opening) in words.GET_WRITES:
        return Verdict(Effect.WRITE, (f"GET, but the description begins with “{opening}”",))
    if deed:
        effect = Effect.WRITE if plain_verb(deed) in ordinary.PERSONAL else Effect.DANGER
        return Verdict(effect, (f"GET, but the text says that it does something: “{deed}”",))
    if (gift := sentences.gives_access(facts.summary)) and lead not in words.READ:
        return Verdict(Effect.DANGER, (f"GET, but the text says “{gift}”",))
    return Verdict(Effect.READ, ("the method is GET",))


def _confesses(facts: Facts, first: str) -> Verdict | None:
    """A GET that is named like a reading but says that it does more: a second verb, or “Deletes …” in its text."""
    if hit := _confession(f"{facts.summary}. {facts.description}"):
        return Verdict(Effect.DANGER, (f"GET, but the description says “{hit}”",))
    opening = next(iter(spelled(first)), "")
    if opening.endswith("s") and plain_verb(opening) in words.DANGER - words.NOUNS_TOO:
        return Verdict(Effect.DANGER, (f"GET, but the description begins with “{opening}”",))
    return _mixed(name_words(facts))


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
    lead, plain = _lead(name), words.READ - words.READ_OR_CHANGE
    acted_on = facts.path.rstrip("/").endswith(f"}}/{'-'.join(last)}") and last[0] in words.CHANGE_WHEN_LAST
    if lead in words.READ_OR_CHANGE or acted_on or (lead == "check" and {"in", "out"} & set(name)):
        return ()
    if lead in plain and not (len(last) == 1 and last[0] in words.DANGER - words.NOUNS_TOO):
        return (f"the name says “{lead}”",)
    if lead in words.DANGER - words.NOUNS_TOO or lead in words.WRITE - words.NOUNS_TOO:
        return ()
    if last and last[0] in plain and lead not in words.DANGER:
        return (f"the path ends in “{'-'.join(last)}”",)
    nouns = [w for w in name if w in words.READ_NOUNS]
    if nouns and name[-1] == nouns[-1] and not (name and name[0] in words.WRITE | (words.DANGER - words.NOUNS_TOO)):
        return (f"the name is of something to read: “{nouns[-1]}”",)
    return () if lead in words.DANGER | words.WRITE else _told_reading(facts, plain)


def _told_reading(facts: Facts, plain: frozenset[str]) -> tuple[str, ...]:
    """Why a POST whose name says nothing only reads: its texts say so."""
    opening, *rest = spelled(first_sentence(facts.summary)) or [""]
    checks_in = opening in {"check", "checks"} and {"in", "out"} & {*rest[:1], *rest[-1:]}
    if checks_in:
        return ()
    if plain_verb(opening) in plain:
        return (f"the summary begins with “{opening}”",)
    if russian(facts.summary, words.RU_READ):
        return ("the summary says that it reads",)
    if word := sentences.asks(facts.summary):
        return (f"the summary asks “{word}”",)
    if told := sentences.answers(facts.description) or sentences.answers(facts.summary):
        return (f"the description says “{told}”",)
    return ()


def _speaks_against_reading(facts: Facts) -> tuple[str, ...]:
    name = name_words(facts)
    found = []
    if mixed := _mixed(name):
        found += mixed.reasons
    if (code := _fields(facts, words.CODE_FIELDS)) and not set(name) & words.LOOKS:
        found.append(f"the body carries code: {code}")
    if russian_deed(facts.summary, facts.description):
        found.append("the text names a danger")
    if plain_verb(deed := sentences.opening_deed(facts.summary)) in (words.WRITE | words.DANGER) - words.RUNS:
        found.append(f"the summary says “{deed}”")
    if second := sentences.second_deed(first_sentence(facts.description)):
        found.append(f"the description says “{second}”")
    if gift := sentences.gives_access(facts.summary):
        found.append(f"the text says “{gift}”")
    if facts.answers and set(facts.answers) <= {"201", "202", "204", "205"}:
        found.append(f"its answer is {facts.answers[0]}, not what was asked for")
    if re.search(r"permanent(ly)? delet|cannot be undone|\bdeletes\b|\bcharges\b", facts.description, re.I):
        found.append("the description names a danger")
    return tuple(found)


def _dangers(facts: Facts) -> tuple[str, ...]:
    """Everything that speaks for danger in an operation that changes something."""
    name, last = name_words(facts), path_words(facts)
    session = _lead(name) in words.SESSION_VERBS or bool(set(last) & words.SESSION_VERBS)
    found = [f"the name says “{w}”" for w in _danger_verbs(name)]
    named = words.NOUNS_TOO if name and name[0] in words.WRITE - {"set"} else frozenset()
    found += [f"the path ends in “{w}”" for w in last if w in words.DANGER - named]
    if bulk := sorted(words.BULK & {*name, *last}):
        found.append(f"it touches many things at once: “{bulk[0]}”")
    noun = _head_noun(name, last)
    if {noun, noun.removesuffix("s")} & (words.ACTING_NOUNS | words.DEED_NOUNS) and not session:
        found.append(f"it makes or changes “{noun}”, which acts beyond the record")
    if name and name[0] in words.MAKE and noun.removesuffix("s") in words.DANGER - words.THINGS_TOO:
        found.append(f"to make a “{noun}” is to do it")
    if deed := next((w for w in last if w in words.DEED_NOUNS), None):
        found.append(f"the path ends in “{deed}”")
    if reserved := sorted(words.RESERVED_PATHS & {w for s in _segments(facts.path) for w in spelled(s)}):
        found.append(f"the path is reserved: “{reserved[0]}”")
    if not session:
        found += _field_dangers(facts)
    text = f"{facts.summary}. {facts.description}"
    hits = (re.search(phrase, text, re.I) for phrase in words.DANGER_PHRASES)
    found += [f"the description says “{hit.group(0).strip()}”" for hit in hits if hit]
    if russian(facts.summary, words.RU_DANGER):
        found.append(f"the summary says “{facts.summary.split()[0]}”")
    return tuple(dict.fromkeys(found))


def _field_dangers(facts: Facts) -> list[str]:
    found = []
    if hit := _fields(facts, words.SENSITIVE_FIELDS):
        found.append(f"the body holds “{hit}”")
    if hit := _fields(facts, words.ACTING_FIELDS):
        found.append(f"the body can set “{hit}”")
    changes = _lead(name_words(facts)) not in words.MAKE | {"upload", "log", "record"}
    if changes and (facts.body_is_list or _fields(facts, words.MANY_FIELDS)):
        found.append("the body names many things to change")
    return found


def _proof_of_small_change(facts: Facts) -> tuple[str, ...]:
    """Why a change is limited and reversible: a plain verb, and a thing or fields that only keep what one wrote."""
    verb = _lead(name_words(facts)) or _lead(path_words(facts)) or plain_verb(next(iter(spelled(facts.summary)), ""))
    if verb in ordinary.PERSONAL or (verb in words.SESSION_VERBS - {"signup"} and verb in spelled(facts.path)):
        return (f"the name says “{verb}”, which concerns one's own view",)
    one = facts.method.upper() in {"PUT", "PATCH"} and facts.path.rstrip("/").endswith("}")
    if not (verb in ordinary.EDITS or one or russian(facts.summary, words.RU_WRITE)):
        return ()
    if thing := _ordinary_thing(facts):
        return (f"the name says “{verb or facts.method}” of “{thing}” and nothing speaks of danger",)
    if one and facts.body_fields and all(name in ordinary.FIELDS for name in _snake(facts.body_fields)):
        return (f"{facts.method.upper()} of one thing, and its fields only describe",)
    return ()


def _ordinary_thing(facts: Facts) -> str:
    """The thing by name or else by path, when it only keeps what somebody wrote."""
    fixed = [i for i, segment in enumerate(_segments(facts.path)) if "{" not in segment]
    *outer, last = [_singular((spelled(_segments(facts.path)[i]) or [""])[-1]) for i in fixed] or [""]
    if russian(facts.summary, ordinary.RU_THINGS):
        return facts.summary
    named = [w for w in name_words(facts) if plain_verb(w) not in ordinary.EDITS or w in ordinary.THINGS]
    thing = _singular(_head_noun(named, [])) or last
    if thing not in ordinary.THINGS or last in words.ACTING_NOUNS or _unknown_verb(facts):
        return ""
    nested = len(fixed) > 1 and fixed[-1] - fixed[-2] > 1
    return "" if thing in ordinary.GENERIC and nested and outer[-1] not in ordinary.THINGS else thing


def _unknown_verb(facts: Facts) -> bool:
    """Whether a name begins with what is neither a verb of editing nor its thing: `buy_label` labels nothing."""
    name = name_words(facts)
    mine = {_singular(word) for segment in _segments(facts.path) for word in spelled(segment)}
    known = ordinary.EDITS | ordinary.THINGS | words.WRITE | mine
    return len(name) > 1 and not {name[0], plain_verb(name[0]), _singular(name[0])} & known


def _singular(word: str) -> str:
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
    return [w for w in spelled(name) if w not in FILLERS]


def path_words(facts: Facts) -> list[str]:
    """The words of the last fixed path segment, when it follows the thing it acts on (`/runs/{id}/cancel`)."""
    segments = _segments(facts.path)
    return spelled(segments[-1]) if segments and "{" not in segments[-1] else []


def _segments(path: str) -> list[str]:
    return [s for s in path.split("/") if s and not re.fullmatch(r"v\d+|api", s)]


def _lead(name: list[str]) -> str:
    """The verb that leads a name; verbs that are as often nouns lead only from the first place."""
    if not name:
        return ""
    known = words.READ | words.WRITE | words.DANGER
    if plain_verb(name[0]) in known:
        return plain_verb(name[0])
    return next((w for w in name[1:] if w in known - words.NOUNS_TOO), "")


def _danger_verbs(name: list[str]) -> list[str]:
    """Danger verbs of a name, except behind a plain verb: in `create_run` and `update_schedule` they are nouns."""
    if not name:
        return []
    plain = plain_verb(name[0]) in words.WRITE
    allowed = words.DANGER - words.NOUNS_TOO if plain else words.DANGER
    return [w for w in name if w in allowed]


def _head_noun(name: list[str], last: list[str]) -> str:
    """What a name is about: the last word before a joint; of `create_run_input` it is “input”, of `keys_add` “keys”."""
    phrase: list[str] = []
    for word in name or last:
        if word in JOINS:
            break
        phrase.append(word)
    if len(phrase) > 1 and phrase[-1] in words.WRITE - words.NOUNS_TOO | {"update", "change", "set"}:
        phrase.pop()
    return phrase[-1] if phrase else ""


def _fields(facts: Facts, wanted: frozenset[str]) -> str:
    return next((name for name in _snake(facts.body_fields) if name in wanted), "")


def _snake(names: Iterable[str]) -> list[str]:
    return [re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower() for name in names]
