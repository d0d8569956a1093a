"""Files over HTTP: attached with a token, read by the model's tool, given out to their owner and never as a page."""

import httpx
import pytest

from tests.clients.chats import Chat
from tests.clients.drivers import python_client

HTML = b"<script>alert(1)</script>"


async def attach(http, product, name="notes.txt", data=HTML, person="anna", **where) -> httpx.Response:
    params = {"name": name, **where}
    return await http.post("/ui/files", params=params, content=data, headers=product.header(person))


async def test_a_file_waits_for_the_next_message_and_goes_with_it(http, product):
    kept = (await attach(http, product)).json()
    place = kept["conversation_id"]
    assert (kept["name"], kept["size"], kept["characters"]) == ("notes.txt", len(HTML), len(HTML))
    other = (await attach(http, product, "more.csv", b"a,b", conversation_id=place)).json()
    await http.post("/ui/files/remove", json={"id": other["id"]}, headers=product.header("anna"))
    waiting = await http.get("/ui/files", params={"conversation_id": place}, headers=product.header("anna"))
    assert [file["id"] for file in waiting.json()["files"]] == [kept["id"]]
    async with python_client(product.url, product.token("anna")) as client:
        chat = Chat(client)
        chat.id = place
        await chat.say("hello")
    waiting = await http.get("/ui/files", params={"conversation_id": place}, headers=product.header("anna"))
    assert waiting.json()["files"] == []
    told = await http.get("/ui/conversation.json", params={"conversation_id": place}, headers=product.header("anna"))
    assert [part["metadata"]["type"] for part in told.json()["messages"][0]["parts"]] == ["user", "file"]
    gone = await http.post("/ui/files/remove", json={"id": kept["id"]}, headers=product.header("anna"))
    assert gone.status_code == 404


async def test_a_file_is_saved_and_never_shown(http, product):
    kept = (await attach(http, product, "отчёт.md")).json()
    answer = await http.get(f"/ui/files/{kept['id']}", headers=product.header("anna"))
    assert answer.content == HTML
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert answer.headers["content-disposition"].startswith("attachment; filename*=UTF-8''%D0%BE")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in answer.headers["content-security-policy"]


@pytest.mark.parametrize(("who", "status"), [("ilya", 404), (None, 401)])
async def test_what_is_somebody_elses_is_not_there_and_nobody_gets_nothing(http, product, who, status):
    kept = (await attach(http, product)).json()
    place, headers = kept["conversation_id"], product.header(who) if who else {}
    answers = [
        await http.get(f"/ui/files/{kept['id']}", headers=headers),
        await http.post("/ui/files/remove", json={"id": kept["id"]}, headers=headers),
        await http.post("/ui/files", params={"name": "x.txt", "conversation_id": place}, content=b"x", headers=headers),
    ]
    assert [answer.status_code for answer in answers] == [status] * 3


@pytest.mark.parametrize(
    ("name", "data", "status", "code"),
    [
        ("page.html", HTML, 415, "file_kind"),
        ("empty.txt", b"", 422, "file_empty"),
        ("large.txt", b"x" * (25 * 2**20 + 1), 413, "file_large"),
        ("larger.txt", b"x" * (27 * 2**20), 413, "body_too_large"),
        ("broken.pdf", b"%PDF-1.7", 422, "file_broken"),
    ],
)
async def test_what_cannot_be_kept_is_explained(http, product, name, data, status, code):
    answer = await attach(http, product, name, data)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer.json()["text"].endswith(".")
