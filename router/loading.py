"""Loads embedders in the background, so that no start and no turn waits for a model."""

import logging
import threading
from collections.abc import Callable

from router.embedder import Embedder, EmbedderError
from router.models import BUILTIN, hub_answers, open_embedder
from router.router import Router

logger = logging.getLogger(__name__)

Open = Callable[[str], Embedder]


class Loader:
    """Gives a router the built-in embedder first and then the configured one.

    When the configured model cannot be had, or is not there within `deadline` seconds, the router says so
    once and goes on with what it has; a model that comes later is still taken.
    """

    def __init__(self, router: Router, model: str, deadline: float = 60.0, open_model: Open | None = None):
        self._router, self._model, self._deadline = router, model, deadline
        self._open = open_model or (lambda name: open_embedder(name, hub_answers))
        self._once = threading.Lock()
        self.done = threading.Event()

    def start(self) -> None:
        """Begin; returns at once."""
        threading.Thread(target=self._load, name="embedder", daemon=True).start()

    def _load(self) -> None:
        late = threading.Timer(self._deadline, self._apologise, [f"has not loaded within {self._deadline:g} s."])
        late.daemon = True
        late.start()
        for model in dict.fromkeys([BUILTIN, self._model]):
            self._attempt(model)
        late.cancel()
        self.done.set()

    def _attempt(self, model: str) -> None:
        try:
            self._router.use(self._open(model))
        except EmbedderError as error:
            self._apologise(f"cannot be used. {error}")
        except Exception:
            logger.exception("embedding model failed", extra={"model": model})
            self._apologise("failed to load; the log has the reason.")

    def _apologise(self, why: str) -> None:
        if self._once.acquire(blocking=False):
            serving = "the built-in model" if self._router.embedder else "keywords alone"
            told = f"The embedding model {self._model} {why} Tools are chosen by {serving}."
            logger.warning(told)
            self._router.notify(told)
