"""Models load in the background: a hub that is silent or unknown delays nothing and is mentioned once."""

import socket
import threading
from collections.abc import Iterator

import pytest

from router import EmbedderError, Router
from router.loading import Loader
from router.models import BUILTIN, hub_answers, open_embedder

MODEL = "paraphrase-multilingual-MiniLM-L12-v2"
QUERY = "удали дашборд 5"


@pytest.fixture
def silent_hub() -> Iterator[str]:
    """A port that accepts connections and never says anything."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(16)
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


def load(router: Router, endpoint: str) -> Loader:
    """A started loader whose models come from one endpoint only."""
    loader = Loader(router, MODEL, open_model=lambda name: open_embedder(name, lambda: hub_answers(endpoint, 0.5)))
    loader.start()
    return loader


def notices(router: Router) -> list[str]:
    return [notice for _ in range(4) if (notice := router.select(QUERY).notice)]


def test_a_silent_hub_leaves_the_builtin_model_and_one_notice(workspace, silent_hub: str, caplog):
    router = Router(workspace)
    loader = load(router, silent_hub)
    assert "delete_dashboard" in router.select(QUERY).tools
    assert loader.done.wait(timeout=60)
    (notice,) = notices(router)
    assert MODEL in notice
    assert "built-in" in notice
    assert notice in caplog.messages
    assert router.embedder
    assert router.embedder.startswith("builtin")
    assert "delete_dashboard" in router.select(QUERY).tools


def test_a_hub_whose_name_does_not_resolve_does_the_same(workspace):
    router = Router(workspace)
    loader = load(router, "http://hub.invalid")
    assert "delete_dashboard" in router.select(QUERY).tools
    assert loader.done.wait(timeout=60)
    assert len(notices(router)) == 1


def test_no_selection_waits_for_a_model(workspace):
    router, release, asked = Router(workspace), threading.Event(), threading.Event()

    def hang(name: str):
        asked.set()
        release.wait(timeout=60)
        raise EmbedderError("The test is over.")

    loader = Loader(router, MODEL, deadline=60, open_model=hang)
    loader.start()
    assert asked.wait(timeout=30)
    assert "delete_dashboard" in router.select(QUERY).tools
    assert not loader.done.is_set()
    release.set()
    assert loader.done.wait(timeout=30)


def test_a_model_beyond_its_deadline_is_mentioned_once_and_still_taken(workspace, embedder):
    router, release = Router(workspace), threading.Event()

    class Late(type(embedder)):
        id = "late@1"

        def __init__(self) -> None:
            self._model = embedder._model

    def slow(name: str):
        if name != BUILTIN:
            release.wait(timeout=60)
            return Late()
        return embedder

    said = threading.Event()

    class Listening(Router):
        def notify(self, notice: str) -> None:
            super().notify(notice)
            said.set()

    router = Listening(workspace)
    loader = Loader(router, "slow/model", deadline=0.01, open_model=slow)
    loader.start()
    assert said.wait(timeout=30)
    release.set()
    assert loader.done.wait(timeout=60)
    (notice,) = notices(router)
    assert "slow/model" in notice
    assert router.embedder == "late@1"


def test_the_builtin_model_alone_needs_no_hub_and_says_nothing(workspace, embedder):
    router = Router(workspace)
    loader = Loader(router, BUILTIN, open_model=lambda name: embedder)
    loader.start()
    assert loader.done.wait(timeout=60)
    assert router.embedder == embedder.id
    assert notices(router) == []


def test_a_model_that_breaks_is_reported_without_its_internals(workspace, embedder, caplog):
    router = Router(workspace)

    def broken(name: str):
        if name == BUILTIN:
            return embedder
        raise RuntimeError("/secret/path exploded")

    loader = Loader(router, "broken/model", open_model=broken)
    loader.start()
    assert loader.done.wait(timeout=60)
    (notice,) = notices(router)
    assert "/secret" not in notice
    assert "exploded" in caplog.text


def test_a_hub_that_answers_is_asked(silent_hub: str):
    assert not hub_answers(silent_hub, 0.2)
    assert not hub_answers("http://hub.invalid", 0.2)


def test_a_model_outside_the_list_names_the_extra():
    with pytest.raises(EmbedderError, match=r"countersign\[sentence-transformers\]"):
        open_embedder("somebody/some-model", lambda: False)


def test_a_listed_model_that_is_not_here_says_so(tmp_path):
    with pytest.raises(EmbedderError, match="not on this machine"):
        open_embedder(MODEL, lambda: False)


def test_the_builtin_model_gives_unit_vectors_that_mean_the_same_in_both_languages(embedder):
    import numpy as np

    vectors = embedder.encode(["delete the dashboard", "удали дашборд", "what is the weather"])
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.2
