"""The ASGI application that people and programs meet: sign-in, pages, commands, and the chat at `/`."""

import gradio as gr
from fastapi import FastAPI, Response
from fastapi.exceptions import RequestValidationError
from fastapi.middleware.cors import CORSMiddleware
from fastapi.middleware.trustedhost import TrustedHostMiddleware
from fastapi.responses import JSONResponse, PlainTextResponse
from fastapi.staticfiles import StaticFiles

from agent.identity import Unauthenticated
from agent.refused import Refused
from ui import answers
from ui.chat import chat_page
from ui.commands import command_routes
from ui.compress import Compressed
from ui.embed import embed_head, embed_routes
from ui.files import file_routes
from ui.handles import HandleHeader
from ui.head import STATIC, base, head
from ui.limits import BodyLimit
from ui.message_actions import message_routes
from ui.metrics import metrics_routes
from ui.options import PageOptions, Services
from ui.pages.approvals import approval_routes
from ui.pages.audit import audit_routes
from ui.pages.feedback import feedback_routes
from ui.pages.plain import page_routes
from ui.pages.router import router_routes
from ui.pages.usage import usage_routes
from ui.proxy import ProxySignIn
from ui.renewal import Renewal
from ui.security import OriginCheck, SecurityHeaders
from ui.shell import shell_routes
from ui.signin import signin_routes
from ui.signin_provider import provider_routes
from ui.steps import Titles
from ui.stops import StopRequests, Stops
from ui.strings import module, strings
from ui.tab_owners import TabOwners
from ui.theme import Countersign
from ui.visitors import Finder, SignInFirst, Visitors

FRESH = {"Cache-Control": "no-cache"}
FOREVER = {"Cache-Control": "public, max-age=31536000, immutable"}


def build_app(services: Services, options: PageOptions) -> FastAPI:
    """Everything that is served. Run it with `timeout_graceful_shutdown`: open tabs hold their streams."""
    finder = _finder(services, options)
    visitors = Visitors(finder, services.verifier, secure=options.secure, jwt_header=options.user_jwt_header)
    app = FastAPI(title="Countersign", docs_url=None, redoc_url=None, openapi_url=None)
    app.state.visitors = visitors
    app.add_exception_handler(Refused, answers.refused)
    app.add_exception_handler(Unauthenticated, answers.unauthenticated)
    app.add_exception_handler(RequestValidationError, answers.unfit)
    app.add_exception_handler(Exception, answers.failed)
    _health(app, services)
    _static(app, options)
    app.include_router(signin_routes(services, options, visitors))
    app.include_router(provider_routes(services, options, visitors))
    app.include_router(embed_routes(services, options))
    app.include_router(metrics_routes(services.gauges, options.metrics_token))
    app.include_router(shell_routes(services.turns, options))
    app.include_router(command_routes(services.turns))
    app.include_router(page_routes(options))
    app.include_router(approval_routes(services.turns))
    if services.audit is not None:
        app.include_router(audit_routes(services.audit, _titles(services)))
    app.include_router(message_routes(services.turns))
    if services.files is not None:
        app.include_router(file_routes(services.files))
    if services.feedback is not None:
        app.include_router(feedback_routes(services.feedback))
    if services.usage is not None:
        app.include_router(usage_routes(services.usage))
    if services.selector is not None:
        app.include_router(router_routes(services.selector, services.specs))
    stops = Stops()
    app.add_middleware(StopRequests, stops=stops)
    _guard(app, services, options, visitors, finder)
    return gr.mount_gradio_app(
        app,
        chat_page(services.turns, visitors, _titles(services), stops),
        path="/",
        theme=Countersign(),
        head=head() + embed_head(options),
        ssr_mode=False,
        run_history=False,
        show_error=False,
        footer_links=[],
        enable_monitoring=False,
        pwa=False,
    )


def _titles(services: Services) -> Titles:
    """What tools are called, by name and language."""
    return {name: spec.titles for name, spec in services.specs.items()}


def _finder(services: Services, options: PageOptions) -> Finder:
    if services.fresh is None:
        return services.sessions
    return Renewal(services.sessions, services.fresh, options.sign_in)


def _health(app: FastAPI, services: Services) -> None:
    @app.get("/healthz")
    async def healthz() -> dict[str, str]:
        return {"status": "ok"}

    if services.jwks is not None:
        app.add_api_route("/.well-known/jwks.json", services.jwks, methods=["GET"])

    @app.get("/readyz")
    async def readyz() -> JSONResponse:
        checks = await services.ready()
        return JSONResponse({"status": "ok" if all(checks.values()) else "unready", "checks": checks},
                            200 if all(checks.values()) else 503)  # fmt: skip


def _static(app: FastAPI, options: PageOptions) -> None:
    """Under a folder that is named by the contents, so that browsers may keep them for good; names may change."""

    @app.get(f"{base()}/js/strings.js")
    async def words() -> PlainTextResponse:
        return PlainTextResponse(module(strings()), media_type="text/javascript", headers=FOREVER)

    @app.get(f"{base()}/js/people.js")
    async def people() -> PlainTextResponse:
        return PlainTextResponse(module(options.names), media_type="text/javascript", headers=FRESH)

    app.mount(base(), Immutable(directory=STATIC), name="cs-static")


class Immutable(StaticFiles):
    """Static files that never change under their address."""

    def file_response(self, *args: object, **kwargs: object) -> Response:
        """The file, with permission to keep it."""
        response = super().file_response(*args, **kwargs)  # type: ignore[arg-type]
        response.headers.update(FOREVER)
        return response


def _guard(app: FastAPI, services: Services, options: PageOptions, visitors: Visitors, finder: Finder) -> None:
    """Outermost last: hosts, headers, origins, sizes, cross-origin callers, sign-in, whose tab it is, compression."""

    app.add_middleware(Compressed)
    app.add_middleware(TabOwners, visitors=visitors)
    app.add_middleware(SignInFirst, visitors=visitors, pages=("/", *(f"/{name}" for name in options.pages)))
    app.add_middleware(HandleHeader, cookie=visitors.cookie)
    if services.proxy is not None:
        app.add_middleware(
            ProxySignIn, people=services.proxy, sessions=services.sessions, finder=finder, cookie=visitors.cookie,
            secure=options.secure,
        )  # fmt: skip
    app.add_middleware(
        CORSMiddleware,
        allow_origins=list(options.allowed_origins),
        allow_credentials=False,
        allow_methods=["GET", "POST"],
        allow_headers=["*"],
    )
    app.add_middleware(BodyLimit)
    app.add_middleware(OriginCheck, cookie=visitors.cookie, allowed=options.allowed_origins)
    app.add_middleware(SecurityHeaders, frame_ancestors=options.frame_ancestors, secure=options.secure)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=list(options.allowed_hosts))
