"""How the answers of the known tools are told: columns of lists, facts of single things, sentences of changes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Columns = Sequence[tuple[str, str, str]]
_NAME, _ID = ("name", "Name", "Название"), ("id", "Id", "Номер")
_ENVIRONMENT, _STATE = ("environment", "Environment", "Окружение"), ("state", "State", "Состояние")


@dataclass(frozen=True)
class Listing:
    """A kind of list: what its items are called in both languages, and its columns (key, English, Russian)."""

    en: tuple[str, str]
    ru: tuple[str, str, str]
    columns: Columns


LISTS: Mapping[str, Listing] = {
    "list_environments": Listing(
        ("environment", "environments"), ("окружение", "окружения", "окружений"),
        (("id", "Environment", "Окружение"), ("version", "Version", "Версия"), ("latest_version", "Latest", "Последняя"),
         _STATE, ("maintenance_message", "Message", "Сообщение"), ("uncommitted_changes", "Uncommitted", "Не закоммичено")),
    ),
    "search_dashboards": Listing(
        ("dashboard", "dashboards"), ("дашборд", "дашборда", "дашбордов"),
        (_ID, _NAME, _ENVIRONMENT, ("owner", "Owner", "Владелец"), ("tags", "Tags", "Теги"), ("updated_at", "Changed", "Изменён")),
    ),
    "search_datasets": Listing(
        ("dataset", "datasets"), ("датасет", "датасета", "датасетов"),
        (_ID, _NAME, _ENVIRONMENT, ("schema", "Schema", "Схема"), ("source", "Source", "Источник"),
         ("row_count", "Rows", "Строк"), ("refreshed_at", "Refreshed", "Обновлён")),
    ),
    "list_backups": Listing(
        ("backup", "backups"), ("резервная копия", "резервные копии", "резервных копий"),
        (_ID, _ENVIRONMENT, ("created_at", "Taken", "Сделана"), ("size_bytes", "Size", "Размер"), ("kind", "Kind", "Вид"),
         ("note", "Note", "Пометка")),
    ),
    "list_tasks": Listing(
        ("task", "tasks"), ("задача", "задачи", "задач"),
        (_ID, ("title", "Task", "Задача"), _ENVIRONMENT, _STATE, ("progress", "Progress, %", "Готово, %"),
         ("started_by", "By", "Кем")),
    ),
    "list_users": Listing(
        ("person", "people"), ("человек", "человека", "человек"),
        (("id", "Login", "Логин"), _NAME, ("roles", "Roles", "Роли"), ("title", "Title", "Должность"),
         ("last_seen_at", "Seen", "Был(а)")),
    ),
    "list_audit_events": Listing(
        ("event", "events"), ("событие", "события", "событий"),
        (("at", "When", "Когда"), ("person", "Who", "Кто"), ("summary", "What", "Что"), _ENVIRONMENT,
         ("approval_id", "Approval", "Подпись")),
    ),
    "read_document": Listing(
        ("document", "documents"), ("документ", "документа", "документов"),
        (_ID, ("title", "Title", "Название"), ("kind", "Kind", "Вид"), ("revision", "Revision", "Версия")),
    ),
    "read_attachment": Listing(
        ("attachment", "attachments"), ("вложение", "вложения", "вложений"),
        (_ID, _NAME, ("document_title", "Document", "Документ"), ("size_bytes", "Size", "Размер")),
    ),
}  # fmt: skip

COMMITS: Columns = (
    ("short_id", "Commit", "Коммит"), ("message", "Message", "Сообщение"), ("author", "Author", "Автор"), ("at", "When", "Когда"),
)  # fmt: skip
CHANGES: Columns = (
    ("id", "Change", "Правка"),
    ("summary", "What", "Что"),
    ("by", "Who", "Кто"),
    ("at", "When", "Когда"),
)
CHARTS: Columns = (
    ("title", "Chart", "График"),
    ("kind", "Kind", "Вид"),
    ("dataset", "Dataset", "Датасет"),
    ("broken", "Broken", "Сломан"),
)
DATA_COLUMNS: Columns = (("name", "Column", "Колонка"), ("type", "Type", "Тип"), ("description", "Meaning", "Смысл"))
CHECKS: Columns = (("name", "Check", "Проверка"), _STATE, ("detail", "Detail", "Подробности"))

FACTS: Mapping[str, Columns] = {
    "get_dashboard": (
        _ID, _ENVIRONMENT, ("description", "Description", "Описание"), ("owner", "Owner", "Владелец"), ("tags", "Tags", "Теги"),
        ("datasets", "Datasets", "Датасеты"), ("copies", "Copies", "Копии"), ("updated_at", "Changed", "Изменён"),
        ("last_change", "Last change", "Последняя правка"),
    ),
    "get_dataset": (
        _ID, _ENVIRONMENT, ("description", "Description", "Описание"), ("schema", "Schema", "Схема"),
        ("source", "Source", "Источник"), ("source_state", "Source state", "Состояние источника"), ("row_count", "Rows", "Строк"),
        ("refreshed_at", "Refreshed", "Обновлён"), ("age_hours", "Age, hours", "Возраст, часов"), ("stale", "Stale", "Устарел"),
        ("owner", "Owner", "Владелец"), ("dashboards", "Dashboards", "Дашборды"),
    ),
    "get_task": (
        _ID, _STATE, ("progress", "Progress, %", "Готово, %"), ("seconds_left", "Seconds left", "Осталось секунд"), _ENVIRONMENT,
        ("started_by", "Started by", "Запустил(а)"), ("started_at", "Started", "Начата"), ("finished_at", "Finished", "Завершена"),
        ("error", "Error", "Ошибка"),
    ),
    "read_document": (
        _ID, ("kind", "Kind", "Вид"), ("revision", "Revision", "Версия"), ("updated_at", "Changed", "Изменён"),
        ("updated_by", "By", "Кем"), ("attachments", "Attachments", "Вложения"),
    ),
}  # fmt: skip

TABLES: Mapping[str, Sequence[tuple[str, Columns]]] = {
    "get_dashboard": (("charts", CHARTS),),
    "get_dataset": (("columns", DATA_COLUMNS),),
    "check_environment_health": (("checks", CHECKS),),
}

CHANGED: Mapping[str, tuple[str, str]] = {
    "set_maintenance_mode": ("Maintenance mode is switched.", "Режим обслуживания переключён."),
    "create_dashboard": ("The dashboard is created.", "Дашборд создан."),
    "update_dashboard": ("The dashboard is changed.", "Дашборд изменён."),
    "delete_dashboard": ("The dashboard is deleted.", "Дашборд удалён."),
    "refresh_dataset": ("The dataset is refreshed.", "Датасет обновлён."),
    "delete_dataset": ("The dataset is deleted.", "Датасет удалён."),
    "run_migration": ("The migration is done.", "Перенос выполнен."),
    "create_backup": ("The backup is taken.", "Резервная копия сделана."),
    "restore_backup": ("The environment is restored.", "Окружение восстановлено."),
    "delete_backup": ("The backup is deleted.", "Резервная копия удалена."),
    "start_task": ("The task is started.", "Задача запущена."),
    "cancel_task": ("The task is canceled.", "Задача отменена."),
    "commit_changes": ("The changes are committed.", "Изменения закоммичены."),
    "rollback_commit": ("The content is rolled back.", "Содержимое откачено."),
    "grant_role": ("The role is granted.", "Роль выдана."),
    "revoke_role": ("The role is taken away.", "Роль забрана."),
    "apply_document_patch": ("The document is changed.", "Документ изменён."),
    "undo_change": ("The change is undone.", "Правка отменена."),
}

REFUSED: Mapping[str, tuple[str, str]] = {
    "role_required": ("Your role does not allow this.", "Ваша роль этого не позволяет."),
    "forbidden": ("Your role does not allow this.", "Ваша роль этого не позволяет."),
    "auth": ("You need to sign in again.", "Нужно войти заново."),
    "not_found": ("There is no such thing in the workspace.", "Такого в рабочем пространстве нет."),
    "revision_changed": (
        "It changed meanwhile; ask again to see the new state.",
        "За это время всё изменилось; спросите ещё раз.",
    ),
    "unreachable": ("The workspace does not answer.", "Рабочее пространство не отвечает."),
    "timeout": ("The workspace did not answer in time.", "Рабочее пространство не ответило вовремя."),
    "expired": ("The request for approval expired.", "Запрос на подпись истёк."),
}

THINGS: Mapping[str, tuple[str, str]] = {
    "dashboard": ("dashboard", "дашборда"),
    "dataset": ("dataset", "датасета"),
    "backup": ("backup", "резервной копии"),
    "task": ("task", "задачи"),
    "user": ("person", "человека"),
    "commit": ("commit", "коммита"),
    "document": ("document", "документа"),
    "attachment": ("attachment", "вложения"),
}
