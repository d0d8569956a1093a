"""What turns text into vectors, whichever library does it."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Protocol

import numpy as np
from threadpoolctl import threadpool_limits


class Embedder(Protocol):
    """Sentences to unit vectors; `id` names the model and its revision, for caches and thresholds."""

    @property
    def id(self) -> str:
        """Model and revision."""
        ...

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """One unit vector a text, float32, shape (len(texts), dimension)."""
        ...


class EmbedderError(RuntimeError):
    """The model cannot be loaded; the message says what to do."""


def unit(vectors: np.ndarray) -> np.ndarray:
    """The vectors scaled to length one, as float32."""
    vectors = np.asarray(vectors, dtype=np.float32)
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)


@lru_cache(maxsize=1)
def one_blas_thread() -> None:
    """Keep numpy to one thread for the life of the process: on vectors this small more only spin."""
    threadpool_limits(limits=1, user_api="blas")
