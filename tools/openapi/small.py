"""What proves that a change is small: a plain verb of an ordinary thing, a draft, or fields that only describe."""

from tools.openapi import ordinary, sentences, words
from tools.openapi.facts import (
    Facts,
    field_among,
    head_noun,
    lead_verb,
    name_words,
    path_segments,
    path_things,
    path_words,
    repeats_path,
    singular,
    snake,
)
from tools.openapi.sentences import plain_verb, russian, spelled


def proof_of_small_change(facts: Facts) -> tuple[str, ...]:
    """Why a change is limited and reversible: a plain verb, and a thing or fields that only keep what one wrote."""
    verb = (
        lead_verb(name_words(facts))
        or lead_verb(path_words(facts))
        or plain_verb(next(iter(spelled(facts.summary)), ""))
    )
    if verb in ordinary.PERSONAL or (verb in words.SESSION_VERBS - {"signup"} and verb in spelled(facts.path)):
        return (f"the name says “{verb}”, which concerns one's own view",)
    if draft(facts):
        return ("the summary says that it is a draft",)
    edits, name = facts.method.upper() in {"PUT", "PATCH"}, name_words(facts)
    one = edits and facts.path.rstrip("/").endswith("}")
    verb = "create" if repeats_path(facts, name) else verb
    put = edits and not verb and "".join(path_words(facts)[-1:]) in ordinary.DESCRIBING
    if not (verb in ordinary.EDITS or one or put or russian(facts.summary, words.RU_WRITE)):
        return ()
    if thing := _ordinary_thing(facts):
        return (f"the name says “{verb or facts.method}” of “{thing}” and nothing speaks of danger",)
    if one and facts.body_fields and all(name in ordinary.FIELDS for name in snake(facts.body_fields)):
        return (f"{facts.method.upper()} of one thing, and its fields only describe",)
    return ()


def only_described(facts: Facts) -> bool:
    """Whether one thing is changed in nothing but how it is described: small whatever acts under that description."""
    one = facts.method.upper() in {"PUT", "PATCH"} and facts.path.rstrip("/").endswith("}")
    return one and bool(facts.body_fields) and all(name in ordinary.DESCRIBING for name in snake(facts.body_fields))


def draft(facts: Facts) -> bool:
    """Whether a draft is written and nothing in the same call can send it."""
    return sentences.drafts(facts.summary) and not field_among(facts, words.DRAFT_ENDS)


def _ordinary_thing(facts: Facts) -> str:
    """The thing by name or else by path, when it only keeps what somebody wrote."""
    fixed = [i for i, segment in enumerate(path_segments(facts.path)) if "{" not in segment]
    *outer, last = [singular((spelled(path_segments(facts.path)[i]) or [""])[-1]) for i in fixed] or [""]
    if russian(facts.summary, ordinary.RU_THINGS):
        return facts.summary
    named = [w for w in name_words(facts) if plain_verb(w) not in ordinary.EDITS or w in ordinary.THINGS]
    thing = singular(head_noun(named, [])) or last
    if thing not in ordinary.THINGS and _told_by_path(facts):
        thing = last
    if thing not in ordinary.THINGS or last in words.ACTING_NOUNS or _unknown_verb(facts):
        return ""
    nested = len(fixed) > 1 and fixed[-1] - fixed[-2] > 1
    return "" if thing in ordinary.GENERIC and nested and outer[-1] not in ordinary.THINGS else thing


def _told_by_path(facts: Facts) -> bool:
    """Whether a name says nothing that is not in the path or plain: `note_report` of `POST /reports/{id}/notes`."""
    known = ordinary.EDITS | ordinary.THINGS | path_things(facts)
    return not facts.path.endswith("}") and all({word, singular(word)} & known for word in name_words(facts))


def _unknown_verb(facts: Facts) -> bool:
    """Whether a name begins with what is neither a verb of editing nor its thing: `buy_label` labels nothing."""
    name = name_words(facts)
    known = ordinary.EDITS | ordinary.THINGS | words.WRITE | path_things(facts)
    return len(name) > 1 and not {name[0], plain_verb(name[0]), singular(name[0])} & known
