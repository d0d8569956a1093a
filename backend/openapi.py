"""The OpenAPI document: short operation ids, and the shapes of problems and previews by name."""

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from backend.models.common import Preview, ProblemDocument

DESCRIPTION = """
BI operations: environments with dashboards and datasets, migrations, backups, tasks, commits, people, documents.

Every call carries two identities: the service in `Authorization: Bearer`, the person in `X-User-JWT`.
Changing calls take `dry_run`, `If-Match` and `Idempotency-Key`. Refusals are RFC 9457 problems with a `code`.
"""
TAGS = {
    "environments": "Where content lives: dev, stage and prod.",
    "dashboards": "Charts for people.",
    "datasets": "Data that charts read.",
    "migrations": "Copying content from one environment to another.",
    "backups": "Copies of an environment's content.",
    "tasks": "Work in the background.",
    "changes": "What changed, commits, rollback and undo.",
    "users": "People and their roles.",
    "documents": "Versioned JSON documents and attached files.",
    "audit": "Who did what.",
    "auth": "Tokens.",
    "health": "The process itself.",
}
_REFERENCE = "#/components/schemas/{model}"


def describe(app: FastAPI) -> None:
    """Let `app` publish this document at /openapi.json."""
    app.openapi = lambda: app.openapi_schema or _build(app)


def _build(app: FastAPI) -> dict[str, Any]:
    document = get_openapi(
        title=app.title,
        version=app.version,
        description=DESCRIPTION.strip(),
        routes=app.routes,
        tags=[{"name": name, "description": text} for name, text in TAGS.items()],
    )
    schemas = document["components"]["schemas"]
    for model in (ProblemDocument, Preview):
        schema = model.model_json_schema(ref_template=_REFERENCE)
        schemas.update(schema.pop("$defs", {}))
        schemas[model.__name__] = schema
    app.openapi_schema = document
    return document
