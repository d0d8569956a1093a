"""Refusals: their form, their language, and requests that nobody expects."""

import json
from importlib.resources import files

import pytest

from backend.problems import STATUS
from tests.backend.world import World


async def test_a_refusal_is_a_problem_document(still: World) -> None:
    answer = await still.call("vera", "GET", "/dashboards/99999")
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.json() == {
        "type": "urn:workspace:problem:dashboard_not_found",
        "title": "No such dashboard",
        "status": 404,
        "code": "dashboard_not_found",
        "detail": "There is no dashboard 99999. Search by name first.",
        "id": 99999,
    }


@pytest.mark.parametrize(
    ("language", "title"),
    [("ru", "Нет такого дашборда"), ("ru-RU,ru;q=0.9,en;q=0.8", "Нет такого дашборда"), ("de", "No such dashboard")],
)
async def test_in_the_language_of_the_caller(still: World, language: str, title: str) -> None:
    answer = await still.call("vera", "GET", "/dashboards/99999", headers={"Accept-Language": language})
    assert answer.json()["title"] == title


def test_every_problem_and_sentence_exists_in_both_languages() -> None:
    folder = files("backend").joinpath("sentences")
    problems = json.loads(folder.joinpath("problems.json").read_text("utf-8"))
    assert set(problems) == set(STATUS)
    for code, words in problems.items():
        assert set(words) == {"title_en", "en", "title_ru", "ru"}, code
    for key, words in json.loads(folder.joinpath("previews.json").read_text("utf-8")).items():
        assert set(words) == {"en", "ru"}, key


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [("GET", "/nowhere", 404, "not_found"), ("PUT", "/dashboards", 405, "method_not_allowed")],
)
async def test_addresses_that_do_not_exist(still: World, method: str, path: str, status: int, code: str) -> None:
    answer = await still.call("vera", method, path)
    assert (answer.status_code, answer.json()["code"]) == (status, code)


@pytest.mark.parametrize(
    "body", [b"", b"{", b"null", b'"text"', b"\xff\xfe", b'{"name": "\\ud800", "environment": "dev"}', b"[" * 5000]
)
async def test_bodies_that_are_no_dashboard(still: World, body: bytes) -> None:
    headers = {"Content-Type": "application/json"}
    answer = await still.call("ilya", "POST", "/dashboards", content=body, headers=headers)
    assert answer.status_code in (400, 422)
    assert answer.headers["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize("declared", [True, False])
async def test_a_body_that_is_too_large(still: World, declared: bool) -> None:
    async def stream():
        for _ in range(300):
            yield b" " * 1024

    body = b" " * 300 * 1024 if declared else stream()
    headers = {"Content-Type": "application/json"}
    answer = await still.call("ilya", "POST", "/dashboards", content=body, headers=headers)
    assert (answer.status_code, answer.json()["code"], answer.json()["limit"]) == (413, "body_too_large", 262_144)


@pytest.mark.parametrize("number", ["0", "-1", "2147483648", "99999999999999999999", "1.5", "x"])
async def test_numbers_that_are_no_id(still: World, number: str) -> None:
    answer = await still.call("vera", "GET", f"/dashboards/{number}")
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request")


@pytest.mark.parametrize("path", ["/users/%00", "/users/a%2F..%2Fb", "/backups/bk 1", "/documents/'--"])
async def test_words_that_are_no_id(still: World, path: str) -> None:
    answer = await still.call("vera", "GET", path)
    assert answer.status_code in (404, 422)
    assert answer.json()["code"] in ("not_found", "invalid_request")
