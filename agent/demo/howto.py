"""Answers to "how do I ...?": what to say and what will happen then. Nothing is called and nothing proposed."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from agent.demo.clauses import Clause
from agent.demo.language import Lang

_ASKS_HOW = re.compile(
    r"\bhow\s+(?:do|does|can|could|should|would|might)\s+(?:i|we|you|one|people|someone|somebody)\b|\bhow\s+to\b"
    r"|\bкак(?:\s+(?:мне|нам|тут|здесь|можно|нужно|правильно|лучше|вообще|бы))*\s+\w+(?:ть|ти|чь|ться|тись)\b"
    r"|\bкаким\s+образом\b",
    re.IGNORECASE,
)
_SIGNED = (
    "Say it plainly, for example: “{}”. I look up what it is about and show you a request that says what will change. "
    "Nothing runs until you sign that request, and you can deny it.",
    "Скажите прямо, например: «{}». Я найду, о чём речь, и покажу запрос, в котором видно, что изменится. "
    "Пока вы не подпишете этот запрос, ничего не выполнится; его можно и отклонить.",
)
_AT_ONCE = (
    "Say it plainly, for example: “{}”. I do it at once; what can be undone can be undone afterwards. "
    "With “Review changes” on, it waits for your signature first.",
    "Скажите прямо, например: «{}». Сделаю сразу; что можно вернуть, можно вернуть и потом. "
    "Если включено «Проверять изменения», сначала попрошу подпись.",
)


@dataclass(frozen=True, slots=True)
class Example:
    """How to ask for a change, in English and Russian, and whether it always waits for a signature."""

    en: str
    ru: str
    signed: bool = False


EXAMPLES: Mapping[str, Example] = {
    "set_maintenance_mode": Example("put stage into maintenance mode", "включи режим обслуживания на stage", True),
    "create_dashboard": Example("create an empty dashboard Leads on dev", "создай пустой дашборд Лиды на dev"),
    "update_dashboard": Example("rename dashboard 94 to Weekly Funnel 2", "переименуй дашборд 94 в Воронка 2"),
    "delete_dashboard": Example("delete dashboard 94", "удали дашборд 94", True),
    "refresh_dataset": Example("refresh dataset 204", "обнови датасет 204"),
    "delete_dataset": Example("delete dataset 340", "удали датасет 340", True),
    "run_migration": Example("migrate dashboard 94 from dev to stage", "перенеси дашборд 94 с dev на stage", True),
    "create_backup": Example("back up stage", "сделай бэкап stage"),
    "restore_backup": Example("restore stage from backup bk-551", "восстанови stage из копии bk-551", True),
    "delete_backup": Example("delete backup bk-410", "удали копию bk-410", True),
    "start_task": Example("validate dashboard 94", "провалидируй дашборд 94"),
    "cancel_task": Example("cancel task 9381", "отмени задачу 9381", True),
    "commit_changes": Example("commit the changes on dev", "закоммить изменения на dev"),
    "rollback_commit": Example("roll back commit 91be0d7 on dev", "откати коммит 91be0d7 на dev", True),
    "grant_role": Example("give p.nair the role editor", "выдай p.nair роль editor", True),
    "revoke_role": Example("take the role editor away from p.nair", "забери у p.nair роль editor", True),
    "apply_document_patch": Example(
        "in the shipments data contract set freshness to 6h", "в контракте shipments поставь freshness 6h"
    ),
    "undo_change": Example("undo change 2041", "отмени изменение 2041"),
}


def asks_how(clause: Clause) -> bool:
    """Whether a clause asks how something is done, rather than for it to be done."""
    return _ASKS_HOW.search(clause.own_text) is not None


def explained(tool: str, lang: Lang) -> str:
    """What to say to have a change made, and what will happen then."""
    example = EXAMPLES[tool]
    told = _SIGNED if example.signed else _AT_ONCE
    return told[lang == "ru"].format(example.ru if lang == "ru" else example.en)
