"""A point: one op with one value on every axis, as the results file writes it."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import cache, cached_property
from operator import attrgetter
from typing import Any

from syncmeter_analysis.record.errors import quoted

#: Bytes of an element of each type.
type_bytes = {"int32": 4, "uint32": 4, "uint64": 8, "int64": 8, "float": 4, "double": 8}

#: The backends that run on a GPU; a point of another backend is a CPU's. By name for files whose
#: visits do not say; `learn_backend` takes in what others say.
gpu_backends = {"cuda", "kokkos-cuda"}

#: The backend of each portable one's hardware that a developer would call native; the same way.
native_of = {
    "kokkos-openmp": "omp",
    "kokkos-threads": "omp",
    "kokkos-serial": "omp",
    "kokkos-cuda": "cuda",
}

_most_counted = 1 << 30


def learn_backend(name: str, line: dict[str, Any]) -> None:
    """Takes in what a visit's line says of its backend; an older file's says nothing."""
    portable = line.get("portable")
    if not isinstance(portable, bool):
        return
    if isinstance(line.get("device"), int):
        gpu_backends.add(name)
    else:
        gpu_backends.discard(name)
    native = line.get("native_of")
    if portable and isinstance(native, str):
        native_of[name] = native
    else:
        native_of.pop(name, None)


class BadPoint(ValueError):
    """A point that cannot be: `str()` says which member and what it holds."""


@dataclass(frozen=True)
class Point:
    """One op with one value on every axis; an axis without a value is None, 0 or ''.

    `stride` is in elements, `stride_bytes` in bytes, `base_offset` in bytes from the start of a
    line, `cells` how many strided cells the lanes share out (0: one each); `lanes` are threads (of
    a block, on a GPU); `size` is of what the op works on (lanes of a tile, elements; 0: it has
    none); `late_us` is how late one lane in turn arrives at a barrier; `section_ns` and `think_ns`
    are the work under a lock and between two sections; `reads_per_write` is of each lane.
    `others` holds members that this version does not know, as JSON text, so
    that points that differ in them stay apart.
    """

    backend: str
    op: str
    type: str = ""
    placement: str = "none"
    stride: int | None = None
    stride_bytes: int = 0
    base_offset: int = 0
    cells: int = 0
    lanes: int = 1
    blocks: int = 1
    active: int = 0
    waves: bool = False
    size: int = 0
    scope: str = ""
    flavour: str = ""
    space: str = ""
    order: str = "unordered"
    affinity: str = "none"
    wait: str = "active"
    home: str = ""
    pus: tuple[int, ...] = ()
    late_us: int = 0
    section_ns: int = 0
    think_ns: int = 0
    reads_per_write: int = 0
    repeat: int = 0
    others: tuple[tuple[str, str], ...] = ()

    @cached_property
    def key(self) -> str:
        """All axes that have a value, in a fixed order, as `syncmeter` writes them."""
        parts = [f"backend={self.backend} op={self.op}"]
        for name, value, absent in (
            ("type", self.type, ""),
            ("placement", self.placement, "none"),
            ("stride", self.stride, None),
            ("base_offset", self.base_offset, 0),
            ("cells", self.cells, 0),
            ("lanes", self.lanes, None),
            ("blocks", self.blocks, 1),
            ("active", self.active, 0),
            ("waves", "true" if self.waves else "", ""),
            ("size", self.size, 0),
            ("scope", self.scope, ""),
            ("flavour", self.flavour, ""),
            ("space", self.space, ""),
            ("order", self.order, None),
            ("affinity", self.affinity, None),
            ("wait", self.wait, None),
            ("home", self.home, ""),
            ("pus", ",".join(map(str, self.pus)), ""),
            ("late_us", self.late_us, 0),
            ("section_ns", self.section_ns, 0),
            ("think_ns", self.think_ns, 0),
            ("reads_per_write", self.reads_per_write, 0),
            ("repeat", self.repeat, 0),
        ):
            if value != absent:
                parts.append(f"{name}={value}")
        parts += [f"{name}={value}" for name, value in self.others]
        return " ".join(parts)

    @cached_property
    def id(self) -> str:
        """Ten hexadecimal digits over `key`: the same point has the same id in every file."""
        return hashlib.sha1(self.key.encode(), usedforsecurity=False).hexdigest()[:10]

    @property
    def on_gpu(self) -> bool:
        return self.backend in gpu_backends

    def without(self, *axes: str) -> Point:
        """The point with these axes at their absence: what points that differ in them share."""
        blank: dict[str, Any] = {f.name: f.default for f in fields(self)}
        return replace(self, **{axis: blank[axis] for axis in axes})


@cache
def key_without(*axes: str) -> Callable[[Point], Any]:
    """A function that gives what points share that differ in these axes only; fast, to group by."""
    return attrgetter(*(f.name for f in fields(Point) if f.name not in axes))


_text = {
    "backend",
    "op",
    "type",
    "placement",
    "scope",
    "flavour",
    "space",
    "order",
    "affinity",
    "wait",
    "home",
}
_whole = {
    "stride",
    "stride_bytes",
    "base_offset",
    "cells",
    "lanes",
    "blocks",
    "active",
    "size",
    "late_us",
    "section_ns",
    "think_ns",
    "reads_per_write",
    "repeat",
}


def point_from(members: Any) -> Point:
    """The point that a line of a results file holds. Raises BadPoint."""
    if not isinstance(members, dict):
        raise BadPoint(f"a point is an object, not {quoted(members)}")
    values: dict[str, Any] = {}
    others: list[tuple[str, str]] = []
    for name, value in members.items():
        if value is None:
            continue
        # A half of a surrogate pair, which JSON can spell, has no bytes to make an id of.
        if not name.isprintable():
            raise BadPoint(f"{quoted(name)} is not a member's name")
        if name in _text:
            if not isinstance(value, str) or len(value) > 200 or not value.isprintable():
                raise BadPoint(
                    f"{name} {quoted(value)} is not a text of at most 200 printable characters"
                )
            values[name] = value
        elif name in _whole:
            values[name] = _count(name, value)
        elif name == "waves":
            values[name] = value is True
        elif name == "pus":
            if not isinstance(value, list):
                raise BadPoint(f"pus {quoted(value)} is not a list")
            values[name] = tuple(_count("pus", pu, least=-1) for pu in value)
        else:
            others.append((name, json.dumps(value, sort_keys=True)))
    for name in ("backend", "op"):
        if not values.get(name):
            raise BadPoint(f"a point without {name}")
    if values.get("lanes", 1) < 1 or values.get("blocks", 1) < 1:
        raise BadPoint("lanes and blocks must be at least 1")
    return Point(**values, others=tuple(sorted(others)))


def _count(name: str, value: Any, least: int = 0) -> int:
    if isinstance(value, float) and math.isfinite(value) and value == int(value):
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= _most_counted:
        raise BadPoint(f"{name} {quoted(value)} is not a whole number in range")
    return value
