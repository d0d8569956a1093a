"""Why a call is dangerous, in the person's language; the rules that judge it word their reasons in English."""

import re

from tools.toolset import Lang

_RUSSIAN: tuple[tuple[str, str], ...] = (
    ("destroys data", "уничтожает данные"),
    ("changes who may do what", "меняет, кому что можно"),
    ("closes an environment to everyone or opens it", "закрывает окружение для всех или открывает его"),
    ("overwrites an environment", "перезаписывает окружение"),
    ("overwrites content of another environment", "перезаписывает содержимое другого окружения"),
    ("stops running work", "останавливает идущую работу"),
    ("the method is (.+)", r"метод {0}"),
    ("(.+) and nothing proves that it is harmless", "{0}, и ничто не говорит о безвредности"),
    ("(.+), but it can be told to “(.+)”", "{0}, но ему можно велеть «{1}»"),
    ("(.+), but the name says “(.+)”", "{0}, но в имени есть «{1}»"),
    ("(.+), but the description begins with “(.+)”", "{0}, но описание начинается с «{1}»"),
    ("the name says “(.+)”", "в имени есть «{0}»"),
    ("the path ends in “(.+)”", "путь кончается на «{0}»"),
    ("the path is reserved: “(.+)”", "путь служебный: «{0}»"),
    ("the summary says “(.+)”", "в кратком описании есть «{0}»"),
    ("the body carries code: (.+)", "в теле запроса код: {0}"),
    ("the body holds “(.+)”", "в теле запроса есть «{0}»"),
    ("the body can set “(.+)”", "в теле запроса можно задать «{0}»"),
    ("the body names many things to change", "в теле запроса названо много изменяемых вещей"),
    ("the text names a danger", "в тексте названа опасность"),
    ("the description names a danger", "в описании названа опасность"),
    ("it touches many things at once: “(.+)”", "затрагивает много вещей сразу: «{0}»"),
    ("it makes or changes “(.+)”, which acts beyond the record", "создаёт или меняет «{0}», а это действует и вовне"),
    ("to make a “(.+)” is to do it", "создать «{0}» значит выполнить это"),
    ("(.+) says (?:danger|write|read)", "так решено в {0}"),
)


def spoken(lang: Lang, reason: str) -> str:
    """The reason in the language; one that is not known stays as it was written."""
    if lang == "en":
        return reason
    for english, russian in _RUSSIAN:
        if found := re.fullmatch(english, reason):
            return russian.format(*found.groups())
    return reason
