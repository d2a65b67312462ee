"""Reductions of arrays: each form at each size and type, and the share of the read bandwidth."""

from __future__ import annotations

import math
from dataclasses import dataclass

from syncmeter_analysis.record.point import type_bytes
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import Contest, Over, contest
from syncmeter_analysis.relate.group import grouped
from syncmeter_analysis.relate.relation import ratio
from syncmeter_analysis.relate.summary import Measured

form_prefix = "reduce_max"
reads, copies = "read_bandwidth", "copy_bandwidth"

#: Below this size, a kernel launch takes most time, and a share means nothing.
least_shared = 1 << 20


@dataclass
class Form:
    """A reduction, or plain reads or copies. All `affinities` placed the lanes alike. `share`: time for
    plain reads over the time for this form, with the same array and device."""

    measured: Measured
    affinities: list[str]
    share: Over = None

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
        """Returns bytes over time. A copy moves each byte twice."""
        p = self.measured.point
        moved = p.size * type_bytes[p.type] * (2 if p.op == copies else 1)
        return moved / self.ns if self.ns else None


@dataclass
class Array:
    """All forms for one size and type: GPUs first, the fastest first. The contests are None if fewer
    than two forms have a cost."""

    type: str
    size: int
    forms: list[Form]
    on_gpu: Contest | None = None
    on_cpu: Contest | None = None

    @property
    def name(self) -> str:
        power = self.size & (self.size - 1) == 0 and self.size >= 1 << 10
        size = f"2^{self.size.bit_length() - 1}" if power else str(self.size)
        return f"{size} {self.type}"

    def form(self, s: Measured) -> Form:
        return next(form for form in self.forms if form.measured is s)


def rows(campaign: Campaign) -> list[Array]:
    """Returns an array for each type and size, in the usual type order. Returns nothing without a
    reduction with a cost."""
    order = list(type_bytes)

    def belongs(s: Measured) -> bool:
        p = s.point
        of_arrays = p.op.startswith(form_prefix) or p.op in (reads, copies)
        return of_arrays and p.type in order and p.size > 0 and not (p.repeat or s.oversubscribed)

    points = filter(belongs, campaign.points.values())
    found = grouped(points, lambda s: (order.index(s.point.type), s.point.size))
    arrays = [_array(order[kind], size, of) for (kind, size), of in sorted(found.items())]
    return arrays if any(f.is_reduction and f.ns for a in arrays for f in a.forms) else []


def _array(kind: str, size: int, points: list[Measured]) -> Array:
    # Affinities that gave the same placement are one measurement and count once.
    measured = grouped(sorted(points, key=_order), lambda s: s.measured_at).values()
    forms = [Form(alike[0], [s.point.affinity for s in alike]) for alike in measured]
    array = Array(kind, size, forms)
    for form in array.forms:
        form.share = _share(form, array.forms)
    array.on_gpu, array.on_cpu = (_contest(array.forms, on_gpu) for on_gpu in (True, False))
    return array


def _order(s: Measured) -> tuple[bool, bool, float]:
    return not s.on_gpu, not s.usable, s.cost.value if s.cost else math.inf


def _share(form: Form, forms: list[Form]) -> Over:
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


def _contest(forms: list[Form], on_gpu: bool) -> Contest | None:
    able = [f.measured for f in forms if f.is_reduction and f.on_gpu == on_gpu and f.ns]
    return contest(able) if len(able) > 1 else None
