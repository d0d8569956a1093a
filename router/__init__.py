"""Which tools a query gets: keywords, embeddings, fusion, evaluation."""

from router.embedder import Embedder, EmbedderError
from router.entry import Choice, Entry, Selection
from router.router import Router

__all__ = ["Choice", "Embedder", "EmbedderError", "Entry", "Router", "Selection"]
