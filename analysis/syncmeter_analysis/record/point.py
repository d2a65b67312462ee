"""A point: one op with one value on every axis, as the results file writes it."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable
from dataclasses import dataclass, field, fields, make_dataclass, replace
from functools import cache, cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from syncmeter_analysis.record.errors import BadLine, quoted
from syncmeter_analysis.record.tables import Axis, axes

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


if TYPE_CHECKING:

    @dataclass(frozen=True)
    class _Axes:
        """The types of axes that code names; the table says which there are, with their defaults."""

        backend: str
        op: str
        type: str = ""
        placement: str = ""
        stride: int | None = None
        stride_bytes: int = 0
        base_offset: int = 0
        cells: int = 0
        lanes: int = 0
        blocks: int = 0
        active: int = 0
        waves: bool = False
        size: int = 0
        scope: str = ""
        flavour: str = ""
        space: str = ""
        order: str = ""
        affinity: str = ""
        wait: str = ""
        home: str = ""
        pus: tuple[int, ...] = ()
        late_us: int = 0
        section_ns: int = 0
        think_ns: int = 0
        reads_per_write: int = 0
        gap_us: int = 0
        repeat: int = 0
        arm: str = ""
else:
    _Axes = make_dataclass(
        "_Axes", [(a.name, a.kind, field(default=a.absent)) for a in axes], frozen=True
    )


@dataclass(frozen=True)
class Point(_Axes):
    """One op with one value on every axis; an axis without a value is None, 0 or ''.

    `stride` is in elements, `stride_bytes` in bytes, `base_offset` in bytes from the start of a
    line, `cells` how many strided cells the lanes share out (0: one each); `lanes` are threads (of
    a block, on a GPU); `size` is of what the op works on (lanes of a tile, elements; 0: it has
    none); `late_us` is how late one lane in turn arrives at a barrier; `section_ns` and `think_ns`
    are the work under a lock and between two sections; `reads_per_write` is of each lane;
    `gap_us` is what one thread works before each region. `others` holds members that this version
    does not know, as JSON text, so that points that differ in them stay apart.
    """

    others: tuple[tuple[str, str], ...] = ()

    @cached_property
    def key(self) -> str:
        """All axes that have a value, in a fixed order, as `syncmeter` writes them."""
        parts = [(a.name, axis_text(getattr(self, a.name))) for a in axes if self._in_key(a)]
        return " ".join(f"{name}={text}" for name, text in (*parts, *self.others))

    def _in_key(self, axis: Axis) -> bool:
        return axis.in_key and (axis.always or getattr(self, axis.name) != axis.absent)

    @cached_property
    def id(self) -> str:
        """Ten hexadecimal digits over `key`: the same point has the same id in every file."""
        return hashlib.sha1(self.key.encode(), usedforsecurity=False).hexdigest()[:10]

    @property
    def on_gpu(self) -> bool:
        return self.backend in gpu_backends

    def without(self, *names: str) -> Point:
        """The point with these axes at their absence: what points that differ in them share."""
        return replace(self, **{a.name: a.absent for a in axes if a.name in names})


def axis_text(value: Any, between: str = ",") -> str:
    """The value of an axis as text: `true`, `0,3`."""
    if isinstance(value, tuple):
        return between.join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


@cache
def key_without(*axes: str) -> Callable[[Point], Any]:
    """A function that gives what points share that differ in these axes only; fast, to group by."""
    return attrgetter(*(f.name for f in fields(Point) if f.name not in axes))


_by_name = {a.name: a for a in axes}


def point_from(members: Any) -> Point:
    """The point that a line of a results file holds. Raises BadLine."""
    if not isinstance(members, dict):
        raise BadLine(f"a point is an object, not {quoted(members)}")
    values: dict[str, Any] = {}
    others: list[tuple[str, str]] = []
    for name, value in members.items():
        if value is None:
            continue
        # A half of a surrogate pair, which JSON can spell, has no bytes to make an id of.
        if not name.isprintable():
            raise BadLine(f"{quoted(name)} is not a member's name")
        axis = _by_name.get(name)
        if axis is None:
            others.append((name, json.dumps(value, sort_keys=True)))
        else:
            values[name] = _value(axis, value)
    for name in ("backend", "op"):
        if not values.get(name):
            raise BadLine(f"a point without {name}")
    return Point(**values, others=tuple(sorted(others)))


def _value(axis: Axis, value: Any) -> Any:
    name = axis.name
    if axis.kind is int:
        if (found := _count(name, value)) < axis.least:
            raise BadLine(f"{name} must be at least {axis.least}")
        return found
    if axis.kind is bool:
        return value is True
    if axis.kind is tuple:
        if not isinstance(value, list):
            raise BadLine(f"{name} {quoted(value)} is not a list")
        return tuple(_count(name, each, least=-1) for each in value)
    if not isinstance(value, str) or len(value) > 200 or not value.isprintable():
        raise BadLine(f"{name} {quoted(value)} is not a text of at most 200 printable characters")
    return value


def _count(name: str, value: Any, least: int = 0) -> int:
    if isinstance(value, float) and math.isfinite(value) and value == int(value):
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= _most_counted:
        raise BadLine(f"{name} {quoted(value)} is not a whole number in range")
    return value
