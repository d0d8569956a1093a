"""Which words of a clause a person rules out: "не удаляй", "without a restore", "leave it alone"."""

import re
from collections.abc import Sequence

from router.lexicon import Lexicon

_RUSSIAN = {"не", "ни"}
_ENGLISH = {"don't", "dont", "never", "not", "no", "needn't", "mustn't", "shouldn't", "won't", "nothing", "avoid"}
_NOMINAL = {"без", "вместо", "without", "instead", "rather", "кроме", "except"}
_STATE_BEFORE_NOT = {"is", "are", "was", "were", "has", "have", "had", "does", "did", "can", "could", "am", "still", "why"}
_STATE = re.compile(r"(?:[еуиюя]т(?:ся)?|[аеиоыуя]л[аои]?(?:с[ья])?|[аеяо]н[аоы]?|ен[аоы]?|могу|вижу|могут|понял|пойму|знаю)$")
_VERB = re.compile("(?:[ийь]|[ийь]те|[еи]м)$")
_WHOLE = {
    "надо", "нужно", "нужен", "нужна", "нужны", "стоит", "требуется", "следует", "хочу", "планирую", "планируем",
    "собираюсь", "собираемся", "будем", "буду", "делай", "делать", "делайте", "должен", "должны", "должно", "прошу", "спеши",
    "спешим", "торопись", "вздумай", "смей", "стану", "станем", "рано", "вздумайте", "необходимо", "обязательно", "пока",
}  # fmt: skip
_FREEZE = {"трогай", "трогать", "трогайте", "трогаем", "touch", "touching", "касайся", "лезь", "alone", "untouched"}
_LATE = {"рано", "рановато", "нельзя", "незачем", "отставить", "запрещаю", "alone", "untouched"}
_REACH = 2
WORDS = _RUSSIAN | _ENGLISH | _NOMINAL | _WHOLE | _FREEZE | _LATE


def ruled_out(words: Sequence[str], lexicon: Lexicon) -> tuple[list[bool], bool]:
    """For each word of a clause whether it is ruled out, and whether the things named may not be touched at all."""
    out = [False] * len(words)
    for at, word in enumerate(words):
        for i in _scope(words, at, word, lexicon):
            out[i] = True
    return out, any(out) and bool(_FREEZE & set(words))


def _scope(words: Sequence[str], at: int, word: str, lexicon: Lexicon) -> Sequence[int]:
    """Indexes that the word at `at` rules out; none if it is no negator or denies a fact only."""
    everything = range(len(words))
    if word in _LATE:
        return everything
    if word in _NOMINAL:
        return _content(words, at, lexicon)
    if word in _RUSSIAN:
        return _russian(words, at, lexicon)
    if word in _ENGLISH and not (at and word == "not" and words[at - 1] in _STATE_BEFORE_NOT):
        return _content(words, at, lexicon) if word == "no" else everything if word == "nothing" else range(at + 1, len(words))
    return ()


def _russian(words: Sequence[str], at: int, lexicon: Lexicon) -> Sequence[int]:
    following = words[at + 1 : at + 3]
    if not following or _WHOLE & set(following) or _FREEZE & set(following):
        return range(len(words))
    if _STATE.search(following[0]) and following[0] not in lexicon.stop:
        return ()
    if not _acts(following[0], lexicon):
        return _content(words, at, lexicon)
    free = not any(_asked(word, lexicon) for word in words[:at])
    return range(len(words)) if free else range(at + 1, len(words))


def _acts(word: str, lexicon: Lexicon) -> bool:
    return any(lexicon.section[concept] in ("actions", "questions") for concept in lexicon.of(word))


def _asked(word: str, lexicon: Lexicon) -> bool:
    """Whether a word before the negator is an act asked for (перенеси), not its object (перенос)."""
    return bool(_VERB.search(word)) and _acts(word, lexicon)


def _content(words: Sequence[str], at: int, lexicon: Lexicon) -> list[int]:
    """The next words that carry meaning."""
    return [i for i in range(at + 1, len(words)) if words[i] not in lexicon.stop or lexicon.of(words[i])][:_REACH]
