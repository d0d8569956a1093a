"""Signing in, the public keys, and who one is."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.security import OAuth2PasswordRequestForm

from backend.api.deps import Db, Viewer
from backend.api.responses import READ, refusals
from backend.db import users
from backend.identity.issuer import TokenIssuer
from backend.models.users import Token, User
from backend.people import strongest
from backend.problems import Problem

router = APIRouter(tags=["auth"])


@router.post("/auth/token", operation_id="issue_token", summary="Sign in", responses=refusals(401, 422))
async def issue_token(request: Request, db: Db, form: Annotated[OAuth2PasswordRequestForm, Depends()]) -> Token:
    """A user token for a login and its password (OAuth 2.0 password grant)."""
    issuer: TokenIssuer = request.app.state.issuer
    if not issuer.knows(form.username, form.password):
        raise Problem("wrong_password")
    row = await users.get(db, form.username)
    role = strongest(row["roles"])
    if role is None or not row["active"]:
        raise Problem("wrong_password")
    token = issuer.token(row["id"], name=row["name"], name_ru=row["name_ru"], role=role)
    return Token(access_token=token, expires_in=issuer.lifetime)


@router.get("/.well-known/jwks.json", operation_id="read_jwks", summary="Public keys", responses=refusals(422))
async def read_jwks(request: Request) -> dict[str, Any]:
    """The public keys of the user tokens (RFC 7517)."""
    return request.app.state.issuer.jwks()


@router.get("/auth/me", operation_id="read_me", summary="Who am I", responses=READ)
async def read_me(person: Viewer, db: Db) -> User:
    """The person of this call with their roles of this moment."""
    return (await users.shape(db, [await users.get(db, person.id)]))[0]
