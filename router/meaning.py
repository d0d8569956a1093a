"""The meaning tier: how near a query is to the name, the description and the phrases of each tool."""

from collections.abc import Callable, Sequence
from functools import partial
from statistics import median

import numpy as np

from router.cache import VectorCache
from router.embedder import Embedder, one_blas_thread
from router.entry import Entry
from router.keywords import phrases_of
from router.text import name_words, sentences

_NAME, _WHOLE, _PART = 0.2, 0.3, 0.5
_GENERIC = {"tool", "app", "ai", "plugin", "gpt", "api", "chat", "bot"}
_FALLBACK_SPAN, _LEAST_SPAN = 0.45, 0.01

Encode = Callable[[Sequence[str]], np.ndarray]


class MeaningTier:
    """Vectors of a catalogue under one embedder, with the scale of that embedder measured, not assumed.

    `low` is what unrelated everyday sentences reach, `high` what phrases of the same tool reach among
    each other; a cosine of 0.65 means nothing without them. Nearness to everyday talk has a scale of its own,
    which no catalogue stretches: 0 is two of its sentences at random, 1 the two nearest.
    """

    def __init__(
        self, entries: Sequence[Entry], embedder: Embedder, everyday: Sequence[str], cache: VectorCache | None = None
    ):
        one_blas_thread()
        encode: Encode = partial(cache.encode, embedder) if cache else embedder.encode
        self.embedder = embedder
        self._names = encode([_title(e) for e in entries])
        self._wholes, self._whole_at = _gather(encode, [wholes_of(e) for e in entries])
        self._parts, self._part_at = _gather(encode, [parts_of(e) for e in entries])
        self._everyday = encode(list(everyday))
        self.low, self.high = self._scale()
        among = self._everyday @ self._everyday.T
        self._random = float(np.median(among))
        self._alike = max(float(np.median(_nearest(among))), self._random + _LEAST_SPAN)

    def score(self, texts: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """For each text its nearness to each tool, and to everyday talk, on the model's own scales: 0 is noise,
        1 a paraphrase."""
        queries = self.embedder.encode(list(texts))
        talk = (queries @ self._everyday.T).max(axis=1)
        near = (self._nearness(queries) - self.low) / (self.high - self.low)
        return near, (talk - self._random) / (self._alike - self._random)

    def _nearness(self, queries: np.ndarray) -> np.ndarray:
        return (
            _NAME * (queries @ self._names.T)
            + _WHOLE * _best(queries @ self._wholes.T, self._whole_at)
            + _PART * _best(queries @ self._parts.T, self._part_at)
        )

    def _scale(self) -> tuple[float, float]:
        low = float(median(self._nearness(self._everyday).max(axis=1)))
        ends = [*self._part_at[1:], len(self._parts)]
        same = [
            _nearest(self._parts[a:b] @ self._parts[a:b].T)
            for a, b in zip(self._part_at, ends, strict=True)
            if b - a > 2
        ]
        high = float(median(np.concatenate(same))) if same else 0.0
        return low, max(high, low + _FALLBACK_SPAN * (1 - low), low + _LEAST_SPAN)


def _nearest(cosine: np.ndarray) -> np.ndarray:
    """For each of some vectors, given their cosines, how near its nearest other one is."""
    np.fill_diagonal(cosine, -1.0)
    return cosine.max(axis=1)


def _gather(encode: Encode, groups: Sequence[Sequence[str]]) -> tuple[np.ndarray, list[int]]:
    starts, texts = [], []
    for group in groups:
        starts.append(len(texts))
        texts += group
    return encode(texts), starts


def _best(cosine: np.ndarray, starts: Sequence[int]) -> np.ndarray:
    return np.maximum.reduceat(cosine, starts, axis=1)


def _title(entry: Entry) -> str:
    """The name in words, without those that every tool could carry."""
    words = name_words(entry.name)
    return " ".join([w for w in words if w not in _GENERIC] or words)


def wholes_of(entry: Entry) -> list[str]:
    """The tool in one sentence for each language."""
    return [f"{_title(entry)}: {text}" for text in entry.descriptions.values() if text] or [_title(entry)]


def parts_of(entry: Entry) -> list[str]:
    """Everything a query may resemble: the name, parts of the descriptions, phrases of two words or more."""
    told = [part for text in entry.descriptions.values() for part in sentences(text) or [text]]
    phrases = [phrase for phrase in phrases_of(entry) if " " in phrase]
    return list(dict.fromkeys([_title(entry), *told, *phrases]))
