"""What became different between two cards of one call, told first on the newer one, in each of its languages."""

import json
from collections.abc import Mapping
from typing import Any

from agent.binding import exact
from store.approvals import Approval
from tools.labels import field_label
from tools.text import visible
from tools.toolset import Lang


def tell_moved(before: Approval, card: dict[str, Any], etag: str | None) -> None:
    """Put first on the card what is different since the round before, which was signed."""
    for lang, words in {card["lang"]: card, **card["other"]}.items():
        if change := moved((_in_language(before.card, lang), before.etag), (words, etag), lang):
            words["evidence"] = [visible(change), *words["evidence"]]


def tell_edited(old: Approval, card: dict[str, Any], args_jcs: bytes) -> None:
    """Put first on the card what the person changed in the arguments of the card before."""
    before, after = json.loads(old.args_jcs), json.loads(args_jcs)
    for lang, words in {card["lang"]: card, **card["other"]}.items():
        if before != after:
            words["evidence"] = [exact(visible(edited(before, after, old.version, lang))), *words["evidence"]]


def moved(
    old: tuple[Mapping[str, Any], str | None], new: tuple[Mapping[str, Any], str | None], lang: str
) -> dict[str, Any] | None:
    """The evidence block that says what became different between two cards, with revisions, of the same call.

    Where nothing that is shown did, the revisions themselves are told apart; None when they are the same.
    """
    before, after = _facts(old[0]), _facts(new[0])
    rows = [
        {"field": name, "before": before[name], "after": after[name]}
        for name in after
        if name in before and before[name] != after[name]
    ]
    if not rows and old[1] != new[1]:
        rows = [{"field": "Версия" if lang == "ru" else "Revision", "before": old[1], "after": new[1]}]
    title = "С вашей подписи изменилось" if lang == "ru" else "Changed since you signed"
    sides = ["Когда вы подписали", "Сейчас"] if lang == "ru" else ["When you signed", "Now"]
    return {"type": "fields", "title": title, "sides": sides, "rows": rows, "unchanged": 0} if rows else None


def edited(old: Mapping[str, Any], new: Mapping[str, Any], version: int, lang: Lang) -> dict[str, Any]:
    """The evidence block that says which arguments a person changed in a call, against this version of its card."""
    names = [name for name in {**old, **new} if old.get(name) != new.get(name)]
    rows = [{"field": field_label(lang, name), "before": old.get(name), "after": new.get(name)} for name in names]
    title = f"Вы изменили версию {version}" if lang == "ru" else f"You edited version {version}"
    sides = ["Было", "Стало"] if lang == "ru" else ["Was", "Edited to"]
    return {"type": "fields", "title": title, "sides": sides, "rows": rows, "unchanged": 0}


def _in_language(card: Mapping[str, Any], lang: str) -> Mapping[str, Any]:
    """The words of a card in a language, its own where it has no others."""
    return card.get("other", {}).get(lang, card)


def _facts(card: Mapping[str, Any]) -> dict[str, Any]:
    """What a card says of the thing as it is now, by label."""
    facts: dict[str, Any] = {}
    for block in card.get("evidence", []):
        for item in block.get("items", []):
            if isinstance(item, list) and len(item) == 2:
                facts[str(item[0])] = item[1]
            elif isinstance(item, dict):
                facts[str(item.get("name"))] = item.get("meta")
        if not block.get("title"):
            facts |= {str(row["field"]): row.get("before") for row in block.get("rows", [])}
    return facts
