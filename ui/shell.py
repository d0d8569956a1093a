"""What surrounds the transcript: the person, their conversations, what waits, and what the demo has to say."""

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request

from agent.identity import Principal
from agent.refused import Refused
from agent.turns import ConversationRow, Turns
from tools.toolset import Lang
from ui.answers import request_language, signed_in
from ui.options import PageOptions
from ui.pages.plain import pages_for
from ui.transcript import TAIL, running, version

Person = Annotated[Principal, Depends(signed_in)]


def initials(name: str) -> str:
    """Up to two letters: of the first and the last word."""
    parts = [word for word in name.split() if word[:1].isalnum()] or ["?"]
    return (parts[0][0] + (parts[-1][0] if len(parts) > 1 else "")).upper()


def shell_routes(turns: Turns, options: PageOptions) -> APIRouter:
    """`GET /ui/shell` and `GET /ui/conversations`."""
    router = APIRouter(prefix="/ui")

    @router.get("/shell")
    async def shell(request: Request, person: Person, conversation: str = "") -> dict[str, Any]:
        lang = request_language(request)
        rows = await turns.conversations(person)
        name = options.names.get(person.name, {}).get(lang, person.name)
        return {
            "person": {"name": name, "role": person.role, "initials": initials(name)},
            "conversations": [asdict(row) for row in rows],
            "conversation": await _conversation(turns, person, conversation, rows),
            "pending": await turns.count_pending(person),
            "always": {"tools": await _always(turns, person, options, lang)},
            **_standing(options, person, lang),
        }

    @router.get("/conversations")
    async def conversations(person: Person, q: str = "", after: str = "") -> dict[str, Any]:
        rows = await turns.conversations(person, q[:200] or None, after or None)
        return {"conversations": [asdict(row) for row in rows]}

    return router


def _standing(options: PageOptions, person: Principal, lang: Lang) -> dict[str, Any]:
    """What does not change from one request to the next."""
    flags = {"demo": options.demo_model, "db": options.embedded_database}
    return {
        "banner": [name for name, on in flags.items() if on],
        "model": options.model,
        "signin": options.sign_in,
        "pages": pages_for(options, person.role),
        "examples": [
            {"text": example.text[lang], "sign": example.sign} for example in options.examples_for(person.role)
        ],
    }


async def _conversation(
    turns: Turns, person: Principal, id_: str, rows: list[ConversationRow]
) -> dict[str, Any] | None:
    if not id_:
        return None
    try:
        page = await turns.open(person, id_, limit=TAIL)
    except Refused:
        return None
    return {
        "id": page.conversation_id,
        "title": page.title,
        "review_changes": page.review_changes,
        "busy": running(page),
        "version": version(page),
    }


async def _always(turns: Turns, person: Principal, options: PageOptions, lang: Lang) -> list[dict[str, Any]]:
    allowed = set(await turns.always_allowed(person))
    return [{"name": t.name, "title": t.titles[lang], "allowed": t.name in allowed} for t in options.writable_tools]
