"""The command line for a backend of one's own: list, show, try and import the operations of its document.

For people at a terminal. `try` reads; it sends a change only with `--yes`, and shows what would change without.
"""

import argparse
import asyncio
import json
import sys
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tools.client import BackendClient
from tools.openapi.document import Document, load_document
from tools.openapi.fetch import fetcher
from tools.openapi.operations import Broken, Operation, Survey, survey
from tools.openapi.policy import Policy
from tools.openapi.review import refresh, write_policy
from tools.openapi.security import StaticHeaders
from tools.openapi.toolset import OpenApiToolset
from tools.toolset import ArgumentError, Call, Effect, Preview, ToolResult

POLICY = Path("countersign.toml")


class CommandError(Exception):
    """The command cannot do what was asked; the text is one line that says what to do."""


def add_source(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    """The options that name a document and what was decided about it."""
    parser.add_argument("--openapi", required=required, metavar="FILE_OR_URL", help="the OpenAPI document")
    parser.add_argument("--policy", type=Path, default=POLICY, help="reviewed effects (default: countersign.toml)")


def add_show(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Register `show`."""
    parser = commands.add_parser("show", help="show one operation: effect, reasons, arguments")
    parser.add_argument("name")
    add_source(parser)
    parser.set_defaults(run=lambda options: print(_shown(_named(options), Policy.load(options.policy))))


def add_try(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Register `try`."""
    parser = commands.add_parser("try", help="call one operation; a change is only shown unless --yes is given")
    parser.add_argument("name")
    parser.add_argument("arguments", metavar="ARGS_JSON", help="such as '{\"item_id\": 1}'")
    add_source(parser)
    parser.add_argument("--backend", metavar="URL", help="where to send it (default: the origin of the document)")
    parser.add_argument("--header", action="append", default=[], metavar="NAME: VALUE", help="a header to send along")
    parser.add_argument("--yes", action="store_true", help="send it although it changes something")
    parser.set_defaults(run=lambda options: asyncio.run(_try(options)))


def add_import(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Register `import`."""
    parser = commands.add_parser("import", help="write a countersign.toml to review, or bring it up to date")
    parser.add_argument("openapi", metavar="FILE_OR_URL")
    parser.add_argument("--out", type=Path, default=POLICY)
    parser.set_defaults(run=_import)


def operation_listing(options: argparse.Namespace) -> str:
    """Every operation of the document as a table, or as JSON; those not offered say why."""
    policy = Policy.load(options.policy)
    there = _survey(options)
    rows = [*(_row(operation, policy) for operation in there.sound), *map(_broken_row, there.broken)]
    if options.json:
        return json.dumps(rows, ensure_ascii=False, indent=1)
    lines = [(r["name"], r["effect"], r["method"], r["path"], r.get("off") or "; ".join(r["reasons"])) for r in rows]
    return _aligned(lines) if lines else "The document has no operations."


def _row(operation: Operation, policy: Policy) -> dict[str, Any]:
    ruling = policy.judge(operation)
    row = {
        "name": operation.name,
        "method": operation.method,
        "path": operation.path,
        "effect": ruling.effect.value,
        "reasons": list(ruling.reasons),
    }
    return {**row, "off": ruling.off} if ruling.off else row


def _broken_row(broken: Broken) -> dict[str, Any]:
    reason = f"broken: {broken.reason}"
    return {
        "name": broken.name, "method": broken.method, "path": broken.path, "effect": "off", "reasons": [reason],
        "off": reason,
    }  # fmt: skip


def _aligned(lines: Sequence[Sequence[str]]) -> str:
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]) - 1)]
    return "\n".join("  ".join([*map(str.ljust, line, widths), line[-1]]) for line in lines)


def _document(source: str, backend: str | None = None) -> Document:
    """The document; the person who typed its address vouches for its host."""
    return load_document(source, fetcher(backend or source))


def _survey(options: argparse.Namespace) -> Survey:
    return survey(_document(options.openapi))


def _named(options: argparse.Namespace) -> Operation:
    there = _survey(options)
    found = {operation.name: operation for operation in there.sound}
    for broken in there.broken:
        if broken.name == options.name:
            raise CommandError(f"{broken.method} {broken.path} is broken: {broken.reason}")
    if options.name not in found:
        raise CommandError(f"the document has no operation {options.name!r}; `python -m tools list` names them")
    return found[options.name]


def _shown(operation: Operation, policy: Policy) -> str:
    row = _row(operation, policy)
    lines = [
        f"{operation.name}: {operation.method} {operation.path}",
        f"effect: {row['effect']} ({'; '.join(row['reasons'])})",
        *([f"off: {row['off']}"] if "off" in row else []),
        *([operation.summary] if operation.summary else []),
        f"arguments: {json.dumps(operation.schema, ensure_ascii=False, indent=1)}",
    ]
    return "\n".join(lines)


def _import(options: argparse.Namespace) -> None:
    """Write the file, or bring the one that is there up to date."""
    there = _survey(options)
    found, broken = there.sound, [operation.name for operation in there.broken]
    for each in there.broken:
        print(f"off: {each.method} {each.path}: {each.reason}")
    try:
        if not options.out.exists():
            options.out.write_text(write_policy(found), "utf-8")
            print(f"{options.out}: {len(found)} operations to review")
            return
        Policy.load(options.out)
        review = refresh(options.out.read_text("utf-8"), found, broken)
        options.out.write_text(review.text, "utf-8")
    except OSError as error:
        raise CommandError(f"cannot write {options.out}: {error.strerror}") from None
    print(f"{options.out}: {len(review.new)} new, {len(review.changed)} changed, {len(review.gone)} gone; review them")
    for mark, names in (("new", review.new), ("changed", review.changed), ("gone", review.gone)):
        print("\n".join(f"{mark}: {name}" for name in names), end="\n" if names else "")


async def _try(options: argparse.Namespace) -> int:
    args, client = _arguments(options.arguments), _client(options)
    try:
        document = await asyncio.to_thread(_document, options.openapi, options.backend)
        toolset = OpenApiToolset.from_document(document, client, Policy.load(options.policy))
        return await _run(toolset, options.name, args, yes=options.yes)
    finally:
        await client.aclose()


async def _run(toolset: OpenApiToolset, name: str, args: dict[str, Any], *, yes: bool) -> int:
    """Exit status 0 for an answer, 1 for a refusal of the backend, 2 for a change that was only shown."""
    if name not in toolset.specs:
        raise CommandError(toolset.off.get(name) or f"the document has no operation {name!r}")
    try:
        args = toolset.validate(name, args)
    except ArgumentError as error:
        raise CommandError(
            "; ".join(f"{'.'.join(map(str, e['loc'])) or name}: {e['msg']}" for e in error.errors)
        ) from None
    call = _call()
    if toolset.specs[name].effect is Effect.READ or yes:
        return _printed(await toolset.call(name, args, call))
    preview = await toolset.preview(name, args, call)
    if preview.refusal is not None:
        return _printed(preview.refusal)
    print(_drawn(preview))
    raise CommandError("nothing was sent, because this changes something; add --yes to send it")


def _arguments(text: str) -> dict[str, Any]:
    try:
        args = json.loads(text)
    except ValueError:
        args = None
    if not isinstance(args, dict):
        raise CommandError("the arguments must be a JSON object, such as '{\"item_id\": 1}'")
    return args


def _client(options: argparse.Namespace) -> BackendClient:
    headers = dict(_header(line) for line in options.header)
    parts = urlsplit(options.backend or options.openapi)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query:
        raise CommandError("give the address of the backend with --backend, such as http://127.0.0.1:8000")
    base = options.backend or f"{parts.scheme}://{parts.netloc}"
    return BackendClient(base, credentials=StaticHeaders(headers), idempotent=False, retry_budget=5.0)


def _header(line: str) -> tuple[str, str]:
    name, colon, value = line.partition(":")
    if not colon or not name.strip() or not value.strip():
        raise CommandError("--header must look like 'Authorization: Bearer TOKEN'")
    return name.strip(), value.strip()


def _call() -> Call:
    key = f"cli-{uuid.uuid4()}"
    return Call(
        user_jwt="", tenant="default", subject="cli", role="admin", lang="en", conversation_id="cli", turn_id="cli",
        key=key, idempotency_key=key,
    )  # fmt: skip


def _printed(result: ToolResult) -> int:
    print(result.text, file=sys.stdout if result.ok else sys.stderr)
    return 0 if result.ok else 1


def _drawn(preview: Preview) -> str:
    """A card in plain text."""
    lines = [preview.title, *([preview.lead] if preview.lead else [])]
    for block in preview.evidence:
        if block["type"] == "facts":
            lines += [f"  {name}: {_plain(value)}" for name, value in block["items"]]
        elif block["type"] == "fields":
            lines += [f"  {row['field']}: {_plain(row['before'])} -> {_plain(row['after'])}" for row in block["rows"]]
            lines.append(f"  ({block['unchanged']} fields unchanged)")
    return "\n".join(lines)


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
