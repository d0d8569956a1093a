import json
from collections import Counter

import pytest

from tests.tools.openapi.conftest import DATA
from tools.openapi.document import load_document
from tools.openapi.effects import Facts, classify
from tools.openapi.operations import operations
from tools.toolset import Effect


def labelled():
    return [json.loads(line) for line in (DATA / "danger_dev.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module")
def outcomes(imported):
    facts = {(name, o.method, o.path): o.facts for name, found in imported.items() for o in found}
    return [(row, classify(facts[row["spec"], row["method"], row["path"]])) for row in labelled()]


def test_no_danger_of_the_labelled_documents_is_read(outcomes):
    assert [row["path"] for row, v in outcomes if row["label"] == "danger" and v.effect is Effect.READ] == []


def test_hardly_a_danger_is_write_and_most_reads_are_read(outcomes):
    counts = Counter((row["label"], v.effect) for row, v in outcomes)
    assert counts["danger", Effect.WRITE] <= 0.02 * of_label(counts, "danger")
    assert counts["read", Effect.READ] >= 0.9 * of_label(counts, "read")


def of_label(counts, label):
    return sum(n for (found, _), n in counts.items() if found == label)


@pytest.mark.parametrize(
    ("name", "dangers", "reads"),
    [("danger_own", 65, 40), ("danger_blind", 65, 35), ("danger_blind_more", 49, 21)],
)
def test_operations_from_memory_of_other_apis(name, dangers, reads):
    rows = [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text("utf-8").splitlines()]
    keys = ("method", "path", "operation_id", "summary", "description", "parameters", "body_fields")
    counts = Counter((row["label"], classify(Facts(*(row[key] for key in keys))).effect) for row in rows)
    assert (of_label(counts, "danger"), of_label(counts, "read")) == (dangers, reads)
    assert counts["danger", Effect.READ] == 0
    assert counts["danger", Effect.WRITE] <= 0.02 * dangers
    assert counts["read", Effect.READ] >= 0.9 * reads


@pytest.mark.parametrize(("name", "dangers", "reads"), [("danger_eighth", 90, 135), ("danger_ninth", 90, 120)])
def test_the_operations_of_thirty_imaginary_services(name, dangers, reads):
    folder = DATA.parent / name
    rows = [json.loads(line) for line in (folder / f"{name}.jsonl").read_text("utf-8").splitlines()]
    found = {(spec, o.method, o.path): o.facts for spec in {row["spec"] for row in rows}
             for o in operations(load_document(str(folder / spec)))}  # fmt: skip
    counts = Counter((row["label"], classify(found[row["spec"], row["method"], row["path"]]).effect) for row in rows)
    assert (sum(counts.values()), of_label(counts, "danger"), of_label(counts, "read")) == (300, dangers, reads)
    assert (counts["danger", Effect.READ], counts["danger", Effect.WRITE], counts["write", Effect.READ]) == (0, 0, 0)
    assert counts["read", Effect.READ] >= 0.9 * reads


@pytest.mark.parametrize(
    ("method", "path", "summary", "description"),
    [
        ("GET", "/door/{id}/open", "Opens the door", ""),
        ("GET", "/x", "Ring the bell", ""),
        ("GET", "/x", "Feed the fish", ""),
        ("GET", "/lamp/on", "", ""),
        ("GET", "/x", "Перевести деньги", ""),
        ("GET", "/x", "Списать долг", ""),
        ("GET", "/x", "Завершить смену", ""),
        ("POST", "/x", "Tell the customer when the parcel arrives", ""),
        ("POST", "/x", "Checks the passengers in", ""),
        ("POST", "/x", "Where to send the money", ""),
        ("POST", "/x", "Which gate to open", ""),
        ("POST", "/x", "Obtain a token for another user", ""),
        ("POST", "/x", "Get a session that acts as another person", ""),
        ("POST", "/x", "Посчитать и выплатить зарплату", ""),
        ("POST", "/x", "", "Computes the invoice, then emails it to the customer."),
        ("POST", "/x", "", "Finds duplicates and merges them."),
        ("POST", "/x", "", "Calculates totals. The period is locked."),
        ("POST", "/x", "", "Ranks of all players are reset."),
        ("POST", "/x", "", "Проверяет заявку и зачисляет деньги."),
        ("POST", "/x", "", "Возвращает данные карты в банк и блокирует её."),
        ("POST", "/bids/evaluate", "", "Evaluates the bids and awards the contract."),
        ("GET", "/x", "Get and clear the queue", ""),
        ("GET", "/x", "Get rid of old rows", ""),
        ("GET", "/x", "Close all valves", ""),
        ("GET", "/x", "Clear cache", ""),
        ("GET", "/x", "Verify e-mail address", ""),
        ("GET", "/x", "Opt out of mailings", ""),
        ("GET", "/x", "Подтверждение почты", ""),
        ("GET", "/x", "Value of a secret in the clear", ""),
        ("POST", "/x", "Check the card and open the gate", ""),
        ("POST", "/x", "Find the cheapest seat, then order it", ""),
        ("POST", "/x", "Search and replace", ""),
        ("POST", "/x", "Find and fix", ""),
        ("POST", "/x", "Price the stock without telling anybody", ""),
        ("POST", "/x", "Create a draft and email it", ""),
        ("POST", "/x", "Изменить статус заявки", ""),
        ("POST", "/x", "Открыть дверь, проверив пропуск", ""),
        ("POST", "/x", "Проверить пропуск и открыть дверь", ""),
        ("POST", "/x", "Забрать список товаров", ""),
        ("POST", "/x", "Списание товара", ""),
        ("POST", "/x", "Показания счётчика", ""),
        ("POST", "/x", "Построить и запустить маршрут, не сохраняя", ""),
    ],
)
def test_sentences_that_confess(method, path, summary, description):
    assert classify(Facts(method, path, "", summary, description)).effect is Effect.DANGER


@pytest.mark.parametrize(
    ("method", "summary", "description"),
    [
        ("GET", "Open orders", ""),
        ("GET", "Schedule of the day", ""),
        ("GET", "The present state", ""),
        ("GET", "History of a flag's toggles", ""),
        ("GET", "Stream the log", ""),
        ("GET", "Скачать отчёт", ""),
        ("GET", "Узнать баланс", ""),
        ("POST", "Where is the parcel", ""),
        ("POST", "How much would it cost", ""),
        ("POST", "Tell whether a card would open a door", ""),
        ("POST", "Verify a signature", ""),
        ("POST", "Quote the price of a stay", ""),
        ("POST", "", "Computes the route between two places."),
        ("POST", "", "Compute totals of a cart without placing an order."),
        ("POST", "", "Returns how similar two texts are."),
        ("POST", "", "Считает стоимость доставки."),
        ("GET", "Get the run and all its logs", ""),
        ("POST", "Validate and normalise an address", ""),
        ("POST", "Try whether a connection works", ""),
        ("POST", "Price a stay without holding a room", ""),
        ("POST", "Узнать, сколько набежало за стоянку", ""),
        ("POST", "Проверить наличие, цену и доступность", ""),
        ("POST", "Построить маршрут, ничего не сохраняя", ""),
    ],
)
def test_sentences_that_prove_reading(method, summary, description):
    assert classify(Facts(method, "/x", "", summary, description)).effect is Effect.READ


@pytest.mark.parametrize(
    ("facts", "effect"),
    [
        (Facts("POST", "/alerts/{id}/resolve", "resolve_alert"), "danger"),
        (Facts("POST", "/messages/{id}/read", "message_read"), "danger"),
        (Facts("POST", "/rooms/check-in", "check_in"), "danger"),
        (Facts("POST", "/orders/{id}/status", "order_status"), "danger"),
        (Facts("POST", "/things/search", "search_things", answers=("204",)), "danger"),
        (Facts("GET", "/things", "list_things", parameters=("purge",)), "danger"),
        (Facts("GET", "/t", "get_token", description="Revokes the token."), "danger"),
        (Facts("POST", "/things", "delete-all-things"), "danger"),
        (Facts("POST", "/n", "create_eviction"), "danger"),
        (Facts("PUT", "/keys/{id}", "keys_update"), "danger"),
        (Facts("GET", "/o", "", summary="Активные заказы"), "read"),
        (Facts("GET", "/o", "", summary="Отменённые заказы"), "read"),
        (Facts("GET", "/o", "", summary="Получить и удалить сообщение"), "danger"),
        (Facts("GET", "/bans", "bans_index"), "read"),
        (Facts("GET", "/bans/lift", "bans_lift"), "danger"),
        (Facts("GET", "/write-offs", "writeOffs"), "read"),
        (Facts("GET", "/claims/{no}/payments", "claimPayments"), "read"),
        (Facts("GET", "/claims/{no}/cancel", "claimCancel"), "danger"),
        (Facts("GET", "/seal-status", "sealStatus", summary="Is the store sealed"), "read"),
        (Facts("GET", "/seal-status", "sealStatus"), "danger"),
        (Facts("GET", "/delete_user", "op_1"), "danger"),
        (Facts("GET", "/clear-cache", "op_1"), "danger"),
        (Facts("GET", "/verify-email", "op_1"), "danger"),
        (Facts("GET", "/opt-out/{token}", "op_1"), "danger"),
        (Facts("GET", "/buy/{sku}", "op_1"), "danger"),
        (Facts("GET", "/jobs/{id}/retry", "op_1"), "danger"),
        (Facts("GET", "/x", "cache_clear"), "danger"),
        (Facts("GET", "/x", "turn_on"), "danger"),
        (Facts("GET", "/x", "issue_certificate"), "danger"),
        (Facts("GET", "/retry-policy", "retry_policy"), "read"),
        (Facts("GET", "/books/written-off", "op_1"), "read"),
        (Facts("GET", "/users/delete/{id}", "op_1"), "danger"),
        (Facts("GET", "/valves/{id}/open", "op_1"), "danger"),
        (Facts("GET", "/rpc/Barrier.LockAll", "Barrier.LockAll"), "danger"),
        (Facts("GET", "/domains/{name}/auth-code", "getAuthCode"), "danger"),
        (Facts("GET", "/secrets/{path}/value", "op_1"), "danger"),
        (Facts("GET", "/secrets", "listSecrets"), "read"),
        (Facts("POST", "/x", "clear_history"), "danger"),
        (Facts("POST", "/x", "rewrite_history"), "danger"),
        (Facts("POST", "/runs/history", "run_history"), "read"),
        (Facts("POST", "/search-and-destroy", "op_1"), "danger"),
        (Facts("POST", "/token", "get_token"), "danger"),
        (Facts("POST", "/matches/{id}/score", "score_match"), "danger"),
        (Facts("POST", "/companies/{id}/block", "PostCompaniesBlock"), "danger"),
        (Facts("POST", "/invoices/upcoming", "PostInvoicesUpcoming", summary="Preview the next invoice"), "read"),
    ],
)
def test_words_that_only_seem_to_read_or_to_change(facts, effect):
    assert classify(facts).effect == effect


def test_every_verdict_has_a_reason(outcomes):
    assert all(verdict.reasons for _, verdict in outcomes)


@pytest.mark.parametrize(
    ("method", "path", "name", "effect"),
    [
        ("GET", "/things", "list_things", "read"),
        ("GET", "/users/{id}/runs", "get_runs", "read"),
        ("GET", "/schedule", "", "read"),
        ("GET", "/things/{id}/delete", "", "danger"),
        ("GET", "/cache/purge", "purge_cache", "danger"),
        ("GET", "/logout", "logout", "write"),
        ("GET", "/next", "pop_and_delete", "danger"),
        ("GET", "/next", "get_and_delete_message", "danger"),
        ("DELETE", "/x/{id}", "get_x", "danger"),
        ("POST", "/things/search", "search_things", "read"),
        ("POST", "/reports/preview", "", "read"),
        ("POST", "/search", "find_and_replace", "danger"),
        ("POST", "/sessions", "get_or_create_session", "danger"),
        ("POST", "/notes", "create_note", "write"),
        ("POST", "/notes/{id}/publish", "", "danger"),
        ("POST", "/things/{id}", "", "danger"),
        ("POST", "/payments", "create_payment", "danger"),
        ("POST", "/users/{id}/roles", "add_role", "danger"),
        ("POST", "/jobs/{id}/cancel", "cancel_job", "danger"),
        ("POST", "/emails", "send_email", "danger"),
        ("PATCH", "/notes/{id}", "update_note", "write"),
        ("PATCH", "/notes", "bulk_update_notes", "danger"),
        ("PUT", "/admin/limits", "update_limits", "danger"),
    ],
)
def test_the_name_and_the_path_speak(method, path, name, effect):
    verdict = classify(Facts(method, path, name))
    assert (verdict.effect, bool(verdict.reasons)) == (effect, True)


@pytest.mark.parametrize(
    ("facts", "effect"),
    [
        (Facts("POST", "/n", "create_note", body_fields=("title",)), "write"),
        (Facts("POST", "/n", "create_note", body_fields=("title", "webhook_url")), "danger"),
        (Facts("POST", "/people", "create_person", body_fields=("name", "isAdmin")), "danger"),
        (Facts("PATCH", "/n/{id}", "update_note", body_fields=("text", "force")), "danger"),
        (Facts("PUT", "/tags", "update_tags", body_is_list=True), "danger"),
        (Facts("POST", "/query", "query", body_fields=("sql",)), "danger"),
        (Facts("POST", "/query", "query", body_fields=("text",)), "read"),
        (Facts("POST", "/n", "create_note", description="Overwrites a note of the same name."), "danger"),
        (Facts("POST", "/n", "add_note", description="This cannot be undone."), "danger"),
        (Facts("GET", "/t", "", description="Deletes the oldest entry and returns it."), "danger"),
        (Facts("POST", "/campaigns", "op_1", "Create a draft campaign", body_fields=("subject",)), "write"),
        (Facts("POST", "/campaigns", "op_1", "Create a draft campaign", body_fields=("subject", "sendAt")), "danger"),
        (Facts("PATCH", "/releases/{id}", "op_1", "Edit a draft release", body_fields=("name", "draft")), "danger"),
        (Facts("PATCH", "/flags/{key}", "describe_flag", body_fields=("title", "description")), "write"),
        (Facts("PATCH", "/flags/{key}", "describe_flag", body_fields=("title", "rules")), "danger"),
        (Facts("PUT", "/objects/{id}/caption", "op_1", body_fields=("en", "ru")), "write"),
        (Facts("PUT", "/scripts/{id}/content", "op_1", body_fields=("content",)), "danger"),
        (Facts("POST", "/reports/{id}/notes", "noteReport", body_fields=("text",)), "write"),
        (Facts("POST", "/tickets/{id}/internal_notes", "add_note", body_fields=("text",)), "write"),
        (Facts("POST", "/internal/notes", "add_note", body_fields=("text",)), "danger"),
        (Facts("POST", "/customers", "PostCustomers", body_fields=("name",)), "write"),
    ],
)
def test_the_body_and_the_description_speak(facts, effect):
    assert classify(facts).effect == effect


@pytest.mark.parametrize(
    ("method", "summary", "effect"),
    [
        ("POST", "Поиск заказов", "read"),
        ("POST", "Получить список складов", "read"),
        ("POST", "Удалить заказ", "danger"),
        ("POST", "Отправить письмо клиенту", "danger"),
        ("POST", "Добавить заметку", "write"),
        ("PUT", "Перезаписать настройки", "danger"),
        ("GET", "Удаление временных файлов", "danger"),
    ],
)
def test_russian_summaries_speak(method, summary, effect):
    assert classify(Facts(method, "/api/op1", "op1", summary=summary)).effect == effect


def test_what_nothing_proves_is_dangerous():
    verdict = classify(Facts("POST", "/frobnicate", "frobnicate"))
    assert verdict.effect is Effect.DANGER
    assert "nothing proves" in verdict.reasons[0]
