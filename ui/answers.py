"""Refusals as JSON answers, and the person behind a plain request."""

from typing import Any

from fastapi.exceptions import RequestValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse

from agent.identity import Principal
from agent.refused import Refused
from tools.text import visible
from tools.toolset import Lang, Role
from ui.lang import language
from ui.strings import words
from ui.visitors import Visitors


def request_language(request: Request) -> Lang:
    """The language of the person who sent this request."""
    return language(request.query_params, request.cookies, request.headers)


async def signed_in(request: Request) -> Principal:
    """The person behind a request, by token or by cookie; raises `Unauthenticated`."""
    visitors: Visitors = request.app.state.visitors
    return await visitors.anyone(request.cookies, request.headers)


async def admin(request: Request) -> Principal:
    """The admin behind a request; for anybody else there is nothing here: raises `Refused` as for a wrong address."""
    person = await signed_in(request)
    if not person.role.covers(Role.ADMIN):
        raise Refused("not_found", request_language(request))
    return person


async def refused(_: Request, error: Exception) -> JSONResponse:
    """A `Refused` as its status, code and sentence."""
    assert isinstance(error, Refused)
    body: dict[str, Any] = {"code": error.code, "text": error.text, "errors": error.errors, "winner": error.winner}
    return JSONResponse(body, error.status)


async def unauthenticated(request: Request, _: Exception) -> JSONResponse:
    """Nobody is signed in here, or the token does not hold; never which check failed."""
    text = words("error.unauthenticated.text", request_language(request))
    return JSONResponse({"code": "unauthenticated", "text": text, "errors": []}, 401, {"WWW-Authenticate": "Bearer"})


async def unfit(request: Request, error: Exception) -> JSONResponse:
    """A body or a query that is not what this address takes: which fields, and why; never what was sent."""
    assert isinstance(error, RequestValidationError)
    errors = [{"loc": visible(list(e["loc"][1:])), "msg": visible(e["msg"])} for e in error.errors()]
    return JSONResponse(
        {"code": "bad_request", "text": words("error.bad.text", request_language(request)), "errors": errors}, 422
    )


async def failed(request: Request, _: Exception) -> JSONResponse:
    """An error of ours: the person learns what it means for them, the log has the rest."""
    text = words("error.unexpected.text", request_language(request))
    return JSONResponse({"code": "internal", "text": text, "errors": []}, 500)
