"""Another FastAPI service of one's own, driven as tools over real HTTP: what the example does not have."""

from base64 import b64encode
from collections.abc import AsyncIterator

import httpx
import pytest

from tests.tools.calls import make_call
from tests.tools.openapi.clinic import KEY, Clinic
from tests.tools.recorder import serving
from tools.client import BackendClient
from tools.openapi.document import load_document
from tools.openapi.security import StaticHeaders
from tools.openapi.toolset import OpenApiToolset
from tools.toolset import ArgumentError, Effect


@pytest.fixture
def clinic() -> Clinic:
    return Clinic()


@pytest.fixture
async def tools(clinic: Clinic) -> AsyncIterator[OpenApiToolset]:
    async with serving(clinic.app) as url:
        async with httpx.AsyncClient() as http:
            raw = (await http.get(f"{url}/openapi.json")).content
        client = BackendClient(url, credentials=StaticHeaders({"X-API-Key": KEY}), idempotent=False)
        yield OpenApiToolset.from_document(load_document(f"{url}/openapi.json", lambda _: raw), client)
        await client.aclose()


async def done(tools: OpenApiToolset, name: str, args: dict):
    result = await tools.call(name, tools.validate(name, args), make_call())
    assert result.ok, result.text
    return result


def test_each_operation_has_its_effect_and_no_key_or_condition_among_its_arguments(tools):
    assert {name for name, spec in tools.specs.items() if spec.effect is Effect.READ} == {
        "list_pets", "get_pet", "list_visits", "service_tree",
    }  # fmt: skip
    arguments = {name: set(entry.operation.schema["properties"]) for name, entry in tools.imported.items()}
    assert arguments["remove_pet"] == {"pet_id"}
    assert arguments["update_pet"] == {"pet_id", "name", "species", "weight_kg"}


async def test_files_one_many_and_none_are_uploaded_as_files(tools, clinic):
    first, second = b"\x00\xff\r\n--", "Мурка".encode()
    files = {"photo": b64encode(first).decode(), "more": [b64encode(second).decode()]}
    await done(tools, "upload_photos", {"pet_id": 1, **files, "caption": "two"})
    assert clinic.files == [("photo", first), ("more", second)]
    await done(tools, "upload_photos", {"pet_id": 1, "photo": files["photo"], "back": None, "more": None})
    assert clinic.files == [("photo", first)]


def test_the_model_is_told_how_to_write_a_file(tools):
    fields = tools.specs["upload_photos"].tool.args_schema["properties"]
    assert fields["photo"]["description"] == "the bytes of the file, base64-encoded"
    assert "base64" in fields["more"]["description"]
    assert "base64" not in str(fields["caption"])


async def test_a_form_and_an_optional_body(tools, clinic):
    await done(tools, "add_note", {"pet_id": 1, "text": "fat & happy", "urgent": True})
    assert clinic.pets[1]["tags"] == ["fat & happy!"]
    assert (await done(tools, "book_visit", {"pet_id": 1})).data["notes"] == ""
    assert (await done(tools, "book_visit", {"pet_id": 1, "comment": "limps"})).data["notes"] == "limps"


async def test_enums_bounds_and_pages(tools):
    for args in ({"species": "cow"}, {"size": 51}, {"page": 0}):
        with pytest.raises(ArgumentError):
            tools.validate("list_pets", args)
    assert (await done(tools, "list_pets", {"all_pages": True})).data["total"] == 32
    assert (await done(tools, "list_pets", {"species": "dog"})).data["rows"][0][0] == "Rex"


async def test_a_tree_of_any_depth(tools, clinic):
    tree = {"title": "a", "children": [{"title": "b", "children": [{"title": "c"}]}]}
    await done(tools, "replace_services", tree)
    assert clinic.tree.children[0].children[0].title == "c"
    with pytest.raises(ArgumentError):
        tools.validate("replace_services", {"title": "a", "children": [{"children": []}]})


async def test_the_revision_is_sent_where_the_service_asks_for_one(tools, clinic):
    card = await tools.preview("remove_pet", {"pet_id": 2}, make_call())
    assert card.etag == clinic.revision(2)
    clinic.pets[2]["tags"].append("new")
    refused = await tools.call("remove_pet", {"pet_id": 2}, make_call(if_match=card.etag))
    assert (refused.status, 2 in clinic.pets) == (412, True)
    await done(tools, "remove_pet", {"pet_id": 2})
    assert 2 not in clinic.pets
