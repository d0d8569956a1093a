"""Models that fastembed lists, as ONNX on the CPU: no torch."""

from collections.abc import Sequence
from importlib.metadata import version

import numpy as np

from router.embedder import EmbedderError, unit


def listed(model: str) -> str | None:
    """The full name of a model that fastembed lists, given with or without its organisation; None if it lists none."""
    from fastembed import TextEmbedding

    names = [entry["model"] for entry in TextEmbedding.list_supported_models()]
    return next((name for name in names if model in (name, name.split("/")[-1])), None)


class FastEmbedder:
    """One model of fastembed's list, one thread.

    `local_only` keeps it from the network. Raises `EmbedderError` when the files cannot be had.
    """

    def __init__(self, name: str, local_only: bool = False):
        from fastembed import TextEmbedding
        from loguru import logger

        logger.disable("fastembed")
        self.id = f"{name}@fastembed-{version('fastembed')}"
        try:
            self._model = TextEmbedding(name, threads=1, local_files_only=local_only)
        except Exception as error:  # the library raises whatever its downloader did
            raise EmbedderError(f"The files of {name} are not on this machine and cannot be fetched.") from error

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """See `Embedder.encode`."""
        return unit(np.array(list(self._model.embed(list(texts)))))
