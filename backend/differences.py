"""What differs between two images of a thing."""

from typing import Any

from backend.models.common import FieldChange

Image = dict[str, Any]
HIDDEN = {"id", "key", "environment", "row_count", "refreshed_at"}
MISSING = object()


def between(before: Image | None, after: Image | None) -> list[FieldChange]:
    """The fields of a dashboard or a dataset that differ; None stands for a thing that is not there."""
    old, new = _shown(before), _shown(after)
    names = [name for name in {**old, **new} if name not in HIDDEN and old.get(name) != new.get(name)]
    return [FieldChange(field=name, before=old.get(name), after=new.get(name)) for name in names]


def _shown(image: Image | None) -> Image:
    """Charts by their titles, columns by their names: what a person recognises."""
    shown = dict(image or {})
    if "charts" in shown:
        shown["charts"] = [f"{chart['title']} ({chart['kind']}, {chart['dataset']})" for chart in shown["charts"]]
    if "columns" in shown:
        shown["columns"] = [f"{column['name']} {column['type']}" for column in shown["columns"]]
    return shown


def between_json(before: Any, after: Any, pointer: str = "") -> list[FieldChange]:
    """The JSON Pointers (RFC 6901) where two JSON values differ; lists of other length differ as a whole."""
    if isinstance(before, dict) and isinstance(after, dict):
        keys = {**before, **after}
        pairs = [(escape(key), before.get(key, MISSING), after.get(key, MISSING)) for key in keys]
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        pairs = [(str(index), old, new) for index, (old, new) in enumerate(zip(before, after, strict=True))]
    else:
        return [] if same(before, after) else [FieldChange(field=pointer, before=_known(before), after=_known(after))]
    return [change for step, old, new in pairs for change in between_json(old, new, f"{pointer}/{step}")]


def same(before: Any, after: Any) -> bool:
    """Equality as JSON has it: true is not 1."""
    return before == after and isinstance(before, bool) == isinstance(after, bool)


def escape(key: str) -> str:
    """One step of a JSON Pointer."""
    return key.replace("~", "~0").replace("/", "~1")


def _known(value: Any) -> Any:
    return None if value is MISSING else value
