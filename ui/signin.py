"""Signing in and out: a page without scripts, a session, a cookie that no script can read."""

from html import escape
from typing import Annotated
from urllib.parse import urlencode, urlsplit

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from agent.identity import Unauthenticated
from tools.toolset import Lang
from ui.answers import request_language
from ui.head import sheets
from ui.lang import COOKIE as LANG_COOKIE
from ui.options import AuthorityDown, DemoPerson, PageOptions, Services, WrongPassword
from ui.shell import initials
from ui.strings import words
from ui.visitors import Visitors

MARK = (
    '<svg viewBox="0 0 24 24" class="cs-mark" aria-hidden="true"><path class="m1" d="M3.5 15.5c3.2-7 5.6-9.4 6.8-8.5 '
    '1.9 1.4-3.4 9.4-1.6 10.2 1.5.7 3-4.7 4.6-4.3 1.3.3-.2 3.7 1.3 3.9 1.3.2 2.5-1.7 5.9-2.3"/>'
    '<path class="m2" d="M3.5 20h17"/></svg>'
)
CHEVRON = '<svg viewBox="0 0 16 16" class="cs-i" aria-hidden="true"><path d="M6 3.8L10.2 8 6 12.2"/></svg>'
WARN = (
    '<svg viewBox="0 0 16 16" class="cs-i" aria-hidden="true"><path d="M8 5.4v3.4M8 11.2v.1M8 2L14.4 13.4H1.6z"/></svg>'
)
ERRORS = ("wrong", "often", "down", "none", "provider", "refused", "unproven", "unlisted")
LANGUAGES: dict[Lang, str] = {"en": "English", "ru": "Русский"}


def signin_routes(services: Services, options: PageOptions, visitors: Visitors) -> APIRouter:
    """`GET`, `POST /signin` and `POST /ui/signout`."""
    router = APIRouter()
    people = {person.username: person for person in options.demo_people}

    @router.get("/signin")
    async def form(request: Request, next: str = "/", error: str = "") -> HTMLResponse:
        lang = request_language(request)
        page = HTMLResponse(_page(options, lang, local(next), error), headers={"Cache-Control": "no-store"})
        page.set_cookie(LANG_COOKIE, lang, max_age=31_536_000, samesite="lax", secure=options.secure)
        return page

    @router.post("/signin")
    async def sign_in(
        request: Request,
        username: Annotated[str, Form(max_length=200)],
        password: Annotated[str, Form(max_length=1000)] = "",
        next: Annotated[str, Form(max_length=2000)] = "/",
    ) -> Response:
        if services.authority is None or options.sign_in not in ("demo", "password"):
            return back(next, "none")
        if options.sign_in == "demo":
            password = people[username].password if username in people else password
        elif await _too_often(services, request):
            return back(next, "often")
        try:
            token = await services.authority.token(username, password)
            person = await services.verifier.verify(token)
        except (WrongPassword, Unauthenticated):
            return back(next, "wrong")
        except AuthorityDown:
            return back(next, "down")
        answer = RedirectResponse(local(next), 303)
        set_session(answer, visitors.cookie, await services.sessions.open(person, options.sign_in), options.secure)
        return answer

    @router.post("/ui/signout")
    async def sign_out(request: Request) -> Response:
        handle = request.cookies.get(visitors.cookie)
        if handle:
            await services.sessions.close(handle)
        answer = JSONResponse({})
        answer.delete_cookie(visitors.cookie, path="/", secure=options.secure, httponly=True, samesite="lax")
        return answer

    return router


async def _too_often(services: Services, request: Request) -> bool:
    """Whether passwords are tried too often from where this try comes."""
    address = request.client.host if request.client else ""
    return services.tries is not None and await services.tries.wait(address) > 0


def set_session(answer: Response, name: str, handle: str, secure: bool) -> None:
    """Keep the handle of a session where no script can read it."""
    answer.set_cookie(name, handle, path="/", secure=secure, httponly=True, samesite="lax")


def local(target: str) -> str:
    """Only a path of ours: no other host, no scheme, no sign-in page."""
    parts = urlsplit(target)
    fine = target.startswith("/") and not target.startswith(("//", "/\\", "/signin"))
    return target if fine and not parts.netloc and not parts.scheme and target.isprintable() else "/"


def back(target: str, error: str) -> RedirectResponse:
    """To the sign-in page, which says what went wrong."""
    return RedirectResponse("/signin?" + urlencode({"next": local(target), "error": error}), 303)


def _page(options: PageOptions, lang: Lang, target: str, error: str) -> str:
    box = {"demo": _demo, "password": _password, "hf": _provider}.get(options.sign_in, _elsewhere)(
        options, lang, target
    )
    warning = ""
    if error in ERRORS:
        warning = f'<p class="cs-err" role="alert">{WARN}{escape(words(f"signin.{error}", lang))}</p>'
    languages = "".join(
        f'<a class="cs-btn link" lang="{code}" href="/signin?lang={code}"'
        f" {'aria-current=true' if code == lang else ''}><span>{name}</span></a>"
        for code, name in LANGUAGES.items()
    )
    return (
        f'<!doctype html><html lang="{lang}"><head><meta charset="utf-8"><title>{words("signin.title", lang)} · '
        f'Countersign</title><meta name="viewport" content="width=device-width, initial-scale=1">{sheets()}</head>'
        f'<body class="cs-plain"><main class="gradio-container cs-signinhost"><div class="cs-signin">'
        f'<div class="cs-logo big">{MARK}<span>Countersign</span></div>'
        f'<p class="cs-tagline">{words("app.tagline", lang)}</p>'
        f'<section class="cs-signin-box" aria-labelledby="si"><h1 id="si">{words("signin.title", lang)}</h1>'
        f'{warning}{box}</section><div class="cs-signin-lang">{languages}</div></div></main></body></html>'
    )


def _demo(options: PageOptions, lang: Lang, target: str) -> str:
    rows = "".join(f"<li>{_row(person, lang)}</li>" for person in options.demo_people)
    return (
        f'<p class="cs-note">{words("signin.lead", lang)}</p><form method="post" action="/signin">'
        f'<input type="hidden" name="next" value="{escape(target)}"><ul>{rows}</ul></form>'
    )


def _row(person: DemoPerson, lang: Lang) -> str:
    name = person.name[lang]
    return (
        f'<button class="cs-user" name="username" value="{escape(person.username)}">'
        f'<span class="cs-av" aria-hidden="true">{escape(initials(name))}</span><span><strong>{escape(name)}</strong>'
        f'<span class="cs-role">{words(f"role.{person.role}", lang)}</span>'
        f'<span class="cs-can">{words(f"role.{person.role}.can", lang)}</span></span>{CHEVRON}</button>'
    )


def _password(options: PageOptions, lang: Lang, target: str) -> str:
    return (
        f'<p class="cs-note">{words("signin.lead.password", lang)}</p>'
        f'<form method="post" action="/signin" class="cs-signin-form">'
        f'<input type="hidden" name="next" value="{escape(target)}">'
        f'<label for="u">{words("signin.user", lang)}</label>'
        f'<input class="cs-in" id="u" name="username" autocomplete="username" required>'
        f'<label for="p">{words("signin.password", lang)}</label>'
        f'<input class="cs-in" id="p" name="password" type="password" autocomplete="current-password" required>'
        f'<button class="cs-btn primary"><span>{words("signin.go", lang)}</span></button></form>'
    )


def _provider(options: PageOptions, lang: Lang, target: str) -> str:
    start = "/signin/start?" + urlencode({"next": target})
    return (
        f'<p class="cs-note">{words("signin.lead.hf", lang)}</p>'
        f'<p><a class="cs-btn primary" href="{escape(start)}"><span>{words("signin.hf", lang)}</span></a></p>'
    )


def _elsewhere(options: PageOptions, lang: Lang, target: str) -> str:
    return f'<p class="cs-note">{words("signin.none", lang)}</p>'
