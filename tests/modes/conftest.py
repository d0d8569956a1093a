"""The product in each mode of signing in.

issuer   an identity provider over HTTP, one for the whole run
start    starts a product with these settings on a database of its own: `start(SIGN_IN="header", ...)`
"""

import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests.clients import product as products
from tests.clients.product import Product
from tests.conftest import Server
from tests.modes import issuer as issuers
from tests.modes.issuer import Issuer

Start = Callable[..., Product]


@pytest.fixture(scope="module")
def issuer() -> Iterator[Issuer]:
    with issuers.issuer() as running:
        yield running


@pytest.fixture(autouse=True)
def fresh(request: pytest.FixtureRequest) -> None:
    """Every test begins with an issuer without faults."""
    if "issuer" in request.fixturenames:
        made: Issuer = request.getfixturevalue("issuer")
        made.faults.clear()
        made.claims.clear()
        made.signer = None
        made.person = {"sub": "u-1", "preferred_username": "olga", "name": "Olga"}


@pytest.fixture(scope="module")
def start(postgres: Server) -> Iterator[Start]:
    with ExitStack() as ends:

        def begin(**settings: str) -> Product:
            name = f"m_{uuid.uuid4().hex}"
            postgres.execute(f"create database {name}")
            return ends.enter_context(products.product(postgres.database(name), **settings))

        yield begin
