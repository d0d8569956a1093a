"""Tokens for the demo's people in front of a backend that knows none of them."""

import pytest
from joserfc.jwk import KeySet, OKPKey

from agent.identity import StaticKeys, TokenVerifier
from agent.tokens import PersonTokens
from tools.toolset import Role
from ui.authority import DemoTokens
from ui.options import DemoPerson, WrongPassword

ANNA = DemoPerson("anna", "her-password", {"en": "Anna Petrova", "ru": "Анна Петрова"}, "admin")


@pytest.fixture
def tokens() -> PersonTokens:
    return PersonTokens(OKPKey.generate_key("Ed25519"), issuer="countersign", audience="shop")


async def test_the_token_says_who_the_person_is(tokens):
    keys = StaticKeys(KeySet([tokens.key]))
    verifier = TokenVerifier(keys=keys, issuer="countersign", audience="shop", default_tenant="default")
    person = await verifier.verify(await DemoTokens([ANNA], tokens, "default").token("anna", "her-password"))
    assert (person.subject, person.name, person.role) == ("countersign|anna", "Anna Petrova", Role.ADMIN)
    assert tokens.given(person).subject == person.subject


@pytest.mark.parametrize(("name", "password"), [("anna", "other"), ("anna", ""), ("nobody", "her-password")])
async def test_nobody_else_gets_one(tokens, name, password):
    with pytest.raises(WrongPassword):
        await DemoTokens([ANNA], tokens, "default").token(name, password)
