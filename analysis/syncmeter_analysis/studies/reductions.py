"""The maximum of an array in every form: each form's share of the bandwidth of plain reads, and which
form is the fastest at each size and type."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from syncmeter_analysis.record.point import type_bytes
from syncmeter_analysis.relate import contest_text
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import Contest, Over, contest
from syncmeter_analysis.relate.group import grouped
from syncmeter_analysis.relate.relation import Ratio, ratio
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.studies.blocks import Block, Cell, Table, Text, table
from syncmeter_analysis.studies.figures import Axis, Figure, Panel, Row, curve, most_colours

title = "Reductions"
order = 15

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
        return form if p.op.endswith("_cub") else f"{form} in blocks of {p.lanes}"


@dataclass
class Array:
    """All that was measured of arrays of one size and type, on GPUs first, the fastest first.
    `on_gpu` are a GPU's reductions, `on_cpu` the CPUs': None where fewer than two can be compared."""

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
    """An array for each type and size, types in their usual order; none without a reduction that has
    a cost."""
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


def answer(arrays: list[Array]) -> list[str]:
    """The form to take for each array, on GPUs, then on CPUs; of the first type, then of others, the
    largest arrays first."""
    first = arrays[0].type
    largest_first = sorted(arrays, key=lambda array: (array.type != first, -array.size))
    on_gpu = [(array, array.on_gpu) for array in largest_first]
    on_cpu = [(array, array.on_cpu) for array in largest_first]
    return [fastest_sentence(array, one) for array, one in (*on_gpu, *on_cpu) if one is not None]


def text(arrays: list[Array]) -> list[Block]:
    """A table for each array, and what the figures rest on."""
    affinities = {a for array in arrays for form in array.forms for a in form.affinities}
    blocks: list[Block] = [_table(array, len(affinities - {"none"}) > 1) for array in arrays]
    note = (
        "An array that fits into a cache is read from the cache: reductions run on the same "
        "array, one after another."
    )
    if any(f.measured.point.op == reads and f.ns for a in arrays for f in a.forms):
        note += " Of the reads: the time of read_bandwidth over the form's, same array and run."
    blocks.append(Text(note))
    return blocks


def _table(array: Array, with_affinity: bool) -> Table:
    rows = []
    for form in array.forms:
        p = form.measured.point
        placed = ", ".join(a for a in form.affinities if with_affinity and a != "none")
        found = ["-", "", "", "", form.measured.status]
        if form.ns is not None and form.gb_per_s is not None:
            found = [formats.nanoseconds(form.ns * 1e-3), formats.nanoseconds(form.ns / p.size)]
            found += [formats.nanoseconds(form.gb_per_s), share_text(form), ""]
        rows.append([p.backend, Cell(p.op, [form.measured.id]), str(p.lanes), placed, *found])
    size = formats.rate(array.size * type_bytes[array.type])
    columns = "backend|form|threads>|affinity|us>|ns/element>|GB/s>|of the reads>|"
    return table(f"One maximum of an array of {array.name}, {size}B", columns, rows, keys=4)


def share_text(form: Form) -> str:
    """`80 %` of the reads' bandwidth, or '' where nothing can be told."""
    if not isinstance(form.share, Ratio):
        return ""
    percent = 100 * form.share.value
    return f"{percent:.0f} %" if percent >= 0.95 else f"{percent:.1g} %"


def fastest_sentence(array: Array, one: Contest) -> str:
    """The fastest form with its time and share of the reads' bandwidth, and what may be as fast."""

    def amount(s: Measured) -> str:
        form = array.form(s)
        share = f", {share_text(form)} of the reads' bandwidth" if share_text(form) else ""
        return f"{formats.duration(form.ns or 0.0)}{share}"

    return contest_text.sentence(one, array.name, lambda s: array.form(s).name, amount, "form")


_least_sizes = 2


def figures(arrays: list[Array]) -> list[Figure]:
    """Each form's share of the bandwidth of plain reads on a GPU, a panel for each type; and bytes per
    second of all backends for the first of the types."""
    return _share_figure(arrays) + _rate_figure(arrays)


def _panels(rows: Sequence[Row], y: Axis, legend: str) -> list[Panel]:
    forms = list(dict.fromkeys(row["name"] for row in rows))[:most_colours]
    by_type = grouped((row for row in rows if row["name"] in forms), lambda row: str(row["type"]))
    x = Axis("elements", "powers")
    return [
        panel
        for kind in type_bytes
        for panel in curve(kind, by_type.get(kind, []), x, y, forms, _least_sizes, legend=legend)
    ]


def _usual_lanes(forms: Sequence[Form]) -> int:
    """The threads of a block of most points."""
    counts = Counter(form.measured.point.lanes for form in forms)
    return max(counts, key=lambda n: counts[n], default=0)


def _share_figure(arrays: list[Array]) -> list[Figure]:
    able = [(a, f) for a in arrays for f in a.forms if f.on_gpu and isinstance(f.share, Ratio)]
    lanes = _usual_lanes([form for _, form in able])
    shown = [(array, form) for array, form in able if form.measured.point.lanes == lanes]
    rows = [
        _drawn(form, form.measured.point.op.removeprefix(form_prefix + "_"), form.share.value)
        for _, form in sorted(shown, key=lambda d: d[0].size)
        if isinstance(form.share, Ratio)
    ]
    panels = _panels(rows, Axis("share of the reads' bandwidth", "zero", "%"), "form")
    if not panels:
        return []
    title = _of_largest([(array, array.on_gpu) for array, _ in shown])
    note = (
        "The time of plain reads of the array over that of its maximum, on a GPU, blocks of "
        f"{lanes} threads, arrays of {least_shared} elements and more (smaller ones take as long as "
        "a launch). An array that fits into a cache is read from the cache."
    )
    return [Figure("reductions-share", title, note, panels, [r["id"] for r in rows])]


def _of_largest(contests: Sequence[tuple[Array, Contest | None]]) -> str:
    """The answer for the largest array of the first of the types."""
    largest = max(array.size for array, _ in contests)
    of_largest = (found for found in contests if found[0].size == largest)
    array, one = min(of_largest, key=lambda found: list(type_bytes).index(found[0].type))
    if one is None:
        return f"One form of a maximum of {array.name} against plain reads"
    return fastest_sentence(array, one)


def _rate_figure(arrays: list[Array]) -> list[Figure]:
    able = [(a, f) for a in arrays for f in a.forms if f.is_reduction and f.ns]
    kind = next((t for t in type_bytes if any(array.type == t for array, _ in able)), "")
    able = [(array, form) for array, form in able if array.type == kind]
    lanes = _usual_lanes([form for _, form in able if form.on_gpu])
    # Of a GPU's forms the fastest of each size stands for all; the forms of an array come so.
    fastest: dict[tuple[str, int], Form] = {}
    for array, form in able:
        p = form.measured.point
        if form.on_gpu and p.lanes == lanes:
            fastest.setdefault((p.backend, array.size), form)
    shown = [*(form for _, form in able if not form.on_gpu), *fastest.values()]
    rows = [
        _drawn(form, _rate_name(form), form.gb_per_s)
        for form in sorted(shown, key=lambda form: form.measured.point.size)
    ]
    panels = _panels(rows, Axis("GB/s", format="~s"), "backend")
    if not panels:
        return []
    title = _of_largest([(array, array.on_cpu or array.on_gpu) for array, _ in able])
    note = "Bytes of the array over the time of one maximum, both logarithmic."
    return [Figure("reductions-rate", title, note, panels, [r["id"] for r in rows])]


def _rate_name(form: Form) -> str:
    p = form.measured.point
    alone = f"{p.backend}, {formats.count(p.lanes, 'thread')}"
    return f"{p.backend}, the fastest form" if form.on_gpu else alone


def _drawn(form: Form, name: str, value: float | None) -> Row:
    p = form.measured.point
    return {"x": p.size, "value": value, "name": name, "type": p.type, "id": form.measured.id}
