"""What the sentences of a document say that an operation does, in English and Russian: grammar, not a list of APIs.

A word in front of an article is a verb, an infinitive in front is a deed, a question is answered and not acted upon.
"""

import re

from tools.openapi import words

CYRILLIC = re.compile(r"[А-Яа-яЁё]")
ARTICLES = frozenset("the a an this its their your every each all".split())
# Words that stand in front of an article and are no verbs.
PLAIN = frozenset(
    "is are was were does do has have can could would will should may might what which who whose whether where "
    "when how why if all both of for in on by from to with as at per about and or not only just also such half "
    "during including regarding concerning following using according".split()
)
# Verbs by which a text says that something is told, besides those of a name.
TELLING = words.READ | frozenset(
    "tell tells say says report reports give gives provide provides serve serves answer answers respond responds "
    "expose exposes contain contains include includes present presents print prints dump stream streams export "
    "exports trace track poll see obtain verify verifies test tests probe ping ask asks evaluate evaluates quote "
    "quotes use uses accept accepts allow allows support supports represent represents identify identifies "
    "redirect redirects load loads pull pulls plot draw visualize analyze analyse enumerate compile derive "
    "normalise normalize determine discover examine explore extract gather outline review sample summarise".split()
)
# Verbs of reading that are no nouns: what follows their “and” is a verb as well.
NEVER_NOUNS = frozenset(
    "get find fetch retrieve show check calculate compute validate describe parse explain detect render read".split()
)
ASKING = frozenset("tell tells say says test tests ask asks see estimate check checks find learn know".split())
# Verbs that ask only in front of “whether”; “try when the queue is free” does not.
TRYING = frozenset("try verify determine".split())
RU_ASKS = re.compile(
    r"\s*(узнать|выяснить|посмотреть|увидеть|понять|показать|оценить),? "
    r"(\w+ ли|сколько|как\w*|где|когда|кто|что|чей|чья|почему|насколько)\b", re.I)  # fmt: skip
ASKED = frozenset("is are was were does do did has have can could would will should many much the a an".split())
QUESTION = frozenset("whether where which what who when how".split())
LOOKED_AT = r"(signature|checksum|hash|digest|integrity|proof)s?"
PROMISE = re.compile(
    r"\bwithout (plac|sav|stor|send|chang|creat|charg|apply|execut|runn|book|publish|modify|persist)\w*ing\b"
    r"|\bnothing (is|will be|gets) \w+(ed|n|t)\b"
    r"|\b(is|are) (planned and )?not (run|stored|saved|kept|executed|changed)\b"
    r"|\bno \w+ (is|are) (issued|placed|made|created|charged|stored|saved|sent)\b"
    r"|\bничего не (меня|сохран|отправл|созда|выполн)|\bне сохраня", re.I)  # fmt: skip
RU_ANSWERS = (
    r"(возвращает (список|таблиц|сводн|отч[её]т|данн|результат|сведени|информаци)"
    r"|(показыва|счита|рассчит|вычисля|проверя|сравнива|чита|ищ)\w*)"
)
# Verbs that work something out or make it: only with the promise to keep nothing do they read.
WORKING_OUT = re.compile(r"\s*((price|quote|rate|plan|model)s?\b|постро|состав|сформир|подобр|сплан|смодел)", re.I)
KEEPS_NOTHING = re.compile(
    r"\bwithout (plac|sav|stor|creat|book|persist|hold|reserv|keep|commit)\w*ing\b"
    r"|\bnothing (is|will be|gets) (saved|stored|kept|changed|created|written)\b"
    r"|\bничего не (меня|сохран|созда|запис)|\bне (сохраняя|записывая)", re.I)  # fmt: skip
DRAFTS = re.compile(
    r"\s*(create|save|add|make|write|edit|update)s? (an? |the |your |one's )?(new )?draft\b"
    r"|\s*(созда|сохрани|добави|измени|обнови)ть (новый )?черновик", re.I)  # fmt: skip
PHRASAL = re.compile(r"\s*(turn|switch|power|log|sign|opt|wake|shut|roll|cut) (on|off|out|up|down|back)\b", re.I)
RU_THIRD = r"[а-яё]{2,}(?:ет|ёт|ит|ют|ут|ят|ат)(?:ся)?"
WORKED_OUT = (
    r"(answers|responds) with\b|returns (how|whether|which|what|where|when)\b"
    rf"|verif(y|ies) (the|a|an) (\w+ )?{LOOKED_AT}\b|quotes? (the|a|an) (\w+ )?(price|cost|premium|rate|fare|fee)\b"
    r"|performs? (the|a|an) (\w+ ){0,2}(calculation|computation|comparison|validation|lookup|estimation|analysis)\b"
)
CREDENTIAL = (
    r"\b(session|token|credential|password|passcode|secret|(?:access|api|private|room|signing) key|certificate)s?\b"
)
HANDED = re.compile(
    r"\b(get|fetch|retrieve|obtain|issue|encode|mint)(s|es)? "
    rf"((?!(of|for|from|by|about|whether|if)\b)[\w-]+ ){{0,4}}?({CREDENTIAL}|key card)", re.I)  # fmt: skip
ON_BEHALF = re.compile(r"\bact(s|ing)? (as|on behalf)\b|\bimpersonat|\bот имени (друг|сотруд|пользов|клиент)", re.I)


def spelled(text: str) -> list[str]:
    """The words of a name or a text, in small letters; `camelCase` is two."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text)
    return [w.lower() for w in re.findall(r"[A-Za-z]+\d*|[А-Яа-яЁё]+", spaced)]


def plain_verb(word: str) -> str:
    """The plain form of an English verb: “creates” and “creating” are “create”."""
    known = words.READ | words.WRITE | words.DANGER
    stem = word.removesuffix("ing")
    forms = (word, word.removesuffix("s"), word.removesuffix("es"), stem, stem + "e")
    return next((f for f in forms if f in known), word)


def first_sentence(text: str) -> str:
    """The first sentence."""
    return re.split(r"[.\n]", text.strip(), maxsplit=1)[0]


def russian(text: str, stems: tuple[str, ...]) -> bool:
    """Whether a word of a Russian text begins with one of these."""
    return bool(CYRILLIC.search(text)) and any(re.search(rf"(?<![А-Яа-яЁё]){stem}", text, re.I) for stem in stems)


def russian_deed(*texts: str) -> bool:
    """Whether a Russian text says that something is done: a verb anywhere in a first sentence, a noun in front."""
    deeds = rf"(?:{'|'.join(words.RU_DANGER)})"
    return any(
        re.search(rf"(?<![а-яё]){deeds}{words.RU_VERB}", text, re.I)
        or re.search(rf"(?:^\s*|(?<![а-яё])и\s+){deeds}{words.RU_ACTION}", text, re.I)
        for text in map(first_sentence, texts)
    )


def opening_deed(text: str) -> str:
    """The verb with which a text begins when it does not say that something is told; else nothing.

    In English only in front of an article, where a word is a verb: “Opens the valve”, but “Open orders”.
    """
    found = [word.lower() for word in re.findall(r"[^\W\d_]+", first_sentence(text))[:2]]
    if not found:
        return ""
    if re.fullmatch(r"[а-яё]+(ть|ти|чь)(ся)?", found[0]):
        return "" if russian(found[0], words.RU_TELLING) else found[0]
    if len(found) < 2 or found[1] not in ARTICLES or found[0] in PLAIN:
        return ""
    return "" if {found[0], plain_verb(found[0])} & TELLING else found[0]


def asks(summary: str) -> str:
    """The word that makes a text a question: “Tell whether …”, “Where is …”; else nothing."""
    opening, then, *_ = [*spelled(first_sentence(summary)), "", ""]
    if opening in QUESTION | {"is", "are", "does", "can", "would"}:
        return opening if then in ASKED else ""
    if opening in TRYING and then == "whether":
        return then
    if hit := RU_ASKS.match(summary):
        return hit.group(0).strip()
    return then if opening in ASKING and then in QUESTION else ""


def phrasal(text: str) -> str:
    """The verb of two words with which a text begins: “Turn on the light”, “Opt out of mails”; else nothing."""
    hit = PHRASAL.match(text)
    return hit.group(0) if hit else ""


def drafts(summary: str) -> bool:
    """Whether a text says that a draft is written, and no more."""
    return bool(DRAFTS.match(summary)) and not second_order(summary)


def answers(description: str) -> str:
    """The words by which a description says that the operation only works something out; else nothing."""
    sentence, promised = first_sentence(description), PROMISE.search(description)
    opening, *rest = spelled(sentence) or [""]
    if second_deed(sentence):
        return ""
    if hit := re.match(rf"\s*({RU_ANSWERS}|{WORKED_OUT})", sentence, re.I):
        return hit.group(0).strip()
    if WORKING_OUT.match(sentence) and (kept := KEEPS_NOTHING.search(description)):
        return kept.group(0)
    if plain_verb(opening) not in words.READ - words.READ_OR_CHANGE or (rest and rest[0] in PLAIN):
        return ""
    dangers = {_undone(w) for w in spelled(description)} & words.DANGER
    return promised.group(0) if promised else "" if dangers else opening


def second_deed(sentence: str) -> str:
    """What is done besides: “… and emails it to the customer”, “… и зачисляет деньги”; else nothing."""
    for joint, word, then in re.findall(
        r"(?<!\w)(and|or|then|и|затем|потом),? (?:then |\w+ly )?(\w+) ?(\w*)", sentence.lower()
    ):
        known = plain_verb(word) in words.WRITE | words.DANGER - words.NOUNS_TOO
        unknown = then in ARTICLES | {"it", "them"} and word.endswith("s") and not {word, plain_verb(word)} & TELLING
        if known or unknown or (re.fullmatch(RU_THIRD, word) and not russian(word, words.RU_TELLING)):
            return f"{joint} {word}"
    return ""


def second_order(summary: str) -> str:
    """The verb that a summary orders besides its first: “Check the card and open the gate”; else nothing.

    A noun is none: “Get orders and returns”, “Get the run and all its logs”.
    """
    sentence = first_sentence(summary).lower()
    if hit := re.search(r"\bget rid of\b", sentence):
        return hit.group(0)
    pair = re.match(r"\s*(\w+) and (\w+)", sentence)
    if pair and pair[1] in NEVER_NOUNS and not {pair[2], plain_verb(pair[2])} & (TELLING | PLAIN | ARTICLES):
        return pair[2]
    for word, then in re.findall(r"(?<!\w)(?:and|or|then|&),? (?:then |\w+ly )?(\w+)\b ?(\w*)", sentence):
        bare = word in (words.WRITE | words.DANGER) - words.NOUNS_TOO and word == plain_verb(word)
        before = then in ARTICLES | {"it", "them"} and not {word, plain_verb(word)} & (TELLING | PLAIN)
        if bare or (before and word not in ARTICLES):
            return word
    for word in re.findall(r"(?:(?<!\w)(?:и|затем|потом|а также)|,) ([а-яё]+(?:ть|ти|чь)(?:ся)?)(?!\w)", sentence):
        if not (word.endswith(("ость", "есть")) or russian(word, words.RU_TELLING)):
            return word
    return ""


def russian_reading(summary: str) -> bool:
    """Whether a Russian text begins with a reading; “Изменить статус” and “Открыть, проверив” do not."""
    opening = next(iter(spelled(first_sentence(summary))), "")
    return russian(opening, words.RU_READ)


def _undone(word: str) -> str:
    """The verb of a participle: “deleted”, “cancelled”, “stopped”."""
    stem = word.removesuffix("ed")
    forms = (word, stem, stem + "e", stem[:-1]) if stem != word else (word,)
    return next((form for form in forms if form in words.DANGER), plain_verb(word))


def gives_access(text: str) -> str:
    """What a text says is handed out or borrowed: a session, a token, somebody's name; else nothing."""
    hit = ON_BEHALF.search(text) or HANDED.search(first_sentence(text))
    return hit.group(0) if hit else ""
