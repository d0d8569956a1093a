"""Vectors of a catalogue on disk, by model and content, so that a restart need not embed it again."""

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from router.embedder import Embedder


class VectorCache:
    """One `.npy` file for each model and list of texts; a damaged file is ignored and written again."""

    def __init__(self, folder: Path | str):
        self._folder = Path(folder)

    def encode(self, embedder: Embedder, texts: Sequence[str]) -> np.ndarray:
        """The vectors of the texts, from disk if they are there."""
        path = self._folder / f"{_digest(embedder.id, texts)}.npy"
        vectors = _read(path, len(texts))
        if vectors is None:
            vectors = embedder.encode(texts)
            _write(path, vectors)
        return vectors


def _digest(model: str, texts: Sequence[str]) -> str:
    digest = hashlib.sha256(model.encode())
    for text in texts:
        digest.update(b"\0" + text.encode())
    return digest.hexdigest()


def _read(path: Path, rows: int) -> np.ndarray | None:
    try:
        vectors = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return None
    sound = vectors.ndim == 2 and len(vectors) == rows and vectors.dtype == np.float32 and np.isfinite(vectors).all()
    return vectors if sound else None


def _write(path: Path, vectors: np.ndarray) -> None:
    """Atomic; a full disk or a read-only folder costs only the time of the next start."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                np.save(file, vectors, allow_pickle=False)
            os.replace(name, path)
        except BaseException:
            os.unlink(name)
            raise
