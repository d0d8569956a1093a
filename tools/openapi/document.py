"""Reading an OpenAPI document that nobody should trust: bounded in size, depth and reach, with clear refusals."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import yaml

from tools.openapi.yaml_text import TooMuch, read

MAX_BYTES = 10_000_000
MAX_DEPTH = 64
MAX_NODES = 1_000_000
MAX_MARKS = 1_500_000
MAX_DOCUMENTS = 20
MAX_REF_CHAIN = 50
HOST = re.compile(r"[\w.-]+:\d+(/|$)|[\w-]+(\.[\w-]+)+/")

Fetch = Callable[[str], bytes]


class DocumentError(ValueError):
    """The document cannot be used; the text says what is wrong and what to do."""


@dataclass
class Document:
    """An OpenAPI 3.0 or 3.1 document and the documents of the same origin that it refers to."""

    uri: str
    root: dict[str, Any]
    fetch: Fetch
    others: dict[str, Any] = field(default_factory=dict)

    @property
    def version(self) -> tuple[int, int]:
        """(3, 0) or (3, 1)."""
        major, minor = str(self.root["openapi"]).split(".")[:2]
        return int(major), int(minor)

    def aliased(self, ref: str, base: str) -> tuple[Any, str, str]:
        """What a reference names when it is no reference itself: it, its document and the last reference."""
        node, where = self.lookup(ref, base)
        for _ in range(MAX_REF_CHAIN):
            if not (isinstance(node, dict) and set(node) == {"$ref"} and isinstance(node["$ref"], str)):
                return node, where, ref
            ref = node["$ref"]
            node, where = self.lookup(ref, where)
        raise DocumentError("a $ref leads in a circle; break the circle in the document")

    def resolve(self, node: Any, base: str | None = None) -> tuple[Any, str]:
        """Follow `$ref` until something else stands there; returns it and the address it stands at."""
        base = base or self.uri
        for _ in range(MAX_REF_CHAIN):
            if not (isinstance(node, dict) and isinstance(node.get("$ref"), str)):
                return node, base
            node, base = self.lookup(node["$ref"], base)
        raise DocumentError("a $ref leads in a circle; break the circle in the document")

    def lookup(self, ref: str, base: str) -> tuple[Any, str]:
        """What a reference names. Only this document and documents of the same origin are read."""
        uri, fragment = urldefrag(urljoin(base, ref) if not ref.startswith("#") else base + ref)
        node = self.root if uri == self.uri else self._other(uri, ref)
        for step in fragment.split("/")[1:]:
            key = unquote(step).replace("~1", "/").replace("~0", "~")
            try:
                node = node[int(key)] if isinstance(node, list) else node[key]
            except (KeyError, IndexError, ValueError, TypeError):
                raise DocumentError(f"$ref {ref!r} names nothing in the document; correct it") from None
        return node, uri

    def _other(self, uri: str, ref: str) -> Any:
        if not same_origin(self.uri, uri):
            raise DocumentError(f"$ref {ref!r} leads to another place; bundle the document into one file first")
        if uri not in self.others:
            if len(self.others) >= MAX_DOCUMENTS:
                raise DocumentError(f"the document refers to more than {MAX_DOCUMENTS} others; bundle it first")
            self.others[uri] = parse(self.fetch(uri))
        return self.others[uri]


def load_document(source: str, fetch: Fetch | None = None) -> Document:
    """Read a document from a file or a URL (`fetch` gets the bytes of a URL); raises `DocumentError`."""
    uri = source if "://" in source else _file(source)
    fetch = fetch or read_file
    root = parse(fetch(uri))
    _check_version(root)
    return Document(uri, root, fetch)


def _file(source: str) -> str:
    """The address of a file. One that is not there but begins with a host was meant as a URL."""
    path = Path(source)
    if HOST.match(source) and not path.exists():
        raise DocumentError(f"there is no file {source}; an address begins with http:// or https://")
    return path.resolve().as_uri()


def read_file(uri: str) -> bytes:
    """The bytes of a `file:` address, at most `MAX_BYTES`."""
    parts = urlsplit(uri)
    if parts.scheme != "file":
        raise DocumentError(f"cannot read {uri}: give a file, or an http(s) address")
    try:
        with Path(unquote(parts.path)).open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        raise DocumentError(f"cannot read {unquote(parts.path)}: {error.strerror}") from None


def same_origin(one: str, other: str) -> bool:
    """Whether two addresses have the same scheme, host and port (RFC 6454); files: the same folder or below."""
    a, b = urlsplit(one), urlsplit(other)
    if (a.scheme, a.netloc) != (b.scheme, b.netloc):
        return False
    return a.scheme != "file" or Path(unquote(b.path)).is_relative_to(Path(unquote(a.path)).parent)


def parse(raw: bytes) -> Any:
    """JSON or YAML, refused when it is too large, too deep, or unfolds (aliases) into too much."""
    if len(raw) > MAX_BYTES:
        raise DocumentError(f"the document is larger than {MAX_BYTES // 1_000_000} MB; serve a smaller one")
    if sum(raw.count(mark) for mark in (b"{", b"[", b",")) > MAX_MARKS:
        raise DocumentError("the document unfolds into too many parts; serve a smaller one")
    try:
        data = _load(raw)
    except TooMuch:
        raise DocumentError("the document has too many parts to be read as YAML; serve it as JSON") from None
    except RecursionError:
        raise DocumentError(f"the document is nested deeper than {MAX_DEPTH} levels") from None
    except UnicodeDecodeError:
        raise DocumentError("the document is not UTF-8 text") from None
    except yaml.YAMLError as error:
        where = getattr(error, "problem_mark", None)
        place = f" in line {where.line + 1}" if where else ""
        raise DocumentError(f"the document is neither JSON nor YAML: error{place}") from None
    except ValueError:
        raise DocumentError("the document holds a number that is too long") from None
    _measure(data, {}, set(), 0)
    if not isinstance(data, dict):
        raise DocumentError("the document is not an object; is this the right address?")
    return data


def _load(raw: bytes) -> Any:
    text = raw.decode("utf-8-sig")
    try:
        return json.loads(text)
    except ValueError:
        return _plain(read(text), {})


def _plain(node: Any, seen: dict[int, Any]) -> Any:
    """YAML's keys that are not text (`200:`, `true:`) as text; shared nodes stay shared."""
    if isinstance(node, dict | list):
        if id(node) not in seen:
            if isinstance(node, dict):
                seen[id(node)] = fields = {}
                fields.update({_key(k): _plain(v, seen) for k, v in node.items()})
            else:
                seen[id(node)] = items = []
                items.extend(_plain(v, seen) for v in node)
        return seen[id(node)]
    return node if isinstance(node, str | int | float | bool | None) else str(node)


def _key(key: Any) -> str:
    return str(key).lower() if isinstance(key, bool) else str(key)


def _measure(node: Any, sizes: dict[int, int], open_: set[int], depth: int) -> int:
    """How many nodes the data unfolds into, counting shared ones each time; refuses bombs and circles."""
    if not isinstance(node, dict | list):
        return 1
    if id(node) in open_:
        raise DocumentError("the document contains itself through a YAML alias; remove the alias")
    if depth > MAX_DEPTH:
        raise DocumentError(f"the document is nested deeper than {MAX_DEPTH} levels")
    if id(node) not in sizes:
        open_.add(id(node))
        children = node.values() if isinstance(node, dict) else node
        sizes[id(node)] = 1 + sum(_measure(child, sizes, open_, depth + 1) for child in children)
        open_.discard(id(node))
    if sizes[id(node)] > MAX_NODES:
        raise DocumentError("the document unfolds into too many parts; serve a smaller one")
    return sizes[id(node)]


def _check_version(root: dict[str, Any]) -> None:
    if "swagger" in root:
        raise DocumentError(
            "this is a Swagger 2 document; convert it to OpenAPI 3 first, for example with `npx swagger2openapi`"
        )
    version = str(root.get("openapi", ""))
    if not version.startswith(("3.0", "3.1", "3.2")):
        raise DocumentError(f"this is not an OpenAPI 3.0 or 3.1 document (openapi: {version or 'missing'})")
    if not isinstance(root.get("paths", {}), dict):
        raise DocumentError("`paths` of the document is not an object")
