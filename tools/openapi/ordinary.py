"""The words that prove a change small: things that only keep what somebody wrote, and fields that only describe.

Data only. What is not here is not harmless: `effects.py` calls a change a `write` by this evidence alone.
"""

# Verbs that make or edit a record, and nothing else, when the record is an ordinary thing.
EDITS = frozenset(
    "create add insert append new make update edit modify patch rename change set save store tag label annotate "
    "comment note upload log record put move copy duplicate clone assign reorder sort draft".split()
)
# Verbs that concern the person's own view of things, whatever the thing is.
PERSONAL = frozenset("favorite favourite star unstar pin unpin like unlike bookmark comment annotate draft".split())
THINGS = frozenset(
    "note notes comment annotation label tag draft bookmark favorite favourite like star reaction reminder task "
    "todo checklist goal milestone idea memo snippet journal diary habit contact company customer client "
    "deal lead opportunity person author project board column card list folder document doc article chapter section "
    "paragraph category collection playlist album track song photo picture avatar attachment recipe meal workout book "
    "movie dashboard widget chart view preference preferences profile bio nickname theme bookmark wishlist feedback "
    "question glossary term synonym topic keyword course lesson exercise color colour title description metadata "
    "issue product brand supplier vendor team item entry element variable artifact block experiment "
    "caption style layout template homework heartbeat log event-log measurement observation worklog result".split()
)
# Things that say nothing by themselves: inside another thing they are what that is.
GENERIC = frozenset("item entry element record value block result list log section".split())
# Fields that only describe: an edit of nothing else is small whatever the thing is called.
FIELDS = frozenset(
    "title name display_name full_name nickname description text body content comment note notes summary subject "
    "caption bio about color colour icon emoji tags tag labels label due due_date deadline metadata language locale "
    "theme avatar image photo bookmarked favorite favourite starred pinned placeholder remark remarks".split()
)
# Of these, the fields that nothing goes by: a name may be an address, a text may be a program.
DESCRIBING = frozenset(
    "title display_name nickname description color colour icon emoji note notes caption remark remarks".split()
)
# What people say to each other about a thing, wherever it is kept.
SAYINGS = frozenset("note comment remark memo annotation".split())
RU_THINGS = ("заметк", "комментари", "задач", "метк", "тег", "черновик", "избранн", "закладк", "контакт", "описани",
             "проект", "напоминани", "карточк", "категори", "папк", "документ", "стать", "список", "списк", "товар",
             "клиент", "сделк", "иде", "пожелани", "отметк", "примечани")  # fmt: skip
