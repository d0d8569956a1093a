"""The text of a file, read in a process of its own: `python -P extraction.py KIND < file` prints one JSON object.

What reads files of strangers may hang, grow or crash; here that costs this process alone. It prints `{"text", "cut"}`
or `{"error": code}`; the codes are those of `agent/files.py`. Nothing of ours is imported.
"""

import io
import json
import resource
import sys
import zipfile
from collections.abc import Iterable

MOST = 40_000
SECONDS = 10
MEMORY = 2 * 2**30
UNPACKED = 50 * 2**20
PAGES = 2_000


class UnreadableError(Exception):
    """The file cannot be read; the text is the code of the reason."""


class MoreError(Exception):
    """There is more than is ever read of a file."""


def plain(data: bytes) -> Iterable[str]:
    """Text in UTF-8, in UTF-16 with its mark, or in the Cyrillic of old Windows files."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        yield data.decode("utf-16", "replace")
    elif b"\0" in data:
        raise UnreadableError("file_broken")
    else:
        try:
            yield data.decode("utf-8-sig")
        except UnicodeDecodeError:
            yield data.decode("cp1251", "replace")


def pdf(data: bytes) -> Iterable[str]:
    """The text of a PDF, page by page."""
    from pypdf import PdfReader

    if b"%PDF-" not in data[:1024]:
        raise UnreadableError("file_broken")
    reader = PdfReader(io.BytesIO(data))
    if reader.is_encrypted and not reader.decrypt(""):
        raise UnreadableError("file_encrypted")
    for page in reader.pages[:PAGES]:
        yield page.extract_text()
    if len(reader.pages) > PAGES:
        raise MoreError


def docx(data: bytes) -> Iterable[str]:
    """The paragraphs and tables of a Word document."""
    from docx import Document

    if data.startswith(b"\xd0\xcf\x11\xe0"):  # an OLE container: an encrypted or an old Word file
        raise UnreadableError("file_encrypted")
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        if sum(entry.file_size for entry in archive.infolist()) > UNPACKED:
            raise UnreadableError("file_bomb")
    for block in Document(io.BytesIO(data)).iter_inner_content():
        if hasattr(block, "rows"):
            yield from ("\t".join(cell.text for cell in row.cells) for row in block.rows)  # type: ignore[union-attr]
        else:
            yield block.text  # type: ignore[union-attr]


KINDS = {"text": plain, "pdf": pdf, "docx": docx}


def read(kind: str, data: bytes) -> dict[str, object]:
    """The first characters of the text, and whether there are more; raises whatever the readers raise."""
    found: list[str] = []
    size, more = 0, False
    try:
        for piece in KINDS[kind](data):
            found.append(piece)
            size += len(piece) + 1
            if size > MOST + 1:
                break
    except MoreError:
        more = True
    text = "\n".join(found)
    if not text.strip():
        raise UnreadableError("file_empty")
    return {"text": text[:MOST], "cut": more or len(text) > MOST}


def main() -> None:
    """Read standard input under limits of time and memory."""
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    try:
        told = read(sys.argv[1], sys.stdin.buffer.read())
    except UnreadableError as error:
        told = {"error": str(error)}
    except MemoryError:
        told = {"error": "file_bomb"}
    except Exception:
        told = {"error": "file_broken"}
    print(json.dumps(told))


if __name__ == "__main__":
    main()
