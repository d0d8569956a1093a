"""Thresholds by model, as `python -m router calibrate` found them."""

import json
from dataclasses import asdict, replace
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

from router.builtin import BuiltinEmbedder
from router.fusion import Policy

KEYWORDS_ONLY = "keywords"


@lru_cache(maxsize=1)
def _packaged() -> dict[str, dict[str, Any]]:
    return json.loads(resources.files("router").joinpath("policies.json").read_text("utf-8"))


def policy_for(model: str | None) -> Policy:
    """The policy of a model by its id without revision; None stands for keywords alone.

    A model never calibrated gets that of the built-in one: both see scores on a scale measured for each model.
    """
    known = _packaged()
    found = known.get(KEYWORDS_ONLY if model is None else _name(model), known[_name(BuiltinEmbedder.id)])
    return replace(Policy(), **{k: tuple(v) if isinstance(v, list) else v for k, v in found.items()})


def _name(model: str) -> str:
    return model.split("@")[0]


def save_policy(path: Path, model: str | None, policy: Policy) -> None:
    """Write what differs from the defaults into a file of policies, keeping those of other models."""
    known = json.loads(path.read_text("utf-8")) if path.exists() else {}
    default = asdict(Policy())
    changed = {key: value for key, value in asdict(policy).items() if value != default[key]}
    known[KEYWORDS_ONLY if model is None else _name(model)] = changed
    path.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", "utf-8")
