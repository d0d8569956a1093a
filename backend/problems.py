"""Refusals and errors as RFC 9457 problem details."""

from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from psycopg import DataError
from psycopg.errors import LockNotAvailable
from psycopg_pool import PoolTimeout
from starlette.exceptions import HTTPException

from backend.words import Lang, describe_problem, preferred_language

MEDIA_TYPE = "application/problem+json"
STATUS = {
    "bad_request": 400,
    "service_token_missing": 401,
    "service_token_invalid": 401,
    "user_token_missing": 401,
    "user_token_invalid": 401,
    "identity_mismatch": 401,
    "user_unknown": 401,
    "wrong_password": 401,
    "role_required": 403,
    "not_found": 404,
    "environment_not_found": 404,
    "dashboard_not_found": 404,
    "dataset_not_found": 404,
    "backup_not_found": 404,
    "task_not_found": 404,
    "commit_not_found": 404,
    "user_not_found": 404,
    "document_not_found": 404,
    "change_not_found": 404,
    "attachment_not_found": 404,
    "method_not_allowed": 405,
    "name_taken": 409,
    "maintenance": 409,
    "source_unavailable": 409,
    "nothing_to_commit": 409,
    "nothing_to_migrate": 409,
    "task_finished": 409,
    "last_admin": 409,
    "other_environment": 409,
    "patch_conflict": 409,
    "newer_changes": 409,
    "already_undone": 409,
    "not_undoable": 409,
    "ambiguous_commit": 409,
    "request_in_flight": 409,
    "resource_busy": 409,
    "revision_changed": 412,
    "body_too_large": 413,
    "document_too_large": 413,
    "unreadable_attachment": 415,
    "invalid_request": 422,
    "idempotency_key_reused": 422,
    "base_required": 422,
    "invalid_patch": 422,
    "unknown_owner": 422,
    "internal": 500,
    "overloaded": 503,
}
RETRY_AFTER = {"request_in_flight": "1", "resource_busy": "1", "overloaded": "2"}
CHALLENGE = {"WWW-Authenticate": "Bearer"}


class Problem(Exception):  # noqa: N818
    """A call that is refused. `extra` goes into the answer and fills the sentence of `code`."""

    def __init__(self, code: str, **extra: Any):
        super().__init__(code)
        self.code = code
        self.extra = extra

    @property
    def status(self) -> int:
        """The HTTP status of the refusal."""
        return STATUS[self.code]

    def body(self, lang: Lang) -> dict[str, Any]:
        """The problem document."""
        title, detail = describe_problem(lang, self.code, self.extra)
        known = {"type": f"urn:workspace:problem:{self.code}", "title": title, "status": self.status}
        return {**known, "code": self.code, "detail": detail, **self.extra}

    def response(self, lang: Lang) -> JSONResponse:
        """The answer that carries this problem."""
        headers = dict(CHALLENGE) if self.status == 401 else {}
        if self.code in RETRY_AFTER:
            headers["Retry-After"] = RETRY_AFTER[self.code]
        return JSONResponse(self.body(lang), self.status, headers, media_type=MEDIA_TYPE)


def handle_problems(app: FastAPI) -> None:
    """Answer every refusal and error of `app` as a problem; no stack trace and no input leaves the process."""
    app.add_exception_handler(Problem, _answer)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(DataError, lambda request, _: _answer(request, Problem("invalid_request", errors=[])))
    app.add_exception_handler(LockNotAvailable, lambda request, _: _answer(request, Problem("resource_busy")))
    app.add_exception_handler(PoolTimeout, lambda request, _: _answer(request, Problem("overloaded")))
    app.add_exception_handler(Exception, lambda request, _: _answer(request, Problem("internal")))


def _answer(request: Request, problem: Exception) -> JSONResponse:
    assert isinstance(problem, Problem)
    return problem.response(preferred_language(request.headers.get("accept-language", "")))


def _invalid(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    errors = [{"loc": list(e["loc"]), "msg": e["msg"], "type": e["type"]} for e in error.errors()]
    return _answer(request, Problem("invalid_request", errors=errors))


def _http(request: Request, error: Exception) -> JSONResponse:
    """FastAPI turns whatever happens while it reads a body into a bad request; our own refusal is its cause."""
    assert isinstance(error, HTTPException)
    if isinstance(error.__cause__, Problem):
        return _answer(request, error.__cause__)
    codes = {404: "not_found", 405: "method_not_allowed"}
    return _answer(request, Problem(codes.get(error.status_code, "bad_request")))
