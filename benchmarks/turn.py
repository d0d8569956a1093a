"""What a turn costs beside the model: time to the first request, time a token, memory; against a scripted model."""

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import psutil

from agent.identity import Principal
from agent.settings import Settings, load_settings
from app import furnish, opened
from tests.clients.drivers import PythonClient
from tests.clients.product import product
from ui.options import Services

TARGETS = {"first_request_ms": 30.0, "token_ms": 0.4, "memory_mb": 450.0}
TOKENS = 1000
WARM = 5
PACE = 400  # tokens a second; a burst would be merged before it costs anything


@contextmanager
def model_server(folder: Path) -> Iterator[str]:
    """A model server that says one word, or many at a steady pace when the message is "long"; its address."""
    port_file = folder / "model.port"
    script = folder / "script.json"
    long = {"text": "word " * TOKENS, "rate": PACE}
    script.write_text(json.dumps({"rules": [{"user": "long", "reply": long}], "otherwise": "word"}))
    command = [sys.executable, "-m", "tests.wire.server", "--port-file", str(port_file), "--script", str(script)]
    with subprocess.Popen(command) as process:  # noqa: S603
        while not (port_file.exists() and port_file.read_text()):
            time.sleep(0.05)
        try:
            yield f"http://127.0.0.1:{port_file.read_text()}"
        finally:
            process.terminate()


@dataclass(frozen=True, slots=True)
class Run:
    """One turn: when it was handed over and accepted (Unix seconds), and the CPU seconds it took."""

    begin: float
    accepted: float
    cpu: float


async def run(services: Services, person: Principal, message: str) -> Run:
    """One turn in a new conversation, followed to its end."""
    cpu, begin = time.process_time(), time.time()
    ref = await services.turns.accept(person, None, message, uuid.uuid4().hex)
    accepted = time.time()
    async for _ in services.turns.tail(person, ref.conversation_id, ref.turn_id):
        pass
    return Run(begin, accepted, time.process_time() - cpu)


async def times(settings: Settings, model: str, rounds: int) -> dict[str, Any]:
    """Milliseconds until the model is asked, and milliseconds of CPU for each token that streams through."""
    with furnish(settings) as house:
        async with opened(house) as (services, _), httpx.AsyncClient() as http:
            assert services.authority is not None
            person = await services.verifier.verify(await services.authority.token("anna", house.passwords["anna"]))
            short, asked = [], []
            for _ in range(rounds + WARM):
                await http.delete(f"{model}/requests")
                short.append(await run(services, person, "hello"))
                asked.append((await http.get(f"{model}/requests")).json()["requests"][0]["at"])
            long = [await run(services, person, "long") for _ in range(3)]
    return figures_of(short[WARM:], asked[WARM:], long)


def figures_of(short: list[Run], asked: list[float], long: list[Run]) -> dict[str, Any]:
    """Medians in milliseconds; `first_request_ms` counts from before the turn is accepted."""
    waits = [at - run.begin for run, at in zip(short, asked, strict=True)]
    after = [at - run.accepted for run, at in zip(short, asked, strict=True)]
    streaming = statistics.median(run.cpu for run in long) - statistics.median(run.cpu for run in short)
    return {
        "first_request_ms": round(statistics.median(waits) * 1e3, 2),
        "first_request_best_ms": round(min(waits) * 1e3, 2),
        "first_request_after_accepted_ms": round(statistics.median(after) * 1e3, 2),
        "token_ms": round(streaming * 1e3 / (TOKENS - 1), 4),
    }


def memory(pid: int) -> dict[str, float]:
    """Megabytes of the server alone, and of it with backend and database, shared pages counted once."""
    main = psutil.Process(pid)
    tree = [main, *main.children(recursive=True)]
    return {
        "main_rss_mb": round(main.memory_info().rss / 1e6, 1),
        "tree_pss_mb": round(sum(process.memory_full_info().pss for process in tree) / 1e6, 1),
    }


def memories(model: str, conversations: int, data: Path) -> dict[str, Any]:
    """Memory at rest, and with so many conversations, each held open by a client of its own after one turn.

    `data` was used before: the first start alone migrates a database, and loads what that needs.
    """
    settings = {
        "OPENAI_BASE_URL": f"{model}/v1", "OPENAI_API_KEY": "none", "MODEL": "scripted", "DATA_DIR": str(data),
    }  # fmt: skip
    with product(**settings) as running:
        idle = memory(running.process.pid)
        clients = [PythonClient(running.url, running.token("anna")) for _ in range(conversations)]
        for client in clients:
            asyncio.run(client.submit(message="hello"))
        return {"idle": idle, "open": {"conversations": conversations, **memory(running.process.pid)}}


def report(rounds: int, conversations: int) -> dict[str, Any]:
    """All figures and whether they meet the targets."""
    with ExitStack() as ends:
        folder = Path(ends.enter_context(tempfile.TemporaryDirectory(prefix="countersign-bench-")))
        folder.chmod(0o755)  # the database server may run as another user
        model = ends.enter_context(model_server(folder))
        settings = load_settings(
            data_dir=folder / "data", openai_base_url=f"{model}/v1", openai_api_key="none", model="scripted",
            embedding_model="builtin", turns_per_minute=1_000_000,
        )  # fmt: skip
        figures = asyncio.run(times(settings, model, rounds)) | {
            "memory": memories(model, conversations, folder / "data")
        }
    measured = {
        "first_request_ms": figures["first_request_ms"],
        "token_ms": figures["token_ms"],
        "memory_mb": figures["memory"]["open"]["main_rss_mb"],
    }
    met = {name: measured[name] < target for name, target in TARGETS.items()}
    return {"benchmark": "turn", "targets": TARGETS, "met": met, **figures}


def main(argv: list[str]) -> int:
    """`python -m benchmarks turn [--json]`."""
    parser = argparse.ArgumentParser(prog="benchmarks turn", description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON object on one line")
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--conversations", type=int, default=100)
    options = parser.parse_args(argv)
    print(json.dumps(report(options.rounds, options.conversations), indent=None if options.json else 2))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
