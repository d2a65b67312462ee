"""Where PUs sit, and what two of them share: the classes of the driver (core/machine/pu_pairs)."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, pairwise
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


@dataclass(frozen=True)
class Folding:
    """PUs in blocks of neighbours; `each` says what makes a block: `2 cores`, `1 L3`."""

    each: str
    blocks: list[list[int]]


def foldings(units: dict[int, Unit]) -> Iterator[Folding]:
    """The PUs of a machine in blocks in the order of the topology, from one PU to one half of the
    machine each: never a block across the border of what the next larger blocks share."""
    everything = in_topology_order(units)
    levels = [("PU", [[pu] for pu in everything])]
    for level, name in _levels.items():
        groups = _groups(units, everything, level)
        if groups and len(groups) < len(levels[-1][1]):
            levels.append((name, groups))
    levels.append(("machine", [everything]))
    count = len(everything) + 1
    for (name, parts), (_, wholes) in pairwise(levels):
        inside = [[part for part in parts if part[0] in set(whole)] for whole in wholes]
        for some in range(1, max(map(len, inside)) + 1):
            merged = [together for group in inside for together in _even_blocks(group, some)]
            if len(wholes) < len(merged) < count:
                count = len(merged)
                uneven = "up to " if len({len(together) for together in merged}) > 1 else ""
                plural = "s" if some > 1 else ""
                blocks = [list(chain.from_iterable(together)) for together in merged]
                yield Folding(f"{uneven}{some} {name}{plural}", blocks)


def _groups(units: dict[int, Unit], order: list[int], level: str) -> list[list[int]]:
    """The PUs that share a level; none where some are not known to."""
    groups: dict[tuple[int, int], list[int]] = defaultdict(list)
    for pu in order:
        # Indices of caches may repeat from package to package.
        groups[units[pu].get("package", -1), units[pu].get(level, -1)].append(pu)
    return list(groups.values()) if all(index >= 0 for _, index in groups) else []


def _even_blocks(parts: list[list[int]], some: int) -> list[list[list[int]]]:
    """At most so many neighbours, and as equally many as can be."""
    blocks = math.ceil(len(parts) / some)
    ends = [len(parts) * i // blocks for i in range(blocks + 1)]
    return [parts[a:b] for a, b in pairwise(ends)]
