"""Ratios and costs with their intervals as dots and bars, one row each: what several figures use."""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import Any

import altair as alt

from syncmeter_analysis.relate import text
from syncmeter_analysis.render.charts.figure import palette, shapes

#: Pixels of a row.
row_height = 17
#: Of a figure of ratios so many, the largest, are written beside their dots: paper has no tooltips.
_written_ratios = 6


def ratio_dots(rows: Sequence[dict[str, Any]], title: str, groups: Sequence[str]) -> Any:
    """Rows in the order given: `row` (label), `ratio`, `low`, `high`, `group`, `id`.

    Unknown bounds are None; the axis is logarithmic, so that half and twice lie as far from 1.
    """
    tips = [_tip("row", "point"), _tip("group", "found"), _number("ratio", "ratio")]
    tips += [_number("low", "from"), _number("high", "to"), _tip("id", "id")]
    one = alt.Chart(alt.Data(values=[{"one": 1}])).mark_rule(strokeDash=[3, 3]).encode(x="one:Q")
    largest = sorted((r for r in rows if r["ratio"] > 0), key=lambda r: -abs(log(r["ratio"])))
    ids = {id(r) for r in largest[:_written_ratios]}
    written = [{**r, "beside": text.ratio(r["ratio"])} if id(r) in ids else r for r in rows]
    return _dots(written, "ratio", title, groups, None, tips, [one])


def cost_dots(
    rows: Sequence[dict[str, Any]],
    title: str,
    groups: Sequence[str],
    what: str,
    legend: str | None = None,
) -> Any:
    """Rows in the order given: `row` (label), `ns`, `low`, `high`, `group`, `id`, and `cycles`
    where any are known.

    Unknown bounds are None; the axis is logarithmic. `what` a row is and what its group is
    (`legend`, None: needs no words) are said beside the numbers. A `label` stands above its dot.
    """
    tips = [_tip("row", what), _tip("group", legend or "where"), _number("ns", "ns")]
    tips += [_number("cycles", "cycles")] * any(r.get("cycles") is not None for r in rows)
    return _dots(rows, "ns", title, groups, legend, [*tips, _tip("id", "point")], [])


def _tip(name: str, title: str) -> Any:
    return alt.Tooltip(f"{name}:N", title=title)


def _number(name: str, title: str) -> Any:
    return alt.Tooltip(f"{name}:Q", title=title, format=".4g")


def _dots(
    rows: Sequence[dict[str, Any]],
    value: str,
    title: str,
    groups: Sequence[str],
    legend: str | None,
    tips: list[Any],
    behind: list[Any],
) -> Any:
    order = list(dict.fromkeys(r["row"] for r in rows))
    y = alt.Y("row:N", sort=order, title=None)
    # Room for the labels at the ends.
    ends = [r[k] for r in rows for k in (value, "low", "high") if (r[k] or 0) > 0]
    scale = alt.Scale(type="log", nice=False)
    beside = any("beside" in r for r in rows)
    if (labelled := any("label" in r for r in rows)) or beside:
        room = max(1.2, (max(ends) / min(ends)) ** 0.1)
        scale.domain = [min(ends) / room, max(ends) * room]
    axis = alt.Axis(labelSeparation=8)
    names = list(groups)

    def by_group(channel: Any, looks: list[str]) -> Any:
        looked = alt.Scale(domain=names, range=looks[: len(names)])
        shown = {} if len(names) > 1 else {"legend": None}
        return channel("group:N", title=legend, sort=names, scale=looked, **shown)

    colour, shape = by_group(alt.Color, palette), by_group(alt.Shape, shapes)
    bars = (
        alt.Chart()
        .mark_rule(strokeWidth=2, opacity=0.6)
        .encode(
            x=alt.X("low:Q", scale=scale, axis=axis, title=title), x2="high:Q", y=y, color=colour
        )
    )
    dots = (
        alt.Chart()
        .mark_point(filled=True, size=55, opacity=1)
        .encode(
            x=alt.X(f"{value}:Q", scale=scale, axis=axis, title=title),
            y=y,
            color=colour,
            shape=shape,
            tooltip=tips,
        )
    )
    labels = (
        alt.Chart()
        .mark_text(dy=-9, fontSize=11)
        .encode(
            x=alt.X(f"{value}:Q", scale=scale, axis=axis, title=title),
            y=y,
            text="label:N",
            tooltip=tips,
        )
    )
    known = any(r["low"] is not None for r in rows)
    layers = [*behind, bars, dots] if known else [*behind, dots]
    layers += [labels] * labelled
    if beside:
        end = "max(datum.high || 0, datum." + value + ")"
        layers.append(
            alt.Chart()
            .transform_filter("isValid(datum.beside)")
            .transform_calculate(end=end)
            .mark_text(dx=8, align="left", fontSize=11)
            .encode(x=alt.X("end:Q", scale=scale, axis=axis, title=title), y=y, text="beside:N")
        )
    height = (row_height + 13 * labelled) * max(len(order), 2)
    return alt.layer(*layers, data=alt.Data(values=list(rows))).properties(height=height, width=420)
