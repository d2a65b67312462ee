"""Points in groups: alike on named axes, and placed alike whatever their affinity is called."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from operator import attrgetter
from typing import Any, TypeVar

from syncmeter_analysis.relate.summary import Measured

T = TypeVar("T")
Key = TypeVar("Key", bound=Hashable)


def grouped(things: Iterable[T], key: Callable[[T], Key]) -> dict[Key, list[T]]:
    """Anything by its key, in the order in which the keys appear."""
    found: dict[Key, list[T]] = defaultdict(list)
    for thing in things:
        found[key(thing)].append(thing)
    return dict(found)


def place_in(names: Sequence[T], value: T) -> int:
    """Returns the value's place among the names. Other values come last."""
    return names.index(value) if value in names else len(names)


def on_first_device(found: Iterable[T]) -> list[T]:
    """Returns what has the lowest device number of all, as `device`."""
    ordered = grouped(found, lambda one: one.device)  # type: ignore[attr-defined]
    return ordered[min(ordered)] if ordered else []


def once_each(points: Iterable[Measured]) -> list[Measured]:
    """The points, and of those that share a measurement the first."""
    return [alike[0] for alike in grouped(points, lambda s: s.measured_at).values()]


def group(points: Iterable[Measured], *axes: str) -> dict[Any, list[Measured]]:
    """Points by their values on these axes, the smallest first."""
    found = grouped(points, attrgetter(*(f"point.{axis}" for axis in axes)))
    return dict(sorted(found.items()))


def placed_alike(
    points: Iterable[Measured], key: Callable[[Measured], Hashable] = lambda _: None
) -> list[tuple[list[str], list[Measured]]]:
    """Points by their key and by affinity. Affinities that share all measurements placed the lanes
    alike and are one group."""
    found: dict[frozenset[object], tuple[list[str], list[Measured]]] = {}
    for (_, affinity), alike in grouped(points, lambda s: (key(s), s.point.affinity)).items():
        measured = frozenset(s.measured_at for s in alike)
        found.setdefault(measured, ([], alike))[0].append(affinity)
    return list(found.values())
