"""The words of the gallery. A pair is (English, Russian)."""

import copy
from typing import Any

Words = tuple[str, str]


def pick(value: Any, lang: str) -> Any:
    """The half of every pair inside a value that the language needs."""
    if isinstance(value, tuple) and len(value) == 2:
        return copy.deepcopy(value[lang == "ru"])
    if isinstance(value, dict):
        return {key: pick(item, lang) for key, item in value.items()}
    return [pick(item, lang) for item in value] if isinstance(value, list) else value


DRAFTS = [
    {"name": "sales_q2_draft", "meta": ("last opened 14 Mar", "открыт 14 марта")},
    {"name": "sales_q2_draft_copy", "meta": ("never opened", "не открывали")},
    {"name": "tmp_regions_test", "meta": ("last opened 2 Feb", "открыт 2 февраля")},
]
ALERT = [
    {"field": ("Threshold", "Порог"), "before": "10 %", "after": "5 %"},
    {"field": ("Window", "Окно"), "before": ("6 hours", "6 часов"), "after": ("1 hour", "1 час")},
    {"field": ("Notify", "Кому"), "before": "ops@acme.io", "after": "ops@acme.io, oncall@acme.io"},
    {"field": ("Runbook", "Инструкция"), "before": None, "after": "wiki/checkout-errors " + "long " * 80},
]
PATHS = [
    {"op": "replace", "path": "/tiles/2/query/limit", "before": 100, "after": 5000},
    {
        "op": "add",
        "path": "/tiles/2/query/filters/-",
        "after": {"field": "region", "op": "in", "value": ["EMEA", "APAC"]},
    },
    {"op": "remove", "path": "/tiles/5", "before": {"type": "note", "text": "Draft: numbers to be confirmed"}},
]
REPORTS = ["finance/close_2026_10", "finance/close_2026_11", "finance/cash_daily", "finance/ar_ageing", "finance/vat"]
CHANGED = {
    "type": "fields",
    "title": ("Changed since you signed", "С вашей подписи изменилось"),
    "sides": [("When you signed", "Когда вы подписали"), ("Now", "Сейчас")],
    "unchanged": 0,
    "rows": [{"field": ("Threshold", "Порог"), "before": "10 %", "after": "8 %"}],
}

_ALERT_CARD = {
    "tool": "update_dashboard",
    "args": {"dashboard_id": "d88", "threshold": 0.05, "window": "1h"},
    "risk": "change",
    "title": ("Change the alert “Checkout errors”?", "Изменить алерт «Ошибки оплаты»?"),
    "lead": ("It will fire earlier and also page the on-call engineer.", "Будет срабатывать раньше и звать дежурного."),
    "approve": ("Change alert", "Изменить алерт"),
    "evidence": [{"type": "fields", "unchanged": 6, "rows": ALERT}],
}

CARDS: dict[str, Any] = {
    "said": ("Clean up the dashboards nobody opens. Finance only.", "Убери дашборды, которые никто не открывает."),
    "intro": (
        "I found **31** finance dashboards. Three of them are drafts, so I would start there.",
        "Нашёл **31** финансовый дашборд. Три из них черновики: предлагаю начать с них.",
    ),
    "notice": ("Older messages were left out to fit the model’s window.", "Старые сообщения не вошли в окно модели."),
    "thoughts": (
        "The person wants unused dashboards.\nStart with drafts.",
        "Нужны ненужные дашборды.\nНачну с черновиков.",
    ),
    "running": ("Listing tasks", "Смотрю задачи"),
    "error": (
        "The connection broke after 30 s. Nothing was changed; your message is saved.",
        "Связь оборвалась через 30 с. Ничего не изменено, сообщение сохранено.",
    ),
    "deleted": ("3 dashboards moved to the trash, 31 MB freed.", "3 дашборда в корзине, освободилось 31 МБ."),
    "locked": (
        "sales_q2_draft is locked by m.ito. Nothing was changed.",
        "sales_q2_draft заблокирован. Ничего не изменено.",
    ),
    "back": ("3 dashboards are back.", "3 дашборда на месте."),
    "reason": ("Keep tmp_regions_test, Ilya still needs it.", "Оставь tmp_regions_test, он ещё нужен Илье."),
    "delete": {
        "tool": "delete_dashboard",
        "args": {"ids": [412, 418, 733], "to_trash": True},
        "risk": "danger",
        "title": ("Delete 3 dashboards?", "Удалить 3 дашборда?"),
        "lead": (
            "They go to the trash and can be restored until 30 December. Two people have them in favourites.",
            "Они попадут в корзину, восстановить можно до 30 декабря. У двух человек они в избранном.",
        ),
        "approve": ("Delete 3 dashboards", "Удалить 3 дашборда"),
        "evidence": [{"type": "list", "items": DRAFTS}],
    },
    "fields": _ALERT_CARD,
    "moved": {**_ALERT_CARD, "evidence": [CHANGED, *_ALERT_CARD["evidence"]]},
    "needs": {**_ALERT_CARD, "needs": "admin"},
    "document": {
        "tool": "apply_document_patch",
        "args": {"document_id": "revenue", "patch": PATHS},
        "risk": "change",
        "title": ("Patch dashboards/revenue.json?", "Изменить dashboards/revenue.json?"),
        "lead": (
            "3 changes in 1 document. The current version stays in history as v41.",
            "3 изменения в одном документе. Текущая версия останется в истории как v41.",
        ),
        "approve": ("Apply 3 changes", "Применить 3 изменения"),
        "evidence": [{"type": "jsonpath", "doc": "dashboards/revenue.json · v41 → v42", "changes": PATHS}],
    },
    "bulk": {
        "tool": "run_migration",
        "args": {"source": "legacy_dwh", "target": "lakehouse"},
        "risk": "danger",
        "title": ("Move 128 reports to lakehouse?", "Перенести 128 отчётов в lakehouse?"),
        "lead": ("Reports keep their links and owners.", "Ссылки и владельцы сохранятся."),
        "approve": ("Move 128 reports", "Перенести 128 отчётов"),
        "evidence": [
            {
                "type": "bulk",
                "total": 128,
                "first": REPORTS,
                "names": [f"finance/r{i}" for i in range(128)],
                "counts": [{"label": ("to move", "перенести"), "n": 128}, {"label": ("skip", "пропустить"), "n": 14}],
            }
        ],
    },
    "typed": {
        "tool": "delete_dataset",
        "args": {"dataset_id": "prod_sales", "cascade": True},
        "risk": "danger",
        "title": ("Drop the schema prod_sales?", "Удалить схему prod_sales?"),
        "lead": ("This cannot be undone. The last backup is 19 hours old.", "Вернуть будет нельзя. Копии 19 часов."),
        "approve": ("Drop prod_sales", "Удалить prod_sales"),
        "type_to_sign": "prod_sales",
        "evidence": [{"type": "facts", "items": [[("Tables", "Таблиц"), 42], [("Rows", "Строк"), 18340221]]}],
    },
    "form": {
        "tool": "schedule_export",
        "risk": "send",
        "args": {
            "report": "Weekly revenue",
            "format": "pdf",
            "first_run": "2026-12-07",
            "rows": 500,
            "tags": ["cfo", "weekly"],
        },
        "title": ("Send “Weekly revenue” every Monday?", "Отправлять «Weekly revenue» каждый понедельник?"),
        "lead": ("The report leaves the company network.", "Отчёт уходит за пределы сети компании."),
        "approve": ("Schedule e-mail", "Включить отправку"),
        "reasons": [("POST operation without a proof of safety", "Операция POST без доказанной безопасности")],
        "evidence": [{"type": "facts", "items": [[("Format", "Формат"), "PDF"], [("Row limit", "Лимит строк"), 500]]}],
    },
}

FORM = {
    "type": "object",
    "required": ["report", "format", "first_run"],
    "properties": {
        "report": {"type": "string", "title": ("Report", "Отчёт")},
        "format": {"type": "string", "title": ("Format", "Формат"), "enum": ["pdf", "xlsx", "csv"]},
        "first_run": {"type": "string", "format": "date", "title": ("First run", "Первый запуск")},
        "rows": {
            "anyOf": [{"type": "integer", "minimum": 1, "maximum": 10000}, {"type": "null"}],
            "title": ("Row limit", "Лимит строк"),
            "description": ("1 to 10,000", "от 1 до 10 000"),
        },
        "tags": {
            "type": "array",
            "items": {"type": "string"},
            "title": ("Tags", "Теги"),
            "description": ("One a line", "По одному на строке"),
        },
        "urgent": {"type": "boolean", "title": ("Urgent", "Срочно")},
    },
}

QUESTION = {
    "question": ("Which “Revenue” do you mean?", "Какую «Выручку» вы имеете в виду?"),
    "choices": [
        {"value": "gross", "label": ("Gross revenue", "Валовая выручка"), "hint": ("before refunds", "до возвратов")},
        {
            "value": "net",
            "label": ("Net revenue", "Чистая выручка"),
            "hint": ("after refunds and VAT", "после возвратов и НДС"),
        },
        {"value": "both", "label": ("Show both side by side", "Показать обе рядом")},
    ],
}

_TABLE = {
    "columns": [("Dashboard", "Дашборд"), ("Owner", "Владелец"), ("Views", "Просмотры")],
    "total": 31,
    "rows": [["sales_q2_draft", "m.ito", 1], ["sales_q2_draft_copy", "m.ito", 0], ["churn_old_2023", "a.petrova", 0]],
}
STEPS = [
    [
        "tool_end",
        {
            "tool": "list_environments",
            "title": ("Listed environments", "Просмотрел окружения"),
            "duration": 0.2,
            "summary": ("3 found", "найдено: 3"),
            "args": {"limit": 20},
        },
    ],
    [
        "tool_end",
        {
            "tool": "search_dashboards",
            "title": ("Searched dashboards", "Искал дашборды"),
            "duration": 0.8,
            "summary": ("31 found", "найдено: 31"),
            "args": {"text": "draft"},
            "data": _TABLE,
        },
    ],
    [
        "tool_end",
        {
            "tool": "get_dataset",
            "title": ("Looked at a dataset", "Посмотрел датасет"),
            "duration": 0.4,
            "args": {"dataset_id": "orders"},
            "data": {
                "id": "ds1",
                "name": "orders",
                "row_count": 18340,
                "stale": False,
                "owner": {"id": "u1", "name": "M. Ito"},
            },
        },
    ],
    [
        "tool_error",
        {
            "tool": "get_task",
            "title": ("Looked at a task", "Посмотрел задачу"),
            "duration": 10.0,
            "error": {
                "code": "timeout",
                "title": ("The service did not answer in 10 s", "Сервис не ответил за 10 с"),
                "detail": ("I went on without it.", "Продолжил без него."),
            },
        },
    ],
]

KINDS = [
    STEPS[1],
    [
        "tool_end",
        {
            "tool": "read_document",
            "title": ("Read a document", "Чтение документа"),
            "duration": 0.3,
            "summary": ("Revenue report · 41", "Отчёт о выручке · 41"),
            "args": {"document": "revenue"},
            "data": {"id": "revenue", "revision": 41, "content": {"tiles": [{"id": 1}, {"id": 2}]}},
        },
    ],
    [
        "tool_end",
        {
            "tool": "apply_document_patch",
            "effect": "write",
            "title": ("Changing a document", "Изменение документа"),
            "duration": 1.2,
            "args": {
                "document_id": "revenue",
                "base_revision": 41,
                "patch": [
                    {"op": "test", "path": "/tiles/2/query/limit", "value": 100},
                    {"op": "replace", "path": "/tiles/2/query/limit", "value": 5000},
                    {
                        "op": "add",
                        "path": "/tiles/2/query/filters/-",
                        "value": {"field": "region", "value": "long " * 40},
                    },
                    {"op": "move", "from": "/tiles/5", "path": "/tiles/0"},
                    {"op": "remove", "path": "/tiles/7"},
                ],
            },
            "data": {"id": "revenue", "revision": 42},
        },
    ],
    [
        "tool_end",
        {
            "tool": "read_chat_file",
            "title": ("Read a file of this chat", "Чтение файла из чата"),
            "duration": 0.1,
            "summary": ("close_2026_10.pdf", "close_2026_10.pdf"),
            "args": {"name": "close_2026_10.pdf"},
            "data": "Close of October 2026",
        },
    ],
    [
        "tool_end",
        {
            "tool": "update_dashboard",
            "effect": "write",
            "title": ("Changing a dashboard", "Изменение дашборда"),
            "duration": 0.5,
            "args": {"dashboard_id": 418, "tags": ["finance", "draft"], "note": "x" * 400},
            "data": {"changed": ["/tags", "/note"], "id": 418},
        },
    ],
    [
        "tool_end",
        {
            "tool": "undo_change",
            "effect": "write",
            "title": ("Undoing a change", "Отмена изменения"),
            "duration": 0.5,
            "args": {"change_id": "c1"},
        },
    ],
    [
        "tool_error",
        {
            "tool": "delete_dataset",
            "effect": "danger",
            "title": ("Deleting a dataset", "Удаление датасета"),
            "error": {
                "code": "interrupted",
                "title": ("Interrupted; the outcome is unknown.", "Прервано, исход неизвестен."),
            },
        },
    ],
]
