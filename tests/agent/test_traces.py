"""Turns as OpenTelemetry traces: which spans there are, what they hold, and that they cost nothing where not wanted."""

import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from agent.models.errors import BadRequest
from agent.traces import Traces
from store.pool import open_pool
from tests.agent.assembly import House, cards, line, until
from tests.extras import EXTRAS

AGENT = "invoke_agent countersign"


class Watched:
    """A house whose turns are traced, and the spans that have ended."""

    def __init__(self, pool, url, traces):
        self.house = House(pool, url, options={"trace": traces.of})

    async def rest(self):
        """Wait until nothing is driven."""
        await until(lambda: not self.house.turns._worker.drivers)


@pytest.fixture
async def watched(database_url):
    spans = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    pool = await open_pool(database_url)
    made = Watched(pool, database_url, Traces(provider))
    await made.house.turns.start()
    yield made, spans
    await made.house.turns.drain(0.2)
    faults = await made.house.faults()
    await pool.close()
    provider.shutdown()
    assert faults == []


async def test_a_turn_its_model_steps_and_its_calls_are_spans_of_one_trace(watched):
    made, spans = watched
    ref, _ = await made.house.tell("one", line("", ("find_things", {"query": "canary"})), line("canary"))
    await made.rest()
    ended = spans.get_finished_spans()
    assert [span.name for span in ended] == ["chat played", "execute_tool find_things", "chat played", AGENT]
    root = ended[-1]
    assert {span.context.trace_id for span in ended} == {root.context.trace_id}
    assert [span.parent.span_id for span in ended[:-1]] == [root.context.span_id] * 3
    assert root.attributes["gen_ai.conversation.id"] == ref.conversation_id
    assert root.attributes["countersign.turn.outcome"] == "succeeded"
    model = ended[0]
    assert model.kind is SpanKind.CLIENT
    told = {"operation.name": "chat", "request.model": "played", "usage.input_tokens": 10, "usage.output_tokens": 5}
    assert {key: model.attributes[f"gen_ai.{key}"] for key in told} == told
    assert model.attributes["gen_ai.response.finish_reasons"] == ("tool_calls",)
    assert ended[1].attributes["gen_ai.tool.name"] == "find_things"
    assert all(root.start_time <= span.start_time <= span.end_time <= root.end_time for span in ended)


async def test_no_span_holds_words_arguments_or_secrets(watched):
    made, spans = watched
    await made.house.tell("canary", line("canary", ("find_things", {"query": "canary"})), line("canary"))
    await made.rest()
    told = "".join(span.to_json() for span in spans.get_finished_spans())
    assert "canary" not in told
    assert "jwt-of-Ann" not in told


async def test_a_turn_that_waited_goes_on_in_another_trace_and_names_its_approval(watched):
    made, spans = watched
    made.house.shelf.put("d-1", "Sales")
    ref, parts = await made.house.tell("delete", line("", ("delete_thing", {"thing": "d-1"})), line("Deleted."))
    await made.rest()
    before = [span for span in spans.get_finished_spans() if span.name == AGENT]
    await made.house.decide(cards(parts)[0])
    await made.house.follow(ref)
    await made.rest()
    roots = [span for span in spans.get_finished_spans() if span.name == AGENT]
    assert "countersign.turn.outcome" not in before[0].attributes
    assert len(roots) == len(before) + 1
    assert len({span.attributes["countersign.turn.id"] for span in roots}) == 1
    call = next(span for span in spans.get_finished_spans() if span.name == "execute_tool delete_thing")
    assert call.attributes["countersign.approval.id"] == cards(parts)[0]["metadata"]["approval"]["id"]


async def test_a_failure_is_told_by_its_code(watched):
    made, spans = watched
    await made.house.tell("one", line(fails=BadRequest("canary")))
    await made.rest()
    failed = spans.get_finished_spans()
    assert [span.status.status_code for span in failed] == [StatusCode.ERROR] * len(failed)
    assert {span.attributes["error.type"] for span in failed} == {BadRequest.code}


async def test_spans_are_sent_to_the_endpoint_before_the_end(database_url):
    seen = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self):
            seen.append((self.path, self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_):
            """Says nothing."""

    collector = HTTPServer(("127.0.0.1", 0), Collector)
    threading.Thread(target=collector.serve_forever, daemon=True).start()
    traces = Traces.exported(f"http://127.0.0.1:{collector.server_port}/")
    pool = await open_pool(database_url)
    made = Watched(pool, database_url, traces)
    await made.house.turns.start()
    await made.house.tell("one", line("Hi."))
    await made.house.turns.drain(0.2)
    traces.close()
    await pool.close()
    collector.shutdown()
    collector.server_close()
    assert {path for path, _ in seen} == {"/v1/traces"}
    assert b"chat played" in b"".join(body for _, body in seen)


def run(code: str) -> str:
    head = "import sys; from agent.parts import traces_of; from agent.settings import Settings; "
    ran = subprocess.run(
        [sys.executable, "-c", head + code],
        env={**os.environ, "PYTHONPATH": EXTRAS},
        capture_output=True,
        text=True,
        check=False,
    )
    return ran.stdout + ran.stderr.strip().rpartition("\n")[2]


def test_nothing_that_sends_is_imported_without_an_endpoint():
    """Other libraries look for OpenTelemetry by themselves, so this asks for what only we import."""
    code = "traces_of(Settings.model_construct()).close(); "
    code += "print([name for name in sys.modules if name.startswith(('opentelemetry.exporter', 'agent.traces'))])"
    assert run(code).strip() == "[]"


def test_an_endpoint_without_the_extra_says_what_to_install():
    code = "sys.modules['opentelemetry.exporter'] = None; "
    code += "traces_of(Settings.model_construct(otel_exporter_otlp_endpoint='http://127.0.0.1:1'))"
    assert "pip install 'countersign[otel]'" in run(code)
