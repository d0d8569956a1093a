"""`python -m store verify-audit [--url URL] [--anchor TENANT:SEQ:HASH ...]`: check the audit log's hash chains.

Without a URL it is that of DATABASE_URL, or the embedded server that runs over DATA_DIR.
Prints each chain's newest link; noted elsewhere, it can be given as an anchor later. Exit status 1 when a chain
is broken, 2 when the database cannot be read.
"""

import argparse
import asyncio
import os
import sys

import psycopg
from psycopg import AsyncConnection
from psycopg.rows import DictRow, dict_row

from store.embedded import running_url
from store.verify import Report, verify


def main() -> int:
    """Run the command line; returns the exit status."""
    options = _options()
    if not options.url:
        print("no embedded server runs over DATA_DIR: start the chat, give --url or set DATABASE_URL", file=sys.stderr)
        return 2
    try:
        reports = asyncio.run(_verify(options.url, dict(options.anchor)))
    except psycopg.Error as error:
        print(f"cannot read the audit log: {error}", file=sys.stderr)
        return 2
    for report in reports:
        _print(report)
    return 1 if any(report.problems for report in reports) else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m store", description="Look after what the chat remembers.")
    commands = parser.add_subparsers(required=True, metavar="command")
    command = commands.add_parser("verify-audit", help="check that no audit entry was changed, removed or moved")
    command.add_argument("--url", default=_url(), help="default: DATABASE_URL, or the running embedded server")
    command.add_argument("--anchor", action="append", default=[], type=_anchor, metavar="TENANT:SEQ:HASH")
    return parser.parse_args()


def _url() -> str | None:
    return os.environ.get("DATABASE_URL") or running_url(os.environ.get("DATA_DIR") or "data")


def _anchor(text: str) -> tuple[str, tuple[int, bytes]]:
    tenant, seq, digest = text.rsplit(":", 2)
    return tenant, (int(seq), bytes.fromhex(digest))


async def _verify(url: str, anchors: dict[str, tuple[int, bytes]]) -> list[Report]:
    connection = await AsyncConnection[DictRow].connect(url, autocommit=True, row_factory=dict_row)
    async with connection:
        return await verify(connection, anchors)


def _print(report: Report) -> None:
    verdict = "broken" if report.problems else "intact"
    print(
        f"{report.tenant}: {report.entries} entries, {verdict}, newest {report.tenant}:{report.seq}:{report.hash.hex()}"
    )
    for problem in report.problems:
        print(f"  {problem}")


if __name__ == "__main__":
    sys.exit(main())
