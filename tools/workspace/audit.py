"""Who did what, when, and who approved it."""

from typing import Annotated, Any

from langchain_core.tools import tool
from pydantic import Field

from tools.client import Request
from tools.context import send
from tools.declare import declare
from tools.results import Column, Returned, instant, listed, person
from tools.toolset import Effect, Lang
from tools.workspace.fields import EnvironmentId, ListArgs, Since, Text, Until


def _resource(lang: Lang, resource: Any) -> str:
    return f"{resource.get('type')} {resource.get('name') or resource.get('id')}" if isinstance(resource, dict) else ""


EVENTS = (
    Column("at", "When", "Когда", instant),
    Column("person", "Who", "Кто", person),
    Column("action", "Action", "Действие"),
    Column("resource", "Object", "Объект", _resource),
    Column("environment", "Environment", "Окружение"),
    Column("summary", "What happened", "Что произошло"),
    Column("approval_id", "Approval", "Подпись"),
)


class ListAuditEvents(ListArgs):
    """Which events; newest first."""

    text: Annotated[Text, Field(description="Words of the object's name or of what happened.")] | None = None
    actor: Annotated[Text, Field(description="Who did it: a name in any language, or a login.")] | None = None
    action: (
        Annotated[str, Field(pattern=r"^[a-z_]{1,60}$", description="Tool name, such as delete_dashboard.")] | None
    ) = None
    resource_type: (
        Annotated[str, Field(pattern=r"^[a-z_]{1,40}$", description="dashboard, dataset, document, user, ...")] | None
    ) = None
    resource_id: Annotated[Text, Field(description="Id of the object.")] | None = None
    environment: EnvironmentId | None = None
    since: Since | None = None
    until: Until | None = None


@tool(response_format="content_and_artifact", args_schema=ListAuditEvents)
async def list_audit_events(**query: Any) -> Returned:
    """Who did what and when, through which approval; newest first. Filter by words, person, action, object or time."""
    return listed(await send(Request("GET", "/audit-events", query=query)), EVENTS)


TOOLS = (
    declare(
        list_audit_events,
        Effect.READ,
        ru="Журнал: кто, что и когда сделал и под какой подписью.",
        title=("Listed audit events", "Журнал действий"),
    ),
)
