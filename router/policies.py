"""Thresholds by model, as `python -m router calibrate` found them."""

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

from router.builtin import BuiltinEmbedder
from router.entry import Entry
from router.fusion import Policy

KEYWORDS_ONLY = "keywords"
_BARE = " without words of its own"
_WORDED = 8  # phrases that a tool needs on the average; the few that an import makes up are no people's words


@lru_cache(maxsize=1)
def _packaged() -> dict[str, dict[str, Any]]:
    return json.loads(resources.files("router").joinpath("policies.json").read_text("utf-8"))


def is_bare(entries: Sequence[Entry]) -> bool:
    """Whether a catalogue has few words of people: its scores are lower, and what they mean is calibrated apart."""
    phrases = sum(len(phrases) for entry in entries for phrases in entry.keywords.values())
    return phrases < _WORDED * len(entries)


def policy_for(model: str | None, bare: bool = False) -> Policy:
    """The policy of a model by its id without revision, for bare catalogues or others; None: keywords alone.

    A model never calibrated gets that of the built-in one: both see scores on a scale measured for each model.
    """
    known = _packaged()
    found = known.get(_name(model, bare), known[_name(BuiltinEmbedder.id, bare)])
    return replace(Policy(), **{k: tuple(v) if isinstance(v, list) else v for k, v in found.items()})


def _name(model: str | None, bare: bool) -> str:
    name = KEYWORDS_ONLY if model is None else model.split("@")[0]
    return name + _BARE if bare else name


def save_policy(path: Path, model: str | None, policy: Policy, bare: bool = False) -> None:
    """Write what differs from the defaults into a file of policies, keeping the others."""
    known = json.loads(path.read_text("utf-8")) if path.exists() else {}
    default = asdict(Policy())
    changed = {key: value for key, value in asdict(policy).items() if value != default[key]}
    known[_name(model, bare)] = changed
    path.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", "utf-8")
