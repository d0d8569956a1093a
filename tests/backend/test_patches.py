"""JSON Patch semantics (RFC 6902) and the places that changed."""

import copy
from typing import Any

import pytest

from backend.models.documents import PatchOperation
from backend.patches import MAX_DOCUMENT, apply_patch
from backend.problems import Problem

DOCUMENT = {"a": {"b": 1, "t": True}, "list": ["x", "y"], "m~n": 0, "p/q": 0, "": "empty"}


def patch(*operations: dict[str, Any]) -> tuple[Any, list[str]]:
    return apply_patch(DOCUMENT, [PatchOperation.model_validate(operation) for operation in operations])


@pytest.mark.parametrize(
    ("operation", "place", "value"),
    [
        ({"op": "add", "path": "/a/c", "value": None}, "/a/c", ("a", "c", None)),
        ({"op": "add", "path": "/list/1", "value": "n"}, "/list/1", ("list", 2, "y")),
        ({"op": "add", "path": "/list/-", "value": "z"}, "/list/2", ("list", 2, "z")),
        ({"op": "replace", "path": "/a/b", "value": {"c": []}}, "/a/b", ("a", "b", {"c": []})),
        ({"op": "replace", "path": "/m~0n", "value": 1}, "/m~0n", ("m~n", None, 1)),
        ({"op": "replace", "path": "/p~1q", "value": 1}, "/p~1q", ("p/q", None, 1)),
        ({"op": "replace", "path": "/", "value": 1}, "/", ("", None, 1)),
        ({"op": "copy", "from": "/a/b", "path": "/list/0"}, "/list/0", ("list", 0, 1)),
    ],
)
def test_each_operation(operation: dict, place: str, value: tuple) -> None:
    before = copy.deepcopy(DOCUMENT)
    result, changed = patch(operation)
    first, second, expected = value
    assert (result[first] if second is None else result[first][second]) == expected
    assert changed == [place]
    assert before == DOCUMENT


def test_a_move_changes_both_places() -> None:
    result, changed = patch({"op": "move", "from": "/a/b", "path": "/list/-"})
    assert (result["list"], "b" in result["a"], changed) == (["x", "y", 1], False, ["/a/b", "/list/2"])


def test_operations_follow_each_other() -> None:
    result, changed = patch(
        {"op": "remove", "path": "/list/0"},
        {"op": "test", "path": "/list/0", "value": "y"},
        {"op": "replace", "path": "/list/0", "value": "z"},
    )
    assert (result["list"], changed) == (["z"], ["/list/0"])


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "remove", "path": "/nothing"},
        {"op": "replace", "path": "/nothing", "value": 1},
        {"op": "add", "path": "/nothing/here", "value": 1},
        {"op": "add", "path": "/list/5", "value": 1},
        {"op": "add", "path": "/list/01", "value": 1},
        {"op": "replace", "path": "/list/-", "value": 1},
        {"op": "copy", "from": "/nothing", "path": "/x"},
        {"op": "move", "from": "/a", "path": "/a/b"},
        {"op": "test", "path": "/nothing", "value": None},
        {"op": "test", "path": "/a/b", "value": 2},
        {"op": "test", "path": "/a/b", "value": "1"},
        {"op": "test", "path": "/a/t", "value": 1},
        {"op": "test", "path": "/a", "value": {"b": 1, "t": 1}},
        {"op": "test", "path": "/list", "value": ["y", "x"]},
    ],
)
def test_what_does_not_fit_is_a_conflict_at_its_place(operation: dict) -> None:
    with pytest.raises(Problem) as refused:
        patch({"op": "add", "path": "/new", "value": 1}, operation)
    assert refused.value.code in ("patch_conflict", "invalid_patch")
    assert (refused.value.extra["index"], refused.value.extra["path"]) == (1, operation["path"])


@pytest.mark.parametrize(("value", "path"), [(1.0, "/a/b"), ({"t": True, "b": 1}, "/a"), (["x", "y"], "/list")])
def test_equal_values_pass_a_test(value: Any, path: str) -> None:
    assert patch({"op": "test", "path": path, "value": value}) == (DOCUMENT, [])


def test_a_chain_of_copies_cannot_grow_without_bound() -> None:
    doubling = [{"op": "copy", "from": "", "path": f"/c{n}"} for n in range(100)]
    with pytest.raises(Problem) as refused:
        patch(*doubling)
    assert refused.value.code == "document_too_large"
    assert refused.value.extra["size"] < 3 * MAX_DOCUMENT


def test_values_are_not_shared_with_the_patch() -> None:
    value = {"n": 1}
    result, _ = patch({"op": "add", "path": "/x", "value": value}, {"op": "replace", "path": "/x/n", "value": 2})
    assert (result["x"], value) == ({"n": 2}, {"n": 1})
