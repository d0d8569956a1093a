"""The words by which an operation shows what it does. Data only; `effects.py` holds the rules.

English words are whole tokens of a name, Russian ones are stems at the start of a word of the summary.
"""

READ = frozenset(
    "get list read search find query filter count counts paginate page fetch retrieve show view describe lookup look "
    "check validate preview compare diff calculate compute estimate convert format parse simulate browse resolve "
    "inspect explain suggest autocomplete match head peek download average return returns display explore gets watch "
    "lists reads searches retrieves validates checks counts calculates queries fetches shows render lint tokenize "
    "encode decode highlight predict embed translate introspect classify detect recognize score rank summarize "
    "geocode infer forecast recommend measure transcribe evaluate evaluates".split()
)
# Of these, the words that change something as often: resolve an alert, page a person, fetch from elsewhere, mark as
# read. They prove nothing for another method than GET.
READ_OR_CHANGE = frozenset(
    "resolve return returns format page convert converts fetch fetches match download head display watch encode "
    "decode".split()
)
# The same words where they follow the thing they act on: `/messages/{id}/read`, `/tasks/{id}/check`.
CHANGE_WHEN_LAST = frozenset("read view show check list score rank measure".split())
# Words that name something one reads, when no verb says otherwise.
READ_NOUNS = frozenset(
    "history statistics stats tree lateness neighbors total totals aggregate aggregation breakdown elapsed timeline "
    "exists availability similar nearby nearest related".split()
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
    "deprovision seal unseal rekey unlock lock quarantine forgot recover eject bulk batch mass reindex rebuild reload "
    "unsubscribe activate confirm accept decline finalize submit apply import merge fail skip schedule reschedule "
    "enable block unblock transfer settle void book unlink dismiss reassign evacuate cleanup collect write discard "
    "bootstrap regenerate generate complete close reopen void trash recycle hangup dial call escalate sign resolve "
    "return scale resize share unshare expel kick mute leave quit depose forbid allow authorize deauthorize "
    "enforce toggle arm disarm press open dispense ignite unmute freeze unfreeze snooze".split()
)
MAKE = frozenset("create creates add insert append new make".split())
# Danger verbs that also name an ordinary thing: to create a book books nothing.
THINGS_TOO = frozenset("book sign import post".split())
# What such a verb leaves in a name when it became a noun: to create one is to do it.
DEED_NOUNS = frozenset(
    "deletion removal destruction eviction termination cancellation suspension revocation activation deactivation "
    "restoration recovery rollback reset wipe purge erasure cleanup dismissal impersonation promotion demotion "
    "publication rotation replacement withdrawal disbursement payout takeover shutdown restart reboot failover "
    "approval rejection confirmation acceptance capture settlement reversal adjustment cutover truncation scale "
    "scaling resize capacity replicas import export-job sync reindex backfill".split()
)
# Of these, the words that are just as often nouns; as such they prove nothing for a GET.
NOUNS_TOO = frozenset(
    "run start schedule import merge block transfer lock call sign bulk batch complete close book import capture skip "
    "fail collect drain sync rotate drop charge refund stop log record post label tag note comment page match "
    "filter query count set sort mark update change copy draft store move archive upgrade attach capture clear submit "
    "publish approve confirm accept promote expire reset restore write apply import activate checkout install resolve "
    "return scale resize share leave allow open press".split()
)
# Of these, the ones that a GET names as a thing. The others it does: `GET /invitations/{id}/accept`.
GET_NOUNS = frozenset(
    "run schedule import merge block transfer lock call sign bulk batch book capture skip drain sync charge refund "
    "upgrade checkout return scale share leave complete open log record post label tag note comment page match filter "
    "query count sort draft store archive drop collect attach import resolve".split()
)
# What a GET may do besides to its own answer: take it away.
GET_TAKES = frozenset(
    "receive consume pop dequeue claim acquire redeem verify relay take lease toggle switch ack unsubscribe move copy "
    "set change update mark assign on off buy vote reserve join pair unpair connect disconnect forward reveal unmask "
    "decrypt".split()
)
# Words in front that order and name nothing: “Verify e-mail address”, `/verify-email`.
GET_ORDERS = frozenset(
    "verify acknowledge ack increment decrement buy unsubscribe redeem acquire dequeue consume disconnect unpair "
    "reveal unmask decrypt".split()
)
# Words that follow one thing only as verbs: `/doors/{id}/open`.
NO_NOUNS_OF_ONE = frozenset(
    "open leave collect resolve complete skip attach drain drop retry rerun replay wake".split()
)
# The plurals that make a noun of the verb in front: “write-offs”, “sign-ups”, “take-downs”.
PARTICLES = frozenset("offs ups ins outs downs backs overs".split())
SHOWS = frozenset("get show read fetch retrieve view display download".split())
# What opens doors to whoever has read it; a look at one cannot be taken back.
HELD = frozenset({
    "password", "passphrase", "passcode", "private key", "auth code", "transfer code", "client secret",
    "recovery codes", "backup codes", "seed phrase", "secret", "secret value",
})  # fmt: skip
# Fields by which a draft is sent or published in the same call.
DRAFT_ENDS = frozenset(
    "status state send send_now send_at publish published publish_at scheduled_at submit finalize notify draft "
    "is_draft active enabled live public is_public visibility".split()
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
    "rollout experiment flag flags quota limit-override storage settings binding bindings protection protections "
    "restriction restrictions visibility collaborator collaborators acl acls scope scopes privilege privileges access "
    "sso saml mfa ref refs reference references configuration config dns record-set domain domains proxy gateway "
    "ingress network route router subnet volume volumes cluster clusters node nodes instance instances server "
    "servers environment environments tenant tenants organization organizations organisation loan loans claim claims "
    "contract contracts agreement consent price prices pricing discount discounts coupon coupons balance salary "
    "payroll budget budgets bid bids trade trades position positions machine host device database bucket disk vm image "
    "container pod alias index wallet account-link auction shipment delivery reservation booking ticket-sale".split()
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
    "delete_after prune skip_backup "
    "instance_type num_nodes node_count replicas plan_id billing_cycle".split()
)
# Verbs that a reading may be done by: “Run a search”.
RUNS = frozenset("run execute start call invoke submit generate make open apply".split())
# Verbs that look at a text and do not run it: the `sql` of `explain_query`, the `code` of `validate_coupon`.
LOOKS = frozenset(
    "validate check lint parse format highlight explain estimate describe search find lookup tokenize detect classify "
    "compare verify".split()
)
CODE_FIELDS = frozenset("command commands cmd script code sql statement program expression_code shell".split())
MANY_FIELDS = frozenset("ids deletions items_to_delete".split())
RESERVED_PATHS = frozenset("admin private internal system sudo root superuser maintenance".split())
BULK = frozenset("bulk batch mass all multiple many".split())
# What a GET may confess to: the plainest verbs of change, none of them a noun.
GET_WRITES = frozenset("create update insert add register renew login logout signin signout save rename edit".split())
# Switches of a GET that make it act.
ACTING_SWITCHES = frozenset(
    "delete remove purge destroy drop reset execute kill shutdown terminate turn action cmd command power".split()
)
# What the text of a GET may confess to anywhere.
GET_CONFESSIONS = (
    r"\b(taken|removed|popped) (off|from) the (queue|list|stack)",
    r"\b(deletes|removes|dequeues|invalidates|consumes)\b",
    r"\bmark(s|ed|ing)? .{0,40}\bas (read|seen|done|used|delivered)",
    r"\b(is|are|gets?) (removed|deleted|consumed|reset)\b",
    r"\b(clears|resets|activates|toggles|revokes|unsubscribes) (the|an?|all|any|every|this|that|it|one|your|their)\b",
    r"\bone-click\b",
    r"(?<!never )(?<!not )\b(in the clear|unmasked)\b|\bв открытом виде\b",
    r"\band (then )?\w+s (it|them)\b",
)  # fmt: skip
SESSION_VERBS = frozenset("login logout signin signout signup".split())

# The forms by which Russian says that something is done, not that it was: infinitive, third person, action noun.
RU_VERB = r"(?:(?<=[тч])[ьи]|[а-яё]*(?:ть|ти|ет|ёт|ит|ют|ут|ят|ат))(?:ся)?(?![а-яё])"
RU_ACTION = r"(?:[а-яё]*(?:ние|ка|ция)|с|к|т|а)?(?![а-яё])"
RU_READ = ("получ", "возвраща", "список", "списк", "поиск", "найти", "показат", "показыва", "просмотр", "посчит",
           "подсч", "провер", "прочит", "чтени", "сравн", "рассчит", "вычисл")  # fmt: skip
# Infinitives with which a text says that something is told.
RU_TELLING = (
    *RU_READ, "статус", "состояни", "выгруз", "скача", "экспорт", "посмотр", "узна", "выве", "запрос", "перечисл",
    "отобраз", "сформир", "прогноз", "оцени", "оценк", "определ", "подобр", "просм", "увид", "искать", "ищ",
    "выбрать", "ответ", "чита", "счита",
)  # fmt: skip
RU_WRITE = ("созда", "добав", "обнов", "измен", "правк", "переимен", "сохран", "запис", "отметит", "загруз", "редакт")
RU_DANGER = ("удал", "стер", "очист", "сброс", "отмен", "останов", "перезапус", "восстанов", "откат", "отправ",
             "отозв", "отзыв", "заблок", "разблок", "оплат", "списат", "перевест", "выполн", "запус", "назнач",
             "уничтож", "перезапис", "замен", "отключ", "выключ", "приостан", "возобнов", "пригла", "рассыл",
             "выдать", "лишит", "деактив", "активир", "активац", "опублик", "импорт", "мигра", "примен", "верну",
             "возврат", "массов", "уволи", "увольн", "подпис", "выплат", "провест", "провед", "утверд", "согласова",
             "закры", "сверну", "снят", "снима", "переда", "исключ", "изъят", "штраф", "начисл", "оформ", "ликвид",
             "аннулир", "обнул", "расторг", "продл", "масштаб", "выселит", "отчисл", "пополн", "перечисл",
             "подтверд", "подтвержд", "отпис", "вызва", "позвон")  # fmt: skip

# Sentences of a description that decide by themselves, unless the operation only reads.
DANGER_PHRASES = (
    r"permanent(ly)?\b", r"irreversibl", r"(can ?not|can't) be (undone|reverted|recovered|restored)", r"\bdeletes?\b",
    r"\b(will|may|might|can|could) (also )?be (deleted|lost|cancell?ed|terminated|overwritten|evicted|erased)\b",
    r"\bwill be (removed|sent|executed|scheduled|disabled|revoked|stopped|published|notified)\b",
    r"\boverwrit", r"\bwipes?\b", r"\bpurges?\b", r"\bterminates?\b", r"\brevokes?\b", r"\bcascad",
    r"\b(bill|charg)ed\b", r"\binitiates?\b",
    r"\bsends? (an? |the )?(e-?mail|sms|message|notification|invitation)", r"\bcharges?\b.*\b(card|customer|account)\b",
    r"\bexecutes?\b", r"\bevicts?\b", r"\bno longer be\b",
    r"\bdestructive\b", r"\bdangerous\b", r"\b(shuts? down|restarts?|reboots?)\b",
    r"\b(followers|subscribers|everyone|publicly)\b", r"\ball existing\b", r"\bdrops? (the|all)\b",
    r"необратим", r"безвозвратн",
    r"нельзя (отменить|вернуть|восстановить)",
    r"\bудал(яет|ит|ены|ятся)", r"\bперезапис", r"\bотправ(ляет|ит|ляются) ", r"\bсписыва", r"\bзапуска(ет|ются)\b",
)  # fmt: skip
