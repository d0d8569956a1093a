"""What happened to the content before today: edits, commits, backups. Told backwards, from what is there now."""

from dataclasses import dataclass
from typing import Any

HOUR, DAY = 1.0, 24.0


@dataclass(frozen=True, slots=True)
class SeedEdit:
    """An edit of a dashboard: `before` holds the old values, None when it was made by this edit."""

    environment: str
    dashboard: int
    by: str
    hours: float
    before: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class SeedCommit:
    """A commit of everything edited until then and not committed before."""

    environment: str
    short_id: str
    message: str
    by: str
    hours: float


@dataclass(frozen=True, slots=True)
class SeedBackup:
    """A backup; nightly ones are named after their date."""

    environment: str
    id: str | None
    by: str
    hours: float
    note: str = ""


EDITS = [
    SeedEdit("prod", 61, "tbecker", 70, {"tags": ["sales", "funnel", "weekly"]}),
    SeedEdit("prod", 219, "anna", 5, {"description": "Акции розницы: план, факт и эффект по магазинам."}),
    SeedEdit("prod", 140, "e.orlova", 22, {"name": "План-факт опта (новый)"}),
    SeedEdit("prod", 88, "p.nair", 120, {"name": "Marketing Spend"}),
    SeedEdit("prod", 305, "s.korneeva", 200, {"tags": ["logistics"]}),
    SeedEdit("stage", 200, "p.nair", 26, {"description": "Last leg of delivery."}),
    SeedEdit("stage", 52, "p.nair", 50, None),
    SeedEdit("stage", 121, "t.galeev", 98, {"name": "Маржа SKU"}),
    SeedEdit("stage", 264, "s.korneeva", 150, {"tags": ["finance", "draft"]}),
    SeedEdit("dev", 321, "i.safin", 2, {"description": "Open currency positions, without the filter by rate."}),
    SeedEdit("dev", 141, "m.zaytseva", 4, {"tags": ["sales"]}),
    SeedEdit("dev", 210, "i.safin", 6, None),
    SeedEdit("dev", 161, "t.galeev", 11, {"name": "ДДС (старый)", "description": "Движение денег."}),
    SeedEdit("dev", 141, "m.zaytseva", 20, {"description": "План продаж опта."}),
    SeedEdit("dev", 315, "kwisniewska", 36, {"tags": ["retail"]}),
    SeedEdit("dev", 171, "d.shubin", 37, {"tags": ["product"]}),
    SeedEdit("dev", 133, "d.shubin", 60, None),
    SeedEdit("dev", 77, "s.korneeva", 80, {"name": "Касса (проба)"}),
]

COMMITS = [
    SeedCommit("dev", "91be0d7", "правки в ДДС", "t.galeev", 10),
    SeedCommit("dev", "4fa91c2", "фильтры план-факта", "m.zaytseva", 19),
    SeedCommit("dev", "a81f0e3", "новые теги", "d.shubin", 35),
    SeedCommit("dev", "d27c5b8", "касса и остатки", "s.korneeva", 58),
    SeedCommit("dev", "0b6ae94", "import from the old portal", "i.safin", 30 * DAY),
    SeedCommit("stage", "c5d1e77", "promote Last Mile", "p.nair", 25),
    SeedCommit("stage", "e2a90b1", "order backlog, маржа SKU", "t.galeev", 49),
    SeedCommit("stage", "58f3c06", "release candidate 6.4", "p.vlasov", 28 * DAY),
    SeedCommit("prod", "7be4410", "release 6.4", "p.vlasov", 21),
    SeedCommit("prod", "19fd3aa", "marketing renames", "p.nair", 119),
    SeedCommit("prod", "f0c8d52", "release 6.3", "p.vlasov", 27 * DAY),
]

BACKUPS = [
    SeedBackup("stage", "bk-551", "p.vlasov", 4 * DAY, "before the load test"),
    SeedBackup("stage", "bk-549", "i.safin", 60 * DAY, "before the move to the new cluster"),
    SeedBackup("stage", "bk-20250611-0300", "scheduler", 500 * DAY, "kept by request"),
    SeedBackup("prod", "bk-550", "p.vlasov", 22, "before release 6.4"),
    SeedBackup("prod", "bk-540", "anna", 90 * DAY, "end of quarter"),
    *(SeedBackup("dev", None, "scheduler", days * DAY) for days in (95, 88, 81, 62, 55)),
]
NIGHTLY_DAYS = 7

# who, role, given or taken, by whom, days ago
ROLE_EVENTS = [
    ("akowalski", "admin", True, "anna", 400),
    ("tbecker", "publisher", True, "akowalski", 300),
    ("r.guseynov", "admin", True, "akowalski", 210),
    ("mnowak", "publisher", True, "akowalski", 180),
    ("t.galeev", "publisher", True, "anna", 120),
    ("k.lomova", "analyst", True, "anna", 95),
    ("d.shubin", "analyst", True, "anna", 95),
    ("p.vlasov", "publisher", True, "r.guseynov", 60),
    ("m.zaytseva", "editor", True, "anna", 45),
    ("tbecker", "admin", True, "akowalski", 21),
    ("gbrandt", "editor", False, "anna", 14),
]
