import json

from benchmarks.openapi import main, synthetic
from tools.openapi.document import load_document
from tools.openapi.operations import operations


def test_a_document_of_a_thousand_operations_is_imported_whole():
    raw = json.dumps(synthetic(200)).encode()
    found = operations(load_document("https://api.example/o.json", lambda _: raw))
    assert len({operation.name for operation in found}) == 1_000


def test_the_benchmark_tells_its_figures(capsys):
    main(["--json", "--operations", "50", "--rounds", "1"])
    figures = json.loads(capsys.readouterr().out)
    assert figures["operations"] == 50
    assert 0 < figures["mean_schema_chars"] <= figures["largest_schema_chars"] <= 2_000
