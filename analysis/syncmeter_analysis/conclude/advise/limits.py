"""Reads causes.toml: causes with their remedies and limits."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Cause:
    """A row of the table. `limits` are numbers by name."""

    name: str
    remedies: tuple[str, ...]
    study: str
    limits: Mapping[str, float]


@cache
def _table() -> dict[str, Any]:
    path = Path(__file__).parent / "causes.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _numbers(rows: Mapping[str, Any]) -> dict[str, float]:
    """Returns each limit without its reason."""
    return {name: float(value) for name, (value, _) in rows.items()}


def cause_of(name: str) -> Cause:
    row = _table()[name]
    return Cause(name, tuple(row["remedies"]), row["study"], _numbers(row["limits"]))


#: The limits in these two sections.
common = _numbers(_table()["common"])
gates = _numbers(_table()["gates"])
