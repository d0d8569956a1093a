"""HTTP to the one backend: two identities, keys that make retries safe, answers of a bounded size.

Every answer of the backend, and every failure to get one, comes back as an `Answer`; only a request that must
not be sent (`UnsafeValueError`) and the cancellation of the caller are exceptions.
"""

import asyncio
import itertools
import json
import re
import time
import zlib
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote, urlencode

import httpx

from tools.credentials import Credentials, Identity, Person, Proof, Signed, SignInError, Together
from tools.problems import failure, problem_of
from tools.toolset import Call, Problem

ANSWER_LIMIT = 1_000_000
ACCEPTED = "application/json, text/plain;q=0.5"
READ_TRIES = 3
RETRY_BUDGET = 60.0
LONGEST_WAIT = 30.0
SHORTEST_SECRET = 6
_HEADER_VALUE = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?")
_CONNECTION = frozenset({"host", "content-length", "transfer-encoding", "connection", "upgrade", "te", "trailer"})
_PLACEHOLDER = re.compile(r"\{(\w+)\}")


class UnsafeValueError(ValueError):
    """A value that could change where a request goes or what it says; the text says what to do."""


@dataclass(frozen=True, slots=True)
class Request:
    """One call of the backend. `path` is a template; `segments` fill its placeholders, percent-encoded.

    `content` is a body that is not JSON (its type is in `headers`), `raw_query` a query that is already encoded.
    """

    method: str
    path: str
    segments: Mapping[str, str | int] = field(default_factory=dict)
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    dry_run: bool = False
    content: bytes | None = None
    raw_query: str = ""

    @property
    def changes(self) -> bool:
        """Whether a repeat could do something twice."""
        return self.method.upper() not in {"GET", "HEAD", "OPTIONS"} and not self.dry_run

    def dry(self) -> "Request":
        """The same request, asking only what it would change (`?dry_run=true`)."""
        return replace(self, query={**self.query, "dry_run": "true"}, dry_run=True)

    def target(self) -> str:
        """The path with its segments filled in; raises `UnsafeValueError`."""
        return _PLACEHOLDER.sub(lambda match: path_segment(str(self.segments[match[1]])), self.path)


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back. `body` is JSON where it was JSON, else text; `problem` is set unless the call succeeded.

    `next` is the address of the next page in the `Link` header (RFC 8288), if it is of the same path.
    """

    status: int | None
    body: Any = None
    etag: str | None = None
    problem: Problem | None = None
    replayed: bool = False
    truncated: bool = False
    outcome_unknown: bool = False
    next: str | None = None

    @property
    def ok(self) -> bool:
        """Whether the backend did what was asked."""
        return self.problem is None


def path_segment(value: str) -> str:
    """One path segment, percent-encoded whole; raises `UnsafeValueError`.

    Encoded slashes are refused too: servers decode the path before they route, so `7%2Fpurge` would reach another
    operation than `/things/{id}`.
    """
    if not value.strip(".") or not value.isprintable() or "/" in value or "\\" in value:
        raise UnsafeValueError("an id must not be empty, consist of dots or hold slashes or control characters")
    return quote(value, safe="")


def header_value(value: str) -> str:
    """A header value of visible ASCII; raises `UnsafeValueError` (RFC 9110 section 5.5)."""
    if not _HEADER_VALUE.fullmatch(value):
        raise UnsafeValueError("a header value must be visible ASCII on one line")
    return value


class BackendClient:
    """Sends requests to `base_url` and nowhere else, on behalf of one person at a time.

    Reads are tried three times. Changes are repeated with the same Idempotency-Key for at most `retry_budget`
    seconds after a lost connection, a 5xx, a 429 or a 409 with Retry-After; then the outcome is unknown and the
    answer says so. A backend that does not honour the key (`idempotent=False`) gets no change again that may have
    run. `credentials` take the place of the two tokens. `transport`, `clock` (monotonic seconds) and `sleep` are
    injected by tests.
    """

    def __init__(
        self,
        base_url: str,
        service: Identity | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
        *,
        user_header: str = "X-User-JWT",
        credentials: Credentials | None = None,
        idempotent: bool = True,
        timeout: float = 30.0,
        retry_budget: float = RETRY_BUDGET,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[Any]] = asyncio.sleep,
    ):
        self._base = httpx.URL(base_url.rstrip("/"))
        if self._base.scheme not in {"http", "https"} or not self._base.host or self._base.query:
            raise ValueError("the backend's address must be an http or https URL without a query")
        self._credentials = credentials or Together(*((Signed(service),) if service else ()), Person(user_header))
        self._idempotent = idempotent
        self._timeout = timeout
        self._retry_budget = retry_budget
        self._clock = clock
        self._sleep = sleep
        self._http = httpx.AsyncClient(
            transport=transport,
            timeout=httpx.Timeout(timeout, connect=5.0, pool=10.0),
            follow_redirects=False,
            trust_env=False,
        )

    @property
    def idempotent(self) -> bool:
        """Whether the backend acts once however often a call comes with the same Idempotency-Key."""
        return self._idempotent

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def send(self, request: Request, call: Call) -> Answer:
        """The backend's answer; raises `UnsafeValueError` before anything is sent."""
        url = self._url(request)
        deadline = self._clock() + self._retry_budget
        uncertain = False
        for attempt in itertools.count(1):
            answer = await self._attempt(request, url, call, min(self._timeout, deadline - self._clock()))
            uncertain = uncertain or answer.outcome_unknown
            wait = _wait(request, answer, attempt)
            if answer.outcome_unknown and not self._idempotent:
                wait = None
            if wait is None or self._clock() + wait >= deadline:
                return replace(answer, outcome_unknown=uncertain and not _settled(answer))
            await self._sleep(wait)
        raise AssertionError("unreachable")

    def _url(self, request: Request) -> httpx.URL:
        """The full URL, checked to lie under the base URL whatever the arguments were."""
        target = str(self._base) + request.target()
        if request.raw_query:
            url = httpx.URL(f"{target}?{request.raw_query}")
        else:
            url = httpx.URL(target, params=_query(request.query))
        prefix = self._base.raw_path.rstrip(b"/") + b"/"
        if url.netloc != self._base.netloc or not url.raw_path.startswith(prefix):
            raise UnsafeValueError("the request would leave the backend's address")
        return url

    async def _attempt(self, request: Request, url: httpx.URL, call: Call, seconds: float) -> Answer:
        try:
            proof = await self._credentials.proof(call)
        except SignInError as error:
            return Answer(None, problem=Problem(status=424, code="service_sign_in", title=str(error)))
        headers = _headers(request, call, proof)
        target = _with_query(url, proof.query)
        message = self._http.build_request(request.method, target, headers=headers, content=_content(request))
        try:
            async with asyncio.timeout(seconds):
                response = await self._http.send(message, stream=True)
                try:
                    raw, truncated = await _read(response)
                    return _answer(request, response, _without_secrets(raw, proof), truncated)
                finally:
                    await response.aclose()
        except (httpx.TransportError, zlib.error, TimeoutError) as error:
            return _no_answer(request, error)


def _without_secrets(raw: bytes, proof: Proof) -> str:
    """The body as text; a backend that echoes a request does not carry its tokens into the conversation."""
    text = raw.decode("utf-8", "replace")
    for secret in proof.secrets:
        if len(secret) >= SHORTEST_SECRET:  # a shorter one is a common word as well
            text = text.replace(secret, "[token]")
    return text


def _headers(request: Request, call: Call, proof: Proof) -> httpx.Headers:
    """The request's own headers, then ours, which none of its own can shadow; cookies of both."""
    headers = httpx.Headers({"Content-Type": "application/json"} if request.body is not None else {})
    headers.update(_checked(request.headers))
    cookies = [headers.get("Cookie"), httpx.Headers(proof.headers).get("Cookie")]
    headers.update(_checked(proof.headers))
    if all(cookies):
        headers["Cookie"] = "; ".join(filter(None, cookies))
    headers.update(_checked(_terms(request, call)))
    return headers


def _with_query(url: httpx.URL, extra: Mapping[str, str]) -> httpx.URL:
    """The URL with parameters added, its own query left as it is encoded."""
    joined = b"&".join(part for part in (url.query, urlencode(extra).encode()) if part)
    return url.copy_with(query=joined) if extra else url


def _terms(request: Request, call: Call) -> dict[str, str]:
    """How the call is made: what is understood, and for a change its key, revision and approval."""
    terms = {"Accept": ACCEPTED, "Accept-Encoding": "gzip", "Accept-Language": call.lang}
    if request.changes:
        bound = {"If-Match": call.if_match, "X-Approval-Id": call.approval_id}
        terms |= {"Idempotency-Key": call.idempotency_key, **{k: v for k, v in bound.items() if v is not None}}
    return terms


def _checked(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers, none of which steers the connection or the host; raises `UnsafeValueError`."""
    if steering := _CONNECTION & {name.lower() for name in headers}:
        raise UnsafeValueError(f"{', '.join(sorted(steering))} cannot be set as a header")
    return {name: header_value(value) for name, value in headers.items()}


def _query(query: Mapping[str, Any]) -> dict[str, Any]:
    """Query parameters without the ones that were not given."""
    return {name: value for name, value in query.items() if value is not None}


def _content(request: Request) -> bytes | None:
    if request.content is not None or request.body is None:
        return request.content
    return json.dumps(request.body, ensure_ascii=False, allow_nan=False).encode()


async def _read(response: httpx.Response) -> tuple[bytes, bool]:
    """At most `ANSWER_LIMIT` bytes of the decoded body, and whether there was more or it could not be decoded."""
    inflate = _decoder(response.headers.get("Content-Encoding", "identity").lower())
    if inflate is None:
        return b"", True
    body = bytearray()
    async for chunk in response.aiter_raw():
        body += inflate(chunk, ANSWER_LIMIT + 1 - len(body))
        if len(body) > ANSWER_LIMIT:
            return bytes(body[:ANSWER_LIMIT]), True
    return bytes(body), False


def _decoder(encoding: str) -> Callable[[bytes, int], bytes] | None:
    """A decoder that never produces more than it is asked for: a small answer cannot unfold into gigabytes."""
    if encoding == "identity":
        return lambda chunk, limit: chunk[:limit]
    if encoding in {"gzip", "deflate"}:
        return zlib.decompressobj(zlib.MAX_WBITS | 32).decompress
    return None


def _answer(request: Request, response: httpx.Response, text: str, truncated: bool) -> Answer:
    body: Any = text
    if "json" in response.headers.get("Content-Type", "") and not truncated:
        with suppress(ValueError, RecursionError):
            body = json.loads(text, parse_constant=str)
    problem = problem_of(response.status_code, body, response.headers)
    return Answer(
        status=response.status_code,
        body=body,
        etag=response.headers.get("ETag"),
        problem=problem,
        replayed=response.headers.get("Idempotency-Replayed", "").lower() == "true",
        truncated=truncated,
        outcome_unknown=request.changes and (response.status_code >= 500 or _in_flight(problem)),
        next=_next(response),
    )


def _next(response: httpx.Response) -> str | None:
    link = response.links.get("next", {}).get("url", "")
    with suppress(httpx.InvalidURL, ValueError):
        if link and response.request.url.join(link).path == response.request.url.path:
            return link
    return None


def _no_answer(request: Request, error: Exception) -> Answer:
    """A failure without an answer; only a connection that never opened is sure to have changed nothing."""
    never_sent = isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout)
    return Answer(None, problem=failure(error), outcome_unknown=request.changes and not never_sent)


def _wait(request: Request, answer: Answer, attempt: int) -> float | None:
    """Seconds until the next try; None when this answer stands."""
    problem = answer.problem
    if problem is None or not _passing(problem) or (not request.changes and attempt >= READ_TRIES):
        return None
    return min(problem.retry_after or min(0.25 * 2 ** (attempt - 1), 8.0), LONGEST_WAIT)


def _passing(problem: Problem) -> bool:
    """Whether the failure may be gone a moment later."""
    status = problem.status
    return status is None or status in {408, 425, 429} or (status >= 500 and status != 501) or _in_flight(problem)


def _in_flight(problem: Problem | None) -> bool:
    """Whether the backend says that the first request with this key still runs."""
    return problem is not None and problem.status == 409 and problem.retry_after is not None


def _settled(answer: Answer) -> bool:
    """Whether an answer tells what became of earlier tries: the ledger spoke, not the door (401, 403, 429)."""
    problem = answer.problem
    return problem is None or not (_passing(problem) or problem.status in {401, 403})
