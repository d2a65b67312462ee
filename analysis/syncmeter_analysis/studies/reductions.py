"""The tables of reductions, and which form is the fastest at which size, in sentences."""

from __future__ import annotations

from syncmeter_analysis.record.point import type_bytes
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.relation import Ratio, Winners, default_margin
from syncmeter_analysis.studies.blocks import Block, Bullets, Cell, Table, Text
from syncmeter_analysis.studies.reductions_rows import Array, Form, Reductions, rows

__all__ = ["rows", "text", "title"]

title = "Reductions"
measured_by = "`syncmeter run --study reductions`"


def text(found: Reductions) -> list[Block]:
    """A table for each array, what the figures rest on, and the fastest forms."""
    affinities = {a for array in found.arrays for form in array.forms for a in form.affinities}
    blocks: list[Block] = [_table(array, len(affinities - {"none"}) > 1) for array in found.arrays]
    note = (
        "An array that fits into a cache is read from the cache: reductions run on the same "
        "array, one after another."
    )
    if found.has_reads:
        note += " Of the reads: the time of read_bandwidth over the form's, same array and run."
    blocks.append(Text(note))
    for where, winners in (
        ("GPU", [(array, array.fastest_on_gpu) for array in found.arrays]),
        ("CPU", [(array, array.fastest_on_cpu) for array in found.arrays]),
    ):
        told = [fastest_sentence(array, w) for array, w in winners if w is not None]
        if told:
            blocks += [Text(f"Which form is the fastest on the {where}:"), Bullets(told)]
    return blocks


def _table(array: Array, with_affinity: bool) -> Table:
    columns = ["backend", "form", "threads", "affinity", "µs", "ns/element", "GB/s"]
    table = Table(
        [*columns, "of the reads", ""],
        [],
        right=(2, 4, 5, 6, 7),
        caption=f"One maximum of an array of {array.name}, "
        f"{formats.rate(array.size * type_bytes[array.type])}B",
        keys=4,
    )
    for form in array.forms:
        p = form.measured.point
        placed = ", ".join(a for a in form.affinities if with_affinity and a != "none")
        texts = [p.backend, p.op, str(p.lanes), placed]
        if form.ns is not None and form.gb_per_s is not None:
            texts += [formats.nanoseconds(form.ns * 1e-3), formats.nanoseconds(form.ns / p.size)]
            texts += [formats.nanoseconds(form.gb_per_s), share_text(form), ""]
        else:
            texts += ["-", "", "", "", form.measured.status]
        table.rows.append([Cell(text) for text in texts])
        table.rows[-1][1].points = [form.measured.id]
    return table


def share_text(form: Form) -> str:
    """`80 %` of the reads' bandwidth, or '' where nothing can be told."""
    if not isinstance(form.share, Ratio):
        return ""
    percent = 100 * form.share.value
    return f"{percent:.0f} %" if percent >= 0.95 else f"{percent:.1g} %"


def fastest_sentence(array: Array, winners: Winners) -> str:
    """The fastest form, those not told apart from it, and those that cannot be compared with it."""
    best = array.form(winners.best)
    assert best.ns is not None
    told = f"{array.name}: {best.name}, {formats.nanoseconds(best.ns * 1e-3)} µs"
    if share := share_text(best):
        told += f", {share} of the reads' bandwidth"
    if winners.ties:
        ties = ", ".join(array.form(s).name for s in winners.ties)
        told += f"; within {default_margin:.0%} of it or not told apart: {ties}"
    if winners.apart:
        apart = (f"{array.form(s).name} ({why})" for s, why in winners.apart)
        told += f"; not comparable: {', '.join(apart)}"
    return told
