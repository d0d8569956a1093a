"""Which adapter serves a model, and whether the place where models come from answers at all."""

import os
from collections.abc import Callable
from pathlib import Path

import httpx

from router.builtin import BuiltinEmbedder
from router.embedder import Embedder
from router.fast import FastEmbedder, listed
from router.sentence import SentenceEmbedder

BUILTIN = "builtin"
_PROBE_SECONDS = 2.0


def open_embedder(model: str, hub_answers: Callable[[], bool]) -> Embedder:
    """Load `builtin`, a model that fastembed lists, or any sentence-transformers id or folder.

    Takes seconds to minutes: never call it in a request. The network is left alone unless `hub_answers`.
    Raises `EmbedderError`.
    """
    if model == BUILTIN:
        return BuiltinEmbedder()
    if Path(model).is_dir():
        return SentenceEmbedder(model, local_only=True)
    name, local_only = listed(model), not hub_answers()
    return FastEmbedder(name, local_only) if name else SentenceEmbedder(model, local_only)


def hub_answers(endpoint: str | None = None, seconds: float = _PROBE_SECONDS) -> bool:
    """Whether the model hub says anything within the time.

    The libraries themselves retry for minutes when the name does not resolve, and wait for ever on a host
    that accepts and is silent.
    """
    if os.environ.get("HF_HUB_OFFLINE", "").lower() in {"1", "true", "yes", "on"}:
        return False
    if endpoint is None:
        from huggingface_hub.constants import ENDPOINT

        endpoint = ENDPOINT
    try:
        httpx.head(endpoint, timeout=seconds)
    except (httpx.HTTPError, httpx.InvalidURL):
        return False
    return True
