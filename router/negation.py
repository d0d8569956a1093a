"""Which words of a clause a person rules out: "не удаляй", "without a restore", "leave it alone"."""

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass

_RUSSIAN = {"не"}
_ENGLISH = {"don't", "dont", "never", "not", "no", "needn't", "mustn't", "shouldn't", "won't", "nothing", "avoid"}
_NOMINAL = {
    "без", "вместо", "кроме", "отложи", "отложим", "повремени", "погоди", "подожди",
    "without", "instead", "rather", "except", "hold", "skip", "forget", "postpone",
}  # fmt: skip
_WISH = {"want", "need"}
_STATE_BEFORE_NOT = {"is", "are", "was", "were", "has", "have", "had", "does", "did", "can", "could", "am", "still", "why"}
_STATE = re.compile(r"(?:[еуиюя]т(?:ся)?|[аеиоыуя]л[аои]?(?:с[ья])?|[аеяо]н[аоы]?|ен[аоы]?|могу|вижу|могут|понял|пойму|знаю)$")
_VERB = re.compile("(?:[ийь]|[ийь]те|[еи]м)$")
_WHOLE = {
    "надо", "нужно", "нужен", "нужна", "нужны", "стоит", "требуется", "следует", "хочу", "планирую", "планируем",
    "собираюсь", "собираемся", "будем", "буду", "делай", "делать", "делайте", "прошу", "спеши",
    "спешим", "торопись", "вздумай", "смей", "стану", "станем", "рано", "вздумайте", "необходимо", "обязательно", "пока",
}  # fmt: skip
_FREEZE = {"трогай", "трогать", "трогайте", "трогаем", "touch", "touching", "касайся", "лезь", "alone", "untouched"}
_LATE = {"рано", "рановато", "нельзя", "незачем", "отставить", "запрещаю", "alone", "untouched"}
_FEAR = {"страшно", "боюсь", "опасно", "стремно", "рискованно", "afraid", "scared", "risky", "dangerous", "worried"}
_REACH = 2
WORDS = _RUSSIAN | _ENGLISH | _NOMINAL | _WHOLE | _FREEZE | _LATE


def ruled_out(words: Sequence[str], acts: Sequence[bool], empty: Container[str]) -> tuple[list[bool], bool]:
    """For each word of a clause whether it is ruled out, and whether the things named may not be touched at all.

    `acts` tells which words are something that one does, `empty` holds the words without meaning of their own.
    """
    clause = _Clause(words, acts, empty)
    out = [False] * len(words)
    for at in range(len(words)):
        for i in clause.scope(at):
            out[i] = True
    return out, any(out) and bool(_FREEZE & set(words))


@dataclass(slots=True)
class _Clause:
    words: Sequence[str]
    acts: Sequence[bool]
    empty: Container[str]

    def scope(self, at: int) -> Sequence[int]:
        """Indexes that the word at `at` rules out; none if it is no negator or denies a fact only."""
        word = self.words[at]
        if word in _LATE:
            return range(len(self.words))
        if word in _NOMINAL:
            return () if _FEAR & set(self.words) else self._content(at)
        if word in _RUSSIAN:
            return self._russian(at)
        denies_fact = word == "not" and at > 0 and self.words[at - 1] in _STATE_BEFORE_NOT
        return self._english(at) if word in _ENGLISH and not denies_fact else ()

    def _english(self, at: int) -> Sequence[int]:
        if self.words[at] == "no":
            return self._content(at)
        scope = range(0 if self.words[at] == "nothing" else at + 1, len(self.words))
        if _WISH & set(self.words[at + 1 : at + 2]):
            return scope
        return scope if any(self.acts[i] for i in scope) else ()

    def _russian(self, at: int) -> Sequence[int]:
        everything = range(len(self.words))
        following = self.words[at + 1 : at + 3]
        if not following or (_WHOLE | _FREEZE) & set(following):
            return everything
        if _STATE.search(following[0]) and following[0] not in self.empty:
            return ()
        if not self.acts[at + 1]:
            return self._content(at)
        asked_before = any(act and _VERB.search(word) for word, act in zip(self.words[:at], self.acts, strict=False))
        return everything[at + 1 :] if asked_before else everything

    def _content(self, at: int) -> list[int]:
        """The next words that carry meaning."""
        return [i for i in range(at + 1, len(self.words)) if self.words[i] not in self.empty or self.acts[i]][:_REACH]
