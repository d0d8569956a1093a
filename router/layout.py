"""Text typed in the wrong keyboard layout, and Russian written in Latin letters."""

_LATIN = "`qwertyuiop[]asdfghjkl;'zxcvbnm,."
_SHIFTED = '~QWERTYUIOP{}ASDFGHJKL:"ZXCVBNM<>'
_RUSSIAN = "ёйцукенгшщзхъфывапролджэячсмитьбю"
_SWAP = str.maketrans(_LATIN + _SHIFTED + _RUSSIAN + _RUSSIAN.upper(), _RUSSIAN + _RUSSIAN.upper() + _LATIN + _SHIFTED)
_CYRILLIC_OF = {
    "shch": "щ", "sch": "щ", "zh": "ж", "kh": "х", "ts": "ц", "ch": "ч", "sh": "ш",
    "yu": "ю", "ju": "ю", "ya": "я", "ja": "я", "yo": "е", "jo": "е", "ye": "е", "je": "е", "ck": "к",
    "a": "а", "b": "б", "v": "в", "w": "в", "g": "г", "d": "д", "e": "е", "z": "з", "i": "и", "j": "й", "k": "к",
    "l": "л", "m": "м", "n": "н", "o": "о", "p": "п", "r": "р", "s": "с", "t": "т", "u": "у", "f": "ф", "h": "х",
    "c": "ц", "q": "к", "x": "кс", "y": "ы", "'": "ь",
}  # fmt: skip
_LONGEST = max(map(len, _CYRILLIC_OF))
_VOWELS = "aeiouy"


def swap_layout(chunk: str) -> str:
    """The same keys in the other layout: `lfi,jhl` is дашборд, `вфыр` is dash."""
    return chunk.translate(_SWAP)


def to_cyrillic(word: str) -> str:
    """A lower-case Latin word read as transliterated Russian, in any of the common schemes."""
    out, at = [], 0
    while at < len(word):
        size = next((n for n in range(_LONGEST, 0, -1) if word[at : at + n] in _CYRILLIC_OF and at + n <= len(word)), 1)
        out.append("й" if _is_short_i(word, at, size) else _CYRILLIC_OF.get(word[at : at + size], word[at]))
        at += size
    return "".join(out)


def _is_short_i(word: str, at: int, size: int) -> bool:
    """`y` after a vowel, and `i` after a vowel at the end, stand for й: deploy, udalyai."""
    after_vowel = size == 1 and at > 0 and word[at - 1] in _VOWELS
    return after_vowel and (word[at] == "y" or (word[at] == "i" and at == len(word) - 1))
