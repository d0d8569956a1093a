"""The text of attached files, and files that mean no good."""

import io
import zipfile

import pytest

from backend.files import MAX_BYTES, extract
from backend.problems import Problem
from backend.seed.attachments import DOCX, all_attachments
from tests.backend.world import World

SEEDS = {seed.name: seed for seed in all_attachments()}


class TestRead:
    @pytest.mark.parametrize(
        ("attachment", "words", "pages"),
        [
            (1, "Do not change prices of group Home", None),
            (2, "G-3001 | Garden | 143900 | 33.1", None),
            (3, "the export from 1C stopped at 03:12", 1),
            (4, "Света Корнеева:** сошлось", None),
            (6, "поставщика 114", None),
            (7, '"shipment_id": 90017', None),
        ],
    )
    async def test_every_kind_of_file(self, still: World, attachment: int, words: str, pages: int | None) -> None:
        answer = await still.get(f"/attachments/{attachment}/text")
        assert words in answer["text"]
        assert (answer["pages"], answer["next_offset"]) == (pages, None)
        assert answer["total_characters"] == len(answer["text"])

    async def test_a_part_at_a_time(self, still: World) -> None:
        whole = (await still.get("/attachments/1/text"))["text"]
        parts, offset = [], 0
        while offset is not None:
            part = await still.get("/attachments/1/text", offset=offset, limit=100)
            parts.append(part["text"])
            offset = part["next_offset"]
        assert "".join(parts) == whole
        assert len(parts) == len(whole) // 100 + 1

    @pytest.mark.parametrize(
        ("params", "names"),
        [
            ({"text": "pricing_notes.txt"}, ["pricing_notes.txt"]),
            ({"text": "пояснения возвратам"}, ["пояснения.docx"]),
            ({"document_id": "incident-cash-0612"}, ["root_cause.pdf", "переписка.md"]),
        ],
    )
    async def test_finds(self, still: World, params: dict[str, str], names: list[str]) -> None:
        assert [item["name"] for item in (await still.get("/attachments", **params))["items"]] == names

    async def test_that_does_not_exist(self, still: World) -> None:
        answer = await still.call("vera", "GET", "/attachments/99/text")
        assert (answer.status_code, answer.json()["code"]) == (404, "attachment_not_found")

    async def test_the_length_of_a_part_is_bounded(self, still: World) -> None:
        assert (await still.call("vera", "GET", "/attachments/1/text?limit=20001")).status_code == 422


def _bomb() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("word/document.xml", b"0" * 60_000_000)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("media_type", "data"),
    [
        ("application/pdf", b"%PDF-1.4 nothing"),
        ("application/pdf", SEEDS["root_cause.pdf"].data[:200]),
        (DOCX, b"PK\x03\x04 nothing"),
        (DOCX, b"plain text"),
        (DOCX, _bomb()),
        ("text/plain", b"\xff\xfe\x00"),
        ("application/json", b"{"),
        ("image/png", b"\x89PNG"),
        ("text/plain", b"x" * (MAX_BYTES + 1)),
    ],
    ids=["no pdf", "half a pdf", "no zip", "text as docx", "zip bomb", "no utf-8", "half json", "picture", "too big"],
)
def test_a_file_that_cannot_be_read_is_refused(media_type: str, data: bytes) -> None:
    with pytest.raises(Problem) as refused:
        extract("file", media_type, data)
    assert refused.value.code == "unreadable_attachment"


def test_a_byte_order_mark_is_no_text() -> None:
    assert extract("a.csv", "text/csv", b"\xef\xbb\xbfa,b\n1,2") == ("a | b\n1 | 2", None)
