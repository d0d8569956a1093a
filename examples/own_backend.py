"""A backend of one's own: `uvicorn examples.own_backend:app --port 8000`. People: ann / apple, bob / berry."""

import hashlib
import json
import time
from typing import Annotated

from fastapi import Depends, FastAPI, Header, HTTPException, Response
from fastapi.security import OAuth2PasswordBearer, OAuth2PasswordRequestForm
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import ECKey
from pydantic import BaseModel

app = FastAPI(title="Shop", version="1.0")
KEY = ECKey.generate_key("P-256", {"kid": "shop-1", "use": "sig", "alg": "ES256"})
PASSWORDS = {"ann": "apple", "bob": "berry"}
ITEMS = {1: {"name": "Tea", "quantity": 40, "in_stock": True}, 2: {"name": "Mug", "quantity": 0, "in_stock": False}}


class Item(BaseModel):
    name: str
    quantity: int
    in_stock: bool = True


class ItemChange(BaseModel):
    name: str | None = None
    quantity: int | None = None
    in_stock: bool | None = None


def signed_in(token: Annotated[str, Depends(OAuth2PasswordBearer("login"))]) -> str:
    try:
        claims = jwt.decode(token, KEY, algorithms=["ES256"]).claims
    except (JoseError, ValueError):
        claims = {}
    if claims.get("exp", 0) < time.time():
        raise HTTPException(401, "sign in again")
    return claims["sub"]


Person = Annotated[str, Depends(signed_in)]


def tag(item: dict) -> str:
    return f'"{hashlib.sha256(json.dumps(item).encode()).hexdigest()[:16]}"'


def found(item_id: int, if_match: str | None = None) -> dict:
    if item_id not in ITEMS:
        raise HTTPException(404, f"there is no item {item_id}")
    if if_match not in (None, tag(ITEMS[item_id])):
        raise HTTPException(412, "somebody changed the item meanwhile")
    return {"id": item_id, **ITEMS[item_id]}


IfMatch = Annotated[str | None, Header(include_in_schema=False)]


@app.get("/.well-known/jwks.json", include_in_schema=False)
def public_keys() -> dict:
    return {"keys": [KEY.as_dict(private=False)]}


@app.post("/login", include_in_schema=False)
def log_in(form: Annotated[OAuth2PasswordRequestForm, Depends()]) -> dict:
    if PASSWORDS.get(form.username) != form.password:
        raise HTTPException(401, "wrong name or password")
    now = int(time.time())
    claims = {"iss": "shop", "aud": "shop", "sub": form.username, "iat": now, "exp": now + 3600}
    token = jwt.encode({"alg": "ES256", "typ": "at+jwt", "kid": "shop-1"}, claims, KEY)
    return {"access_token": token, "token_type": "bearer"}


@app.get("/items", summary="List items")
def list_items(person: Person, in_stock: bool | None = None) -> list[dict]:
    return [{"id": i, **item} for i, item in ITEMS.items() if in_stock in (None, item["in_stock"])]


@app.get("/items/{item_id}", summary="Read an item")
def read_item(item_id: int, person: Person, response: Response) -> dict:
    item = found(item_id)
    response.headers["ETag"] = tag(ITEMS[item_id])
    return item


@app.post("/items", status_code=201, summary="Create an item")
def create_item(item: Item, person: Person) -> dict:
    item_id = max(ITEMS, default=0) + 1
    ITEMS[item_id] = item.model_dump()
    return {"id": item_id, **ITEMS[item_id]}


@app.put("/items/{item_id}", summary="Replace an item")
def replace_item(item_id: int, item: Item, person: Person, if_match: IfMatch = None) -> dict:
    found(item_id, if_match)
    ITEMS[item_id] = item.model_dump()
    return {"id": item_id, **ITEMS[item_id]}


@app.patch("/items/{item_id}", summary="Change an item")
def change_item(item_id: int, change: ItemChange, person: Person, if_match: IfMatch = None) -> dict:
    found(item_id, if_match)
    ITEMS[item_id] |= change.model_dump(exclude_unset=True)
    return {"id": item_id, **ITEMS[item_id]}


@app.delete("/items/{item_id}", status_code=204, summary="Delete an item")
def delete_item(item_id: int, person: Person, if_match: IfMatch = None) -> None:
    found(item_id, if_match)
    del ITEMS[item_id]
