"""Another backend of one's own: nested routers, an API key, enums, optional bodies, files, pages, a tree, revisions."""

import hashlib
import json
from enum import StrEnum
from typing import Annotated, Any

from fastapi import (
    APIRouter,
    Body,
    Depends,
    FastAPI,
    Form,
    Header,
    HTTPException,
    Query,
    Response,
    Security,
    UploadFile,
)
from fastapi.security import APIKeyHeader
from pydantic import BaseModel, Field

KEY = "clinic-secret-key"


class Species(StrEnum):
    """What a pet is."""

    CAT = "cat"
    DOG = "dog"
    PARROT = "parrot"


class Pet(BaseModel):
    """A pet as it is registered."""

    name: str = Field(min_length=1, max_length=40)
    species: Species
    weight_kg: Annotated[float, Field(gt=0, le=120)] | None = None
    tags: list[str] = []


class PetChange(BaseModel):
    """What may change of a pet."""

    name: str | None = None
    species: Species | None = None
    weight_kg: float | None = None


class Node(BaseModel):
    """A service and those under it."""

    title: str
    children: list["Node"] = []


def checked(key: Annotated[str, Security(APIKeyHeader(name="X-API-Key"))]) -> None:
    """Only with the key."""
    if key != KEY:
        raise HTTPException(403, "wrong key")


IfMatch = Annotated[str | None, Header()]


class Clinic:
    """The service; `pets`, `visits` and `tree` are its state, `files` what was uploaded."""

    def __init__(self) -> None:
        names = [("Murka", "cat", 4.2), ("Rex", "dog", 30.0), *((f"Pet {n}", "cat", 3.0) for n in range(30))]
        self.pets: dict[int, dict[str, Any]] = {
            n: {"name": name, "species": kind, "weight_kg": weight, "tags": []}
            for n, (name, kind, weight) in enumerate(names, 1)
        }
        self.visits: dict[int, dict[str, Any]] = {1: {"pet_id": 1, "status": "booked", "notes": ""}}
        self.tree = Node(title="Services", children=[Node(title="Surgery")])
        self.files: list[tuple[str, bytes]] = []
        self.app = FastAPI(title="Clinic", dependencies=[Depends(checked)])
        v1, pets = APIRouter(prefix="/api/v1"), APIRouter(prefix="/pets")
        self._pets(pets)
        self._files(pets)
        pets.include_router(self._visits())
        v1.include_router(pets)
        v1.include_router(self._services())
        self.app.include_router(v1)

    def pet(self, pet_id: int, if_match: str | None = None) -> dict[str, Any]:
        """One pet; 404 without, 412 when the revision is another."""
        if pet_id not in self.pets:
            raise HTTPException(404, f"there is no pet {pet_id}")
        if if_match not in (None, self.revision(pet_id)):
            raise HTTPException(412, "somebody changed it meanwhile")
        return {"id": pet_id, **self.pets[pet_id]}

    def revision(self, pet_id: int) -> str:
        """The ETag of a pet."""
        return f'"{hashlib.sha256(json.dumps(self.pets[pet_id]).encode()).hexdigest()[:12]}"'

    def _pets(self, router: APIRouter) -> None:
        @router.get("")
        def list_pets(
            species: Species | None = None,
            page: Annotated[int, Query(ge=1)] = 1,
            size: Annotated[int, Query(ge=1, le=50)] = 10,
        ) -> dict[str, Any]:
            rows = [self.pet(n) for n, pet in self.pets.items() if species in (None, pet["species"])]
            return {"items": rows[(page - 1) * size : page * size], "total": len(rows), "page": page, "size": size}

        @router.post("", status_code=201)
        def register_pet(pet: Pet) -> dict[str, Any]:
            self.pets[number := max(self.pets) + 1] = pet.model_dump(mode="json")
            return self.pet(number)

        @router.get("/{pet_id}")
        def get_pet(pet_id: int, response: Response) -> dict[str, Any]:
            found = self.pet(pet_id)
            response.headers["ETag"] = self.revision(pet_id)
            return found

        @router.patch("/{pet_id}")
        def update_pet(pet_id: int, change: PetChange, if_match: IfMatch = None) -> dict[str, Any]:
            self.pet(pet_id, if_match)
            self.pets[pet_id] |= change.model_dump(exclude_unset=True, mode="json")
            return self.pet(pet_id)

        @router.delete("/{pet_id}", status_code=204)
        def remove_pet(pet_id: int, if_match: Annotated[str, Header()]) -> None:
            self.pet(pet_id, if_match)
            del self.pets[pet_id]

    def _files(self, router: APIRouter) -> None:
        @router.post("/{pet_id}/photos")
        async def upload_photos(
            pet_id: int,
            photo: UploadFile,
            more: list[UploadFile] | None = None,
            back: UploadFile | None = None,
            caption: Annotated[str | None, Form()] = None,
        ) -> dict[str, Any]:
            self.pet(pet_id)
            files = [photo, *(more or []), *([back] if back else [])]
            self.files = [(file.filename or "", await file.read()) for file in files]
            return {"files": len(files), "caption": caption}

        @router.post("/{pet_id}/notes")
        def add_note(
            pet_id: int, text: Annotated[str, Form()], urgent: Annotated[bool, Form()] = False
        ) -> dict[str, Any]:
            self.pet(pet_id)
            self.pets[pet_id]["tags"].append(f"{text}!" if urgent else text)
            return self.pet(pet_id)

    def _visits(self) -> APIRouter:
        router = APIRouter(prefix="/{pet_id}/visits")

        @router.get("")
        def list_visits(pet_id: int) -> list[dict[str, Any]]:
            return [{"id": n, **visit} for n, visit in self.visits.items() if visit["pet_id"] == pet_id]

        @router.post("", status_code=201)
        def book_visit(pet_id: int, comment: Annotated[str | None, Body(embed=True)] = None) -> dict[str, Any]:
            self.visits[number := max(self.visits) + 1] = {"pet_id": pet_id, "status": "booked", "notes": comment or ""}
            return {"id": number, **self.visits[number]}

        return router

    def _services(self) -> APIRouter:
        router = APIRouter(prefix="/services")

        @router.get("")
        def service_tree() -> Node:
            return self.tree

        @router.put("")
        def replace_services(tree: Node) -> Node:
            self.tree = tree
            return tree

        return router
