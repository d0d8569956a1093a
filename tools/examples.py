"""Examples of arguments that are hard to write: they go to the model in the words of a field.

The keyword `examples` of JSON Schema gets lost where schemas are converted, and not every provider takes it.
"""

import json
from typing import Any

from pydantic import BaseModel


def exemplified(schema: dict[str, Any], arguments: Any) -> dict[str, Any]:
    """A function schema in which the fields that `arguments` (a model) gives `Field(examples=…)` say the first one."""
    if not (isinstance(arguments, type) and issubclass(arguments, BaseModel)):
        return schema
    properties = schema["function"]["parameters"].get("properties", {})
    for name, field in arguments.model_fields.items():
        if field.examples and name in properties:
            said = properties[name].get("description", "")
            example = json.dumps(field.examples[0], ensure_ascii=False)
            properties[name] = {**properties[name], "description": f"{said} For example: {example}".strip()}
            properties[name].pop("examples", None)
    return schema
