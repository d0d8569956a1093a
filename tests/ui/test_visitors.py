"""Whose token a header holds: `Authorization` by its scheme in any case, any other header as it is."""

import pytest
from starlette.datastructures import Headers

from ui.visitors import COOKIE, Visitors, bearer


class Tokens:
    """A verifier that says which token it was asked about."""

    async def verify(self, token: str):
        return token


class Handles:
    """Sessions that say whose handle they were asked about."""

    async def find(self, handle: str):
        return f"of {handle}"


def visitors(header: str) -> Visitors:
    return Visitors(Handles(), Tokens(), secure=False, jwt_header=header)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("header", "value", "token"),
    [
        ("Authorization", "Bearer a.b.c", "a.b.c"),
        ("Authorization", "bearer a.b.c", "a.b.c"),
        ("Authorization", "BEARER   a.b.c", "a.b.c"),
        ("Authorization", "Basic dTpw", None),
        ("Authorization", "Bearer", None),
        ("Authorization", "Bearer ", None),
        ("Authorization", "", None),
        ("X-User-JWT", "a.b.c", "a.b.c"),
        ("X-User-JWT", "Bearer a.b.c", "a.b.c"),
        ("X-User-JWT", "bearer a.b.c", "a.b.c"),
        ("X-User-JWT", "not a token", "not a token"),
    ],
)
async def test_a_program_is_known_by_the_token_of_the_header(header, value, token):
    assert await visitors(header).program(Headers({header: value})) == token


async def test_the_input_wins_over_the_header_and_may_have_the_scheme_too():
    sent = Headers({"Authorization": "Bearer header"})
    assert await visitors("Authorization").program(sent, "bearer input") == "input"


@pytest.mark.parametrize(("value", "who"), [("Basic dTpw", "of h"), ("bearer a.b.c", "a.b.c"), ("", "of h")])
async def test_a_browser_behind_a_proxy_with_a_password_keeps_its_session(value, who):
    assert await visitors("Authorization").anyone({COOKIE: "h"}, Headers({"authorization": value})) == who


def test_a_token_alone_stays_whole():
    assert [bearer(value) for value in ("a.b.c", "")] == ["a.b.c", ""]
