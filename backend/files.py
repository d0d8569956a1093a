"""The text of attached files, within limits; files come from people and are taken for hostile."""

import csv
import io
import json
import zipfile
from collections.abc import Callable

import docx
import pypdf
from docx.opc.exceptions import PackageNotFoundError
from pypdf.errors import PyPdfError

from backend.problems import Problem

MAX_BYTES = 5_000_000
MAX_UNPACKED = 50_000_000
MAX_PAGES = 200
MAX_CHARACTERS = 400_000
Extracted = tuple[str, int | None]


def extract(name: str, media_type: str, data: bytes) -> Extracted:
    """The text of a file and, for a PDF, its number of pages. Blocks; raises `Problem("unreadable_attachment")`."""
    reader = READERS.get(media_type)
    if reader is None or len(data) > MAX_BYTES:
        raise Problem("unreadable_attachment", name=name, media_type=media_type)
    try:
        text, pages = reader(data)
    except (PyPdfError, PackageNotFoundError, zipfile.BadZipFile, ValueError, KeyError, csv.Error) as error:
        raise Problem("unreadable_attachment", name=name, media_type=media_type) from error
    return text[:MAX_CHARACTERS], pages


def _plain(data: bytes) -> Extracted:
    return data.decode("utf-8-sig"), None


def _csv(data: bytes) -> Extracted:
    rows = csv.reader(io.StringIO(data.decode("utf-8-sig")))
    return "\n".join(" | ".join(row) for row in rows), None


def _json(data: bytes) -> Extracted:
    return json.dumps(json.loads(data), ensure_ascii=False, indent=2), None


def _pdf(data: bytes) -> Extracted:
    pages = pypdf.PdfReader(io.BytesIO(data)).pages
    return "\n\n".join(page.extract_text() for page in pages[:MAX_PAGES]), len(pages)


def _docx(data: bytes) -> Extracted:
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        if sum(item.file_size for item in package.infolist()) > MAX_UNPACKED:
            raise ValueError("the file unpacks to too much")
    document = docx.Document(io.BytesIO(data))
    tables = [" | ".join(cell.text for cell in row.cells) for table in document.tables for row in table.rows]
    return "\n".join([*(paragraph.text for paragraph in document.paragraphs), *tables]), None


READERS: dict[str, Callable[[bytes], Extracted]] = {
    "text/plain": _plain,
    "text/markdown": _plain,
    "text/csv": _csv,
    "application/json": _json,
    "application/pdf": _pdf,
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": _docx,
}
