"""Ratios with their intervals as dots and bars, one row each, 1 drawn in: what several figures use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from syncmeter_analysis.figures.figure import palette, shapes

#: Pixels of a row.
row_height = 17


def ratio_dots(rows: Sequence[dict[str, Any]], title: str, groups: Sequence[str]) -> Any:
    """Rows in the order given: `row` (label), `ratio`, `low`, `high`, `group`, `id`.

    Unknown bounds are None; the axis is logarithmic, so that half and twice lie as far from 1.
    """
    order = list(dict.fromkeys(r["row"] for r in rows))
    data = alt.Data(values=list(rows))
    y = alt.Y("row:N", sort=order, title=None, axis=alt.Axis(labelLimit=330))
    scale = alt.Scale(type="log", nice=False)
    colour = alt.Color(
        "group:N",
        title=None,
        sort=list(groups),
        scale=alt.Scale(domain=list(groups), range=palette[: len(groups)]),
    )
    tips = [
        alt.Tooltip(f"{name}:{kind}", title=text, format=".4g" if kind == "Q" else "")
        for name, kind, text in (
            ("row", "N", "point"),
            ("group", "N", "found"),
            ("ratio", "Q", "ratio"),
            ("low", "Q", "from"),
            ("high", "Q", "to"),
            ("id", "N", "id"),
        )
    ]
    bars = (
        alt.Chart()
        .mark_rule(strokeWidth=2, opacity=0.6)
        .encode(x=alt.X("low:Q", scale=scale, title=title), x2="high:Q", y=y, color=colour)
    )
    dots = (
        alt.Chart()
        .mark_point(filled=True, size=55, opacity=1)
        .encode(
            x=alt.X("ratio:Q", scale=scale, title=title),
            y=y,
            color=colour,
            tooltip=tips,
            shape=alt.Shape(
                "group:N",
                title=None,
                sort=list(groups),
                scale=alt.Scale(domain=list(groups), range=shapes[: len(groups)]),
            ),
        )
    )
    one = alt.Chart(alt.Data(values=[{"one": 1}])).mark_rule(strokeDash=[3, 3]).encode(x="one:Q")
    known = any(r["low"] is not None for r in rows)
    layers = [one, bars, dots] if known else [one, dots]
    return alt.layer(*layers, data=data).properties(
        height=row_height * max(len(order), 2), width=420
    )
