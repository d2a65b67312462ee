"""Points of different backends that measure the same thing on the same device: what a portable API
makes of a primitive beside what the native one does."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from syncmeter_analysis.record.point import Point, native_of
from syncmeter_analysis.relate.summary import Measured

#: The native APIs; a CPU's comes first.
native_backends = ("omp", "cuda")


def counterpart_key(p: Point) -> str:
    """What points of a native and a portable backend share: all axes that both APIs have."""
    kind = "gpu" if p.on_gpu else "cpu"
    return f"{kind} {p.without('backend', 'flavour', 'scope', 'space').key}"


def pairs_of_backends(names: Sequence[str]) -> list[tuple[str, str]]:
    """Each of these backends behind the native one of its hardware, where that is among them."""
    references = [name for name in native_backends if name in names] or list(names[:1])
    pairs = []
    for name in names:
        reference = native_of.get(name)
        if reference is None and name not in references:
            reference = references[0]
        if reference in names and reference != name:
            pairs.append((str(reference), name))
    return pairs


def counterparts(
    native: Iterable[Measured], others: Iterable[Measured]
) -> list[tuple[Measured, Measured]]:
    """Each of `others` behind its native counterpart. Where one API alone can say a scope, a spelling
    or a memory, several native points fit: the one that has a cost and says the same, else the
    device's scope and the plain spelling."""
    by_key: dict[str, list[Measured]] = defaultdict(list)
    for s in native:
        by_key[counterpart_key(s.point)].append(s)

    def farness(s: Measured, other: Point) -> tuple[object, ...]:
        p = s.point
        same = (p.scope != other.scope, p.flavour != other.flavour, p.space != other.space)
        plain = (p.scope not in ("", "device"), p.scope, p.flavour, p.space)
        return not s.usable, *same, *plain

    pairs = []
    for s in others:
        fitting = by_key.get(counterpart_key(s.point))
        if fitting:
            pairs.append((min(fitting, key=lambda n: farness(n, s.point)), s))
    return pairs
