"""Files that people attach: what can be read is read, what is hostile costs nothing, each person has their own."""

import io
import uuid
import zipfile

import pytest
from docx import Document
from pypdf import PdfReader, PdfWriter

from agent.extraction import PAGES
from agent.files import Files
from agent.filetool import FileToolset
from agent.refused import Refused
from tests.agent.assembly import ANN, line
from tests.agent.bench import principal
from tools.toolset import Call

BOB = principal("Bob")


@pytest.fixture
def files(house) -> Files:
    return Files(house.pool)


def word(*paragraphs: str) -> bytes:
    document = Document()
    for text in paragraphs:
        document.add_paragraph(text)
    table = document.add_table(rows=1, cols=2)
    table.rows[0].cells[0].text, table.rows[0].cells[1].text = "left", "right"
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def pdf(text: str = "Hello PDF", password: str | None = None) -> bytes:
    stream = f"BT /F1 24 Tf 72 720 Td ({text}) Tj ET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R"
        b" /Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
    ]
    body, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    trailer = b"trailer << /Size 5 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % len(body)
    whole = body + b"xref\n0 5\n0000000000 65535 f \n" + table + trailer
    if password is None:
        return whole
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(whole)))
    writer.encrypt(password, algorithm="RC4-128")
    file = io.BytesIO()
    writer.write(file)
    return file.getvalue()


def bomb() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b"<w>" + b" " * (60 * 2**20))
    return file.getvalue()


@pytest.mark.parametrize(
    ("name", "data", "text"),
    [
        ("notes.txt", "Привет, мир".encode(), "Привет, мир"),
        ("old.txt", "Привет".encode("cp1251"), "Привет"),
        ("wide.txt", "Привет".encode("utf-16"), "Привет"),
        ("read.me.md", b"# Title", "# Title"),
        ("table.CSV", b"a,b\n1,2", "a,b\n1,2"),
        ("data.json", b'{"a": 1}', '{"a": 1}'),
        ("letter.docx", word("Dear Anna,", "Всё хорошо."), "Dear Anna,\nВсё хорошо.\nleft\tright"),
        ("page.pdf", pdf(), "Hello PDF"),
        ("../../etc/passwd.txt", b"x", "x"),
    ],
)
async def test_each_kind_is_read(files, name, data, text):
    kept = await files.attach(ANN, None, name, data)
    assert kept.text.strip() == text
    assert kept.name == name.rpartition("/")[2]
    assert await files.get(ANN, str(kept.id)) == (kept.name, data)


@pytest.mark.parametrize(
    ("name", "data", "code"),
    [
        ("page.html", b"<script>", "file_kind"),
        ("noending", b"x", "file_kind"),
        (".txt", b"x", "file_kind"),
        ("large.txt", b"x" * (25 * 2**20 + 1), "file_large"),
        ("empty.txt", b"  \n", "file_empty"),
        ("binary.txt", b"a\0b", "file_broken"),
        ("broken.pdf", b"%PDF-1.4 nonsense", "file_broken"),
        ("text.pdf", b"no pdf", "file_broken"),
        ("locked.pdf", pdf(password="secret"), "file_encrypted"),
        ("broken.docx", b"PK nonsense", "file_broken"),
        ("locked.docx", b"\xd0\xcf\x11\xe0" + b"0" * 600, "file_encrypted"),
        ("bomb.docx", bomb(), "file_bomb"),
    ],
)
@pytest.mark.parametrize("lang", ["en", "ru"])
async def test_what_cannot_be_read_is_refused_with_a_clear_sentence(files, house, name, data, code, lang):
    place = (await house.turns.create(ANN)).id
    with pytest.raises(Refused) as caught:
        await files.attach(ANN, place, name, data, lang)
    assert caught.value.code == code
    assert 400 <= caught.value.status < 500
    assert await files.waiting(ANN, place) == []


async def test_a_file_that_is_refused_makes_no_conversation(files, house):
    with pytest.raises(Refused):
        await files.attach(ANN, None, "empty.txt", b"")
    assert await house.turns.conversations(ANN) == []


async def test_of_a_file_with_too_many_pages_it_is_known_that_there_are_more(files, house):
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf("Few words"))))
    for _ in range(PAGES):
        writer.add_blank_page()
    file = io.BytesIO()
    writer.write(file)
    kept = await files.attach(ANN, None, "many.pdf", file.getvalue())
    assert (kept.text.strip(), kept.cut) == ("Few words", True)


async def test_a_file_that_takes_too_long_is_given_up(house):
    impatient = Files(house.pool, patience=0.001)
    with pytest.raises(Refused) as caught:
        await impatient.attach(ANN, None, "slow.txt", b"x")
    assert caught.value.code == "file_bomb"


async def test_a_long_file_is_cut_and_read_in_parts(files, house):
    kept = await files.attach(ANN, None, "long.txt", b"0123456789" * 5_000)
    assert (len(kept.text), kept.cut) == (40_000, True)
    tool, call = FileToolset(house.pool), call_in(str(kept.conversation_id))
    first = await tool.call("read_chat_file", {"file": "LONG"}, call)
    assert first.text.endswith("[20000 more characters; go on with offset 20000]")
    last = await tool.call("read_chat_file", {"file": "long.txt", "offset": 39_990}, call)
    assert last.text == "0123456789\n[the file holds more text than could be kept]"


def call_in(place: str, who=ANN) -> Call:
    return Call("jwt", who.tenant, who.subject, "editor", "en", place, "t", "k", "i")


async def test_a_file_goes_with_the_next_message_and_the_model_reads_it(files, house):
    kept = await files.attach(ANN, None, "report.csv", b"a,b\n1,2")
    place = str(kept.conversation_id)
    ref, _ = await house.tell("what is in it?", line("Two columns."), to=place)
    assert "[attached file: report.csv, 7 bytes; read_chat_file gives its text]" in str(house.chat.sent[0][-1].text)
    assert await files.waiting(ANN, place) == []
    page = await house.turns.open(ANN, place)
    assert [part["metadata"]["type"] for part in page.messages[0].parts] == ["user", "file"]
    await house.tell("and now?", line("The same."), to=place)
    assert "[attached file" not in str(house.chat.sent[1][-1].text)
    house.chat.lines.append(line("Still two."))
    again = await house.turns.rerun(ANN, place, ref.turn_id, uuid.uuid4().hex)
    await house.follow(again)
    assert "[attached file: report.csv" in str(house.chat.sent[2][-1].text)


async def test_other_people_and_other_conversations_have_other_files(files, house):
    kept = await files.attach(ANN, None, "mine.txt", b"secret")
    place, other = str(kept.conversation_id), str((await house.turns.create(ANN)).id)
    for attempt in (
        files.get(BOB, str(kept.id)),
        files.remove(BOB, str(kept.id)),
        files.attach(BOB, place, "his.txt", b"x"),
        files.get(ANN, "no-such-id"),
    ):
        with pytest.raises(Refused) as caught:
            await attempt
        assert caught.value.code == "not_found"
    assert await files.waiting(BOB, place) == []
    tool = FileToolset(house.pool)
    for call in (call_in(place, BOB), call_in(other)):
        result = await tool.call("read_chat_file", {"file": "mine"}, call)
        assert (result.ok, "mine.txt" in result.text) == (False, False)
    there = await tool.call("read_chat_file", {"file": "yours"}, call_in(place))
    assert "mine.txt" in there.text


async def test_there_is_room_for_ten_files_and_a_hundred_megabytes(files, house):
    place = str((await house.turns.create(ANN)).id)
    kept = [await files.attach(ANN, place, f"{n}.txt", b"x") for n in range(10)]
    with pytest.raises(Refused) as caught:
        await files.attach(ANN, place, "eleventh.txt", b"x")
    assert caught.value.code == "file_count"
    for file in kept[:9]:
        await files.remove(ANN, str(file.id))
    async with house.pool.connection() as connection:
        await connection.execute("update attachments set size = 104857600 where id = %s", (kept[9].id,))
    with pytest.raises(Refused) as caught:
        await files.attach(ANN, place, "more.txt", b"x")
    assert caught.value.code == "file_total"
