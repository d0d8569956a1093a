"""What can go wrong with a model request, in few kinds, each with a sentence for the person."""

import re
from typing import ClassVar

import httpx2
import langchain_core.exceptions as neutral
import openai

from tools.httpdate import seconds_until
from tools.toolset import Lang

_OVERFLOW = re.compile(
    r"context.?length|context window|context size|maximum context|prompt is too long|too many tokens"
    r"|reduce the length|token count .*exceeds|input is too long|input tokens exceed",
    re.IGNORECASE,
)
_FILTERED = re.compile(r"content.?filter|content management policy|responsible.?ai|safety system", re.IGNORECASE)


class ModelError(Exception):
    """A model request failed. `retry` says whether the same turn may be tried again as it is.

    `again` says whether the client may repeat the request by itself as long as nothing was streamed. `detail` is the
    provider's message: for logs, never for people.
    """

    code: ClassVar[str] = "model_failed"
    retry: ClassVar[bool] = True
    again: ClassVar[bool] = False
    texts: ClassVar[tuple[str, str]] = (
        "The model failed. Your message is saved; try again.",
        "Модель не справилась с запросом. Сообщение сохранено, попробуйте ещё раз.",
    )

    def __init__(self, detail: str = "", *, retry_after: float | None = None):
        super().__init__(detail or self.code)
        self.detail = detail
        self.retry_after = retry_after
        self.streamed = False

    def text(self, lang: Lang) -> str:
        """One sentence for the person: what happened and what to do."""
        return self.texts[lang == "ru"]


class ModelUnreachable(ModelError):  # noqa: N818
    code, again = "model_unreachable", True
    texts = (
        "The model server cannot be reached. Your message is saved; try again in a minute.",
        "Сервер модели недоступен. Сообщение сохранено, попробуйте через минуту.",
    )


class RateLimited(ModelError):  # noqa: N818
    code, again = "model_rate_limited", True
    texts = (
        "The model is overloaded right now. Your message is saved; try again in a minute.",
        "Модель сейчас перегружена. Сообщение сохранено, попробуйте через минуту.",
    )


class QuotaSpent(ModelError):  # noqa: N818
    code = "model_quota"
    texts = (
        "The quota of the model account is spent. Ask your administrator to raise it, then try again.",
        "Квота учётной записи модели исчерпана. Попросите администратора увеличить её и попробуйте снова.",
    )


class ModelTimeout(ModelError):  # noqa: N818
    code, again = "model_timeout", True
    texts = (
        "The model did not answer in time. Your message is saved; try again.",
        "Модель не ответила вовремя. Сообщение сохранено, попробуйте ещё раз.",
    )


class IncompleteStream(ModelError):  # noqa: N818
    code, again = "model_interrupted", True
    texts = (
        "The connection to the model broke in the middle of the answer. Try again to get all of it.",
        "Связь с моделью оборвалась посреди ответа. Попробуйте ещё раз, чтобы получить его целиком.",
    )


class EmptyReply(ModelError):  # noqa: N818
    code = "model_empty"
    texts = (
        "The model gave no answer. Try again, or put the question in other words.",
        "Модель ничего не ответила. Попробуйте ещё раз или спросите другими словами.",
    )


class ContextTooLong(ModelError):  # noqa: N818
    code, retry = "model_context", False
    texts = (
        "This conversation no longer fits the model, even shortened. Start a new one, or shorten your message.",
        "Этот разговор не помещается в модель даже сокращённым. Начните новый или сократите сообщение.",
    )


class ContentFiltered(ModelError):  # noqa: N818
    code, retry = "model_filtered", False
    texts = (
        "The provider's content filter stopped the answer. Put the request in other words.",
        "Фильтр содержимого у провайдера остановил ответ. Сформулируйте запрос иначе.",
    )


class ModelRefused(ModelError):  # noqa: N818
    """The model declined; `words` are its own."""

    code, retry = "model_refused", False
    texts = ("The model declines this request.", "Модель отказалась выполнять этот запрос.")

    def __init__(self, words: str = ""):
        super().__init__(words)
        self.words = words

    def text(self, lang: Lang) -> str:
        """The sentence and the model's own words."""
        return f"{self.texts[lang == 'ru']} {self.words}".strip()


class Misconfigured(ModelError):  # noqa: N818
    code, retry = "model_config", False
    texts = (
        "The model server does not accept this service's key or model name. Ask your administrator to check them.",
        "Сервер модели не принимает ключ или имя модели этого сервиса. Попросите администратора проверить их.",
    )


class BadRequest(ModelError):  # noqa: N818
    code, retry = "model_bad_request", False
    texts = (
        "The model server does not accept this request. Start a new conversation; if it persists, tell your "
        "administrator.",
        "Сервер модели не принимает этот запрос. Начните новый разговор, а если не поможет, сообщите администратору.",
    )


class RunTimeout(ModelError):  # noqa: N818
    code = "run_timeout"
    texts = (
        "The answer took too long and was stopped. What was done so far is kept; try again to go on.",
        "Ответ занял слишком много времени и остановлен. Сделанное сохранено, попробуйте ещё раз, чтобы продолжить.",
    )


def classify(error: Exception) -> ModelError:
    """The kind of a provider's or SDK's error."""
    if isinstance(error, ModelError):
        return error
    detail, code = _words(error)
    if isinstance(error, neutral.ContextOverflowError) or _OVERFLOW.search(detail) or code == "context_length_exceeded":
        return ContextTooLong(detail)
    if isinstance(error, neutral.ModelRefusalError):
        return ModelRefused(detail)
    if code == "insufficient_quota":
        return QuotaSpent(detail)
    if _FILTERED.search(detail) or code == "content_filter":
        return ContentFiltered(detail)
    return _by_status(error, detail)


def _by_status(error: Exception, detail: str) -> ModelError:
    status = getattr(error, "status_code", None)
    if isinstance(error, openai.APITimeoutError | TimeoutError):
        return ModelTimeout(detail)
    if isinstance(error, openai.APIConnectionError | OSError):
        return ModelUnreachable(detail)
    if status == 429:
        return RateLimited(detail, retry_after=_retry_after(error))
    if status in {401, 403, 404}:
        return Misconfigured(detail)
    if status is not None and status < 500 and status not in {408, 409}:
        return ContextTooLong(detail) if status == 413 else BadRequest(detail)
    if status is not None:
        return ModelUnreachable(detail, retry_after=_retry_after(error))
    broken = isinstance(error, openai.APIError | httpx2.TransportError | ValueError)
    return IncompleteStream(detail) if broken else ModelError(f"{type(error).__name__}: {detail}")


def _words(error: Exception) -> tuple[str, str | None]:
    """The message and the code, whichever shape the SDK gave them; a failed Responses stream is a ValueError."""
    told = error.args[0] if error.args else error
    message = getattr(told, "message", None) or getattr(error, "message", None) or str(error)
    return str(message)[:2000], getattr(error, "code", None) or getattr(told, "code", None)


def _retry_after(error: Exception) -> float | None:
    """Seconds from the Retry-After header, in either of its forms (RFC 9110 section 10.2.3)."""
    response = getattr(error, "response", None)
    value = response.headers.get("retry-after", "") if response is not None else ""
    try:
        return max(0.0, float(value))
    except ValueError:
        return seconds_until(value, response.headers.get("date", "")) if response is not None else None
