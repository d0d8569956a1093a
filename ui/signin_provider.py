"""The way to an OpenID provider and back: `GET /signin/start` and `GET /signin/callback`."""

import logging

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from agent.identity import Principal
from ui.oidc import LoginFailed, OpenIdProvider, ProviderDown, Unproven
from ui.options import PageOptions, Services
from ui.roles import NotListed
from ui.signin import back, local, set_session
from ui.visitors import Visitors

log = logging.getLogger(__name__)

COOKIE = "countersign_login"
SECONDS = 600
PATH = "/signin"
CALLBACK = f"{PATH}/callback"


def provider_routes(services: Services, options: PageOptions, visitors: Visitors) -> APIRouter:
    """Nothing, where people sign in another way."""
    router = APIRouter()
    provider = services.provider
    if provider is None:
        return router

    @router.get("/signin/start")
    async def start(request: Request, next: str = "/") -> Response:
        try:
            begun = await provider.begin(_address(request, options) + CALLBACK, local(next))
        except ProviderDown as error:
            return _failed(next, "provider", error)
        answer = RedirectResponse(begun.address, 303)
        answer.set_cookie(
            COOKIE, begun.sealed, max_age=SECONDS, path=PATH, secure=options.secure, httponly=True, samesite="lax"
        )
        return answer

    @router.get(CALLBACK)
    async def callback(request: Request, state: str = "", code: str = "") -> Response:
        try:
            person, target = await _finished(provider, request, state, code)
        except Unproven as error:
            answer = _failed("/", "unproven", error)
        except LoginFailed as error:
            answer = _failed("/", "refused", error)
        except NotListed:
            answer = back("/", "unlisted")
        except ProviderDown as error:
            answer = _failed("/", "provider", error)
        else:
            answer = RedirectResponse(local(target), 303)
            handle = await services.sessions.open(person, options.sign_in)
            set_session(answer, visitors.cookie, handle, options.secure)
        answer.delete_cookie(COOKIE, path=PATH, secure=options.secure, httponly=True, samesite="lax")
        return answer

    return router


async def _finished(provider: OpenIdProvider, request: Request, state: str, code: str) -> tuple[Principal, str]:
    return await provider.finish(request.cookies.get(COOKIE, ""), state, code)


def _failed(target: str, page_says: str, error: Exception) -> RedirectResponse:
    """To the sign-in page, with the reason in the log alone."""
    log.warning("sign-in failed: %s", error)
    return back(target, page_says)


def _address(request: Request, options: PageOptions) -> str:
    """Where people reach us; the provider must know this address."""
    return (options.public_url or str(request.base_url)).rstrip("/")
