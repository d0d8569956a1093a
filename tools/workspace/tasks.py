"""Background tasks: list, look into, start, cancel."""

from typing import Annotated, Any, Literal

from langchain_core.tools import tool
from pydantic import Field, model_validator

from tools.cards import Card, DryRun
from tools.client import Request
from tools.context import send
from tools.declare import declare
from tools.labels import state_label
from tools.language import number
from tools.results import Column, Returned, changed, detailed, instant, listed, person
from tools.toolset import Effect, Lang, Role
from tools.workspace.fields import INT_MAX, Args, EnvironmentId, ListArgs, Tag, TaskId, Text

TaskKind = Literal["validate_dashboard", "document_dataset", "make_thumbnails"]
TaskState = Literal["queued", "running", "succeeded", "failed", "canceled"]
_DASHBOARDS = ("dashboard", "dashboards"), ("дашборд", "дашборда", "дашбордов")
_FOR_DASHBOARDS = ("dashboard", "dashboards"), ("дашборда", "дашбордов", "дашбордов")

TASKS = (
    Column("id", "Id", "Номер"),
    Column("title", "Task", "Задача"),
    Column("kind", "Kind", "Вид"),
    Column("environment", "Environment", "Окружение"),
    Column("state", "State", "Состояние", state_label),
    Column("progress", "Done, %", "Готово, %"),
    Column("started_by", "Started by", "Кто запустил", person),
    Column("created_at", "Created", "Создана", instant),
)


class ListTasks(ListArgs):
    """Which tasks; running and queued ones first."""

    state: Annotated[TaskState, Field(description="Only in this state.")] | None = None
    kind: Annotated[TaskKind, Field(description="Only of this kind.")] | None = None
    environment: EnvironmentId | None = None
    started_by: Annotated[Text, Field(description="Who started it: a name or a login.")] | None = None
    text: Annotated[Text, Field(description="Words of the title, such as the dashboard's name.")] | None = None


class TaskArgs(Args):
    """One task."""

    task_id: TaskId


class StartTask(Args):
    """What to do and with what: one object by id, or all dashboards with a tag."""

    kind: Annotated[TaskKind, Field(description="What the task does.")]
    target_id: (
        Annotated[int, Field(ge=1, le=INT_MAX, description="Id of the dashboard, or of the dataset to document.")]
        | None
    ) = None
    tag: Annotated[Tag, Field(description="Instead of target_id: all dashboards with this tag.")] | None = None
    environment: Annotated[EnvironmentId, Field(description="Goes with tag.")] | None = None

    @model_validator(mode="after")
    def _one_target(self) -> "StartTask":
        if (self.target_id is None) == (self.tag is None):
            raise ValueError("give either target_id, or tag with environment")
        if (self.tag is None) != (self.environment is None):
            raise ValueError("tag and environment go together")
        if self.kind == "document_dataset" and self.tag is not None:
            raise ValueError("a dataset is documented by target_id")
        return self


@tool(response_format="content_and_artifact", args_schema=ListTasks)
async def list_tasks(**query: Any) -> Returned:
    """List background tasks, running and queued first, then the newest finished, with state and progress."""
    return listed(await send(Request("GET", "/tasks", query=query)), TASKS)


@tool(response_format="content_and_artifact", args_schema=TaskArgs)
async def get_task(task_id: int) -> Returned:
    """One background task by id: state, progress, time left, error and log."""
    return detailed(await send(Request("GET", "/tasks/{task_id}", {"task_id": task_id})), _progress)


def _progress(body: dict[str, Any], lang: Lang) -> str:
    return f"{state_label(lang, body.get('state'))}, {number(lang, body.get('progress') or 0)} %"


def _start(**body: Any) -> Request:
    return Request("POST", "/tasks", body={k: v for k, v in body.items() if v is not None})


@tool(response_format="content_and_artifact", args_schema=StartTask)
async def start_task(**body: Any) -> Returned:
    """Start a background task: validate a dashboard, document a dataset, or make thumbnails of dashboards."""
    return changed(await send(_start(**body)))


def _start_card(dry_run: DryRun) -> Card:
    title, approve = _work(dry_run)
    return Card(
        title=f"{title}{dry_run.place}?",
        approve=approve,
        back=dry_run.say("It can be stopped.", "Её можно остановить."),
        lead=dry_run.say("It runs in the background.", "Задача пойдёт в фоне."),
        facts=[(dry_run.say("Tag", "Тег"), dry_run.args.get("tag"))],
        total=dry_run.count("targets"),
    )


def _work(dry_run: DryRun) -> tuple[str, str]:
    """What the task does, as a title and as a button: one thing by name, several by number."""
    kind, count = dry_run.args["kind"], dry_run.count("targets")
    name = dry_run.quote(next(iter(dry_run.told.get("first_names") or []), ""))
    if kind == "document_dataset":
        title = dry_run.say(f"Document the dataset {name}", f"Описать датасет {name}")
        return title, dry_run.say("Document dataset", "Описать датасет")
    if kind == "validate_dashboard":
        many = dry_run.say("Validate", "Проверить") + " " + dry_run.plural(count, *_DASHBOARDS)
        one = dry_run.say(f"Validate the dashboard {name}", f"Проверить дашборд {name}")
        return (many, many) if count != 1 else (one, dry_run.say("Validate dashboard", "Проверить дашборд"))
    many = dry_run.say("Make thumbnails of", "Сделать миниатюры для") + " " + dry_run.plural(count, *_FOR_DASHBOARDS)
    one = dry_run.say(f"Make thumbnails of {name}", f"Сделать миниатюры для {name}")
    return (many if count != 1 else one), dry_run.say("Make thumbnails", "Сделать миниатюры")


def _cancel(task_id: int) -> Request:
    return Request("POST", "/tasks/{task_id}/cancel", {"task_id": task_id})


@tool(response_format="content_and_artifact", args_schema=TaskArgs)
async def cancel_task(task_id: int) -> Returned:
    """Cancel a running or queued background task."""
    return changed(await send(_cancel(task_id)))


def _cancel_card(dry_run: DryRun) -> Card:
    task_id = dry_run.args["task_id"]
    return Card(
        title=dry_run.say(f"Stop the task {task_id}{dry_run.place}?", f"Остановить задачу {task_id}{dry_run.place}?"),
        approve=dry_run.say("Stop task", "Остановить задачу"),
        lead=dry_run.say("It stops where it is; the rest stays undone.", "Она прервётся, остаток сделан не будет."),
        risk="danger",
        facts=[(dry_run.say("Task", "Задача"), f"{dry_run.name} · {task_id}")],
    )


TOOLS = (
    declare(
        list_tasks,
        Effect.READ,
        ru="Список фоновых задач: выполняются, в очереди, завершены; состояние и готовность.",
        title=("Listed tasks", "Список задач"),
    ),
    declare(
        get_task,
        Effect.READ,
        ru="Одна фоновая задача: состояние, готовность, сколько осталось, ошибка и журнал.",
        title=("Opened a task", "Просмотр задачи"),
        companions=("list_tasks",),
    ),
    declare(
        start_task,
        Effect.WRITE,
        ru="Запустить фоновую задачу: проверить дашборд, описать датасет или сделать миниатюры.",
        title=("Starting a task", "Запуск задачи"),
        companions=("search_dashboards",),
        role=Role.ANALYST,
        request=_start,
        card=_start_card,
    ),
    declare(
        cancel_task,
        Effect.DANGER,
        reader="get_task",
        ru="Отменить выполняющуюся или ждущую фоновую задачу.",
        title=("Canceling a task", "Отмена задачи"),
        companions=("list_tasks",),
        role=Role.EDITOR,
        reason="stops running work",
        request=_cancel,
        card=_cancel_card,
    ),
)
