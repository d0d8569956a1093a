"""No secret in any table or log, while a card waits, after one was signed, and after refusals."""

import psycopg
import pytest
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from joserfc.jwk import OKPKey

from tests.clients.chats import of
from tests.clients.drivers import ClientError
from tests.clients.product import PEOPLE, Product

TOKEN_STARTS = ("eyJ0eXAi", "eyJhbGci", "eyJraWQi")
TABLES = (
    "select format('%I.%I', schemaname, tablename) from pg_tables"
    " where schemaname not in ('pg_catalog', 'information_schema')"
)


def stored(database_url: str) -> str:
    """Every row of every table as text; bytes are in hexadecimal."""
    with psycopg.connect(database_url) as connection:
        tables = [name for (name,) in connection.execute(TABLES).fetchall()]
        return "\n".join(
            row for table in tables for (row,) in connection.execute(f"select t::text from {table} t").fetchall()
        )


def secrets(product: Product) -> list[str]:
    """What must be nowhere: keys, passwords and tokens, each as text and as the bytes they stand for."""
    key = product.keys.service_private_key()
    raw = key.private_bytes(Encoding.Raw, PrivateFormat.Raw, NoEncryption())
    ring = [part.partition(":")[2] for part in product.keys.spec.split(",")]
    passwords = [*map(product.password, PEOPLE), product.keys.sign("workspace-role", b"")[1].hex()]
    tokens = [piece for person in PEOPLE for piece in product.token(person).split(".")[1:]]
    return [*ring, *passwords, *tokens, raw.hex(), OKPKey.import_key(key).as_dict(private=True)["d"], *TOKEN_STARTS]


def found(needles: list[str], text: str) -> list[str]:
    """The needles that are in the text, as they are or as bytes in hexadecimal."""
    return [needle for needle in needles if needle in text or needle.encode().hex() in text]


async def test_no_secret_is_in_a_table_or_a_log(enter, product, boards):
    (waiting, _), (signed, _) = next(boards), next(boards)
    chat, other = await enter(), await enter("ilya")
    (card,) = of("confirm_required", await chat.say(f"delete dashboard {signed}"))
    with pytest.raises(ClientError):
        await other.decide("confirm", card)
    with pytest.raises(ClientError):
        await (await enter(jwt=product.token("anna") + "x")).say("hello")
    await chat.decide("confirm", card)
    await chat.say("canary of the yellow kind")
    await other.say("delete the dashboard", user_jwt=product.token("ilya"))
    await chat.say(f"delete dashboard {waiting}")
    rows = stored(product.database_url)
    assert "canary of the yellow kind" in rows
    assert b"canary of the yellow kind".hex() in rows
    assert found(secrets(product), rows) == []
    assert found(secrets(product), product.log) == []
