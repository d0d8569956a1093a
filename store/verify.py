"""Does the audit log still say what was written? Finds changed, removed and reordered rows and a cut end."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from store import audit
from store.audit import Head, Link
from store.pool import Connection

WORST = 20


@dataclass(slots=True)
class Report:
    """One tenant's chain: how many entries it has, its newest link, and what is wrong with it, at most `WORST`."""

    tenant: str
    entries: int = 0
    seq: int = 0
    hash: bytes = audit.START
    problems: list[str] = field(default_factory=list)

    def blame(self, problem: str) -> None:
        """Note a problem, unless there are too many to read already."""
        if len(self.problems) < WORST:
            self.problems.append(problem)


async def verify(connection: Connection, anchors: Mapping[str, tuple[int, bytes]] | None = None) -> list[Report]:
    """Check every chain, also against `anchors`: tenant -> (seq, hash) of a link that was noted elsewhere before.

    Reads in one snapshot, so entries that are appended meanwhile do no harm.
    """
    anchors = anchors or {}
    async with connection.transaction():
        await connection.execute("set transaction isolation level repeatable read, read only")
        recorded = {head.tenant: head for head in await audit.heads(connection)}
        names = {*recorded, *anchors, *await _tenants(connection)}
        return [await _chain(connection, name, recorded.get(name), anchors.get(name)) for name in sorted(names)]


async def _chain(connection: Connection, tenant: str, head: Head | None, anchor: tuple[int, bytes] | None) -> Report:
    report = Report(tenant)
    seen_anchor = anchor is None
    async for entry in audit.chain(connection, tenant):
        _link(report, entry)
        seen_anchor = seen_anchor or (entry.seq, entry.hash) == anchor
    if head is None:
        report.blame("the record of the newest entry is missing")
    elif (head.seq, head.hash) != (report.seq, report.hash):
        report.blame(f"the chain ends at entry {report.seq}, but entry {head.seq} was recorded as the newest")
    if anchor is not None and not seen_anchor:
        report.blame(f"entry {anchor[0]} is not the one that was noted as the anchor")
    return report


def _link(report: Report, entry: Link) -> None:
    if entry.seq != report.seq + 1:
        report.blame(f"entries {report.seq + 1} to {entry.seq - 1} are missing")
    elif entry.prev_hash != report.hash:
        report.blame(f"entry {entry.seq} does not follow the entry before it")
    if entry.hash != entry.digest():
        report.blame(f"entry {entry.seq} was changed")
    report.entries += 1
    report.seq, report.hash = entry.seq, entry.hash


async def _tenants(connection: Connection) -> list[str]:
    rows = await connection.execute("select distinct tenant from audit")
    return [row["tenant"] for row in await rows.fetchall()]
