"""How long it takes to bring a history under its budget, beside LangChain's `trim_messages` with the same budget."""

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage, trim_messages

from agent.context import prune
from agent.guards import Limits
from agent.repair import repaired

TARGET_MS = 5.0


def history(turns: int) -> list[BaseMessage]:
    """Five messages a turn of about 100 tokens each: a question, two calls, their results, an answer."""
    messages: list[BaseMessage] = [SystemMessage("You are an agent.")]
    for turn in range(turns):
        ids = [f"c{turn}.{n}" for n in (0, 1)]
        calls = [{"name": "find", "args": {"query": f"thing {turn}"}, "id": call_id} for call_id in ids]
        messages += [HumanMessage("q" * 400, id=f"h{turn}"), AIMessage("a" * 400, tool_calls=calls, id=f"a{turn}")]
        messages += [ToolMessage("r" * 400, tool_call_id=call_id, name="find") for call_id in ids]
        messages.append(AIMessage("f" * 400, id=f"f{turn}"))
    return messages


def timed(run: Callable[[], Any], rounds: int) -> dict[str, float]:
    """Median and best of some runs, in milliseconds of wall time; on a busy machine the best tells more."""
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        run()
        times.append((time.perf_counter() - begin) * 1e3)
    return {"median_ms": round(statistics.median(times), 2), "best_ms": round(min(times), 2)}


def measure(messages: Sequence[BaseMessage], budget: int, rounds: int) -> dict[str, Any]:
    """The figures for one history and one budget."""

    def trimmed() -> Any:
        counter = "approximate"
        return trim_messages(
            list(messages), max_tokens=budget, token_counter=counter, start_on="human", include_system=True
        )

    pruned = prune(messages, budget)
    return {
        "messages": len(messages),
        "budget": budget,
        "sent_messages": len(pruned.messages),
        "sent_tokens": pruned.tokens,
        "tier": pruned.tier,
        "prune": timed(lambda: prune(messages, budget), rounds),
        "repair": timed(lambda: repaired(messages), rounds),
        "trim_messages": timed(trimmed, max(rounds // 5, 1)),
    }


def main(argv: list[str]) -> int:
    """`python -m benchmarks context [--json]`."""
    parser = argparse.ArgumentParser(prog="benchmarks context", description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON object on one line")
    parser.add_argument("--rounds", type=int, default=50)
    options = parser.parse_args(argv)
    messages = history(400)
    rows = [measure(messages, budget, options.rounds) for budget in (Limits().context, 150_000, 1_000_000)]
    report = {
        "benchmark": "context",
        "target_ms": TARGET_MS,
        "met": rows[0]["prune"]["median_ms"] < TARGET_MS,
        "rows": rows,
    }
    print(json.dumps(report, indent=None if options.json else 2))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
