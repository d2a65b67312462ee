"""The tables and figures of the study `reductions`: the maximum of an array by form, and the
share of the read bandwidth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from syncmeter_analysis.record.point import type_bytes
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.reductions import Array, Form, form_prefix, least_shared
from syncmeter_analysis.relate.reductions import rows as rows
from syncmeter_analysis.relate.relation import Ratio
from syncmeter_analysis.studies.blocks import Block, Line, Table, table
from syncmeter_analysis.studies.cells import named
from syncmeter_analysis.studies.figures import Axis, Figure, courses

title = "Reductions"
order = 15

#: A form with its name and value in a chart.
Shown = tuple[Form, str, float | None]


def text(arrays: list[Array]) -> list[Block]:
    """Returns a table for each array."""
    return [_table(array) for array in arrays]


def _table(array: Array) -> Table:
    rows = []
    for form in array.forms:
        p, s = form.measured.point, form.measured
        placed = ", ".join(a for a in form.affinities if a != "none")
        found: list[object] = [s]
        if form.ns is not None:
            share = share_text(form)
            found = [form.ns * 1e-3, form.ns / p.size, form.gb_per_s, share]
        rows.append([p.backend, named(p.op, s), p.lanes, placed, *found, *[""] * (4 - len(found))])
    size = formats.rate(array.size * type_bytes[array.type])
    columns = "backend|form|threads>|affinity|us>|ns/element>|GB/s>|of the reads' bandwidth>"
    return table(f"One maximum of an array of {array.name}, {size}B", columns, rows, keys=4)


def share_text(form: Form) -> str:
    """`80 %` of the reads' bandwidth, or nothing if it is unknown."""
    if not isinstance(form.share, Ratio):
        return ""
    percent = 100 * form.share.value
    return f"{percent:.0f} %" if percent >= 0.95 else f"{percent:.1g} %"


def figures(arrays: list[Array]) -> list[Figure]:
    """Returns each form's share of the bandwidth of plain reads on a GPU, a panel for each type; and
    bytes per second of all backends for the first of the types."""
    return [*_shares(arrays), *_rates(arrays)]


def _figure(id: str, title: str, note: str, y: Axis, shown: Iterable[Shown]) -> list[Figure]:
    """Returns a panel for each type."""
    ordered = sorted(shown, key=lambda item: item[0].measured.point.size)
    lines: list[Line] = [
        ([form.measured.point.type, form.measured.point.size], {name: value}, ())
        for form, name, value in ordered
    ]
    panels = courses(lines, Axis("elements", "powers"), y, 2, legend="form")
    ids = [form.measured.id for form, _, _ in ordered]
    return [Figure(id, title, note, panels, ids)] if panels else []


def _usual_lanes(forms: Sequence[Form]) -> int:
    """The threads of a block of most points."""
    counts = Counter(form.measured.point.lanes for form in forms)
    return max(counts, key=lambda n: counts[n], default=0)


def _shares(arrays: list[Array]) -> list[Figure]:
    able = [f for a in arrays for f in a.forms if f.on_gpu and isinstance(f.share, Ratio)]
    lanes = _usual_lanes(able)
    shown = (
        (form, form.measured.point.op.removeprefix(form_prefix + "_"), form.share.value)
        for form in able
        if form.measured.point.lanes == lanes and isinstance(form.share, Ratio)
    )
    note = f"Arrays of {least_shared} elements and more, blocks of {lanes} threads."
    y = Axis("share of the reads' bandwidth", "zero", "%")
    title = "Share of the read bandwidth, by form and size"
    return _figure("reductions-share", title, note, y, shown)


def _rates(arrays: list[Array]) -> list[Figure]:
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
    named = ((form, _rate_name(form), form.gb_per_s) for form in shown)
    title, note = "Bytes per second, by backend and size", "Both axes are logarithmic."
    return _figure("reductions-rate", title, note, Axis("GB/s", format="~s"), named)


def _rate_name(form: Form) -> str:
    p = form.measured.point
    alone = f"{p.backend}, {formats.count(p.lanes, 'thread')}"
    return f"{p.backend}, the fastest form" if form.on_gpu else alone
