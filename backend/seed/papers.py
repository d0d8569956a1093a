"""The documents of the demo workspace: their present text is in `tables/documents/*.json`, their past is told here."""

from dataclasses import dataclass
from typing import Any

Patch = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class SeedDocumentEdit:
    """An edit of a document; `back` is the JSON Patch that leads from after it to before it."""

    document: str
    by: str
    hours: float
    back: Patch


EDITS = [
    SeedDocumentEdit("month-close", "e.orlova", 76, [
        {"op": "add", "path": "/steps/3", "value": {"n": 4, "do": "Сверить кассу и банк"}},
        {"op": "replace", "path": "/steps/4/n", "value": 5},
        {"op": "replace", "path": "/steps/5/n", "value": 6},
    ]),
    SeedDocumentEdit("month-close", "s.korneeva", 900, [{"op": "replace", "path": "/deadline_day", "value": 7}]),
    SeedDocumentEdit("nps-contract", "k.lomova", 28, [{"op": "replace", "path": "/sla/freshness_hours", "value": 24}]),
    SeedDocumentEdit("nps-contract", "k.lomova", 52, [{"op": "replace", "path": "/version", "value": "1.3"}]),
    SeedDocumentEdit("returns-runbook", "m.zaytseva", 18, [{"op": "remove", "path": "/steps/3"}]),
    SeedDocumentEdit("shipments-contract", "p.nair", 240, [{"op": "replace", "path": "/version", "value": "2.4"}]),
    SeedDocumentEdit("returns-report", "m.zaytseva", 33, [{"op": "replace", "path": "/status", "value": "черновик"}]),
]  # fmt: skip
