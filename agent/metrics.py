"""What this process counts for Prometheus: model requests, calls, turns. Labels hold no words of people."""

from collections.abc import Mapping
from typing import Any

from prometheus_client import Counter, Histogram

SECONDS = (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)

MODEL = Histogram(
    "countersign_model_seconds", "Model requests, until their end.", ["model", "outcome"], buckets=SECONDS
)
FIRST = Histogram("countersign_model_first_token_seconds", "Until the first token.", ["model"], buckets=SECONDS)
TOKENS = Counter("countersign_model_tokens", "Tokens of model requests.", ["model", "kind"])
TOOLS = Histogram(
    "countersign_tool_seconds", "Calls to the backend, by outcome.", ["tool", "effect", "outcome"], buckets=SECONDS
)
SIGNED = Counter("countersign_signed_calls", "Calls that ran on a signature.", ["tool", "outcome"])
TURNS = Counter("countersign_turns", "Turns that ended.", ["outcome"])

KINDS = ("input", "cached", "reasoning", "output")


def count(event: str, told: Mapping[str, Any]) -> None:
    """Count a line of the journal (`agent/journal.py`); times there are in milliseconds."""
    if event == "agent.step":
        _model(told)
    elif event == "agent.tool":
        _tool(told)
    elif event == "agent.turn":
        TURNS.labels(told["outcome"]).inc()


def _model(told: Mapping[str, Any]) -> None:
    model = told["model"]
    MODEL.labels(model, told["outcome"]).observe(told["duration_ms"] / 1000)
    if told.get("first_token_ms") is not None:
        FIRST.labels(model).observe(told["first_token_ms"] / 1000)
    for kind in KINDS:
        TOKENS.labels(model, kind).inc(told.get(f"{kind}_tokens") or 0)


def _tool(told: Mapping[str, Any]) -> None:
    tool, outcome = told["tool"], told["outcome"]
    if told.get("duration_ms") is not None:
        TOOLS.labels(tool, told["effect"], outcome).observe(told["duration_ms"] / 1000)
    if told.get("approval_id"):
        SIGNED.labels(tool, outcome).inc()
