"""What arguments and fields are called on a card and in its form, in both languages."""

from copy import deepcopy
from typing import Any

from tools.language import say
from tools.text import visible_text
from tools.toolset import Lang, ToolSpec

_FIELDS: dict[str, tuple[str, str]] = {
    "active": ("Active", "Активен"),
    "actor": ("Who", "Кто"),
    "action": ("Action", "Действие"),
    "add_tags": ("Tags to add", "Добавить теги"),
    "attachment": ("Attachment", "Вложение"),
    "backup_id": ("Backup", "Копия"),
    "base_revision": ("Based on revision", "На основе ревизии"),
    "age_hours": ("Age, hours", "Возраст, часов"),
    "change_id": ("Change", "Изменение"),
    "charts": ("Charts", "Графики"),
    "choices": ("Choices", "Варианты"),
    "checked_at": ("Checked", "Проверен"),
    "columns": ("Columns", "Столбцы"),
    "commit": ("Commit", "Коммит"),
    "created_at": ("Made", "Создан"),
    "created_by": ("Made by", "Кем создан"),
    "content": ("Content", "Содержимое"),
    "dashboard_id": ("Dashboard", "Дашборд"),
    "dashboard_ids": ("Dashboards", "Дашборды"),
    "dataset_id": ("Dataset", "Датасет"),
    "description": ("Description", "Описание"),
    "document": ("Document", "Документ"),
    "document_id": ("Document", "Документ"),
    "enabled": ("Maintenance", "Обслуживание"),
    "environment": ("Environment", "Окружение"),
    "finished_at": ("Finished", "Закончен"),
    "free": ("Free answer", "Свободный ответ"),
    "id": ("Id", "Номер"),
    "kind": ("Kind", "Вид"),
    "language": ("Language", "Язык"),
    "latest_version": ("Latest version", "Последняя версия"),
    "limit": ("At most", "Не больше"),
    "maintenance": ("Maintenance", "Обслуживание"),
    "maintenance_message": ("Message", "Сообщение"),
    "message": ("Message", "Сообщение"),
    "media_type": ("Type", "Тип"),
    "name": ("Name", "Название"),
    "not_refreshed_days": ("Not refreshed for days", "Не обновлялся дней"),
    "note": ("Note", "Пометка"),
    "offset": ("Skip", "Пропустить"),
    "owner": ("Owner", "Владелец"),
    "patch": ("Changes", "Правки"),
    "protected": ("Protected", "Защищён"),
    "progress": ("Progress", "Готово, %"),
    "question": ("Question", "Вопрос"),
    "refreshed_at": ("Refreshed", "Обновлён"),
    "remove_tags": ("Tags to remove", "Убрать теги"),
    "resource_id": ("Object id", "Номер объекта"),
    "resource_type": ("Object kind", "Вид объекта"),
    "refresh_every_hours": ("Refreshed every, hours", "Обновляется раз в, часов"),
    "reversible": ("Reversible", "Обратимо"),
    "revision": ("Revision", "Ревизия"),
    "role": ("Role", "Роль"),
    "roles": ("Roles", "Роли"),
    "row_count": ("Rows", "Строк"),
    "schema": ("Schema", "Схема"),
    "schema_name": ("Schema", "Схема"),
    "service": ("Service", "Сервис"),
    "since": ("From", "С"),
    "source": ("From", "Откуда"),
    "source_system": ("Source", "Источник"),
    "size_bytes": ("Size, bytes", "Размер, байт"),
    "stale": ("Out of date", "Устарел"),
    "started_at": ("Started", "Начат"),
    "started_by": ("Started by", "Запустил"),
    "state": ("State", "Состояние"),
    "summary": ("Summary", "Кратко"),
    "tag": ("Tag", "Тег"),
    "tags": ("Tags", "Теги"),
    "target": ("To", "Куда"),
    "target_id": ("Object", "Объект"),
    "task_id": ("Task", "Задача"),
    "template": ("Template", "Шаблон"),
    "text": ("Text", "Текст"),
    "title": ("Title", "Название"),
    "topic": ("Topic", "Тема"),
    "total": ("In all", "Всего"),
    "total_characters": ("Characters", "Символов"),
    "until": ("Until", "По"),
    "updated_at": ("Changed", "Изменён"),
    "updated_by": ("Changed by", "Кем изменён"),
    "user_id": ("Person", "Человек"),
    "version": ("Version", "Версия"),
}
_COUNTS: dict[str, tuple[str, str]] = {
    "backups_left": ("Backups left", "Останется копий"),
    "changes": ("Changes", "Изменений"),
    "charts": ("Charts", "Графиков"),
    "created": ("To create", "Создать"),
    "dashboards": ("Dashboards", "Дашбордов"),
    "dashboards_created": ("Dashboards to create", "Создать дашбордов"),
    "dashboards_unchanged": ("Dashboards as they are", "Дашбордов без изменений"),
    "dashboards_updated": ("Dashboards to overwrite", "Перезаписать дашбордов"),
    "datasets": ("Datasets", "Датасетов"),
    "datasets_created": ("Datasets to create", "Создать датасетов"),
    "datasets_updated": ("Datasets to overwrite", "Перезаписать датасетов"),
    "deleted": ("To delete", "Удалить"),
    "operations": ("Patch operations", "Операций патча"),
    "progress_percent": ("Done, %", "Готово, %"),
    "rows": ("Rows", "Строк"),
    "size_megabytes": ("Size, MB", "Размер, МБ"),
    "targets": ("Objects", "Объектов"),
    "updated": ("To overwrite", "Перезаписать"),
}
_STATES: dict[str, tuple[str, str]] = {
    "ok": ("healthy", "в порядке"),
    "degraded": ("degraded", "есть сбои"),
    "down": ("down", "не работает"),
    "maintenance": ("in maintenance", "на обслуживании"),
    "warning": ("warning", "внимание"),
    "queued": ("queued", "в очереди"),
    "running": ("running", "выполняется"),
    "succeeded": ("succeeded", "выполнена"),
    "failed": ("failed", "ошибка"),
    "canceled": ("canceled", "отменена"),
}


def field_label(lang: Lang, field: str) -> str:
    """The name of a field or argument; an unknown one is shown as it is."""
    return _label(lang, _FIELDS, field)


def count_label(lang: Lang, label: str) -> str:
    """What a count of the backend counts."""
    return _label(lang, _COUNTS, label)


def state_label(lang: Lang, state: Any) -> str:
    """The state of a thing in words."""
    return _label(lang, _STATES, str(state))


def form_schema(spec: ToolSpec, lang: Lang) -> dict[str, Any]:
    """The tool's argument schema for the form in which a person edits a call.

    Titles are in the language, descriptions in English only; "this or null" is the plain type, not required.
    """
    declared = spec.tool.args_schema
    schema = deepcopy(declared) if isinstance(declared, dict) else spec.tool.get_input_jsonschema()
    properties = schema.get("properties", {})
    schema["properties"] = {name: _form_field(prop, name, lang) for name, prop in properties.items()}
    return schema


def _form_field(prop: dict[str, Any], name: str, lang: Lang) -> dict[str, Any]:
    branches = [branch for branch in prop.get("anyOf", ()) if branch.get("type") != "null"]
    field = {**prop, **branches[0]} if len(branches) == 1 else dict(prop)
    hidden = {"anyOf", "title"} if len(branches) == 1 else {"title"}
    hidden |= {"description"} if lang == "ru" else set()
    hidden |= {"default"} if field.get("default") is None else set()
    return {"title": field_label(lang, name), **{key: value for key, value in field.items() if key not in hidden}}


def _label(lang: Lang, labels: dict[str, tuple[str, str]], key: str) -> str:
    return say(lang, *labels[key]) if key in labels else visible_text(key)
