"""Files over HTTP: the body is the file. Given out to their owner only, and never as a page."""

import mimetypes
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Depends, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from agent.files import Files
from agent.identity import Principal
from store.attachments import Attachment
from ui.answers import request_language, signed_in

Person = Annotated[Principal, Depends(signed_in)]
Id = Annotated[str, Field(min_length=1, max_length=255)]


class FileBody(BaseModel):
    """Names a file."""

    model_config = ConfigDict(extra="forbid")
    id: Id


def file_routes(files: Files) -> APIRouter:
    """`POST` and `GET /ui/files`, `GET /ui/files/ID`, `POST /ui/files/remove`."""
    router = APIRouter(prefix="/ui")

    @router.post("/files")
    async def attach(
        request: Request, person: Person, name: Annotated[str, Query(max_length=500)], conversation_id: str = ""
    ) -> dict[str, Any]:
        data, lang = await request.body(), request_language(request)
        return _shown(await files.attach(person, conversation_id or None, name, data, lang))

    @router.get("/files")
    async def waiting(person: Person, conversation_id: Id) -> dict[str, Any]:
        return {"files": [_shown(file) for file in await files.waiting(person, conversation_id)]}

    @router.get("/files/{file_id}")
    async def give(person: Person, file_id: str) -> Response:
        name, data = await files.get(person, file_id)
        return Response(data, media_type=_media_type(name), headers=_headers(name))

    @router.post("/files/remove")
    async def remove(body: FileBody, person: Person) -> dict[str, Any]:
        await files.remove(person, body.id)
        return {}

    return router


def _shown(file: Attachment) -> dict[str, Any]:
    return {
        "id": str(file.id),
        "conversation_id": str(file.conversation_id),
        "name": file.name,
        "size": file.size,
        "characters": len(file.text),
        "cut": file.cut,
    }


def _media_type(name: str) -> str:
    """The type by the name; text of any kind is plain text."""
    known = mimetypes.guess_type(name)[0] or "application/octet-stream"
    return "text/plain; charset=utf-8" if known.startswith("text/") else known


def _headers(name: str) -> dict[str, str]:
    """Saved and not shown, under its name (RFC 6266), by a browser that takes the type at its word."""
    return {
        "Content-Disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}",
        "Content-Security-Policy": "sandbox; default-src 'none'",
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "no-store",
    }
