"""The log of a started product as machines read it: a line for everything that ran, no secret, nobody's words."""

import json

from tests.clients.chats import Chat, of
from tests.clients.drivers import python_client
from tests.clients.product import product as products
from tests.clients.test_canary import found, secrets

CANARY = "canary of the green kind"


async def test_every_line_is_an_object_without_secrets_and_words(postgres):
    postgres.execute("create database clients_logs")
    with products(postgres.database("clients_logs"), LOG_FORMAT="json") as product:
        board, name = next(iter(product.boards().items()))
        async with python_client(product.url, product.token("anna")) as client:
            chat = Chat(client)
            await chat.say(CANARY)
            (card,) = of("confirm_required", await chat.say(f"delete dashboard {board}"))
            await chat.decide("deny", card, reason=CANARY)
        log = (product.folder / "app.log").read_text()
        assert found(secrets(product), log) == []
    assert CANARY not in log
    assert name not in log
    lines = [json.loads(line) for line in log.splitlines() if not line.startswith("Countersign is at")]
    events = [line["event"] for line in lines]
    assert events.count("agent.turn") == 2
    assert events.count("agent.step") >= 3
    steps = [line for line in lines if line["event"] == "agent.step" and line.get("offered")]
    assert any(choice["tool"] == "delete_dashboard" for step in steps for choice in step["offered"])
    assert all({"turn_id", "conversation_id", "timestamp", "level"} <= line.keys() for line in steps)
