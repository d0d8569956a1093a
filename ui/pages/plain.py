"""Pages beside the chat: one empty document each; the browser draws it from what the routes answer."""

from html import escape

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse

from tools.toolset import Lang, Role
from ui.answers import admin, request_language
from ui.head import base, sheets
from ui.options import PageOptions
from ui.strings import words

FOR_ADMINS = frozenset({"router"})


def pages_for(options: PageOptions, role: Role) -> list[str]:
    """The pages that a person of this role may open."""
    return [name for name in options.pages if name not in FOR_ADMINS or role.covers(Role.ADMIN)]


def page_routes(options: PageOptions) -> APIRouter:
    """`GET /approvals`, `/audit`, ...: those that the installation has."""
    router = APIRouter()
    for name in options.pages:
        asks = [Depends(admin)] if name in FOR_ADMINS else []
        router.add_api_route(f"/{name}", _page(name), methods=["GET"], response_class=HTMLResponse, dependencies=asks)
    return router


def _page(name: str):
    async def page(request: Request) -> HTMLResponse:
        return HTMLResponse(document(name, request_language(request)), headers={"Cache-Control": "no-store"})

    return page


def document(name: str, lang: Lang) -> str:
    """The document of one page. No script of its own, no data: both come from routes that ask who it is."""
    title = escape(words(f"{name}.title", lang))
    return (
        f'<!doctype html><html lang="{lang}"><head><meta charset="utf-8"><title>{title} · Countersign</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">{sheets()}'
        f'<script type="module" src="{base()}/js/pages/boot.js"></script></head>'
        f'<body><div class="gradio-container"><div id="cs-root" data-page="{escape(name)}"></div></div></body></html>'
    )
