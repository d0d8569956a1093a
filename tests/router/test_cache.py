"""Vectors on disk: by model and content, written whole or not at all, never trusted when damaged."""

from pathlib import Path

import numpy as np
import pytest

from router.cache import VectorCache


class Counting:
    """An embedder that counts the texts it was given."""

    def __init__(self, model: str = "model@1"):
        self.id, self.texts = model, 0

    def encode(self, texts) -> np.ndarray:
        self.texts += len(texts)
        return np.eye(len(texts), 8, dtype=np.float32)


def test_the_same_texts_are_embedded_once(tmp_path: Path):
    embedder, cache = Counting(), VectorCache(tmp_path)
    first = cache.encode(embedder, ["a", "b"])
    assert np.array_equal(VectorCache(tmp_path).encode(embedder, ["a", "b"]), first)
    assert embedder.texts == 2


@pytest.mark.parametrize("texts", [["a", "c"], ["ab", ""], ["b", "a"], ["a"]])
def test_other_content_is_another_entry(tmp_path: Path, texts: list[str]):
    embedder, cache = Counting(), VectorCache(tmp_path)
    cache.encode(embedder, ["a", "b"])
    cache.encode(embedder, texts)
    assert embedder.texts == 2 + len(texts)


def test_another_model_is_another_entry(tmp_path: Path):
    VectorCache(tmp_path).encode(Counting(), ["a"])
    other = Counting("model@2")
    VectorCache(tmp_path).encode(other, ["a"])
    assert other.texts == 1


@pytest.mark.parametrize("damage", [b"", b"\x93NUMPY", b"not an array", None])
def test_a_damaged_file_is_ignored_and_written_again(tmp_path: Path, damage: bytes | None):
    embedder, cache = Counting(), VectorCache(tmp_path)
    good = cache.encode(embedder, ["a", "b"])
    (path,) = tmp_path.glob("*.npy")
    if damage is None:
        np.save(path, np.full((2, 8), np.nan, dtype=np.float32))
    else:
        path.write_bytes(damage)
    assert np.array_equal(cache.encode(embedder, ["a", "b"]), good)
    assert embedder.texts == 4
    assert np.array_equal(np.load(path), good)


def test_pickles_are_never_loaded(tmp_path: Path):
    embedder, cache = Counting(), VectorCache(tmp_path)
    cache.encode(embedder, ["a"])
    (path,) = tmp_path.glob("*.npy")
    np.save(path, np.array([{"x": 1}], dtype=object), allow_pickle=True)
    cache.encode(embedder, ["a"])
    assert embedder.texts == 2


def test_nothing_half_written_is_left(tmp_path: Path):
    VectorCache(tmp_path).encode(Counting(), ["a"])
    assert [path.suffix for path in tmp_path.iterdir()] == [".npy"]


def test_a_folder_that_cannot_be_made_costs_only_the_time(tmp_path: Path):
    (tmp_path / "file").write_text("")
    embedder = Counting()
    assert VectorCache(tmp_path / "file" / "vectors").encode(embedder, ["a"]).shape == (1, 8)
