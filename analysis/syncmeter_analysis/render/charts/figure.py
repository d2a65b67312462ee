"""A figure: panels on one scale under a title that says the finding, and the look of all of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import altair as alt

#: Colours that the colour-blind tell apart (Okabe and Ito), without black, which dark pages swallow.
palette = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#8C8C8C"]
shapes = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right"]
dashes = [[1, 0], [6, 2], [2, 2], [8, 2, 2, 2], [4, 4], [1, 3], [10, 3]]

#: Order of types everywhere, so that a type has one colour in all figures.
types = ["int32", "uint32", "uint64", "float", "double"]

#: Width and height of a panel, pixels; on a page the width follows the column.
panel_width, panel_height = 300, 210


@dataclass
class Panel:
    """One drawing of a figure. `chart` is an Altair chart, or its Vega-Lite, with its data inside."""

    title: str
    chart: alt.TopLevelMixin | dict[str, Any]

    def spec(self) -> dict[str, Any]:
        """Its Vega-Lite, without the look (see `look`)."""
        if isinstance(self.chart, dict):
            return dict(self.chart)
        found: dict[str, Any] = self.chart.to_dict(validate=False)
        found.pop("config", None)
        return found


@dataclass
class Figure:
    """`title` says what is to be seen; `note` what it shows, units and what was left out.

    `id` is part of an address in the page and of file names. `points` are ids of the points drawn.
    """

    id: str
    title: str
    note: str
    panels: list[Panel]
    points: list[str] = field(default_factory=list)
    wide: bool = False


def look(dark: bool = False) -> dict[str, Any]:
    """The Vega-Lite config of all figures on a light or a dark page."""
    ink, faint = ("#e8e8e8", "#555555") if dark else ("#222222", "#dddddd")
    return {
        "background": "transparent" if dark else "white",
        "font": "sans-serif",
        "axis": {
            "labelColor": ink,
            "titleColor": ink,
            "gridColor": faint,
            "domainColor": ink,
            "tickColor": ink,
            "titleFontWeight": "normal",
            "gridOpacity": 0.6,
        },
        "axisY": {"labelLimit": 330},
        "legend": {
            "labelColor": ink,
            "titleColor": ink,
            "orient": "bottom",
            "symbolOpacity": 1,
        },
        "title": {"color": ink, "fontWeight": "normal", "fontSize": 12, "anchor": "start"},
        "text": {"color": ink},
        "rule": {"color": ink},
        "view": {"stroke": faint},
        "range": {"category": palette},
    }


def short_scale(values: list[float]) -> tuple[float, float]:
    """Bounds for a logarithmic scale that all panels of a figure share; values > 0."""
    low, high = min(values), max(values)
    return (low / 1.15, high * 1.15) if low < high else (low / 2, high * 2)


def long_lines(chart: Any, rows: Sequence[dict[str, Any]], x: str, *groups: str) -> list[Any]:
    """The layer of lines without those of one or two values of `x`: a line through two points shows a
    course that nobody measured. `groups` are the fields that tell lines apart. Empty without a line:
    Vega warns of a layer without data."""
    values: dict[tuple[Any, ...], set[Any]] = defaultdict(set)
    for row in rows:
        values[tuple(row[g] for g in groups)].add(row[x])
    if all(len(seen) < 3 for seen in values.values()):
        return []
    counted = chart.transform_joinaggregate(at=f"distinct({x})", groupby=list(groups))
    return [counted.transform_filter("datum.at > 2")]
