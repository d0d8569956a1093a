"""`GET /metrics` for Prometheus: to whoever has the token, or without one to the machine itself."""

import hmac
from collections.abc import Awaitable, Callable, Mapping

from fastapi import APIRouter, Request, Response
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Gauge, generate_latest
from prometheus_client import REGISTRY as PROCESS

from ui.visitors import bearer

LOCAL = {"127.0.0.1", "::1"}
FORWARDED = ("forwarded", "x-forwarded-for", "x-real-ip", "x-forwarded-host")
Gauges = Callable[[], Awaitable[Mapping[str, Mapping[str, int]]]]


def metrics_routes(gauges: Gauges | None, token: str) -> APIRouter:
    """The route; 404 for everybody else, so that it does not show. `gauges` are read at each scrape."""
    router = APIRouter()

    @router.get("/metrics")
    async def metrics(request: Request) -> Response:
        if not _allowed(request, token):
            return Response("Not found.", 404, media_type="text/plain")
        now = CollectorRegistry()
        for name, values in (await gauges() if gauges else {}).items():
            gauge = Gauge(f"countersign_{name}", "Right now, over all replicas.", ["state"], registry=now)
            for state, number in values.items():
                gauge.labels(state).set(number)
        return Response(generate_latest(PROCESS) + generate_latest(now), media_type=CONTENT_TYPE_LATEST)

    return router


def _allowed(request: Request, token: str) -> bool:
    if token:
        given = bearer(request.headers.get("authorization", ""))
        return hmac.compare_digest(given.encode(), token.encode())
    through = any(name in request.headers for name in FORWARDED)
    return not through and request.client is not None and request.client.host in LOCAL
