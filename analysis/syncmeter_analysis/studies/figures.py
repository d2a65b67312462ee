"""Figures as data: what is drawn, of which points, under which title. render/charts/draw.py makes
Vega-Lite, because studies need no drawing library."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.studies.blocks import Line

#: The number of groups or lines with an own colour.
most_colours = 7

#: A dot, bar or field: `value` with `low` and `high` (None: not known), `id` of the point, and members
#: for the kind of drawing.
Row = dict[str, Any]


def row(cost: Interval, id: str, **fields: Any) -> Row:
    """A figure of a point with its interval."""
    low, high = (cost.low, cost.high) if cost.bounded else (None, None)
    return {"value": cost.value, "low": low, "high": high, "id": id, **fields}


def rows_of(value: object, **fields: Any) -> list[Row]:
    """Returns the dot for a configuration's cost in ns, or nothing without a cost."""
    if isinstance(value, Measured):
        return [row(value.cost, value.id, **fields)] if value.usable and value.cost else []
    if isinstance(value, Interval):
        return [row(value, "", **fields)]
    return [{"value": value, **fields}] if isinstance(value, int | float) else []


@dataclass(frozen=True)
class Axis:
    """`scale`: 'log', 'log2' (ticks at `values`), 'powers' (of two, written so), 'linear', 'zero'
    (linear, from 0) or 'steps' (a place for each value). `format` is one of d3."""

    title: str
    scale: str = "log"
    format: str = ""
    values: Sequence[float] = ()
    domain: tuple[float, float] | None = None


@dataclass
class Curves:
    """A dot for each row (`x`, `value`, `name`), a line through those of one name that have three
    values of x or more: a line through two shows a course that nobody measured.

    `legend` says what the names are. Intervals are bars, or a `band`. `lines` may be left out. `marks`
    are values of x with a line across, `level` one of y. `beside` of a row is written beside its dot.
    """

    rows: list[Row]
    x: Axis
    y: Axis
    names: Sequence[str]
    legend: str = ""
    lines: bool = True
    band: bool = False
    marks: Sequence[float] = ()
    level: float | None = None


@dataclass
class Dots:
    """Costs, or `ratios`, on one logarithmic axis: a line for each `row`, a look for each `group` of
    `groups`. What a row is (`what`) and its group (`legend`) is said beside the numbers. A `label`
    stands above its dot."""

    rows: list[Row]
    title: str
    groups: Sequence[str]
    what: str = "point"
    legend: str | None = None
    ratios: bool = False


@dataclass
class Heat:
    """Fields of colour at `x` and `y` (text), each with its `label`; of the axes title and order.
    `size` is of a field in pixels; `after` draws a line left of that x."""

    rows: list[Row]
    x: tuple[str, Sequence[str]]
    y: tuple[str, Sequence[str]]
    value: str
    domain: tuple[float, float]
    size: tuple[int, int]
    logarithmic: bool = True
    after: str = ""


@dataclass
class Bars:
    """A bar for each `row`, made of its values of `parts` one behind the other. Beside the numbers
    stands what a row is (`what`)."""

    rows: list[Row]
    x: Axis
    parts: Sequence[str]
    what: str


@dataclass
class Panel:
    """One drawing in a figure."""

    title: str
    drawing: Curves | Dots | Heat | Bars


@dataclass
class Figure:
    """`title` says what is to be seen; `note` what it shows, units and what was left out.

    `id` is part of an address in the page and of file names. `points` are ids of the points drawn, if
    not those of the rows: what the drawn values rest on.
    """

    id: str
    title: str
    note: str
    panels: list[Panel]
    points: list[str] = field(default_factory=list)
    wide: bool = False

    def __post_init__(self) -> None:
        rows = (row for panel in self.panels for row in panel.drawing.rows)
        self.points = self.points or [row["id"] for row in rows if row.get("id")]


def courses(
    lines: Iterable[Line], /, x: Axis, y: Axis, least: int = 1, title: str = "", **looks: Any
) -> list[Panel]:
    """Returns curves for table lines with x as last key: a panel for each set of other keys with
    `least` values of x, and a curve for each column. `looks` are further members of Curves."""
    panels: dict[str, list[Row]] = {}
    for at, values, _ in lines:
        name = " ".join(filter(None, [title, *map(str, at[:-1])]))
        found = (rows_of(value, x=at[-1], name=column) for column, value in values.items())
        panels.setdefault(name, []).extend(row for rows in found for row in rows)
    # Each name has the same colour in all panels.
    names = list(dict.fromkeys(row["name"] for rows in panels.values() for row in rows))
    return [
        Panel(name, Curves(rows, x, y, names, **looks))
        for name, rows in panels.items()
        if len({row["x"] for row in rows}) >= least
    ]


def dots(id: str, title: str, note: str, lines: Iterable[Line], /, **looks: Any) -> list[Figure]:
    """Returns a figure with a dot row for each table line, and a colour for each column.
    `looks` are further members of Dots."""
    rows = [
        row
        for at, values, _ in lines
        for group, value in values.items()
        for row in rows_of(value, row=", ".join(filter(None, map(str, at))), group=group)
    ]
    groups = list(dict.fromkeys(row["group"] for row in rows))[:most_colours]
    rows = [row for row in rows if row["group"] in groups]
    panel = Panel("", Dots(rows, groups=groups, **{"title": "ns", **looks}))
    return [Figure(id, title, note, [panel], wide=True)] if rows else []


def shared_domain(values: Sequence[float]) -> tuple[float, float]:
    """Bounds for a logarithmic scale that all panels of a figure share; values > 0."""
    low, high = min(values), max(values)
    return (low / 1.15, high * 1.15) if low < high else (low / 2, high * 2)
