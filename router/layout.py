"""Text typed in the wrong keyboard layout, and Russian written in Latin letters."""

_LATIN = "`qwertyuiop[]asdfghjkl;'zxcvbnm,."
_RUSSIAN = "ёйцукенгшщзхъфывапролджэячсмитьбю"
_SHIFTED = '~QWERTYUIOP{}ASDFGHJKL:"ZXCVBNM<>'
_SWAP = str.maketrans(_LATIN + _SHIFTED + _RUSSIAN + _RUSSIAN.upper(), _RUSSIAN + _RUSSIAN.upper() + _LATIN + _SHIFTED)
_CYRILLIC_OF = {
    "shch": "щ", "sch": "щ", "zh": "ж", "kh": "х", "ts": "ц", "ch": "ч", "sh": "ш",
    "yu": "ю", "ju": "ю", "ya": "я", "ja": "я", "yo": "е", "jo": "е", "ye": "е", "je": "е", "ck": "к",
    "a": "а", "b": "б", "v": "в", "w": "в", "g": "г", "d": "д", "e": "е", "z": "з", "i": "и", "j": "й", "k": "к",
    "l": "л", "m": "м", "n": "н", "o": "о", "p": "п", "r": "р", "s": "с", "t": "т", "u": "у", "f": "ф", "h": "х",
    "c": "ц", "q": "к", "x": "кс", "'": "ь",
}  # fmt: skip
_VOWELS = "aeiouy"


def swap_layout(chunk: str) -> str:
    """The same keys in the other layout: `ltifshl` is дашборд, `вфыр` is dash."""
    return chunk.translate(_SWAP)


def to_cyrillic(word: str) -> str:
    """A Latin word read as transliterated Russian, in any of the common schemes."""
    out, at = [], 0
    while at < len(word):
        for size in (4, 3, 2, 1):
            letter = _CYRILLIC_OF.get(word[at : at + size])
            if letter and len(word[at : at + size]) == size:
                out.append(letter)
                at += size
                break
        else:
            out.append(_letter_y(word, at))
            at += 1
    return "".join(out)


def _letter_y(word: str, at: int) -> str:
    """`y` stands for й after a vowel, for ы otherwise; anything unknown stays."""
    if word[at] != "y":
        return word[at]
    return "й" if at and word[at - 1] in _VOWELS else "ы"
