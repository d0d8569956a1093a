"""Turns as OpenTelemetry traces, by the semantic conventions for generative AI; imported only where they are exported.

A span is made when its step has ended, backwards from how long it took, so that what the graph does stays as it is.
Attributes hold names, numbers and outcomes: nothing that people, models or tools said, and no secret.
https://opentelemetry.io/docs/specs/semconv/gen-ai/
"""

import time
from collections.abc import Mapping
from typing import Any

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanKind, Status, StatusCode, set_span_in_context

from agent.steps import ModelEnded, Step, ToolEnded
from store.turns import Turn

Attributes = dict[str, Any]
SECOND = 1_000_000_000  # nanoseconds


class Traces:
    """Where the spans of turns go; `provider` sends them."""

    def __init__(self, provider: TracerProvider):
        self._provider = provider
        self._tracer = provider.get_tracer("countersign")

    @classmethod
    def exported(cls, endpoint: str) -> "Traces":
        """Sent to an OTLP endpoint over HTTP, in batches and in the background; OTEL_EXPORTER_OTLP_HEADERS go along."""
        provider = TracerProvider(resource=Resource.create({"service.name": "countersign"}))
        place = f"{endpoint.rstrip('/')}/v1/traces"
        provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=place)))
        return cls(provider)

    def of(self, turn: Turn) -> "TurnTrace":
        """The span of one drive of a turn. A turn that waits for its person goes on in another one."""
        return TurnTrace(self._tracer, turn)

    def close(self) -> None:
        """Send what is left; blocks until that is done or has failed."""
        self._provider.shutdown()


class TurnTrace:
    """The spans of a turn that is being driven."""

    def __init__(self, tracer: Any, turn: Turn):
        self._tracer = tracer
        about = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": "countersign",
            "gen_ai.conversation.id": str(turn.conversation_id),
            "countersign.turn.id": str(turn.id),
            "countersign.turn.attempt": turn.attempt,
        }
        self._span = tracer.start_span("invoke_agent countersign", attributes=about)
        self._inside = set_span_in_context(self._span)

    def note(self, step: Step) -> None:
        """Tell of a step that came to its end."""
        match step:
            case ModelEnded():
                self._add(f"chat {step.model}", SpanKind.CLIENT, _of_model(step), step.duration, step.error)
            case ToolEnded() if step.duration is not None:
                code = None if step.ok else str((step.error or {}).get("code") or "failed")
                self._add(f"execute_tool {step.tool}", SpanKind.INTERNAL, _of_tool(step), step.duration, code)

    def end(self, state: str, error: Mapping[str, Any] | None) -> None:
        """How the turn ended."""
        self._span.set_attribute("countersign.turn.outcome", state)
        if error:
            _fail(self._span, str(error["code"]))

    def close(self) -> None:
        """The turn is driven no further here: it ended, waits, or was given back."""
        self._span.end()

    def _add(self, name: str, kind: SpanKind, attributes: Attributes, seconds: float, code: str | None) -> None:
        now = time.time_ns()
        known = {key: value for key, value in attributes.items() if value is not None}
        began = now - int(seconds * SECOND)
        span = self._tracer.start_span(name, self._inside, kind, attributes=known, start_time=began)
        if code:
            _fail(span, code)
        span.end(now)


def _fail(span: Any, code: str) -> None:
    span.set_attribute("error.type", code)
    span.set_status(Status(StatusCode.ERROR))


def _of_model(step: ModelEnded) -> Attributes:
    used = step.usage
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": step.model,
        "gen_ai.response.finish_reasons": (step.finish,),
        "gen_ai.usage.input_tokens": used and used.input,
        "gen_ai.usage.output_tokens": used and used.output,
        "gen_ai.usage.cache_read.input_tokens": used and used.cached,
        "countersign.usage.reasoning_tokens": used and used.reasoning,
        "countersign.usage.estimated": used and used.estimated,
        "countersign.first_token_seconds": step.first_token,
    }


def _of_tool(step: ToolEnded) -> Attributes:
    return {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": step.tool,
        "gen_ai.tool.call.id": step.call_id,
        "gen_ai.tool.type": "function",
        "countersign.tool.effect": str(step.effect),
        "countersign.approval.id": step.approval_id,
    }
