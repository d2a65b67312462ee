"""The tables and figures of the study `reductions`: the maximum of an array by form, and the
share of the read bandwidth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from syncmeter_analysis.record.point import type_bytes
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.group import grouped
from syncmeter_analysis.relate.reductions import Array, Form, form_prefix, least_shared, reads
from syncmeter_analysis.relate.reductions import rows as rows
from syncmeter_analysis.relate.relation import Ratio
from syncmeter_analysis.studies.blocks import Block, Cell, Table, Text, table
from syncmeter_analysis.studies.figures import Axis, Figure, Panel, Row, curve, most_colours

title = "Reductions"
order = 15


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
    title = "Share of the read bandwidth, by form and size"
    note = (
        "The time of plain reads of the array over that of its maximum, on a GPU, blocks of "
        f"{lanes} threads, arrays of {least_shared} elements and more (smaller ones take as long as "
        "a launch). An array that fits into a cache is read from the cache."
    )
    return [Figure("reductions-share", title, note, panels, [r["id"] for r in rows])]


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
    title = "Bytes per second, by backend and size"
    note = "Bytes of the array over the time of one maximum, both logarithmic."
    return [Figure("reductions-rate", title, note, panels, [r["id"] for r in rows])]


def _rate_name(form: Form) -> str:
    p = form.measured.point
    alone = f"{p.backend}, {formats.count(p.lanes, 'thread')}"
    return f"{p.backend}, the fastest form" if form.on_gpu else alone


def _drawn(form: Form, name: str, value: float | None) -> Row:
    p = form.measured.point
    return {"x": p.size, "value": value, "name": name, "type": p.type, "id": form.measured.id}
