"""Background tasks: list, look into, start, cancel."""

from typing import Annotated, Any, Literal

from langchain_core.tools import tool
from pydantic import Field, model_validator

from tools.cards import Card, DryRun
from tools.client import Request
from tools.context import send
from tools.declare import declare
from tools.language import number, say
from tools.results import Column, Returned, changed, detailed, instant, listed, person
from tools.toolset import Effect, Lang, Role
from tools.workspace.fields import INT_MAX, Args, EnvironmentId, ListArgs, Tag, TaskId, Text

TaskKind = Literal["validate_dashboard", "document_dataset", "make_thumbnails"]
TaskState = Literal["queued", "running", "succeeded", "failed", "canceled"]
_KINDS = {
    "validate_dashboard": ("Validate", "Проверить"),
    "document_dataset": ("Document", "Описать"),
    "make_thumbnails": ("Make thumbnails of", "Сделать миниатюры"),
}
_STATES = {
    "queued": ("queued", "в очереди"),
    "running": ("running", "выполняется"),
    "succeeded": ("succeeded", "выполнена"),
    "failed": ("failed", "с ошибкой"),
    "canceled": ("canceled", "отменена"),
}


def _state(lang: Lang, state: Any) -> str:
    return say(lang, *_STATES[state]) if state in _STATES else str(state)


TASKS = (
    Column("id", "Id", "Номер"),
    Column("title", "Task", "Задача"),
    Column("kind", "Kind", "Вид"),
    Column("environment", "Environment", "Окружение"),
    Column("state", "State", "Состояние", _state),
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
    return f"{_state(lang, body.get('state'))}, {number(lang, body.get('progress') or 0)} %"


def _start(**body: Any) -> Request:
    return Request("POST", "/tasks", body={k: v for k, v in body.items() if v is not None})


@tool(response_format="content_and_artifact", args_schema=StartTask)
async def start_task(**body: Any) -> Returned:
    """Start a background task: validate a dashboard, document a dataset, or make thumbnails of dashboards."""
    return changed(await send(_start(**body)))


def _start_card(dry_run: DryRun) -> Card:
    verb, what = dry_run.say(*_KINDS[dry_run.args["kind"]]), _target(dry_run)
    return Card(
        title=f"{verb}: {what}?",
        approve=dry_run.say("Start 1 task", "Запустить 1 задачу"),
        lead=dry_run.say("It runs in the background.", "Задача пойдёт в фоне."),
        facts=[
            (dry_run.say("Tag", "Тег"), dry_run.args.get("tag")),
            (dry_run.say("Environment", "Окружение"), dry_run.args.get("environment")),
        ],
    )


def _target(dry_run: DryRun) -> str:
    count = dry_run.count("dashboards")
    if dry_run.args.get("tag") and count:
        return dry_run.plural(count, ("dashboard", "dashboards"), ("дашборд", "дашборда", "дашбордов"))
    return dry_run.title_name


def _cancel(task_id: int) -> Request:
    return Request("POST", "/tasks/{task_id}/cancel", {"task_id": task_id})


@tool(response_format="content_and_artifact", args_schema=TaskArgs)
async def cancel_task(task_id: int) -> Returned:
    """Cancel a running or queued background task."""
    return changed(await send(_cancel(task_id)))


def _cancel_card(dry_run: DryRun) -> Card:
    task_id = dry_run.args["task_id"]
    return Card(
        title=dry_run.say(f"Stop the task {task_id}?", f"Остановить задачу {task_id}?"),
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
        words=(
            "tasks, task, jobs, job, queue, queued, background tasks|jobs, list|show|which|what tasks|jobs, "
            "running tasks|jobs, failed tasks|jobs, stuck task|job, thumbnail|validation job|task, my job|task, "
            "in the queue",
            "задачи, задача, таски, таска, джобы, джоба, очередь, в очереди, фоновые задачи, "
            "список|покажи|какие задачи|таски, незавершившиеся, упали задачи|таски, "
            "зависла|висит задача|джоба|валидация, превьюшки, что выполняется",
        ),
    ),
    declare(
        get_task,
        Effect.READ,
        ru="Одна фоновая задача: состояние, готовность, сколько осталось, ошибка и журнал.",
        title=("Opened a task", "Просмотр задачи"),
        words=(
            "task state|status|log|logs|progress, job state|status|log|logs|progress, log, logs, how far, "
            "time left, what do the logs say, why did the task|job fail, task, job",
            "состояние|статус|лог|логи|прогресс задачи|таски, что там с задачей, задача, сколько ещё осталось, "
            "сколько осталось, почему упала задача|таска, лог, готово на",
        ),
        companions=("list_tasks",),
    ),
    declare(
        start_task,
        Effect.WRITE,
        ru="Запустить фоновую задачу: проверить дашборд, описать датасет или сделать миниатюры.",
        title=("Starting a task", "Запуск задачи"),
        words=(
            "start|run|launch|kick task|job|validation|thumbnails, validate, validate dashboard|board, validation, "
            "document dataset|table, documentation, make|generate|redo thumbnails, thumbnails, thumbnail, "
            "preview pictures",
            "запусти|прогони|стартани задачу|таску|джобу|валидацию|проверку|документирование, провалидируй, "
            "валидация борда, валидация, задокументируй, документирование датасета, миниатюры, превью, превьюшки, "
            "картинка в каталоге, thumbnails",
        ),
        role=Role.ANALYST,
        request=_start,
        card=_start_card,
    ),
    declare(
        cancel_task,
        Effect.DANGER,
        ru="Отменить выполняющуюся или ждущую фоновую задачу.",
        title=("Canceling a task", "Отмена задачи"),
        words=(
            "cancel|stop|kill|abort|terminate|interrupt task|job|validation, cancel, stuck job|task",
            "отмени|останови|прибей|кильни|прерви|сними|выруби задачу|таску|джобу|валидацию, отменить задачу, "
            "отмена задачи, зависла, завис",
        ),
        companions=("list_tasks",),
        role=Role.EDITOR,
        reason="stops running work",
        request=_cancel,
        card=_cancel_card,
    ),
)
