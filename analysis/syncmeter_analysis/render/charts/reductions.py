"""Reductions over the size of their array: each form's share of the bandwidth of plain reads on a GPU,
and bytes per second of every backend.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

import altair as alt

from syncmeter_analysis.relate import text
from syncmeter_analysis.relate.relation import Ratio
from syncmeter_analysis.render.charts.figure import (
    Figure,
    Panel,
    dashes,
    long_lines,
    palette,
    panel_height,
    panel_width,
    shapes,
    types,
)
from syncmeter_analysis.studies.reductions import (
    Array,
    Form,
    Reductions,
    form_prefix,
    least_shared,
    share_text,
)

_least_sizes = 2


def figures(found: Reductions) -> list[Figure]:
    """Shares on a GPU, a panel for each type; and bytes per second of all backends for the first
    of the types."""
    return _share_figure(found) + _rate_figure(found)


def _panels(rows: list[dict[str, Any]], y: str, log: bool, form: str) -> list[Panel]:
    forms = list(dict.fromkeys(r["form"] for r in rows))[: len(palette)]
    by_type: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        if row["form"] in forms:
            by_type[row["type"]].append(row)
    return [
        Panel(t, _chart(by_type[t], forms, y, log, form))
        for t in types
        if len({r["size"] for r in by_type[t]}) >= _least_sizes
    ]


def _usual_lanes(forms: Sequence[Form]) -> int:
    """The threads of a block of most points."""
    counts = Counter(form.measured.point.lanes for form in forms)
    return max(counts, key=lambda n: counts[n])


def _share_figure(found: Reductions) -> list[Figure]:
    able = [
        (a, f) for a in found.arrays for f in a.forms if f.on_gpu and isinstance(f.share, Ratio)
    ]
    if not able:
        return []
    lanes = _usual_lanes([form for _, form in able])
    drawn = [(array, form) for array, form in able if form.measured.point.lanes == lanes]
    rows: list[dict[str, Any]] = [
        {
            "size": array.size,
            "y": form.share.value,
            "form": form.measured.point.op.removeprefix(form_prefix + "_"),
            "type": array.type,
            "ns": form.ns,
            "id": form.measured.id,
        }
        for array, form in sorted(drawn, key=lambda d: d[0].size)
        if isinstance(form.share, Ratio)
    ]
    panels = _panels(rows, "share of the reads' bandwidth", False, "form")
    if not panels:
        return []
    return [
        Figure(
            "reductions-share",
            _finding([array for array, _ in drawn]),
            "The time of plain reads of the array over that of its maximum, on a GPU, blocks of "
            f"{lanes} threads, arrays of {least_shared} elements and more (smaller ones take as long "
            "as a launch). An array that fits into a cache is read from the cache.",
            panels,
            [form.measured.id for _, form in drawn],
        )
    ]


def _finding(arrays: Sequence[Array]) -> str:
    """The fastest form of the largest array of the first of the types, by the rule of the text."""
    largest = max(array.size for array in arrays)
    array = min((a for a in arrays if a.size == largest), key=lambda a: types.index(a.type))
    winners = array.fastest_on_gpu
    if winners is None:
        return f"One form of a maximum of {array.name} against plain reads"
    best = array.form(winners.best)
    like = [array.form(s).name for s in winners.ties]
    fastest = " and ".join([best.name, *like])
    share = f", at {share_text(best)} of the reads' bandwidth" if share_text(best) else ""
    return f"Maximum of {array.name}: {fastest} {'are' if like else 'is'} the fastest{share}"


def _rate_figure(found: Reductions) -> list[Figure]:
    forms = [(a, f) for a in found.arrays for f in a.forms if f.is_reduction and f.ns]
    kind = next((t for t in types if any(array.type == t for array, _ in forms)), "")
    forms = [(array, form) for array, form in forms if array.type == kind]
    gpu = [form for _, form in forms if form.on_gpu]
    lanes = _usual_lanes(gpu) if gpu else 0
    # Of a GPU's forms the fastest of each size stands for all; the forms of an array come so.
    fastest: dict[tuple[str, int], Form] = {}
    for array, form in forms:
        p = form.measured.point
        if form.on_gpu and p.lanes == lanes:
            fastest.setdefault((p.backend, array.size), form)
    drawn = [*(form for _, form in forms if not form.on_gpu), *fastest.values()]
    rows = sorted((_rate_row(form) for form in drawn), key=lambda row: int(row["size"]))
    panels = _panels(rows, "GB/s", True, "backend")
    if not panels:
        return []
    top = max(rows, key=lambda r: float(r["y"]))
    return [
        Figure(
            "reductions-rate",
            f"Maxima are found at up to {text.ratio(top['y'])} GB/s ({top['form']})",
            "Bytes of the array over the time of one maximum, both logarithmic.",
            panels,
            [form.measured.id for form in drawn],
        )
    ]


def _rate_row(form: Form) -> dict[str, Any]:
    p = form.measured.point
    name = f"{p.backend}, {text.count(p.lanes, 'thread')}"
    return {
        "size": p.size,
        "y": form.gb_per_s,
        "form": f"{p.backend}, the fastest form" if form.on_gpu else name,
        "type": p.type,
        "ns": form.ns,
        "id": form.measured.id,
    }


def _chart(rows: list[dict[str, Any]], forms: list[str], title: str, log: bool, of: str) -> Any:
    used = range(len(forms))
    x = alt.X(
        "size:Q",
        title="elements",
        axis=alt.Axis(labelExpr="'2^' + format(log(datum.value) / LN2, '.0f')", tickCount=5),
        scale=alt.Scale(type="log", base=2, nice=False),
    )
    scale = alt.Scale(type="log", nice=False) if log else alt.Scale(zero=True)
    axis = alt.Axis(format="~s" if log else "%", tickCount=5)
    y = alt.Y("y:Q", title=title, scale=scale, axis=axis)
    colour = alt.Color(
        "form:N",
        title=None,
        legend=alt.Legend(columns=2),
        scale=alt.Scale(domain=forms, range=[palette[i] for i in used]),
    )
    shape = alt.Shape(
        "form:N", title=None, scale=alt.Scale(domain=forms, range=[shapes[i] for i in used])
    )
    dash = alt.StrokeDash(
        "form:N", title=None, scale=alt.Scale(domain=forms, range=[dashes[i] for i in used])
    )
    tips = [
        alt.Tooltip("form:N", title=of),
        alt.Tooltip("size:Q", title="elements"),
        alt.Tooltip("ns:Q", title="ns", format=".4g"),
        alt.Tooltip("y:Q", title=title, format=".3g"),
        alt.Tooltip("id:N", title="point"),
    ]
    line = alt.Chart().mark_line(strokeWidth=1.5).encode(x=x, y=y, color=colour, strokeDash=dash)
    line = long_lines(line, rows, "size", "form")
    dots = (
        alt.Chart()
        .mark_point(filled=True, size=28, opacity=1)
        .encode(x=x, y=y, color=colour, shape=shape, tooltip=tips)
    )
    return alt.layer(*line, dots, data=alt.Data(values=rows)).properties(
        width=panel_width, height=panel_height
    )
