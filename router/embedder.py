"""What turns text into vectors, whichever library does it."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np


class Embedder(Protocol):
    """Sentences to unit vectors; `id` names the model and its revision, for caches and thresholds."""

    @property
    def id(self) -> str:
        """Model and revision."""
        ...

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """One unit vector a text, float32, shape (len(texts), dimension)."""
        ...


class EmbedderUnavailable(RuntimeError):
    """The model cannot be loaded; the message says what to do."""


def unit(vectors: np.ndarray) -> np.ndarray:
    """The vectors scaled to length one, as float32."""
    vectors = np.asarray(vectors, dtype=np.float32)
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
