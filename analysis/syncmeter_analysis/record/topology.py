"""Where PUs sit, and what two of them share: the classes of the driver (core/machine/pu_pairs)."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Any

#: A PU's place: the index of its core, caches, NUMA node and package; -1 or absent: not known.
Unit = dict[str, int]

# What PUs share, from near to far; the first that two of one package share names their pair.
_levels = {"core": "core", "l2": "L2", "l3": "L3", "numa": "NUMA node", "package": "package"}

#: Every class, from the closest to the farthest.
pair_classes = (*(f"same {name}" for name in _levels.values()), "other package", "not known")


def units_of(campaigns: Iterable[dict[str, Any]]) -> dict[int, Unit]:
    """Each PU's place, by its number, from the campaign lines of a machine's files."""
    found: dict[int, Unit] = {}
    for line in campaigns:
        units = line.get("units")
        for unit in units if isinstance(units, list) else []:
            if isinstance(unit, dict) and isinstance(unit.get("pu"), int):
                found[unit["pu"]] = {
                    name: value for name, value in unit.items() if isinstance(value, int)
                }
    return found


def in_topology_order(units: dict[int, Unit]) -> list[int]:
    """The PUs by package, NUMA node, L3, L2, core and hardware thread: neighbours share most."""

    def place(pu: int) -> tuple[int, ...]:
        levels = ("package", "numa", "l3", "l2", "core", "thread")
        return (*(units[pu].get(level, -1) for level in levels), pu)

    return sorted(units, key=place)


def kinds_of(a: Unit, b: Unit, several: bool) -> str:
    """`, kind 1` or `, kinds 0 and 1` where cores are of several kinds: two fast ones under one L3 are
    not as a fast and a slow one."""
    if not several:
        return ""
    lower, higher = sorted((a.get("kind", -1), b.get("kind", -1)))
    return f", kind {lower}" if lower == higher else f", kinds {lower} and {higher}"


def _placed(unit: Unit) -> bool:
    return unit.get("core", -1) >= 0 or unit.get("package", -1) >= 0


def pair_class(a: Unit, b: Unit) -> str:
    """The narrowest thing that two PUs share. A cache that is not known is shared by nobody;
    different packages share nothing, whatever the indices of their caches say."""
    if not _placed(a) and not _placed(b):
        return "not known"
    if a.get("package", -1) != b.get("package", -1):
        return "other package"
    shared = (level for level in _levels if a.get(level, -1) >= 0 and a.get(level) == b.get(level))
    return f"same {_levels[next(shared, 'package')]}"


def blocks_of(units: dict[int, Unit], most: int) -> list[list[int]]:
    """Returns the PUs in topology order, in at most so many blocks. A block has neighbours in a
    package."""
    by_package = groupby(in_topology_order(units), lambda pu: units[pu].get("package", -1))
    packages = [list(pus) for _, pus in by_package]
    size = 1
    while True:
        blocks = [p[i : i + size] for p in packages for i in range(0, len(p), size)]
        if len(blocks) <= max(most, len(packages)):
            return blocks
        size *= 2
