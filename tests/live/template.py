"""A service in the shape of the full-stack FastAPI template: paths, names, schemas, password login, HS256, roles."""

import time
import uuid
from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Depends, FastAPI, HTTPException
from fastapi.routing import APIRoute
from fastapi.security import OAuth2PasswordBearer, OAuth2PasswordRequestForm
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import OctKey
from pydantic import BaseModel, Field


class UserPublic(BaseModel):
    id: uuid.UUID
    email: str
    full_name: str | None = None
    is_active: bool = True
    is_superuser: bool = False


class UserUpdate(BaseModel):
    email: str | None = None
    full_name: str | None = None
    is_superuser: bool | None = None


class UserUpdateMe(BaseModel):
    full_name: str | None = Field(None, max_length=255)


class ItemCreate(BaseModel):
    title: str = Field(min_length=1, max_length=255)
    description: str | None = Field(None, max_length=255)


class ItemUpdate(BaseModel):
    title: str | None = Field(None, min_length=1, max_length=255)
    description: str | None = Field(None, max_length=255)


class ItemPublic(ItemCreate):
    id: uuid.UUID
    owner_id: uuid.UUID


class ItemsPublic(BaseModel):
    data: list[ItemPublic]
    count: int


class UsersPublic(BaseModel):
    data: list[UserPublic]
    count: int


class Message(BaseModel):
    message: str


class Template:
    """The service and what it keeps. `passwords` are by email; the first person is the superuser."""

    def __init__(self, passwords: dict[str, str], secret: str = ""):
        self.passwords = passwords
        self.users = {
            email: UserPublic(id=uuid.uuid4(), email=email, is_superuser=not n) for n, email in enumerate(passwords)
        }
        self.items: dict[uuid.UUID, ItemPublic] = {}
        self.key = OctKey.import_key(secret or uuid.uuid4().hex)
        self.app = FastAPI(title="Template", generate_unique_id_function=_operation_id)
        self.app.include_router(self._login(), prefix="/api/v1", tags=["login"])
        self.app.include_router(self._users(), prefix="/api/v1/users", tags=["users"])
        self.app.include_router(self._items(), prefix="/api/v1/items", tags=["items"])

    def _me(self) -> Callable[..., UserPublic]:
        def me(token: Annotated[str, Depends(OAuth2PasswordBearer("/api/v1/login/access-token"))]) -> UserPublic:
            try:
                claims = jwt.decode(token, self.key, algorithms=["HS256"]).claims
            except (JoseError, ValueError):
                raise HTTPException(403, "Could not validate credentials") from None
            if claims["exp"] < time.time() or claims["sub"] not in self.users:
                raise HTTPException(403, "Could not validate credentials")
            return self.users[claims["sub"]]

        return me

    def _login(self) -> APIRouter:
        router = APIRouter()

        @router.post("/login/access-token")
        def login_access_token(form: Annotated[OAuth2PasswordRequestForm, Depends()]) -> dict[str, str]:
            """OAuth2 compatible token login, get an access token for future requests"""
            if self.passwords.get(form.username) != form.password:
                raise HTTPException(400, "Incorrect email or password")
            claims = {"sub": form.username, "exp": int(time.time()) + 3600}
            return {"access_token": jwt.encode({"alg": "HS256"}, claims, self.key), "token_type": "bearer"}

        return router

    def _users(self) -> APIRouter:
        router, me = APIRouter(), Depends(self._me())

        @router.get("/")
        def read_users(skip: int = 0, limit: int = 100, user: Any = me) -> UsersPublic:
            """Retrieve users."""
            if not user.is_superuser:
                raise HTTPException(403, "The user doesn't have enough privileges")
            found = list(self.users.values())
            return UsersPublic(data=found[skip : skip + limit], count=len(found))

        @router.get("/me")
        def read_user_me(user: Any = me) -> UserPublic:
            """Get current user."""
            return user

        @router.patch("/me")
        def update_user_me(user_in: UserUpdateMe, user: Any = me) -> UserPublic:
            """Update own user."""
            user.full_name = user_in.full_name
            return user

        @router.patch("/{user_id}")
        def update_user(user_id: uuid.UUID, user_in: UserUpdate, user: Any = me) -> UserPublic:
            """Update a user."""
            found = next((u for u in self.users.values() if u.id == user_id), None)
            if not user.is_superuser:
                raise HTTPException(403, "The user doesn't have enough privileges")
            if found is None:
                raise HTTPException(404, "The user with this id does not exist in the system")
            for name, value in user_in.model_dump(exclude_unset=True).items():
                setattr(found, name, value)
            return found

        return router

    def _items(self) -> APIRouter:
        router, me = APIRouter(), Depends(self._me())

        def found(id: uuid.UUID, user: UserPublic) -> ItemPublic:
            if id not in self.items:
                raise HTTPException(404, "Item not found")
            if not user.is_superuser and self.items[id].owner_id != user.id:
                raise HTTPException(403, "Not enough permissions")
            return self.items[id]

        @router.get("/")
        def read_items(skip: int = 0, limit: int = 100, user: Any = me) -> ItemsPublic:
            """Retrieve items."""
            mine = [i for i in self.items.values() if user.is_superuser or i.owner_id == user.id]
            return ItemsPublic(data=mine[skip : skip + limit], count=len(mine))

        @router.get("/{id}")
        def read_item(id: uuid.UUID, user: Any = me) -> ItemPublic:
            """Get item by ID."""
            return found(id, user)

        @router.post("/")
        def create_item(item_in: ItemCreate, user: Any = me) -> ItemPublic:
            """Create new item."""
            item = ItemPublic(id=uuid.uuid4(), owner_id=user.id, **item_in.model_dump())
            self.items[item.id] = item
            return item

        @router.put("/{id}")
        def update_item(id: uuid.UUID, item_in: ItemUpdate, user: Any = me) -> ItemPublic:
            """Update an item."""
            self.items[id] = found(id, user).model_copy(update=item_in.model_dump(exclude_unset=True))
            return self.items[id]

        @router.delete("/{id}")
        def delete_item(id: uuid.UUID, user: Any = me) -> Message:
            """Delete an item."""
            found(id, user)
            del self.items[id]
            return Message(message="Item deleted successfully")

        return router


def _operation_id(route: APIRoute) -> str:
    return f"{route.tags[0]}-{route.name}"
