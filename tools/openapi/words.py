"""The words by which an operation shows what it does. Data only; `effects.py` holds the rules.

English words are whole tokens of a name, Russian ones are stems at the start of a word of the summary.
"""

READ = frozenset(
    "get list read search find query filter count counts paginate page fetch retrieve show view describe lookup look "
    "check validate preview compare diff calculate compute estimate convert format parse simulate browse resolve "
    "inspect explain suggest autocomplete match head peek download average return returns display explore gets "
    "lists reads searches retrieves validates checks counts calculates queries fetches shows".split()
)
# Words that name something one reads, when no verb says otherwise.
READ_NOUNS = frozenset(
    "history status statistics stats metrics metadata tree lateness health info summary details neighbors version "
    "total totals aggregate aggregation breakdown elapsed timeline schema exists availability".split()
)
WRITE = frozenset(
    "create creates add adds insert append new make update updates edit modify patch rename change set save store tag "
    "label annotate comment note upload log record register post increment decrement renew heartbeat touch move copy "
    "duplicate clone favorite favourite star unstar pin unpin follow unfollow subscribe mark acknowledge ack login "
    "logout signin signout signup refresh like unlike bookmark assign reorder sort archive unarchive draft".split()
)
# Verbs that destroy, spend, send, run or hand out power, whatever they are done to.
DANGER = frozenset(
    "delete deletes remove removes destroy drop purge wipe erase truncate clear flush reset revoke grant ban unban "
    "disable deactivate suspend terminate kill cancel cancels abort stop shutdown restart reboot restore rollback "
    "revert overwrite overwrites replace upsert force migrate deploy redeploy undeploy publish unpublish send sends "
    "resend notify broadcast invite pay charge refund purchase withdraw checkout capture execute exec run invoke "
    "trigger start launch dispatch enqueue resume pause approve reject promote demote impersonate sync prune vacuum "
    "compact rotate expire evict drain failover detach attach install uninstall upgrade downgrade provision "
    "deprovision unlock lock quarantine forgot recover eject bulk batch mass reindex rebuild reload unsubscribe "
    "activate confirm accept decline finalize submit apply import merge fail skip schedule reschedule enable block "
    "unblock transfer settle void book unlink dismiss reassign evacuate cleanup collect write discard bootstrap "
    "regenerate generate complete close reopen void trash recycle hangup dial call escalate sign".split()
)
# Of these, the words that are just as often nouns; as such they prove nothing for a GET.
NOUNS_TOO = frozenset(
    "run start schedule import merge block transfer lock call sign bulk batch complete close book import capture skip "
    "fail collect drain sync rotate drop charge refund stop force log record post label tag note comment page match "
    "filter query count set sort mark update change copy draft store move archive upgrade attach capture clear submit "
    "publish approve confirm accept promote expire reset restore write apply import activate checkout install".split()
)
# Making or changing one of these acts beyond the record itself: it runs, spends, sends or hands out power.
ACTING_NOUNS = frozenset(
    "run runs job jobs execution executions schedule schedules automation automations deployment deployments webhook "
    "webhooks trigger triggers pipeline pipelines workflow workflows build builds release releases payment payments "
    "order orders invoice invoices subscription subscriptions transaction transactions transfer transfers invitation "
    "invitations invite campaign campaigns email emails sms message messages notification notifications function "
    "functions script scripts hook hooks user users account accounts member members membership role roles permission "
    "permissions policy policies grant grants credential credentials secret secrets key keys password passwords token "
    "tokens firewall rule certificate certificates state states migration migrations checkout charge refund payout "
    "command commands statement sql admin superuser owner ownership integration integrations plugin plugins extension "
    "rollout experiment flag flags quota limit-override storage settings".split()
)
SENSITIVE_FIELDS = frozenset(
    "password new_password hashed_password passwd secret secrets client_secret api_key apikey private_key credential "
    "credentials is_superuser superuser is_admin admin is_staff staff is_active is_verified role roles role_id "
    "role_ids "
    "permission permissions scopes privileges groups access_level owner_id amount price currency card_number iban "
    "refund_amount recipients recipient to_email".split()
)
ACTING_FIELDS = frozenset(
    "schedule schedules cron trigger triggers actions entrypoint command commands cmd script code sql statement "
    "webhook_url callback_url target_url force overwrite replace replaces replace_existing merge_existing "
    "merge_existing_data cascade recursive purge hard_delete permanent delete_existing execute run_now auto_run "
    "delete_after prune skip_backup".split()
)
CODE_FIELDS = frozenset("command commands cmd script code sql statement program expression_code shell".split())
MANY_FIELDS = frozenset("ids deletions items_to_delete".split())
RESERVED_PATHS = frozenset("admin private internal system sudo root superuser maintenance".split())
BULK = frozenset("bulk batch mass all multiple many".split())
# What a GET may confess to: the plainest verbs of change, none of them a noun.
GET_WRITES = frozenset("create update insert add register renew login logout signin signout save rename edit".split())
SESSION_VERBS = frozenset("login logout signin signout signup".split())

RU_READ = ("получ", "список", "спис", "поиск", "найти", "показ", "просмотр", "посчит", "подсч", "провер", "прочит",
           "чтени", "выдать спис", "статус", "состояни", "сравн", "рассчит", "вычисл")  # fmt: skip
RU_WRITE = ("созда", "добав", "обнов", "измен", "правк", "переимен", "сохран", "запис", "отметит", "загруз", "редакт")
RU_DANGER = ("удал", "стер", "очист", "сброс", "отмен", "останов", "перезапус", "восстанов", "откат", "отправ",
             "отозв", "отзыв", "заблок", "разблок", "оплат", "списат", "перевест", "выполн", "запус", "назнач",
             "уничтож", "перезапис", "замен", "отключ", "выключ", "приостан", "возобнов", "пригла", "рассыл",
             "выдать прав", "лишит", "деактив", "актив", "опублик", "импорт", "мигра", "примен", "вернуть ден",
             "возврат", "массов")  # fmt: skip

# Sentences of a description that decide by themselves, unless the operation only reads.
DANGER_PHRASES = (
    r"permanent(ly)?\b", r"irreversibl", r"(can ?not|can't) be (undone|reverted|recovered|restored)", r"\bdeletes?\b",
    r"\bwill be (deleted|removed|lost|cancell?ed|terminated|overwritten|charged|sent|executed|scheduled)\b",
    r"\boverwrit", r"\bwipes?\b", r"\bpurges?\b", r"\bterminates?\b", r"\brevokes?\b", r"\bcascad",
    r"\bsends? (an? |the )?(e-?mail|sms|message|notification|invitation)", r"\bcharges?\b.*\b(card|customer|account)\b",
    r"\bexecutes?\b", r"\bdestructive\b", r"\bdangerous\b", r"\b(shuts? down|restarts?|reboots?)\b",
    r"\ball existing\b", r"\bdrops? (the|all)\b", r"необратим", r"безвозвратн",
    r"нельзя (отменить|вернуть|восстановить)",
    r"\bудал(яет|ит|ены|ятся)", r"\bперезапис", r"\bотправ(ляет|ит|ляются) ", r"\bсписыва", r"\bзапуска(ет|ются)\b",
)  # fmt: skip
