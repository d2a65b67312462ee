"""The maximum of an array in every form: each form's share of the bandwidth of plain reads, and which
form is the fastest at each size and type."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, field

from syncmeter_analysis.record.point import type_bytes
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.relation import (
    NotComparable,
    Ratio,
    Winners,
    fastest_of,
    ratio,
)
from syncmeter_analysis.relate.summary import Measured

form_prefix = "reduce_max"
reads, copies = "read_bandwidth", "copy_bandwidth"

#: Below, the reads and a reduction are both the time of a launch, and no share is told.
least_shared = 1 << 20


@dataclass
class Form:
    """A reduction, or plain reads or copies, of one array. `affinities` placed its lanes alike;
    `share` is the time of the reads of the same array on the same device over its own."""

    measured: Measured
    affinities: list[str]
    share: Ratio | NotComparable | None = None

    @property
    def is_reduction(self) -> bool:
        return self.measured.point.op.startswith(form_prefix)

    @property
    def on_gpu(self) -> bool:
        return self.measured.on_gpu

    @property
    def ns(self) -> float | None:
        return self.measured.cost.value if self.measured.usable and self.measured.cost else None

    @property
    def gb_per_s(self) -> float | None:
        """Bytes of the array over its time; a copy moves them twice."""
        p = self.measured.point
        moved = p.size * type_bytes[p.type] * (2 if p.op == copies else 1)
        return moved / self.ns if self.ns else None

    @property
    def name(self) -> str:
        p = self.measured.point
        form = f"{p.backend} {p.op}"
        if not self.on_gpu:
            return f"{form} on {p.lanes} thread{'' if p.lanes == 1 else 's'}"
        # The library chooses its own blocks.
        return form if p.op.endswith("_cub") else f"{form} ({p.lanes} threads a block)"


@dataclass
class Array:
    """All that was measured of arrays of one size and type, on GPUs first, the fastest first.
    `fastest` of a GPU's forms and of the CPUs': None where fewer than two are there to compare."""

    type: str
    size: int
    forms: list[Form]
    fastest_on_gpu: Winners | None = None
    fastest_on_cpu: Winners | None = None

    @property
    def name(self) -> str:
        power = self.size & (self.size - 1) == 0 and self.size >= 1 << 10
        size = f"2^{self.size.bit_length() - 1}" if power else str(self.size)
        return f"{size} {self.type}"

    def form(self, s: Measured) -> Form:
        return next(form for form in self.forms if form.measured is s)


@dataclass
class Reductions:
    """The arrays by type and size; falsy without a reduction that has a cost."""

    arrays: list[Array] = field(default_factory=list)

    def __bool__(self) -> bool:
        return any(form.is_reduction and form.ns for a in self.arrays for form in a.forms)

    @property
    def has_reads(self) -> bool:
        return any(
            form.measured.point.op == reads and form.ns for a in self.arrays for form in a.forms
        )


def rows(campaign: Campaign) -> Reductions:
    """An array for each type and size, types in their usual order."""
    found: dict[tuple[int, int], list[Measured]] = defaultdict(list)
    order = list(type_bytes)
    for s in campaign.points.values():
        p = s.point
        of_arrays = p.op.startswith(form_prefix) or p.op in (reads, copies)
        if of_arrays and p.type in order and p.size and not p.repeat and not s.oversubscribed:
            found[order.index(p.type), p.size].append(s)
    return Reductions(
        [_array(order[kind], size, found[kind, size]) for kind, size in sorted(found)]
    )


def _array(kind: str, size: int, points: list[Measured]) -> Array:
    forms: dict[tuple[str, str], Form] = {}
    for s in sorted(points, key=_order):
        # Affinities that gave the same placement are one measurement and count once.
        if s.measured_at in forms:
            forms[s.measured_at].affinities.append(s.point.affinity)
        else:
            forms[s.measured_at] = Form(s, [s.point.affinity])
    array = Array(kind, size, list(forms.values()))
    for form in array.forms:
        form.share = _share(form, array.forms)
    array.fastest_on_gpu, array.fastest_on_cpu = (
        _fastest(array.forms, on_gpu) for on_gpu in (True, False)
    )
    return array


def _order(s: Measured) -> tuple[bool, bool, float]:
    return not s.on_gpu, not s.usable, s.cost.value if s.cost else math.inf


def _share(form: Form, forms: list[Form]) -> Ratio | NotComparable | None:
    """Read for read: a copy is no reduction, and has no share."""
    s = form.measured
    limits = (
        other.measured
        for other in forms
        if other.measured.point.op == reads
        and other.measured.usable
        and other.measured.point.backend == s.point.backend
        and other.measured.device == s.device
    )
    limit = next(limits, None)
    if limit is None or not form.is_reduction or not s.usable or s.point.size < least_shared:
        return None
    return ratio(limit, s)


def _fastest(forms: list[Form], on_gpu: bool) -> Winners | None:
    able = [f.measured for f in forms if f.is_reduction and f.on_gpu == on_gpu and f.ns]
    return fastest_of(able) if len(able) > 1 else None
