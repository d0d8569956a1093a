"""The compact set of words: exact, and a fraction of the size of the strings."""

import pickle
import sys

from spellchecker import SpellChecker

from router.wordset import WordSet

WORDS = frozenset(SpellChecker("ru").word_frequency.words())


def test_a_set_holds_its_words_and_no_neighbour_of_theirs():
    packed = WordSet(WORDS)
    assert all(word in packed for word in WORDS)
    near = {near for word in WORDS for near in (word[1:], word[:-1], f"{word}a", f"я{word}", word[::-1])}
    assert {word for word in near if word in packed} == near & WORDS


def test_odd_words_are_told_apart_too():
    packed = WordSet(["a", "b", "b", "\ud800", "\x00", "ё"])
    assert [word for word in ["a", "c", "", "\ud800", "\udfff", "\x00", "ё", "е"] if word in packed] == [
        "a", "\ud800", "\x00", "ё",
    ]  # fmt: skip
    assert "a" not in WordSet([])


def test_a_set_is_a_tenth_of_its_strings():
    strings = sys.getsizeof(WORDS) + sum(map(sys.getsizeof, WORDS))
    assert len(pickle.dumps(WordSet(WORDS))) * 10 < strings
