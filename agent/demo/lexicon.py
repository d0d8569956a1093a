"""The words the demo model knows, by the concept they stand for; commas separate words and phrases.

A word is compared by its stem, so one inflected form stands for most others; a second form is listed where the
Snowball stemmer gives another stem. A word may stand for several concepts.
"""

ACTIONS: dict[str, str] = {
    "find": "find, search, look for, look up, locate, найди, найти, поищи, ищи, отыщи, разыщи",
    "list": (
        "list, show, display, view, see, give me, get, pull up, bring up, fetch, print, enumerate, tell, "
        "know, покажи, показать, выведи, перечисли, список, глянь, глянуть, посмотри, посмотреть, смотрим, "
        "скинь, пришли, дай список, увидеть, видеть, скажи, знать, узнать, подскажи, вывод, выдай список, "
        "показывай, гляди"
    ),
    "open": (
        "open, describe, detail, inspect, tell about, info, открой, расскажи, подробно, подробнее, карточка, опиши"
    ),
    "check": "check, verify, test, проверь, проверить, чекни, проверка, протестируй",
    "create": (
        "нужен пустой, нужна пустая, нужен новый, нужна новая, create, make, new, build, spin up, take, "
        "setup, add, создай, создать, создаем, сделай, сделать, заведи, завести, новый, собери, сними, снять, "
        "добавь"
    ),
    "update": (
        "update, change, edit, modify, alter, adjust, bump, fix, correct, raise, lower, increase, decrease, "
        "измени, изменить, меняй, поменяй, поменять, обнови, обновить, отредактируй, поправь, исправь, правь, "
        "смени, сменить, увеличь, уменьши, подними, снизь"
    ),
    "set": (
        "переведи, переключи, set, put, replace, substitute, write, поставь, проставь, установи, замени, "
        "заменить, впиши, запиши, пропиши"
    ),
    "rename": "rename, retitle, переименуй, переименовать, назови, переименовываем",
    "delete": (
        "delete, remove, drop, nuke, erase, wipe, destroy, get rid, trash, purge, scrap, удали, удалить, "
        "удаляй, удаляем, удаление, снеси, снести, сноси, сносим, дропни, дропай, дропнуть, сотри, стереть, "
        "убери, убрать, уничтожь, выкинь, выкинуть, выпили, грохни, избавься, удалял, убираем"
    ),
    "refresh": (
        "загрузи, загрузить, refresh, reload, resync, sync, reread, re-read, re-import, update, обнови, "
        "обновить, перечитай, перечитать, перезалей, перезалить, перезагрузи, перегрузи, догрузи, "
        "синхронизируй, освежи, рефрешни, рефреш"
    ),
    "migrate": (
        "migrate, migration, promote, move, copy, transfer, deploy, push, roll out, carry over, мигрируй, "
        "мигрируем, мигрировать, миграция, перенеси, перенести, перенос, переносим, переезд, переноси, "
        "скопируй, копируй, раскати, раскатка, выкати, задеплой, переедет, перенесём, перетащи, промигрируй"
    ),
    "plan": (
        "plan, dry run, dry-run, preview, simulate, what would change, would change, would happen, estimate, "
        "план, спланируй, вхолостую, посчитай, прикинь, что изменится, изменится, пробный прогон, драй ран, "
        "предпросмотр, запланируй, прогон без изменений"
    ),
    "restore": (
        "restore, recover, bring back, восстанови, восстановить, восстанавливать, восстанавливай, "
        "восстанавливайте, восстановление, отресторь, ресторни"
    ),
    "rollback": (
        "roll back, rollback, roll, reset, revert, откати, откатить, откатываем, откатывать, откатывай, "
        "откат, роллбэкни, вернись, верни"
    ),
    "undo": (
        "undo, revert, take back, отмени, отменить, отменяй, отменяйте, верни, вернуть, откати, отмена, как "
        "было, верни как было"
    ),
    "cancel": (
        "cancel, stop, abort, kill, terminate, interrupt, halt, отмени, отменить, отменяй, останови, "
        "остановить, остановите, прерви, прервать, прибей, кильни, сними, стопни, заверши, убей, прекрати, "
        "отменяйте"
    ),
    "start": (
        "start, run, launch, kick off, trigger, execute, rerun, go ahead, запусти, запустить, запускай, "
        "запускаем, прогони, прогнать, стартуй, перезапусти, выполни"
    ),
    "commit": ("commit, check in, push, закоммить, закоммитить, коммить, коммитни, зафиксируй, запушь, запушить"),
    "grant": (
        "grant, give, assign, add, make, promote, award, let, allow, выдай, выдать, дай, дать, назначь, "
        "назначить, добавь, присвой, сделай, предоставь, наделяй, пожалуй"
    ),
    "revoke": (
        "revoke, take away, take, strip, withdraw, remove, demote, deprive, забери, забрать, забирай, отзови, "
        "отозвать, отзываем, отбери, отберите, сними, снять, лиши, лишить, убери, удали, отними"
    ),
    "read": "read, quote, прочитай, прочитать, прочти, зачитай, почитай, прочесть, процитируй",
    "audit": (
        "audit, audit log, audit trail, audit event, аудит, журнал аудита, журнал действий, журнал событий, журнал"
    ),
    "approve": ("approve, approved, sign, countersign, одобри, одобрил, подписал, согласовал, утвердил, подтвердил"),
    "switch_on": (
        "turn on, switch on, enable, activate, enter, close, включи, включить, включай, закрой, закрывай, "
        "повесь, активируй"
    ),
    "switch_off": (
        "turn off, switch off, disable, deactivate, leave, exit, end, out of, take out, bring out, finish, "
        "open up, lift, выключи, выключить, отключи, отключить, сними, снять, убери, выведи, выйди, открой, "
        "открывай, закончи"
    ),
    "ban": "ban, block, suspend, offboard, lock out, заблокируй, заблокировать, забань, забанить, уволь, уволить",
    "validate": ("validate, validation, validating, валидируй, валидация, валидацию, провалидируй, отвалидируй"),
    "draw": (
        "thumbnail, thumbnails, preview image, картинка, превью, миниатюра, превьюшка, превьюшки, обложка, thumbnials"
    ),
    "make_backup": "back up, забэкапь, забэкапить, бэкапни, сбэкапь",
    "write_docs": ("document, documentation, документирование, задокументируй, документируй, документировать, опиши"),
    "archive": (
        "archive, unarchive, hide, share, merge, архивируй, заархивируй, архивировать, заархивировать, спрячь, скрой, "
        "скрыть, поделись, объедини, слей"
    ),
    "hand_over": "hand over, hand it over, reassign, передай, передать, переназначь, отдай, переведи на",
}

THINGS: dict[str, str] = {
    "dashboard": ("dashboard, board, panel, дашборд, дэшборд, борд, панель, дашборда, дашбордик, dashbord, dashbaord"),
    "dataset": ("dataset, data set, table, datamart, датасет, витрина, таблица, набор данных, наборы данных, дата сет"),
    "environment": ("environment, env, окружение, окружения, среда, среды, стенд, контур, площадка, environments"),
    "backup": (
        "backup, snapshot, dump, бэкап, бекап, бэкапы, бекапы, снапшот, слепок, дамп, резервная копия, "
        "резервные копии, резервной копии, резервную копию, копия, бакап, копию, копии"
    ),
    "task": (
        "task, job, background task, задача, задачи, задание, джоба, джобу, таска, таски, фоновая задача, процесс"
    ),
    "commit_thing": "commit, commits, revision, коммит, коммиты, коммита, ревизия",
    "change": "change, edit, tweak, modification, изменение, правка, изменения, правки, правок, поправка",
    "history": (
        "history, git log, log of commits, история, истории, гит, git, репа, репу, репозиторий, repo, repository"
    ),
    "user": (
        "user, member, colleague, people, пользователь, юзер, сотрудник, коллега, люди, участник, учетка, аккаунт"
    ),
    "role": "role, permission, right, access, rights, роль, роли, право, права, доступ, полномочия",
    "document": (
        "document, doc, report, contract, data contract, runbook, guide, policy, playbook, документ, отчет, "
        "контракт, дата-контракт, дата контракт, ранбук, рунбук, регламент, инструкция, runbok"
    ),
    "attachment": (
        "attachment, attached, attached file, file, вложение, вложения, файл, файлы, приложение, приложенный, "
        "аттач, приложенные, вложенный, прикрепленный"
    ),
    "migration_thing": "migration, миграция, перенос, переезд",
}

HINTS: dict[str, str] = {
    "ask": (
        "what, which, how many, how, is, are, does, do, any, there, has, have, какие, какой, какая, каких, "
        "какими, каким, сколько, что, есть, чо, как, скока, ли"
    ),
    "who": "who, whom, кто, кем, кого, кому",
    "when": "when, когда",
    "all": "all, every, everything, все, всех, всё, всем, каждый, любые",
    "health": (
        "порядке, health, healthy, alive, ok, okay, status, up, down, slow, broken, work, fine, problem, "
        "uptime, sick, здоровье, здоров, здорово, жив, живой, живо, нормально, норм, упал, тормозит, "
        "ворочается, работает, состояние, порядок, лежит, самочувствие"
    ),
    "component": "database, db, cache, redis, worker, disk, база, кэш, кеш, воркер, диск, бд, место на диске",
    "maintenance": (
        "maintenance, maintenance mode, обслуживание, режим обслуживания, техработы, технические работы, "
        "заглушка, обслуживания, техобслуживание, back soon page"
    ),
    "version": "version, build, release, версия, версии, сборка, релиз",
    "owner": "owner, owned, own, владелец, владельца, владеет, хозяин, автор, ответственный",
    "tag": "tag, tagged, label, тег, тэг, тега, тегом, тегами, метка, меткой, теги",
    "description": "description, описание",
    "name": "name, title, имя, название, заголовок",
    "template": "template, blueprint, шаблон, заготовка, шаблона",
    "chart": "chart, graph, widget, график, графики, диаграмма, чарт, виджет, графиков",
    "column": "column, field, schema of, колонка, столбец, столбцы, поле, поля, колонки, структура",
    "row": "row, rows, row count, строка, строк, строки, записей",
    "fresh": (
        "fresh, freshness, stale, last loaded, last refreshed, свежесть, свежий, устарел, протух, свежие, "
        "обновлялись, обновлялся"
    ),
    "schema": "schema, схема, схемы",
    "source": "source, sourced, origin, источник, источника, источником",
    "log": "log, logs, лог, логи, лога",
    "progress": (
        "progress, status, state, percent, left, remaining, прогресс, статус, процент, осталось, ход, "
        "готовность, state of"
    ),
    "queue": (
        "queue, queued, running, background, очередь, очереди, выполняется, выполняются, фоновый, бегут, идут, крутится"
    ),
    "failed": (
        "failed, failing, crashed, failure, упали, упавшие, упал, сломались, провалились, незавершившиеся, "
        "неудачные, ошибкой"
    ),
    "done": "finished, succeeded, completed, завершенные, завершились, выполненные, успешные, готовые",
    "stuck": "stuck, hang, hanging, висит, зависла, завис, зависшая",
    "uncommitted": (
        "uncommitted, unsaved, pending change, незакоммиченное, незакоммиченные, несохраненные, незафиксированные"
    ),
    "last": (
        "last, latest, newest, recent, последний, последняя, последние, последнюю, последнего, свежий, "
        "недавний, крайний"
    ),
    "message": (
        "message, msg, comment, note, сообщение, сообщением, комментарий, комментарием, пометка, пометкой, заметка"
    ),
    "section": "section, chapter, раздел, пункт, секция",
    "first": "first, первый, первая, первую, первого, первое",
    "second": "second, второй, вторая, вторую, второго, второе",
    "other": "other, other one, другой, другую, другая, другого",
    "third": "third, третий, третья, третью, третьего",
    "fourth": "fourth, четвертый, четвертая, четвертую",
    "it": (
        "ещё один, ещё одну, eshe odin, one more, он, она, они, ему, ей, им, it, that, this, those, them, "
        "its, these, его, ее, её, их, это, этот, эту, эти, него, неё, нее, ней, нём, этого, этой, там, there"
    ),
    "keep": "keep, leave, пусть, пускай, оставь, оставить, оставим, не трогай",
    "same": "same, also, again, ещё раз, еще раз, то же, тоже, снова, опять, повтори",
    "now": "now, сейчас, теперь",
    "capability": (
        "able to do, able, чем ты можешь, помочь, capability, help, can you do, что ты умеешь, умеешь, "
        "помощь, возможности, помоги, what can you, способен"
    ),
    "greeting": (
        "hello, hi, hey, good morning, good day, good evening, привет, здравствуй, здравствуйте, добрый день, "
        "доброе утро, добрый вечер, хай"
    ),
    "thanks": "thanks, thank you, thx, cheers, спасибо, благодарю, спс",
    "identity": (
        "who are you, your name, which model, what model, are you gpt, are you human, are you a robot, are "
        "you ai, кто ты, какая ты модель, ты кто, ты робот, ты бот, ты человек, какая модель, ты gpt, ты "
        "живой"
    ),
    "mood": "how are you, как дела, как настроение, как жизнь, how is it going",
    "yes": ("yes, yep, sure, ok, okay, go, do it, да, ок, окей, ага, давай, конечно, поехали, запускай, хорошо"),
    "no": "no, nope, нет, не надо, не нужно",
    "tool_word": "tool, tools, инструмент, инструменты",
}

NEGATIONS = (
    "ne, not, don't, dont, do not, never, without, no, не, ни, нет, без, won't, shouldn't, leave, нельзя, "
    "not yet, avoid, except"
)
NEGATED_AFTER = "не надо, не нужно, не стоит, alone, нельзя, не хочу, не требуется"
BREAKS = (
    "but, however, instead, rather, just, only, then, after that, afterwards, and then, а, но, зато, "
    "просто, только, потом, затем, после этого, после чего, наоборот, while, also, plus, а также, заодно"
)
THEN = (
    "then, after that, afterwards, and then, потом, затем, после этого, после чего, а потом, как "
    "догрузится, когда закончится"
)
AND = "and, и, or, или, &, as well as, а также, да"
FILLERS = (
    "lunch, такси, просит, просят, прошу, желательно, туда, сюда, пока, час, часа, часов, минут, минуты, "
    "день, дня, дней, после, na, za, iz, u, po, do, k, s, i, dlya, eshe, eto, budet, a, an, the, my, our, "
    "your, his, her, their, me, us, you, we, he, she, they, one, ones, some, please, pls, plz, kindly, "
    "can, could, would, will, should, may, might, must, need, want, like, to, of, for, on, in, at, by, "
    "with, from, into, onto, over, about, up, out, off, be, been, was, were, am, did, done, so, if, as, "
    "than, too, very, really, actually, exactly, quickly, today's, right, away, still, already, yet, "
    "ever, again, lol, oops, hm, hmm, well, okay, let, lets, let's, go, going, i'd, i'm, it's, there's, "
    "called, named, titled, name's, current, currently, available, exist, existing, old, empty, blank, "
    "more, most, many, much, look, thing, stuff, lot, whole, full, entire, content, contents, data, "
    "workspace, system, everyone, everybody, somebody, anything, something, happened, happen, made, said, "
    "say, says, inside, under, its, had, being, having, because, why, where, here, another, в, во, на, с, "
    "со, из, изо, к, ко, у, о, об, обо, от, до, по, за, для, при, про, через, под, над, между, без, я, "
    "ты, мы, вы, он, она, оно, они, мне, меня, нам, нас, тебе, вам, ему, ей, им, мой, моя, мои, моё, наш, "
    "наши, наша, свой, свои, пожалуйста, плиз, плз, можно, нужно, надо, хочу, хотим, хотелось, хотел, бы, "
    "же, уже, еще, ещё, вот, ну, так, там, тут, здесь, где, почему, зачем, чтобы, чтоб, если, или, либо, "
    "этом, том, тем, тех, тот, та, те, то, быть, был, была, было, были, будет, текущий, текущие, "
    "доступные, доступен, существует, имеется, старый, старые, пустой, пустая, пустое, очень, совсем, "
    "прямо, сегодня, щас, содержание, содержимое, содержит, данные, система, рабочее пространство, "
    "пространство, всего, именем, названием, под названием, называется, имени, очередной, нашей, нашего, "
    "нашем, моего, моей, мою, моих, значение, значения, value, каталог, каталоге, ка, список, "
    "кого-нибудь, кто-нибудь, что-нибудь, нибудь, какой-нибудь, версий, стало, давно, никому, тебя, себя, "
    "срочно, быстро, быстренько, подскажите, сможешь, можешь, могу, можем, мочь, умею, давайте, друг, "
    "коллеги, вообще, именно, asap, number, id, номер, номером, айди, who's, what's, whats, который, "
    "которые, которая, лежит, лежат, находится, happening, content's, hold, holds, contain, contains, "
    "built, based, uses, использует, основан, построен, собран, состоит, written, написано, сказано, "
    "role's, doing, does, itself, once, time, times, раз, also, person, человек, человека, человеку, "
    "нуждается, нужен, нужна, нужны, требуется, gonna, wanna, gotta, i'll, lately, until, till, before, "
    "after, during, since, staying, давай, просто, только, just, only, sure, fully, полностью, целиком, "
    "всю, весь"
)
