"""People find imported operations by plain words, whatever their authors called them."""

import pytest

from agent.routing import entries_of
from router.router import Router
from tests.tools.openapi.conftest import DATA
from tools.client import BackendClient
from tools.openapi.document import load_document
from tools.openapi.toolset import OpenApiToolset


@pytest.fixture(scope="module")
def routers():
    client = BackendClient("http://backend.example")
    sets = {
        name: OpenApiToolset.from_document(load_document(str(DATA / f"{name}.json")), client)
        for name in ("fullstack_template", "prefect")
    }
    return {name: Router(entries_of(found.specs)) for name, found in sets.items()}


@pytest.mark.parametrize(
    ("document", "query", "tool"),
    [
        ("fullstack_template", "List the users", "users-read_users"),
        ("fullstack_template", "Show all items", "items-read_items"),
        ("fullstack_template", "Remove the item Lamp", "items-delete_item"),
        ("fullstack_template", "Edit the item Lamp", "items-update_item"),
        ("fullstack_template", "покажи пользователей", "users-read_users"),
        ("fullstack_template", "Add a user", "users-create_user"),
        ("prefect", "List the variables", "read_variables"),
        ("prefect", "List flows", "read_flows"),
        ("prefect", "Remove the variable region", "delete_variable"),
    ],
)
def test_the_operation_is_among_the_tools_that_are_offered(routers, document, query, tool):
    assert tool in [choice.tool for choice in routers[document].select(query).choices]
