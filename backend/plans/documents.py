"""Changing a document with a JSON Patch."""

from typing import Any

from backend.db import changes, documents
from backend.differences import between_json
from backend.effects import Act, Done, Plan
from backend.models.common import Preview
from backend.models.documents import PatchOperation
from backend.patches import MAX_OPERATIONS, apply_patch
from backend.problems import Problem


async def apply_document_patch(
    act: Act, document_id: str, operations: list[PatchOperation], base_revision: int | None
) -> Plan:
    """Change a document, based on a revision that was seen (If-Match, `base_revision`) or on a `test` operation."""
    row = await documents.lock(act.connection, document_id)
    resource = documents.reference(row)
    _require_base(act, operations, base_revision)
    act.match(row["etag"], resource)
    if base_revision not in (None, row["revision"]):
        raise Problem("revision_changed", current_etag=row["etag"], resource=resource.model_dump())
    content, changed = apply_patch(row["content"], operations)
    fields = between_json(row["content"], content)

    async def apply() -> Done:
        change = await _save(act, row, content) if fields else None
        result = await documents.read(act.connection, document_id, act.lang)
        message = act.say("document_patched", name=row["title"], revision=result.revision)
        return Done(result, resource, message, etag=result.etag, change_id=change, changed=changed if fields else [])

    preview = Preview(
        operation=act.operation,
        resource=resource,
        etag=row["etag"],
        changes=fields,
        counts={"operations": len(operations)},
        reversible=True,
    )
    return Plan(preview, apply)


def _require_base(act: Act, operations: list[PatchOperation], base_revision: int | None) -> None:
    if not 0 < len(operations) <= MAX_OPERATIONS:
        raise Problem("invalid_patch", index=0, path="")
    if base_revision is None and act.if_match is None and all(operation.op != "test" for operation in operations):
        raise Problem("base_required")


async def _save(act: Act, row: documents.Row, content: Any) -> int:
    await documents.put(act.connection, row["id"], content, act.person.id)
    before, after = {"content": row["content"]}, {"content": content}
    return await changes.record(act, documents.reference(row), before, after, environment=None)
