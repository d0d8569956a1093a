"""Which words of a clause a person rules out: "не удаляй", "without a restore", "leave it alone"."""

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass

_RUSSIAN = {"не"}
_ENGLISH = {"don't", "dont", "never", "not", "no", "needn't", "mustn't", "shouldn't", "won't", "nothing", "avoid"}
_NOMINAL = {
    "без", "вместо", "кроме", "минуя", "никаких", "никакого", "никакой", "никакую", "никаким",
    "отложи", "отложим", "повремени", "погоди", "подожди",
    "without", "instead", "rather", "except", "hold", "skip", "forget", "postpone",
}  # fmt: skip
_WISH = {"want", "need"}
_STATE_BEFORE_NOT = {
    "should",
    "must",
    "is",
    "are",
    "was",
    "were",
    "has",
    "have",
    "had",
    "does",
    "did",
    "can",
    "could",
    "am",
    "still",
    "why",
}
_STATE = re.compile(
    r"(?:[еуиюя]т(?:ся)?|[аеиоыуя]л[аои]?(?:с[ья])?|[аеяо]н[аоы]?|ен[аоы]?|могу|вижу|могут|понял|пойму|знаю)$"
)
_DUTY = ("должен", "должн")  # others' duty is a fact that leads to a request: people should not get in
_VERB = re.compile("(?:[ийь]|[ийь]те|[еи]м)$")
_WHOLE = {
    "надо", "нужно", "нужен", "нужна", "нужны", "стоит", "требуется", "следует", "хочу", "планирую", "планируем",
    "собираюсь", "собираемся", "будем", "буду", "делай", "делать", "делайте", "прошу", "спеши", "спешим",
    "торопись", "вздумай", "смей", "стану", "станем", "рано", "вздумайте", "необходимо", "обязательно", "пока",
}  # fmt: skip
_FREEZE = {
    "трогай",
    "трогать",
    "трогайте",
    "трогаем",
    "трогая",
    "тронь",
    "тронув",
    "touch",
    "touching",
    "касайся",
    "касаясь",
    "лезь",
    "alone",
    "untouched",
}
_KEEP = {"keep", "оставь", "оставьте", "оставим"}
_LATE = {"рано", "рановато", "нельзя", "незачем", "отставить", "запрещаю", "alone", "untouched"}
_LAMENT = {"нельзя": {"ничего"}, "незачем": {"ему", "ей", "им"}}  # what others cannot or need not do
_FEAR = {"страшно", "боюсь", "опасно", "стремно", "рискованно", "afraid", "scared", "risky", "dangerous", "worried"}
_REACH = 2
WORDS = _RUSSIAN | _ENGLISH | _NOMINAL | _WHOLE | _FREEZE | _LATE | _KEEP


@dataclass(frozen=True, slots=True)
class Ruling:
    """Which words of a clause are ruled out. `frozen`: the things named may not be touched at all. `cautious`:
    something is forbidden or to be kept, whether or not it is clear what."""

    out: tuple[bool, ...]
    frozen: bool
    cautious: bool


def ruled_out(words: Sequence[str], acts: Sequence[bool], empty: Container[str]) -> Ruling:
    """What a clause forbids. `acts` tells which words are something that one does, `empty` holds the words
    without meaning of their own."""
    clause = _Clause(words, acts, empty)
    forbidding = [at for at in range(len(words)) if clause.forbids(at)]
    out = {i for at in forbidding for i in clause.scope(at)}
    frozen = bool(forbidding) and bool(_FREEZE & set(words))
    return Ruling(tuple(i in out for i in range(len(words))), frozen, bool(forbidding) or bool(_KEEP & set(words)))


@dataclass(slots=True)
class _Clause:
    words: Sequence[str]
    acts: Sequence[bool]
    empty: Container[str]

    def forbids(self, at: int) -> bool:
        """Whether the word at `at` forbids, rather than denies a fact or tells a fear."""
        word, before, after = self.words[at], self.words[:at][-1:], self.words[at + 1 : at + 2]
        if word in _NOMINAL:
            return not _FEAR & set(self.words)
        if word in _RUSSIAN and after and after[0].startswith(_DUTY):
            return False
        if word in _RUSSIAN:
            return not after or after[0] in self.empty or not _STATE.search(after[0])
        if word in _LATE:
            return not _LAMENT.get(word, set()) & set(self.words)
        return word in _ENGLISH and not (before and before[0] in _STATE_BEFORE_NOT)

    def scope(self, at: int) -> Sequence[int]:
        """Indexes that the forbidding word at `at` rules out."""
        word = self.words[at]
        if word in _LATE:
            return range(len(self.words))
        if word in _NOMINAL or word == "no":
            return self._content(at)
        return self._russian(at) if word in _RUSSIAN else self._english(at)

    def _english(self, at: int) -> Sequence[int]:
        following = set(self.words[at + 1 : at + 3])
        scope = range(0 if self.words[at] == "nothing" else at + 1, len(self.words))
        return scope if (_WISH | _FREEZE) & following or any(self.acts[i] for i in scope) else ()

    def _russian(self, at: int) -> Sequence[int]:
        everything = range(len(self.words))
        following = self.words[at + 1 : at + 3]
        if not following or (_WHOLE | _FREEZE) & set(following):
            return everything
        if not self.acts[at + 1]:
            return self._content(at)
        asked_before = any(act and _VERB.search(word) for word, act in zip(self.words[:at], self.acts, strict=False))
        return everything[at + 1 :] if asked_before else everything

    def _content(self, at: int) -> list[int]:
        """The next words that carry meaning."""
        return [i for i in range(at + 1, len(self.words)) if self.words[i] not in self.empty or self.acts[i]][:_REACH]
