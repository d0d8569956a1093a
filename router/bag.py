"""BM25 over the words of a tool: name, descriptions, parameters and path (Robertson and Zaragoza, 2009)."""

import math
from collections import Counter, defaultdict
from collections.abc import Container, Mapping, Sequence

import numpy as np

from router.entry import Entry
from router.text import name_words, stem, words

_K1, _B = 1.2, 0.75


class Bags:
    """The words of each tool of a catalogue, by stem, weighed once."""

    def __init__(self, entries: Sequence[Entry], stop: Container[str]):
        self._size = len(entries)
        bags = [Counter(stem(word) for word in _words(entry) if word not in stop) for entry in entries]
        length = np.array([sum(bag.values()) for bag in bags], dtype=float)
        mean = max(float(length.mean()), 1.0) if bags else 1.0
        postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for i, bag in enumerate(bags):
            for word, count in bag.items():
                postings[word].append((i, count))
        self._weights = {word: self._weigh(found, length / mean) for word, found in postings.items()}

    def _weigh(self, found: Sequence[tuple[int, int]], length: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        tools = np.array([tool for tool, _ in found], dtype=np.int64)
        count = np.array([times for _, times in found], dtype=float)
        idf = math.log(1 + (self._size - len(found) + 0.5) / (len(found) + 0.5))
        return tools, idf * count * (_K1 + 1) / (count + _K1 * (1 - _B + _B * length[tools]))

    def score(self, terms: Mapping[str, float]) -> np.ndarray:
        """One score a tool."""
        scores = np.zeros(self._size)
        for term, weight in terms.items():
            if term in self._weights:
                tools, values = self._weights[term]
                scores[tools] += weight * values
        return scores


def _words(entry: Entry) -> list[str]:
    told = [word for text in entry.descriptions.values() for word in words(text)]
    named = [word for name in (*entry.parameters, entry.path) for word in name_words(name)]
    return [*name_words(entry.name), *told, *named]
