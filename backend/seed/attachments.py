"""The attached files of the demo workspace; PDF and Word files are made here."""

import io
import json
from dataclasses import dataclass

import docx

PDF_LINES_A_PAGE = 40
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


@dataclass(frozen=True, slots=True)
class SeedAttachment:
    """A file of a document."""

    id: int
    document: str
    name: str
    media_type: str
    data: bytes


def all_attachments() -> list[SeedAttachment]:
    """The files, the same bytes every time except for the dates inside Word files."""
    return [
        SeedAttachment(1, "q2-margin-report", "pricing_notes.txt", "text/plain", PRICING.encode()),
        SeedAttachment(2, "q2-margin-report", "margin_by_sku.csv", "text/csv", MARGIN_CSV.encode()),
        SeedAttachment(3, "incident-cash-0612", "root_cause.pdf", "application/pdf", _pdf(ROOT_CAUSE)),
        SeedAttachment(4, "incident-cash-0612", "переписка.md", "text/markdown", LETTERS.encode()),
        SeedAttachment(5, "returns-report", "returns_by_reason.csv", "text/csv", RETURNS_CSV.encode()),
        SeedAttachment(6, "returns-report", "пояснения.docx", DOCX, _docx("Пояснения к отчёту", NOTES)),
        SeedAttachment(7, "shipments-contract", "sample.json", "application/json", json.dumps(SAMPLE).encode()),
        SeedAttachment(8, "month-close", "чек-лист.md", "text/markdown", CHECKLIST.encode()),
        SeedAttachment(9, "returns-runbook", "call_tree.txt", "text/plain", CALL_TREE.encode()),
    ]


def _docx(title: str, paragraphs: list[str]) -> bytes:
    document = docx.Document()
    document.add_heading(title, 1)
    for paragraph in paragraphs:
        document.add_paragraph(paragraph)
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def _pdf(lines: list[str]) -> bytes:
    """A one-page PDF with these lines of Latin text."""
    text = " T* ".join(f"({_escaped(line)}) Tj" for line in lines[:PDF_LINES_A_PAGE])
    stream = f"BT /F1 11 Tf 15 TL 60 780 Td {text} ET".encode("latin-1")
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R"
        b" /Resources << /Font << /F1 4 0 R >> >> >>",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
    ]
    body, offsets = bytearray(b"%PDF-1.4\n"), []
    for number, content in enumerate(objects, 1):
        offsets.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    start = len(body)
    body += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    body += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    body += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return bytes(body)


def _escaped(line: str) -> str:
    return line.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")


PRICING = """Pricing notes, Q2
1. Garden: prices went up 4 % on 15 May, volumes fell 2 %.
2. Appliances: promotion in week 20 cost 0.6 points of margin.
3. Freight: the new contract starts on 1 July and saves about 180 kEUR a quarter.
4. Do not change prices of group Home before the audit ends.
"""
MARGIN_CSV = """sku,group,revenue_eur,margin_percent
A-1001,Appliances,412000,27.4
A-1002,Appliances,389500,28.9
H-2001,Home,221300,36.2
H-2002,Home,198700,35.5
G-3001,Garden,143900,33.1
"""
ROOT_CAUSE = [
    "Root cause analysis, incident of 12 June (cash report)",
    "",
    "Summary: the export from 1C stopped at 03:12 after 61 % of the rows.",
    "Cause: the disk of the export server was full (log files of the test bench).",
    "Why it was not noticed: the load has no check of completeness.",
    "Fix: logs are rotated daily; cash_daily compares row counts with 1C.",
    "Owner: i.safin. Due: 30 June.",
]
LETTERS = """# Переписка

**08:12, Света Корнеева:** остаток на утро на 3,2 млн меньше банка, отчёт директору пока не отправляем.

**08:41, Ильдар Сафин:** вижу, выгрузка из 1С оборвалась в 03:12. Перезапускаю.

**10:52, Света Корнеева:** сошлось, спасибо.
"""
RETURNS_CSV = """причина,количество,доля %
не подошёл размер,116653,41
брак,65439,23
не соответствует описанию,54059,19
передумали,48368,17
"""
NOTES = [
    "Рост возвратов дала обувь: у поставщика 114 размерная сетка меньше обычной на полразмера.",
    "Брак без учёта обуви остался на уровне прошлого квартала.",
    "Предложение: до 1 августа обновить таблицы размеров и проверить партии поставщика 114.",
]
SAMPLE = {"shipment_id": 90017, "order_id": 55120, "promised": "2026-06-12", "delivered": "2026-06-13"}
CHECKLIST = """# Чек-лист закрытия месяца
- [ ] реализации закрыты
- [ ] амортизация начислена
- [ ] касса и банк сверены
- [ ] дебиторка проверена
- [ ] отчёты разосланы
"""
CALL_TREE = "1. On-call data engineer: ext. 3301\n2. 1C team: ext. 2114\n3. m.zaytseva\n4. Head of BI\n"
