"""Applying a JSON Patch (RFC 6902) to a document, and saying which places changed."""

import copy
import json
from typing import Any

import jsonpatch
import jsonpointer

from backend.differences import same
from backend.models.documents import PatchOperation
from backend.problems import Problem

MAX_OPERATIONS = 100
MAX_DOCUMENT = 48_000


def apply_patch(content: Any, operations: list[PatchOperation]) -> tuple[Any, list[str]]:
    """The patched copy of `content` and the JSON Pointers that changed, in the order of the patch.

    Whole or not at all. Raises `Problem`: `patch_conflict` for a failed test or a place that is not there,
    `document_too_large`, `invalid_patch`.
    """
    result, changed = copy.deepcopy(content), []
    for index, operation in enumerate(operations):
        places = _places(result, operation)
        result = _step(result, index, operation)
        changed.extend(places)
        _require_storable(result, index, operation)
    return result, list(dict.fromkeys(changed))


def _require_storable(content: Any, index: int, operation: PatchOperation) -> None:
    """Checked after every operation: a chain of copies grows a document exponentially."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False)
    try:
        size = len(text.encode())
    except UnicodeEncodeError as error:
        raise Problem("invalid_patch", index=index, path=operation.path) from error
    if "\\u0000" in text:
        raise Problem("invalid_patch", index=index, path=operation.path)
    if size > MAX_DOCUMENT:
        raise Problem("document_too_large", size=size, limit=MAX_DOCUMENT)


def _step(content: Any, index: int, operation: PatchOperation) -> Any:
    if operation.op == "test":
        _test(content, index, operation)
        return content
    try:
        return jsonpatch.JsonPatch([operation.plain()]).apply(content, in_place=True)
    except (jsonpatch.JsonPatchConflict, jsonpointer.JsonPointerException) as error:
        raise Problem("patch_conflict", index=index, path=operation.path, reason=str(error)) from error
    except (jsonpatch.JsonPatchException, TypeError) as error:
        raise Problem("invalid_patch", index=index, path=operation.path) from error


def _test(content: Any, index: int, operation: PatchOperation) -> None:
    """RFC 6902, 4.6; unlike the library, true does not equal 1."""
    try:
        found = jsonpointer.resolve_pointer(content, operation.path)
    except jsonpointer.JsonPointerException as error:
        raise Problem("patch_conflict", index=index, path=operation.path, reason=str(error)) from error
    if not _equal(found, operation.value):
        raise Problem(
            "patch_conflict", index=index, path=operation.path, reason="the value is another one", found=found
        )


def _equal(left: Any, right: Any) -> bool:
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(_equal(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(_equal, left, right))
    return same(left, right)


def _places(content: Any, operation: PatchOperation) -> list[str]:
    if operation.op == "test":
        return []
    places = [operation.from_] if operation.op == "move" and operation.from_ is not None else []
    return [*places, _without_dash(content, operation.path)]


def _without_dash(content: Any, path: str) -> str:
    """A path that ends in "-" (RFC 6902, 4.1: after the last element) as the index it will get."""
    parent, dash, rest = path.rpartition("/-")
    if not dash or rest:
        return path
    try:
        target = jsonpointer.resolve_pointer(content, parent)
    except jsonpointer.JsonPointerException:
        return path
    return f"{parent}/{len(target)}" if isinstance(target, list) else path
