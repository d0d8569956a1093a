"""Asks the person for what is missing, and reads the answer."""

import re
from collections.abc import Generator, Mapping, Sequence
from datetime import date
from typing import Any

from agent.demo.clauses import Clause, split
from agent.demo.language import fold
from agent.demo.reading import read
from agent.demo.results import Result, answer_text
from agent.demo.schemas import Tool, fitted, options_of, type_of
from agent.demo.slots import FILLERS
from agent.demo.steps import Ask, Desk, Goal, Option, Outcome, Step, Stop

MOST_OPTIONS = 4
_ANY_DAY = date(2000, 1, 1)
ASK_TOOL = "ask_user_question"
_NO = re.compile(
    r"(?:no|none|nothing|neither|cancel|stop|never ?mind|нет|никак\w+|ничего|ни один|отмена|отмени|стоп|не надо|"
    r"неважно)[.! ]*",
    re.IGNORECASE,
)
_ORDINALS = (("first", 0), ("second", 1), ("third", 2), ("fourth", 3), ("last", -1))
_QUESTIONS: Mapping[str, tuple[str, str]] = {
    "environment": ("Which environment?", "В каком окружении?"),
    "source": ("Copy from which environment?", "Из какого окружения перенести?"),
    "target": ("Copy to which environment?", "В какое окружение перенести?"),
    "role": ("Which role?", "Какую роль?"),
    "message": ("What should the commit message say?", "Какое сообщение у коммита?"),
    "name": ("What should it be called?", "Как назвать?"),
    "enabled": ("Switch it on or off?", "Включить или выключить?"),
    "kind": ("Which kind?", "Какого вида?"),
    "commit": ("Which commit?", "Какой коммит?"),
}
_SWITCH = (("On", "Включить", True), ("Off", "Выключить", False))

Asking = Generator[Sequence[Step], list[Result], Any]


def choose(goal: Goal, question: str, options: Sequence[Option], desk: Desk) -> Asking:
    """The value of the option that the person takes; raises `Stop` when they take none."""
    (result,) = yield [Ask(question, options[:MOST_OPTIONS], free=len(options) > MOST_OPTIONS)]
    answer = _accepted(goal, result)
    taken = option_for(answer, options)
    if taken is None:
        raise Stop(Outcome("none", goal.tool, subject=answer))
    return taken.value


def option_for(answer: str, options: Sequence[Option]) -> Option | None:
    """The option an answer means: its label, its value, its number or place in the list, the only one it fits."""
    wanted = fold(answer)
    for option in options:
        if wanted in {fold(option.label), fold(str(option.value))}:
            return option
    place = _place(answer)
    if place is not None and -len(options) <= place < len(options):
        return options[place]
    near = [o for o in options if wanted and wanted in fold(o.label).split(" · ")]
    near = near or [o for o in options if wanted and wanted in fold(o.label)]
    return near[0] if len(near) == 1 else None


def _place(answer: str) -> int | None:
    if re.fullmatch(r"[1-4][.)]?", answer.strip()):
        return int(answer.strip()[0]) - 1
    return place_in(clause_of(answer)) if answer.strip() else None


def place_in(clause: Clause) -> int | None:
    """Which of a list a clause means ("the second"); None when it says nothing of the kind."""
    told = (place for item in clause.items for concept, place in _ORDINALS if concept in item.concepts)
    return next(told, None)


def free(goal: Goal, question: str, desk: Desk) -> Asking:
    """The words of an answer to an open question; raises `Stop` when the person wants nothing."""
    (result,) = yield [Ask(question)]
    return _accepted(goal, result)


def missing(goal: Goal, tool: Tool, name: str, desk: Desk) -> Asking:
    """The value of a required argument, asked for; raises `Stop` when the answer does not fit it."""
    schema = tool.properties[name]
    en, ru = _QUESTIONS.get(name, (f"What is the {name.replace('_', ' ')}?", f"Укажите «{name}»."))
    options = _options(schema, desk)
    if options:
        (result,) = yield [Ask(desk.say(en, ru), options[:MOST_OPTIONS], free=len(options) > MOST_OPTIONS)]
    else:
        (result,) = yield [Ask(desk.say(en, ru))]
    value = _read_answer(goal, tool, name, _accepted(goal, result), options, desk)
    if value is None:
        raise Stop(Outcome("stopped", goal.tool, subject=name))
    return value


def _options(schema: Mapping[str, Any], desk: Desk) -> list[Option]:
    if type_of(schema) == "boolean":
        return [Option(desk.say(en, ru), value) for en, ru, value in _SWITCH]
    return [Option(str(value), value) for value in options_of(schema) if value is not None]


def _read_answer(goal: Goal, tool: Tool, name: str, answer: str, options: Sequence[Option], desk: Desk) -> Any:
    taken = option_for(answer, options)
    if taken is not None:
        return taken.value
    filler = FILLERS.get(name)
    told = filler(Goal(goal.tool, clause_of(answer)), desk) if filler else None
    schema = tool.properties[name]
    value = fitted(told, schema)
    return fitted(answer, schema) if value is None else value


def clause_of(text: str) -> Clause:
    """A short answer as one clause."""
    reading = read(text, _ANY_DAY)
    parts = split(reading)
    return parts[0] if len(parts) == 1 else Clause(reading.items, reading.text)


def _accepted(goal: Goal, result: Result) -> str:
    answer = answer_text(result).strip()
    if not result.ok or not answer or _NO.fullmatch(answer):
        raise Stop(Outcome("stopped", goal.tool))
    return answer
