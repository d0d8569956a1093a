"""Any other model id or local folder, by sentence-transformers, which is an extra."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from router.embedder import EmbedderError, unit


class SentenceEmbedder:
    """A sentence-transformers model on the CPU; importing the library alone takes seconds.

    Raises `EmbedderError`, naming the extra, when the library is missing, and when the model cannot
    be had.
    """

    def __init__(self, model: str, local_only: bool = False):
        try:
            from sentence_transformers import SentenceTransformer  # pyright: ignore[reportMissingImports]
        except ImportError as error:
            raise EmbedderError(
                f"EMBEDDING_MODEL={model} needs the extra: pip install 'countersign[sentence-transformers]'."
            ) from error
        self.id = f"{model}@{_revision(Path(model))}"
        try:
            self._model = SentenceTransformer(model, device="cpu", local_files_only=local_only)
        except Exception as error:  # the library raises whatever its downloader did
            raise EmbedderError(f"The model {model} is not on this machine and cannot be fetched.") from error

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """See `Embedder.encode`."""
        return unit(self._model.encode(list(texts), show_progress_bar=False, convert_to_numpy=True))


def _revision(folder: Path) -> str:
    """What tells one state of a local folder from another; models by id are taken not to change."""
    if not folder.is_dir():
        return "hub"
    files = sorted((str(f.relative_to(folder)), f.stat().st_size, f.stat().st_mtime_ns) for f in folder.rglob("*.*"))
    return hashlib.sha256(repr(files).encode()).hexdigest()[:12]
