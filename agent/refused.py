"""A refusal: an HTTP-like status, a code for programs and one clear sentence for the person."""

from typing import Any

from tools.toolset import Lang

SENTENCES: dict[str, tuple[int, str, str]] = {
    "empty": (400, "The message is empty. Write what you need and send it again.",
              "Сообщение пустое. Напишите, что нужно, и отправьте снова."),
    "too_long": (413, "The message is {size} bytes long; the limit is {limit}. Shorten it or send it in parts.",
                 "Сообщение занимает {size} байт, предел {limit}. Сократите его или отправьте частями."),
    "control_characters": (400, "The message holds a NUL character. Remove it and send the message again.",
                           "В сообщении есть символ NUL. Удалите его и отправьте сообщение снова."),
    "broken_characters": (400, "The message holds half of a character (a lone surrogate). Type that place anew.",
                          "В сообщении есть половина символа (одиночный суррогат). Наберите это место заново."),
    "bad_turn_id": (400, "turn_id must be 1 to 255 printable characters. Make a new one, a UUID for example.",
                    "turn_id должен содержать от 1 до 255 печатных символов. Создайте новый, например UUID."),
    "bad_text": (400, "The text is longer than {limit} characters or holds a broken character. Shorten it.",
                   "Текст длиннее {limit} символов или содержит повреждённый символ. Сократите его."),
    "not_found": (404, "There is no such thing here, or it is not yours. Open the list and choose again.",
                  "Такого здесь нет, или это не ваше. Откройте список и выберите снова."),
    "turn_id_reused": (422, "This turn_id already belongs to another message. Send the new message with a new turn_id.",
                       "Этот turn_id уже занят другим сообщением. Отправьте новое сообщение с новым turn_id."),
    "run_active": (409, "An answer is still being written here. Wait for it, or stop it and send again.",
                   "Здесь ещё пишется ответ. Дождитесь его или остановите и отправьте снова."),
    "stale_card": (409, "This request has changed since it was shown. Look at the new version and decide again.",
                   "Запрос изменился после показа. Посмотрите новую версию и решите снова."),
    "already_decided": (409, "This request was already decided: {winner}.",
                        "По этому запросу уже есть решение: {winner}."),
    "already_answered": (
        409,
        "This question was already answered.",
        "На этот вопрос уже ответили.",
    ),
    "expired": (410, "This request has expired, so nothing ran. Ask again if it is still needed.",
                "Срок запроса истёк, ничего не выполнено. Попросите снова, если это ещё нужно."),
    "invalid_arguments": (422, "Some values do not fit this tool. Correct the marked fields.",
                          "Некоторые значения не подходят инструменту. Исправьте отмеченные поля."),
    "unknown_fields": (422, "This tool has no such fields: {names}. Send only those that its card shows.",
                       "У инструмента нет таких полей: {names}. Отправляйте только те, что показаны на карточке."),
    "refused_by_backend": (422, "The backend refuses this version: {detail}",
                           "Бэкенд отклоняет этот вариант: {detail}"),
    "too_many_pending": (429, "You have {limit} requests waiting for a decision. Decide some of them first.",
                         "У вас {limit} запросов ждут решения. Сначала решите часть из них."),
    "too_many_turns": (429, "Too many messages in a short time. Send it again in {seconds} seconds.",
                       "Слишком много сообщений подряд. Отправьте снова через {seconds} с."),
    "too_many_running": (429, "{limit} answers are being written for you. Wait until one of them is done.",
                         "Для вас пишется ответов: {limit}. Дождитесь, пока один закончится."),
    "not_a_write_tool": (422, "Only tools that change things, and can be undone, may be allowed for good.",
                         "Навсегда разрешить можно только изменения, которые можно вернуть."),
    "nothing_to_undo": (409, "This change cannot be undone (any more).", "Это изменение (уже) нельзя вернуть."),
    "undo_failed": (409, "The change was not undone: {detail}", "Изменение не возвращено: {detail}"),
    "outcome_known": (409, "What became of this call is known; look at its card.",
                      "Исход этого вызова известен; он показан на карточке."),
    "nothing_to_look_at": (409, "No tool reads what this call was about. Look in the system itself.",
                           "Нет инструмента, который это читает. Посмотрите в самой системе."),
    "review_while_running": (409, "Wait for the running answer before you switch the review of changes.",
                             "Дождитесь конца ответа, потом переключайте проверку изменений."),
    "file_kind": (415, "Files of this kind cannot be read. Attach txt, md, csv, json, pdf or docx.",
                  "Такие файлы прочитать нельзя. Приложите txt, md, csv, json, pdf или docx."),
    "file_large": (413, "The file is larger than 25 MB. Attach a smaller one, or a part of it.",
                   "Файл больше 25 МБ. Приложите файл поменьше или его часть."),
    "file_count": (409, "Ten files wait for your next message already. Send it, or take one of them back.",
                   "Следующего сообщения уже ждут десять файлов. Отправьте его или уберите один из них."),
    "file_total": (409, "The files of this conversation would be over 100 MB. Attach it in a new conversation.",
                   "Файлы этого разговора займут больше 100 МБ. Приложите файл в новом разговоре."),
    "file_encrypted": (422, "The file is protected by a password. Attach a copy without one.",
                       "Файл защищён паролем. Приложите копию без пароля."),
    "file_broken": (422, "The file is damaged or not what its name says. Open it, save it anew and attach that.",
                    "Файл повреждён или не того вида, что в имени. Откройте его, сохраните заново и приложите."),
    "file_bomb": (422, "The file takes too much time or memory to read. Attach a simpler or shorter one.",
                  "На чтение файла уходит слишком много времени или памяти. Приложите файл проще или короче."),
    "file_empty": (422, "No text was found in the file: it is empty, or holds pictures only.",
                   "Текста в файле не нашлось: он пустой или состоит из картинок."),
    "unavailable": (503, "The database does not answer right now. Try again in a few seconds.",
                    "База данных сейчас не отвечает. Попробуйте ещё раз через несколько секунд."),
}  # fmt: skip

DECISIONS = {
    "approved": ("approved", "одобрено"),
    "consumed": ("approved", "одобрено"),
    "failed": ("approved", "одобрено"),
    "denied": ("denied", "отклонено"),
    "expired": ("expired", "срок истёк"),
    "superseded": ("replaced or withdrawn", "заменено или отозвано"),
}


class Refused(Exception):  # noqa: N818
    """Asked for something that cannot be done.

    `status` follows HTTP, `code` is one of `SENTENCES`, `text` is in the person's language, `errors` are field
    errors of an edit (pydantic's shape), `winner` is the state that a decision lost against, `retry_after` is in
    seconds.
    """

    def __init__(
        self, code: str, lang: Lang = "en", *, errors: list | None = None, winner: str | None = None, **words: Any
    ):
        status, english, russian = SENTENCES[code]
        if winner is not None:
            words["winner"] = DECISIONS[winner][lang == "ru"]
        self.status = status
        self.code = code
        self.text = (russian if lang == "ru" else english).format(**words)
        self.errors = errors or []
        self.winner = winner
        self.retry_after: float | None = words.get("seconds")
        super().__init__(self.text)
