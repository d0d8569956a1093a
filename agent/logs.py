"""Log lines: readable on a terminal, one JSON object each for machines, and in neither form what is nobody's business.

Secrets never get through. What people, models and tools said gets through only where the operator wants it; without
that, a field that holds such words is left out, and an exception is told by its type and its place.
"""

import logging
import re
import sys
import traceback
from collections.abc import Callable, MutableMapping
from typing import Any, Literal, TextIO

import structlog
from structlog.stdlib import ExtraAdder, ProcessorFormatter

Style = Literal["console", "json"]
Event = MutableMapping[str, Any]
REDACTED = "[redacted]"
WORDS = frozenset({"arguments", "words", "text", "detail", "summary"})
_SECRET_NAME = re.compile(r"(^|_)(authorization|cookie|credentials?|jwt|key|password|secrets?|token)$", re.IGNORECASE)
_SECRET = re.compile(
    r"eyJ[\w-]{8,}(\.[\w-]*){1,4}"  # a JWT
    r"|\b(sk|pk|ghp|gho|xox[abp])[-_][\w-]{8,}"  # keys of providers
    r"|(?<=\bBearer )[\w.~+/=-]{8,}|(?<=\bBasic )[\w+/=]{8,}"
    r"|(?<=://)[^/\s:@]+:[^/\s@]+(?=@)",  # user and password of an address
    re.IGNORECASE,
)
_OURS = frozenset({"call_key", "step_key"})


def configure(level: str, style: Style, *, words: bool = False, stream: TextIO | None = None) -> logging.Handler:
    """Send every log line of the process to `stream` (standard error) in this style; returns the handler.

    With `words`, lines may hold what people, models and tools said, and the messages of exceptions.
    """
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(formatter(style, words=words))
    logging.root.handlers[:] = [handler]
    logging.root.setLevel(level.upper())
    for name in ("uvicorn", "httpx", "httpcore", "openai", "gradio", "alembic"):
        logging.getLogger(name).setLevel(max(logging.WARNING, logging.root.level))
    return handler


def formatter(style: Style, *, words: bool = False) -> logging.Formatter:
    """The formatter of a style."""
    render: Callable[..., str | bytes] = (
        structlog.processors.JSONRenderer(ensure_ascii=False, default=str)
        if style == "json"
        else structlog.dev.ConsoleRenderer(colors=False, pad_event_to=24)
    )
    chain = [
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        ExtraAdder(),
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="timestamp"),
    ]
    told = [_exceptions(words), ProcessorFormatter.remove_processors_meta, _redactor(words), render]
    return ProcessorFormatter(foreign_pre_chain=chain, processors=told)


def _exceptions(words: bool) -> Callable[..., Event]:
    def tell(logger: Any, name: str, event: Event) -> Event:
        info = event.pop("exc_info", None)
        error = info[1] if isinstance(info, tuple) else info
        if isinstance(error, BaseException):
            whole = traceback.format_exception(error)
            event["exception"] = "".join(whole) if words else "\n".join(_places(error))
        return event

    return tell


def _places(error: BaseException) -> list[str]:
    """The types of an exception and of what led to it, each with where it came from; no message."""
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    frames = traceback.extract_tb(error.__traceback__)
    lines = [f"  {frame.filename}:{frame.lineno} in {frame.name}" for frame in frames]
    return [*(_places(cause) if cause else ()), f"{type(error).__module__}.{type(error).__qualname__}", *lines]


def _redactor(words: bool) -> Callable[..., Event]:
    def redact(logger: Any, name: str, event: Event) -> Event:
        return _clean(dict(event), words)

    return redact


def _clean(value: Any, words: bool) -> Any:
    """A value without secrets, and without the fields that hold words unless they are wanted."""
    if isinstance(value, str):
        return _SECRET.sub(REDACTED, value)
    if isinstance(value, dict):
        kept = {k: v for k, v in value.items() if words or k not in WORDS}
        return {k: REDACTED if _names_secret(k) else _clean(v, words) for k, v in kept.items()}
    return [_clean(item, words) for item in value] if isinstance(value, list | tuple) else value


def _names_secret(key: Any) -> bool:
    return isinstance(key, str) and key not in _OURS and bool(_SECRET_NAME.search(key))
