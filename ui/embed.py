"""The chat inside of another page: the loader it includes, and the exchange of a person's token for a session."""

import json
from datetime import UTC, datetime
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import FileResponse

from agent.identity import Principal, Unauthenticated
from ui.head import STATIC
from ui.options import PageOptions, Services
from ui.sessions import Sessions

MODE = "embed"
LOADER, CHILD = STATIC / "js" / "embed" / "loader.js", STATIC / "js" / "embed" / "child.js"


def embed_routes(services: Services, options: PageOptions) -> APIRouter:
    """`GET /embed.js` and `POST /ui/embed/session`; nothing in the other modes."""
    router = APIRouter()
    if options.sign_in != MODE:
        return router

    @router.get("/embed.js")
    async def loader() -> FileResponse:
        return FileResponse(LOADER, media_type="text/javascript", headers={"Cache-Control": "public, max-age=600"})

    @router.post("/ui/embed/session")
    async def session(request: Request, response: Response) -> dict[str, Any]:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not token:
            raise Unauthenticated("token_missing")
        person = await services.verifier.verify(token)
        response.headers["Cache-Control"] = "no-store"
        handle = await _kept(services.sessions, request.headers.get("x-countersign-session", ""), person)
        return {"handle": handle, "seconds": int((person.expires_at - datetime.now(UTC)).total_seconds())}

    return router


async def _kept(sessions: Sessions, handle: str, person: Principal) -> str:
    """The person's session with the fresh token; another person's token opens one of their own."""
    known = await sessions.find(handle) if handle else None
    same = known and (known.tenant, known.subject) == (person.tenant, person.subject)
    return handle if same and await sessions.renew(handle, person, MODE) else await sessions.open(person, MODE)


def embed_head(options: PageOptions) -> str:
    """What the page in a frame needs before Gradio starts: whom it may talk to, and the script that does.

    Gradio puts the head in place by a script of its own; only what is written in it runs before the first request.
    """
    if options.sign_in != MODE:
        return ""
    parents = json.dumps(list(options.frame_ancestors)).replace("<", "\\u003c")
    return f"<script>window.csParents = {parents};\n{CHILD.read_text('utf-8')}</script>"
