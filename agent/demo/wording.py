"""Words the outcomes of a turn from the tools' answers alone, in the person's language."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from agent.demo.answers import (
    CHANGED,
    CHANGES,
    CHECKS,
    COMMITS,
    FACTS,
    KINDS,
    LISTS,
    NO_TOOL,
    NOTHING_TO_UNDO,
    REFUSED,
    ROLES,
    TABLES,
    THINGS,
    UNDECIDED,
)
from agent.demo.howto import explained
from agent.demo.language import Lang, language
from agent.demo.memory import thing_of
from agent.demo.results import Result, rows
from agent.demo.steps import Outcome
from agent.demo.values import counted, facts, plain, shown, table

MOST_ROWS = 10
_MOST_TEXT = 1500
_MOST_LINES = 40
_DEEPEST = 5
_NEEDS = re.compile(r"^- (?P<tool>\w+) needs the role (?P<role>\w+): ", re.MULTILINE)
_UNQUOTED = re.compile(r"[“«\"][^”»\"]*[”»\"]")
_CAPABILITY = re.compile(r"^- \w+ \((?P<effect>\w+)\): (?P<what>.+)$", re.MULTILINE)
_EFFECTS = (
    ("read", "Look up", "Посмотреть"),
    ("write", "Change", "Изменить"),
    ("danger", "Only with your signature", "Только с вашей подписью"),
)
_UNSURE = (
    "I am a demo model that works by rules; say it plainly and I can do this:",
    "Я демо-модель на правилах; скажите просто, и я смогу вот что:",
)


def say(lang: Lang, en: str, ru: str) -> str:
    """The text in the language."""
    return ru if lang == "ru" else en


def worded(outcomes: Sequence[Outcome], lang: Lang) -> str:
    """All outcomes, a paragraph each, the same words once."""
    told = [text for outcome in outcomes for text in _all(outcome, lang) if text]
    return "\n\n".join(dict.fromkeys(told))


def _all(outcome: Outcome, lang: Lang) -> list[str]:
    first = _KINDS[outcome.kind](outcome, lang)
    return [first] + [_KINDS[_kind(r)](Outcome(_kind(r), outcome.tool, args, r), lang) for args, r in outcome.more]


def _kind(result: Result) -> Any:
    return "done" if result.ok else "denied" if result.denied else "failed"


def _done(outcome: Outcome, lang: Lang) -> str:
    result = outcome.result
    if result is None:
        return say(lang, "Done.", "Готово.")
    if outcome.tool == "show_capabilities":
        return _capabilities(result.text, lang)
    if result.data is None:
        return _quoted(result.text)
    told = result.object
    if told.get("done") or "change_id" in told:
        return _change(outcome, told, lang)
    teller = _TELLERS.get(outcome.tool)
    if teller and not result.items:
        return teller(told, lang)
    if "items" in told or isinstance(result.data, list):
        return _list(outcome, result, lang)
    return _thing(outcome.tool, told, lang)


def _capabilities(text: str, lang: Lang) -> str:
    """The tools that a person may use, by what they do to the workspace."""
    told = [(m["effect"], plain(_first_sentence(m["what"]), 300)) for m in _CAPABILITY.finditer(text)]
    parts = [_UNSURE[lang == "ru"]]
    for effect, en, ru in _EFFECTS:
        lines = [f"- {what}" for kind, what in told if kind == effect]
        parts += [f"**{say(lang, en, ru)}**\n" + "\n".join(lines)] if lines else []
    return "\n\n".join(parts) if told else _quoted(text)


def _first_sentence(text: str) -> str:
    """What a tool is for; how to call it follows and is for models, as are asides in brackets."""
    return re.sub(r" \([^)]*\)", "", text).split(". ")[0].rstrip(".")


def _list(outcome: Outcome, result: Result, lang: Lang) -> str:
    listing = LISTS.get(outcome.tool)
    shown_rows = result.items[:MOST_ROWS]
    forms = (listing.ru if lang == "ru" else listing.en) if listing else _any_noun(lang)
    if not shown_rows:
        about = f" {say(lang, 'for', 'по запросу')} {_name(outcome.subject, lang)}" if outcome.subject else ""
        return say(lang, f"Nothing found{about}.", f"Ничего не нашлось{about}.")
    head = say(lang, f"{counted(result.total, forms, lang)} found", f"Нашлось: {counted(result.total, forms, lang)}")
    if result.total > len(shown_rows):
        head += say(lang, f", here are the first {len(shown_rows)}", f", вот первые {len(shown_rows)}")
    keys = listing.columns.split() if listing else _scalars(shown_rows[0])[:5]
    return f"{head}.\n\n{table(shown_rows, keys, lang, outcome.tool)}"


def _any_noun(lang: Lang) -> tuple[str, ...]:
    return ("запись", "записи", "записей") if lang == "ru" else ("item", "items")


def _scalars(told: Mapping[str, Any]) -> list[str]:
    """The properties that are plain values, for an answer that no table is written for."""
    return [key for key, value in told.items() if not isinstance(value, dict | list)]


def _name(text: str, lang: Lang) -> str:
    return say(lang, f"“{plain(text)}”", f"«{plain(text)}»")


def _thing(tool: str, told: Mapping[str, Any], lang: Lang) -> str:
    named = told.get("name") or told.get("title")
    keys = FACTS[tool].split() if tool in FACTS else _scalars(told)[:12]
    parts = [f"**{plain(str(named))}**" if named else "", facts(told, keys, lang)]
    parts += [table(rows(told, key)[:_MOST_LINES], keys.split(), lang) for key, keys in TABLES.get(tool, ())]
    return "\n\n".join(part for part in [*parts, _log(told)] if part)


def _log(told: Mapping[str, Any]) -> str:
    """The last lines of a task's log."""
    lines = rows(told, "log")[-8:]
    return "\n".join(f"> {plain(str(row.get('at', '')))[11:19]} {plain(str(row.get('text', '')))}  " for row in lines)


def _health(told: Mapping[str, Any], lang: Lang) -> str:
    state = shown(told.get("state"), lang)
    head = say(lang, f"**{told.get('environment')}** is {state}.", f"**{told.get('environment')}**: {state}.")
    return f"{head}\n\n{table(rows(told, 'checks'), CHECKS.split(), lang, 'check_environment_health')}"


def _changes(told: Mapping[str, Any], lang: Lang) -> str:
    """What is not committed, then the commits."""
    open_changes, commits = rows(told, "uncommitted"), rows(told, "commits")
    place = plain(str(told.get("environment") or ""))
    head = say(
        lang, f"Uncommitted on {place}: {len(open_changes)}.", f"Не закоммичено на {place}: {len(open_changes)}."
    )
    parts = [head, table(open_changes[:MOST_ROWS], CHANGES.split(), lang)]
    if commits:
        parts += [say(lang, "Latest commits:", "Последние коммиты:"), table(commits[:MOST_ROWS], COMMITS.split(), lang)]
    return "\n\n".join(part for part in parts if part)


def _plan(told: Mapping[str, Any], lang: Lang) -> str:
    create, update, same = (rows(told, key) for key in ("create", "update", "unchanged"))
    ends = f"{plain(str(told.get('source')))} → {plain(str(told.get('target')))}"
    head = say(
        lang,
        f"Plan {ends}: {len(create)} new, {len(update)} to overwrite, {len(same)} the same.",
        f"План {ends}: новых {len(create)}, перезаписать {len(update)}, без изменений {len(same)}.",
    )
    new, old = say(lang, "new", "новый"), say(lang, "overwritten", "перезапись")
    named = [(plain(str(i.get("name"))), kind) for kind, group in ((new, create), (old, update)) for i in group]
    lines = "\n".join(f"- {name}: {kind}" for name, kind in named[:MOST_ROWS])
    warnings = told.get("warnings")
    warned = "\n".join(f"- {plain(str(w))}" for w in warnings[:5]) if isinstance(warnings, list) else ""
    return "\n\n".join(part for part in (head, lines, warned) if part)


def _document(told: Mapping[str, Any], lang: Lang) -> str:
    body = "\n".join(_outline(told.get("content"))[:_MOST_LINES])
    return f"{_thing('read_document', told, lang)}\n\n{body}".strip()


def _outline(content: Any, depth: int = 0) -> list[str]:
    """A JSON value as nested bullets; an object of plain values in a list takes one line."""
    pad = "  " * depth
    if isinstance(content, dict):
        parts = [(f"**{plain(str(key))}**", value) for key, value in content.items()]
    elif isinstance(content, list):
        parts = [("", value) for value in content]
    else:
        return [f"{pad}- {plain(str(content), 400)}"]
    return [line for name, value in parts for line in _branch(name, value, pad, depth)]


def _branch(name: str, value: Any, pad: str, depth: int) -> list[str]:
    if not name and isinstance(value, dict) and not any(isinstance(v, dict | list) for v in value.values()):
        value = ", ".join(f"{key}: {inner}" for key, inner in value.items())
    if not isinstance(value, dict | list) or not value:
        return [f"{pad}- {name + ': ' if name else ''}{plain(str(value), 400)}"]
    inner = _outline(value, depth + 1) if depth < _DEEPEST else [f"{pad}  - …"]
    return [f"{pad}- {name or '…'}", *inner]


def _attachment(told: Mapping[str, Any], lang: Lang) -> str:
    attached = told.get("attachment")
    name = attached.get("name") if isinstance(attached, dict) else told.get("name")
    body = _quoted(str(told.get("text") or ""))
    more = told.get("next_offset")
    note = say(lang, "There is more of it.", "Это не весь текст.") if more else ""
    return "\n\n".join(part for part in (f"**{plain(str(name or ''))}**", body, note) if part)


def _quoted(text: str) -> str:
    """A text from outside as a quotation, line by line."""
    lines = text[:_MOST_TEXT].splitlines()[:_MOST_LINES]
    return "\n".join(f"> {plain(line, 400)}  " for line in lines)


_TELLERS: Mapping[str, Callable[[Mapping[str, Any], Lang], str]] = {
    "check_environment_health": _health,
    "list_changes": _changes,
    "plan_migration": _plan,
    "read_document": _document,
    "read_attachment": _attachment,
}


def _change(outcome: Outcome, told: Mapping[str, Any], lang: Lang) -> str:
    """A change as the backend words it, else as this page does; then the way back, where there is one."""
    message = plain(str(told.get("message") or ""), 400)
    if message and language(_UNQUOTED.sub("", message)) != lang:  # the interface is in another language
        message = f"{_name(_resource_name(told) or outcome.subject, lang)}: {_changed(outcome, lang)}"
    text = message or _changed(outcome, lang)
    if message and message[-1] not in ".!?…":
        text += "."
    if told.get("change_id") is None or outcome.tool == "undo_change":
        return text
    return text + say(lang, " It can be undone: say “undo that”.", " Это можно вернуть: напишите «отмени это».")


def _changed(outcome: Outcome, lang: Lang) -> str:
    return say(lang, *CHANGED.get(outcome.tool, ("Done.", "Готово.")))


def _resource_name(told: Mapping[str, Any]) -> str:
    resource = told.get("resource")
    return str(resource.get("name") or "") if isinstance(resource, dict) else ""


def _none(outcome: Outcome, lang: Lang) -> str:
    if outcome.tool == "undo_change":
        return say(lang, *NOTHING_TO_UNDO)
    thing = thing_of(outcome.tool)
    en, ru = THINGS.get(thing, ("thing", "объекта"))
    if outcome.subject:
        name = _name(outcome.subject, lang)
        return say(
            lang, f"I found no {en} {name}; nothing was changed.", f"Не нашлось {ru} {name}; ничего не изменено."
        )
    return say(lang, f"I found no {en} that fits; nothing was changed.", f"Не нашлось {ru}; ничего не изменено.")


def _failed(outcome: Outcome, lang: Lang) -> str:
    result = outcome.result or Result("")
    code = next((c for c in REFUSED if result.code == c or result.code.endswith(c)), "")
    known = say(lang, *REFUSED[code]) if code else say(lang, "It did not work.", "Не получилось.")
    subject = f"{_called(outcome, lang)}: " if _called(outcome, lang) else ""
    subject = subject[:1].upper() + subject[1:]
    foreign = code and language(_UNQUOTED.sub("", result.detail)) != lang
    detail = "" if foreign else plain(result.detail, 400)
    return f"{subject}{known} {detail}".strip()


def _denied(outcome: Outcome, lang: Lang) -> str:
    subject = f" {_called(outcome, lang)}" if _called(outcome, lang) else ""
    if outcome.result and outcome.result.code in UNDECIDED:
        about = say(lang, f" about{subject}", f" про{subject}") if subject else ""
        return say(lang, *UNDECIDED[outcome.result.code]).format(about=about)
    reason = plain(outcome.result.detail) if outcome.result else ""
    why = say(lang, f" Reason: {reason}.", f" Причина: {reason}.") if reason else ""
    return say(
        lang,
        f"You did not approve it, so I left{subject or ' everything'} as is.{why}",
        f"Вы не подписали, поэтому оставляю{subject} как есть.{why}",
    )


def _called(outcome: Outcome, lang: Lang) -> str:
    """The thing of a call by its name, else by its kind and number; empty when nothing tells either."""
    if outcome.result and outcome.result.about:
        return _name(outcome.result.about, lang)
    kind = KINDS.get(thing_of(outcome.tool), ("", ""))
    if outcome.subject.isdecimal() and kind[0]:
        return f"{say(lang, *kind)} {outcome.subject}"
    return _name(outcome.subject, lang) if outcome.subject else ""


def _unsure(outcome: Outcome, lang: Lang) -> str:
    """The act that was asked for is not the one that the rules would do."""
    return say(
        lang,
        "I am not sure what you want done here, so nothing was changed. What should I do, and with which thing? "
        "For example: “delete dashboard 94” or “remove the tag q3 from dashboard 88”.",
        "Не уверена, что именно нужно сделать, поэтому ничего не изменено. Что сделать и с чем? "
        "Например: «удали дашборд 94» или «убери тег q3 с дашборда 88».",
    )


def _stopped(outcome: Outcome, lang: Lang) -> str:
    return say(
        lang,
        "All right, I did nothing. Say it again with more detail.",
        "Хорошо, ничего не делаю. Уточните, пожалуйста, и повторите.",
    )


def _cannot(outcome: Outcome, lang: Lang) -> str:
    if outcome.tool in NO_TOOL:
        return say(lang, *NO_TOOL[outcome.tool])
    wish = _name(outcome.subject, lang) if outcome.subject else say(lang, "This request", "Просьба")
    searched = _NEEDS.finditer(outcome.result.text if outcome.result else "")
    role = next((match["role"] for match in searched if match["tool"] == outcome.tool), "")
    if not role:
        return say(
            lang,
            f"{wish}: there is no tool for this here. Nothing was changed.",
            f"{wish}: инструмента для этого здесь нет. Ничего не изменено.",
        )
    return say(
        lang,
        f"{wish}: your role does not allow this, it needs the role {role}. Nothing was changed. "
        "Ask somebody who has that role, or an admin to grant it.",
        f"{wish}: ваша роль этого не позволяет, нужна роль «{ROLES.get(role, role)}». Ничего не изменено. "
        "Попросите того, у кого эта роль есть, или администратора её выдать.",
    )


def _how(outcome: Outcome, lang: Lang) -> str:
    return explained(outcome.tool, lang)


def _many(outcome: Outcome, lang: Lang) -> str:
    total = outcome.result.total if outcome.result else 0
    return say(
        lang,
        f"{total} match, more than I act on at once. Name some of them or narrow it down.",
        f"Подходит {total}, это больше, чем я меняю за раз. Назовите нужные или уточните условие.",
    )


def _skipped(outcome: Outcome, lang: Lang) -> str:
    tool = outcome.tool.replace("_", " ")
    return say(
        lang,
        f"The next step ({tool}) waits: the one before it did not happen.",
        f"Следующий шаг ({tool}) не выполняю: предыдущий не состоялся.",
    )


_KINDS: Mapping[str, Callable[[Outcome, Lang], str]] = {
    "done": _done,
    "none": _none,
    "failed": _failed,
    "denied": _denied,
    "stopped": _stopped,
    "cannot": _cannot,
    "many": _many,
    "skipped": _skipped,
    "how": _how,
    "unsure": _unsure,
}
