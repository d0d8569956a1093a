"""How the answers of the known tools are told: columns of lists, facts of single things, sentences of changes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

LABELS: Mapping[str, tuple[str, str]] = {
    "age_hours": ("Age, hours", "Возраст, часов"),
    "approval_id": ("Approval", "Подпись"),
    "at": ("When", "Когда"),
    "attachments": ("Attachments", "Вложения"),
    "author": ("Author", "Автор"),
    "broken": ("Broken", "Сломан"),
    "by": ("Who", "Кто"),
    "copies": ("Copies", "Копии"),
    "created_at": ("Taken", "Сделана"),
    "created_by": ("By", "Кем"),
    "dashboards": ("Dashboards", "Дашборды"),
    "dataset": ("Dataset", "Датасет"),
    "datasets": ("Datasets", "Датасеты"),
    "description": ("Description", "Описание"),
    "detail": ("Detail", "Подробности"),
    "document_title": ("Document", "Документ"),
    "environment": ("Environment", "Окружение"),
    "error": ("Error", "Ошибка"),
    "finished_at": ("Finished", "Завершена"),
    "id": ("ID", "ID"),
    "kind": ("Kind", "Вид"),
    "last_change": ("Last change", "Последняя правка"),
    "last_seen_at": ("Seen", "Был(а)"),
    "latest_version": ("Latest", "Последняя версия"),
    "maintenance_message": ("Message", "Сообщение"),
    "message": ("Message", "Сообщение"),
    "name": ("Name", "Название"),
    "note": ("Note", "Пометка"),
    "owner": ("Owner", "Владелец"),
    "person": ("Who", "Кто"),
    "progress": ("Progress, %", "Готово, %"),
    "refreshed_at": ("Refreshed", "Обновлён"),
    "revision": ("Revision", "Версия"),
    "roles": ("Roles", "Роли"),
    "row_count": ("Rows", "Строк"),
    "schema": ("Schema", "Схема"),
    "seconds_left": ("Seconds left", "Осталось секунд"),
    "short_id": ("Commit", "Коммит"),
    "size_bytes": ("Size", "Размер"),
    "source": ("Source", "Источник"),
    "source_state": ("Source state", "Состояние источника"),
    "stale": ("Stale", "Устарел"),
    "started_at": ("Started", "Начата"),
    "started_by": ("Started by", "Запустил(а)"),
    "state": ("State", "Состояние"),
    "summary": ("What", "Что"),
    "tags": ("Tags", "Теги"),
    "title": ("Title", "Название"),
    "type": ("Type", "Тип"),
    "uncommitted_changes": ("Uncommitted", "Не закоммичено"),
    "updated_at": ("Changed", "Изменён"),
    "updated_by": ("By", "Кем"),
    "version": ("Version", "Версия"),
    "check_environment_health.name": ("Check", "Проверка"),
    "list_environments.id": ("Environment", "Окружение"),
    "list_users.id": ("Login", "Логин"),
    "list_users.name": ("Name", "Имя"),
}


@dataclass(frozen=True)
class Listing:
    """A kind of list: what its items are called in both languages, and the properties that its table shows."""

    en: tuple[str, str]
    ru: tuple[str, str, str]
    columns: str


LISTS: Mapping[str, Listing] = {
    "list_environments": Listing(
        ("environment", "environments"),
        ("окружение", "окружения", "окружений"),
        "id version latest_version state maintenance_message uncommitted_changes",
    ),
    "search_dashboards": Listing(
        ("dashboard", "dashboards"),
        ("дашборд", "дашборда", "дашбордов"),
        "id name environment owner tags updated_at",
    ),
    "search_datasets": Listing(
        ("dataset", "datasets"),
        ("датасет", "датасета", "датасетов"),
        "id name environment schema source row_count refreshed_at",
    ),
    "list_backups": Listing(
        ("backup", "backups"),
        ("резервная копия", "резервные копии", "резервных копий"),
        "id environment created_at size_bytes kind note",
    ),
    "list_tasks": Listing(
        ("task", "tasks"), ("задача", "задачи", "задач"), "id title environment state progress started_by"
    ),
    "list_users": Listing(("person", "people"), ("человек", "человека", "человек"), "id name roles last_seen_at"),
    "list_audit_events": Listing(
        ("event", "events"), ("событие", "события", "событий"), "at person summary environment approval_id"
    ),
    "read_document": Listing(
        ("document", "documents"), ("документ", "документа", "документов"), "id title kind revision"
    ),
    "read_attachment": Listing(
        ("attachment", "attachments"), ("вложение", "вложения", "вложений"), "id name document_title size_bytes"
    ),
}

COMMITS, CHANGES, CHECKS = "short_id message author at", "id summary by at", "name state detail"
FACTS: Mapping[str, str] = {
    "get_dashboard": "id environment description owner tags datasets copies updated_at last_change",
    "get_dataset": (
        "id environment description schema source source_state row_count refreshed_at age_hours stale owner dashboards"
    ),
    "get_task": "id state progress seconds_left environment started_by started_at finished_at error",
    "read_document": "id kind revision updated_at updated_by attachments",
}
TABLES: Mapping[str, Sequence[tuple[str, str]]] = {
    "get_dashboard": (("charts", "title kind dataset broken"),),
    "get_dataset": (("columns", "name type description"),),
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
    "outcome_unknown": (
        "It is unclear whether this happened. Look at the current state before you ask again.",
        "Неясно, произошло ли это. Посмотрите на текущее состояние, прежде чем повторять.",
    ),
    "bad_arguments": (
        "I could not make this call fit the tool. Put the request in other words, please.",
        "Не получилось составить правильный вызов. Скажите это другими словами, пожалуйста.",
    ),
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

KINDS: Mapping[str, tuple[str, str]] = {
    "dashboard": ("dashboard", "дашборд"),
    "dataset": ("dataset", "датасет"),
    "task": ("task", "задача"),
}

UNDECIDED: Mapping[str, tuple[str, str]] = {
    "expired": (
        "The request{about} expired: nobody decided in time. Nothing was changed. Ask again if you still want it.",
        "Запрос{about} истёк: его никто не подписал вовремя. Ничего не изменено. Если это ещё нужно, попросите снова.",
    ),
    "superseded": (
        "The request{about} was withdrawn before anybody decided. Nothing was changed. Ask again if you still want it.",
        "Запрос{about} отозван, решить по нему не успели. Ничего не изменено. Если это ещё нужно, попросите снова.",
    ),
}

NOTHING_TO_UNDO = (
    "There is nothing to undo here: no change was made in this conversation. Nothing was changed now either. "
    "Name the thing to undo its last change, for example: “undo the last change of dashboard 88”.",
    "Отменять здесь нечего: в этом разговоре ничего не менялось. Сейчас тоже ничего не изменено. "
    "Чтобы отменить последнюю правку, назовите, где она: «отмени последнюю правку дашборда 88».",
)

ROLES: Mapping[str, str] = {
    "viewer": "наблюдатель",
    "analyst": "аналитик",
    "editor": "редактор",
    "publisher": "публикатор",
    "admin": "администратор",
}

NO_TOOL: Mapping[str, tuple[str, str]] = {
    "archive": (
        "There is no tool here to archive, hide, share or merge things. Nothing was changed. I can change, copy or "
        "delete them, for example: “delete dashboard 94”.",
        "Инструмента, чтобы архивировать, скрывать, объединять или передавать по ссылке, здесь нет. Ничего не "
        "изменено. Я могу изменить, перенести или удалить, например: «удали дашборд 94».",
    ),
    "delete_document": (
        "There is no tool here to delete documents. Nothing was changed. I can change what is in them, for example: "
        "“set freshness to 12h in the shipments contract”.",
        "Инструмента, чтобы удалять документы, здесь нет. Ничего не изменено. Я могу менять их содержимое, например: "
        "«поставь свежесть 12h в контракте по отгрузкам».",
    ),
    "manage_people": (
        "There is no tool here to add, delete or block people; whoever manages the accounts can. Nothing was changed. "
        "What I can change are roles, for example: “take the role editor away from p.nair”.",
        "Инструмента, чтобы добавить, удалить или заблокировать человека, здесь нет: это делает тот, кто ведёт учётные "
        "записи. Ничего не изменено. Я могу менять роли, например: «забери у p.nair роль editor».",
    ),
}
