"""What every operation may answer besides its success, for the OpenAPI document."""

from typing import Any

_REFUSALS = {
    401: "One of the two identities is missing or not valid.",
    403: "The person's role is too weak.",
    404: "There is no such thing.",
    409: "The state of the workspace does not allow it, or the same key is in flight (`Retry-After`).",
    412: "The thing is not in the revision that `If-Match` names; the current etag is in the answer.",
    413: "The request or the document is too large.",
    415: "The file cannot be read as text.",
    422: "The request is not valid, or the key belongs to another request.",
}
_PROBLEM = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/ProblemDocument"}}}


def refusals(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Problem answers with these statuses."""
    return {status: {"description": _REFUSALS[status], "content": _PROBLEM} for status in statuses}


READ = refusals(401, 403, 422)
READ_ONE = refusals(401, 403, 404, 422)
CHANGE = refusals(401, 403, 404, 409, 412, 413, 422)
_PREVIEW = {
    "description": "With `dry_run=true`: what would change.",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Preview"}}},
}
CREATE = {**CHANGE, 200: _PREVIEW}
