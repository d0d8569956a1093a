"""People and their roles."""

from typing import Annotated, Any

from langchain_core.tools import tool
from pydantic import Field

from tools.cards import Card, DryRun
from tools.client import Request
from tools.context import send
from tools.declare import declare
from tools.results import Column, Returned, changed, instant, listed
from tools.toolset import Effect, Role
from tools.workspace.fields import Args, ListArgs, RoleName, Text, UserId

USERS = (
    Column("id", "Login", "Логин"),
    Column("name", "Name", "Имя"),
    Column("name_ru", "Russian name", "Имя по-русски"),
    Column("email", "E-mail", "Почта"),
    Column("roles", "Roles", "Роли"),
    Column("title", "Job", "Должность"),
    Column("last_seen_at", "Last seen", "Был в сети", instant),
)


class ListUsers(ListArgs):
    """Which people."""

    text: Annotated[Text, Field(description="Name in any language, login or e-mail.")] | None = None
    role: RoleName | None = None


class RoleArgs(Args):
    """A person and a role."""

    user_id: UserId
    role: RoleName


@tool(response_format="content_and_artifact", args_schema=ListUsers)
async def list_users(**query: Any) -> Returned:
    """List people with their logins and roles; find one by name, or all who hold a role."""
    return listed(await send(Request("GET", "/users", query=query)), USERS)


def _path(user_id: str, role: str) -> tuple[str, dict[str, str | int]]:
    return "/users/{user_id}/roles/{role}", {"user_id": user_id, "role": role}


def _grant(user_id: str, role: str) -> Request:
    return Request("PUT", *_path(user_id, role))


@tool(response_format="content_and_artifact", args_schema=RoleArgs)
async def grant_role(user_id: str, role: str) -> Returned:
    """Give a person a role, by login."""
    return changed(await send(_grant(user_id, role)))


def _grant_card(dry_run: DryRun) -> Card:
    user, role = dry_run.args["user_id"], dry_run.args["role"]
    return Card(
        title=dry_run.say(f"Give {user} the role {role}?", f"Выдать {user} роль {role}?"),
        approve=dry_run.say("Give role", "Выдать роль"),
        back=dry_run.say("The role can be taken again.", "Роль можно забрать обратно."),
        lead=dry_run.say("It holds from the next call on.", "Действует со следующего же вызова."),
        facts=_who(dry_run),
    )


def _revoke(user_id: str, role: str) -> Request:
    return Request("DELETE", *_path(user_id, role))


@tool(response_format="content_and_artifact", args_schema=RoleArgs)
async def revoke_role(user_id: str, role: str) -> Returned:
    """Take a role from a person, by login."""
    return changed(await send(_revoke(user_id, role)))


def _revoke_card(dry_run: DryRun) -> Card:
    user, role = dry_run.args["user_id"], dry_run.args["role"]
    return Card(
        title=dry_run.say(f"Take the role {role} from {user}?", f"Забрать у {user} роль {role}?"),
        approve=dry_run.say("Take role", "Забрать роль"),
        back=dry_run.say("The role can be given again.", "Роль можно выдать снова."),
        lead=dry_run.say("It holds from the next call on.", "Действует со следующего же вызова."),
        facts=_who(dry_run),
    )


def _who(dry_run: DryRun) -> list[tuple[str, Any]]:
    return [
        (dry_run.say("Role", "Роль"), dry_run.args["role"]),
        (dry_run.say("Person", "Человек"), f"{dry_run.name} · {dry_run.args['user_id']}"),
    ]


TOOLS = (
    declare(
        list_users,
        Effect.READ,
        ru="Список людей с логинами и ролями; поиск по имени или по роли.",
        title=("Listed people", "Список людей"),
    ),
    declare(
        grant_role,
        Effect.DANGER,
        ru="Дать человеку роль.",
        title=("Giving a role", "Выдача роли"),
        companions=("list_users",),
        role=Role.ADMIN,
        reason="changes who may do what",
        request=_grant,
        card=_grant_card,
    ),
    declare(
        revoke_role,
        Effect.DANGER,
        ru="Забрать у человека роль.",
        title=("Taking a role", "Отзыв роли"),
        companions=("list_users",),
        role=Role.ADMIN,
        reason="changes who may do what",
        request=_revoke,
        card=_revoke_card,
    ),
)
