"""A set of words that takes little more memory than their letters."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable


class WordSet:
    """An immutable set of words, exact like a `frozenset` and a tenth of its size.

    The words of one length in bytes stand sorted in one row, where a binary search finds them in microseconds.
    """

    def __init__(self, words: Iterable[str]):
        rows: dict[int, set[bytes]] = defaultdict(set)
        for word in words:
            coded = _coded(word)
            rows[len(coded)].add(coded)
        self._rows = {size: b"".join(sorted(row)) for size, row in rows.items()}

    def __contains__(self, word: str) -> bool:
        """Whether this very word is in the set."""
        coded = _coded(word)
        size, row = len(coded), self._rows.get(len(coded), b"")
        if not row:
            return False
        place = bisect_left(range(0, len(row), size), coded, key=lambda start: row[start : start + size])
        return row.startswith(coded, place * size)


def _coded(word: str) -> bytes:
    return word.encode(errors="surrogatepass")
