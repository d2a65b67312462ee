"""Vega-Lite of figures, and their look: four kinds of drawings for all studies; and figures as files,
by vl-convert: SVG, PNG, PDF, or a page of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from math import log
from operator import itemgetter
from pathlib import Path
from statistics import median
from typing import Any

import vl_convert

from syncmeter_analysis.record.errors import NotWritten, Unusable
from syncmeter_analysis.record.output import write_whole
from syncmeter_analysis.relate import text
from syncmeter_analysis.relate.group import grouped
from syncmeter_analysis.studies.figures import Axis, Bars, Curves, Dots, Figure, Heat, Panel, Row

#: Colours that the colour-blind tell apart (Okabe and Ito), without black, which dark pages swallow.
palette = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#8C8C8C"]
shapes = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right"]
dashes = [[1, 0], [6, 2], [2, 2], [8, 2, 2, 2], [4, 4], [1, 3], [10, 3]]

#: Colours of fields with text in them, and its own: the contrast is 4.5:1 or more along the ramp.
ramp, ink = ["#f7fbff", "#5da5d8"], "#000000"

#: Width and height of a panel, pixels; on a page the width follows the column.
_panel = {"width": 300, "height": 210}
#: The fields of a map take no more pixels either way.
widest_map = 760
#: Pixels of a row of dots.
_row_height = 17
#: Of a figure of ratios so many, the largest, are written beside their dots: paper has no tooltips.
_written_ratios = 6
#: Of the width of a figure: labels whose dots are nearer to each other would overlap, on a phone too.
_label_width = 0.6
#: Of the width of a figure: what a name beside a dot takes, on a phone too.
_beside_width = 0.4
#: Pixels between the frame and the outer dots of an axis, with labels and without.
_half_label, _half_dot = 27, 8

Spec = dict[str, Any]


def spec_of(panel: Panel) -> Spec:
    """Its Vega-Lite with its data inside, without the look."""
    drawing = panel.drawing
    if isinstance(drawing, Curves):
        return _curves(drawing)
    if isinstance(drawing, Bars):
        return _bars(drawing)
    return _dots(drawing) if isinstance(drawing, Dots) else _heat(drawing)


def whole_spec(figure: Figure) -> Spec:
    """All panels of a figure as one specification with the light look."""
    return {
        "title": {"text": figure.title, "fontSize": 14},
        "config": look(),
        "columns": 3,
        "concat": [spec_of(panel) | {"title": panel.title} for panel in figure.panels],
    }


def look(dark: bool = False) -> Spec:
    """The Vega-Lite config of all figures on a light or a dark page."""
    text_colour, faint = ("#e8e8e8", "#555555") if dark else ("#222222", "#dddddd")
    labels = {"labelColor": text_colour, "titleColor": text_colour}
    lines = {"gridColor": faint, "domainColor": text_colour, "tickColor": text_colour}
    return {
        "background": "transparent" if dark else "white",
        "font": "sans-serif",
        "axis": {**labels, **lines, "titleFontWeight": "normal", "gridOpacity": 0.6},
        "axisY": {"labelLimit": 330},
        "legend": {**labels, "orient": "bottom", "symbolOpacity": 1, "labelLimit": 280},
        "title": {"color": text_colour, "fontWeight": "normal", "fontSize": 12, "anchor": "start"},
        "text": {"color": text_colour},
        "rule": {"color": text_colour},
        "view": {"stroke": faint},
        "range": {"category": palette},
    }


def _named(field: str, title: str) -> Spec:
    return {"field": field, "type": "nominal", "title": title}


def _number(field: str, title: str) -> Spec:
    return {"field": field, "type": "quantitative", "title": title, "format": ".4g"}


def _layer(mark: str, encoding: Spec, **of_mark: Any) -> Spec:
    return {"mark": {"type": mark, **of_mark}, "encoding": encoding}


def _dot(size: int, encoding: Spec) -> Spec:
    return _layer("point", encoding, filled=True, opacity=1, size=size)


def _across(channel: str, at: float) -> Spec:
    """A dashed line at a value of an axis."""
    encoding = {channel: {"datum": at, "type": "quantitative"}}
    once: Spec = {"data": {"values": [{}]}}
    return _layer("rule", encoding, strokeDash=[4, 3], opacity=0.7) | once


def _looks(
    rows: Sequence[Row], field: str, names: Sequence[str], among: Sequence[Any], title: str | None
) -> Spec:
    """How each name of the rows looks, the same in all panels of `names`; without a legend where it
    would be one name that nobody asked for."""
    look_of = {name: among[i % len(among)] for i, name in enumerate(names)}
    drawn = {r.get(field) for r in rows}
    seen = [name for name in look_of if name in drawn]
    columns = 1 if max(map(len, seen), default=0) > 24 else 2 if len(seen) > 3 else 0
    legend = ({"columns": columns} if columns else {}) if title or len(seen) > 1 else None
    scale = {"domain": seen, "range": [look_of[name] for name in seen]}
    found = {**_named(field, title or ""), "title": title or None, "sort": seen}
    return {**found, "scale": scale, "legend": legend}


def _scaled(axis: Axis, field: str) -> Spec:
    """The encoding of a position on an axis."""
    if axis.scale == "steps":
        look = {"labelAngle": 0}
        return {"field": field, "type": "ordinal", "title": axis.title, "axis": look}
    ticks: Spec = {"values": list(axis.values)} if axis.values else {"tickCount": 5}
    if axis.format:
        ticks["format"] = axis.format
    if axis.scale == "powers":
        ticks["labelExpr"] = "'2^' + format(log(datum.value) / LN2, '.0f')"
    scale: Spec = {"type": "linear", "zero": axis.scale == "zero"}
    if axis.scale.startswith("log") or axis.scale == "powers":
        scale = {"type": "log", "base": 10 if axis.scale == "log" else 2, "nice": False}
    if axis.domain:
        scale["domain"] = list(axis.domain)
    position = {"field": field, "type": "quantitative", "title": axis.title}
    return {**position, "scale": scale, "axis": ticks}


def _curves(c: Curves) -> Spec:
    x, y = _scaled(c.x, "x"), _scaled(c.y, "value")
    colour, shape = (
        _looks(c.rows, "name", c.names, among, c.legend) for among in (palette, shapes)
    )
    tips = [_named("name", c.legend or " "), _named("x", c.x.title), _number("value", c.y.title)]
    layers = [_across("x", at) for at in c.marks]
    layers += [] if c.level is None else [_across("y", c.level)]
    if any(r.get("low") is not None for r in c.rows):
        tips += [_number("low", "from"), _number("high", "to")]
        ends = {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}, "color": colour}
        bars = _layer("area", ends, opacity=0.2, clip=True)
        layers.append(bars if c.band else _layer("rule", ends, opacity=0.6))
    line = {"x": x, "y": y, "color": colour}
    if len(c.names) > len(palette):
        # The second seven are dashed.
        by_seven = [dash for dash in dashes for _ in palette]
        line["strokeDash"] = _looks(c.rows, "name", c.names, by_seven, c.legend)
    layers += [_long_lines(line)] * (c.lines and _has_lines(c))
    tips.append(_named("id", "point"))
    layers.append(_dot(35, {"x": x, "y": y, "color": colour, "shape": shape, "tooltip": tips}))
    rows = _with_beside(c.rows)
    beside = {"x": x, "y": y, "text": {"field": "beside", "type": "nominal"}}
    for dx, dy in dict.fromkeys((r["dx"], r["dy"]) for r in rows if "dx" in r):
        align = "right" if dx < 0 else "left"
        written = _layer("text", beside, dx=dx, dy=dy, align=align, fontSize=11)
        only = [{"filter": f"datum.dx == {dx} && datum.dy == {dy}"}]
        layers.append({**written, "transform": only})
    return {"data": {"values": rows}, "layer": layers, **_panel}


def _with_beside(rows: Sequence[Row]) -> list[Row]:
    """The rows; of those with a name `beside` where it stands (`dx`, `dy`, pixels): on the side where
    there is room, and where other dots are there, above them or, left of the middle, below: ranks
    ascend."""
    if not any("beside" in r for r in rows):
        return list(rows)
    middle, wide = (f(r["x"] for r in rows) for f in (median, max))
    values = [r["value"] for r in rows]
    level = 0.08 * log(max(values) / min(values))

    def stands(r: Row) -> Row:
        side = -1 if r["x"] > middle else 1
        behind = ((side * (o["x"] - r["x"]) / wide, log(o["value"] / r["value"])) for o in rows)
        crowded = any(0 < x < _beside_width and abs(y) < level for x, y in behind)
        return {**r, "dx": 8 * side, "dy": 11 * side if crowded else 0}

    return [stands(r) if "beside" in r else r for r in rows]


def _has_lines(c: Curves) -> bool:
    """Vega warns of a layer without data."""
    by_name = grouped(c.rows, itemgetter("name")).values()
    return any(len({r["x"] for r in alike}) > 2 for alike in by_name)


def _long_lines(encoding: Spec) -> Spec:
    """Lines of three values of x and more."""
    count = [{"op": "distinct", "field": "x", "as": "at"}]
    only = [{"joinaggregate": count, "groupby": ["name"]}, {"filter": "datum.at > 2"}]
    return {**_layer("line", encoding, strokeWidth=1.5), "transform": only}


def _dots(d: Dots) -> Spec:
    rows, value = d.rows, "ratio" if d.ratios else "ns"
    labelled = any("label" in r for r in rows)
    if d.ratios:
        largest = sorted((r for r in rows if r["value"] > 0), key=lambda r: -abs(log(r["value"])))
        written = {id(r) for r in largest[:_written_ratios]}
        rows = [{**r, "beside": text.ratio(r["value"])} if id(r) in written else r for r in rows]
    order = list(dict.fromkeys(r["row"] for r in rows))
    scale: Spec = {"type": "log", "nice": False}
    # The ends of what is drawn; the line of 1 is inside.
    ends = [r[k] for r in rows for k in ("value", "low", "high") if (r[k] or 0) > 0]
    ends += [1.0] * d.ratios
    span = max(ends) / min(ends)
    if d.ratios:
        # They are written right of their intervals.
        scale["domain"] = [min(ends) / max(1.02, span**0.05), max(ends) * max(1.05, span**0.3)]
    else:
        # Costs are written above their dots: half a label stands left and right of the last.
        scale["domain"] = (
            [min(ends), max(ends)] if span > 1 else [0.8 * min(ends), 1.25 * min(ends)]
        )
        scale["padding"] = _half_label if labelled else _half_dot
    y: Spec = {"field": "row", "type": "nominal", "sort": order, "title": None}
    if labelled:
        # Room for what stands above the first row and below the last.
        y["scale"] = {"type": "point", "padding": 0.8}
    x = {
        "type": "quantitative",
        "title": d.title,
        "scale": scale,
        "axis": {"labelSeparation": 8, "labelBound": 4},
    }
    at = {"x": {**x, "field": "value"}, "y": y}
    legend = d.legend if len(d.groups) > 1 else None
    colour, shape = (_looks(rows, "group", d.groups, among, legend) for among in (palette, shapes))
    tips = [_named("row", d.what), _named("group", d.legend or ("found" if d.ratios else "where"))]
    tips += [_number("value", value), _number("low", "from"), _number("high", "to")]
    tips.append(_named("id", "point"))
    layers = [_across("x", 1.0)] * d.ratios
    if any(r["low"] is not None for r in rows):
        ends_of = {"x": {**x, "field": "low"}, "x2": {"field": "high"}, "y": y, "color": colour}
        layers.append(_layer("rule", ends_of, strokeWidth=2, opacity=0.6))
    layers.append(_dot(55, {**at, "color": colour, "shape": shape, "tooltip": tips}))
    if labelled:
        rows = _with_sides(rows, scale["domain"])
        label = {**at, "text": {"field": "label", "type": "nominal"}, "tooltip": tips}
        for dy in dict.fromkeys(r["dy"] for r in rows):
            written_layer = _layer("text", label, dy=dy, fontSize=11)
            layers.append({**written_layer, "transform": [{"filter": f"datum.dy == {dy}"}]})
    if d.ratios:
        end = {"x": {**x, "field": "end"}, "y": y, "text": {"field": "beside", "type": "nominal"}}
        behind = {"calculate": "max(datum.high || 0, datum.value)", "as": "end"}
        written_layer = _layer("text", end, dx=8, align="left", fontSize=11)
        only = [{"filter": "isValid(datum.beside)"}, behind]
        layers.append({**written_layer, "transform": only})
    height = (_row_height + 13 * labelled) * max(len(order), 2)
    return {"data": {"values": rows}, "layer": layers, "width": 420, "height": height}


def _with_sides(rows: Sequence[Row], domain: Sequence[float]) -> list[Row]:
    """The rows, each with how far below its dot the label stands (`dy`, pixels). Where two dots on one
    line are too near to each other, every second one of a line has it below."""
    near = _label_width * log(domain[1] / domain[0])
    lines = grouped(sorted(rows, key=itemgetter("value")), itemgetter("row"))
    pairs = [pair for line in lines.values() for pair in pairwise(line)]
    crowded = any(log(right["value"] / left["value"]) < near for left, right in pairs)
    return [
        {**r, "dy": 10 if crowded and i % 2 else -9}
        for line in lines.values()
        for i, r in enumerate(line)
    ]


def _bars(b: Bars) -> Spec:
    order = list(dict.fromkeys(r["row"] for r in b.rows))
    colour = _looks(b.rows, "part", b.parts, palette, "")
    rows = [{**r, "place": b.parts.index(r["part"])} for r in b.rows]
    encoding = {
        "y": {"field": "row", "type": "nominal", "sort": order, "title": None},
        "x": {**_scaled(b.x, "value"), "stack": "zero"},
        "color": {**colour, "legend": {"columns": 1}},
        "order": {"field": "place", "type": "quantitative"},
        "tooltip": [_named("row", b.what), _named("part", "part"), _number("value", b.x.title)],
    }
    height = (_row_height + 8) * max(len(order), 2)
    return {
        "data": {"values": rows},
        "layer": [_layer("bar", encoding)],
        "width": 420,
        "height": height,
    }


def _heat(h: Heat) -> Spec:
    """Maps of many fields have no text in them, and more colours, with a legend."""
    (x_title, xs), (y_title, ys) = h.x, h.y
    x: Spec = {"field": "x", "type": "ordinal", "title": x_title, "sort": list(xs)}
    x["axis"] = {"labelAngle": 0}
    y = {"field": "y", "type": "ordinal", "title": y_title, "sort": list(ys)}
    written = len(xs) <= 16
    kind = "log" if h.logarithmic else "linear"
    scale: Spec = {"type": kind, "clamp": True, "domain": list(h.domain)}
    scale |= {"range": ramp} if written else {"scheme": "viridis"}
    colour: Spec = {"field": "value", "type": "quantitative", "title": h.value, "scale": scale}
    if written:
        colour["legend"] = None
    tips = [_named("y", y_title), _named("x", x_title), _number("value", h.value)]
    tips += [_number("low", "from"), _number("high", "to"), _named("id", "point")]
    at = {"x": x, "y": y, "tooltip": tips}
    layers = [_layer("rect", {**at, "color": colour})]
    if written:
        # The text lies on the field and takes the pointer.
        label = {"field": "label", "type": "nominal"}
        layers.append(_layer("text", {**at, "text": label, "color": {"value": ink}}, fontSize=11))
    if h.after:
        edge = {"field": "x", "type": "ordinal", "sort": list(xs), "bandPosition": 0}
        line = _layer("rule", {"x": edge}, strokeWidth=3, color="#D55E00")
        layers.append({**line, "data": {"values": [{"x": h.after}]}})
    width, height = len(xs) * h.size[0], len(ys) * h.size[1]
    size = {"width": min(max(width, 120), widest_map), "height": min(max(height, 60), widest_map)}
    return {"data": {"values": h.rows}, "layer": layers, **size}


#: Writers by file ending.
_formats: dict[str, Callable[[Spec], bytes | str]] = {
    ".svg": vl_convert.vegalite_to_svg,
    ".png": partial(vl_convert.vegalite_to_png, scale=2),
    ".pdf": vl_convert.vegalite_to_pdf,
    ".html": partial(vl_convert.vegalite_to_html, bundle=True),
}


def save(figure: Figure, path: Path) -> None:
    """Writes one figure. Raises Unusable for another ending, NotWritten where it cannot be written."""
    if path.suffix not in _formats:
        raise Unusable(f"{path}: a figure is one of {', '.join(_formats)}")
    write_whole(path, _formats[path.suffix](whole_spec(figure)))


def all_files(figures: list[Figure], folder: Path) -> dict[Path, Figure]:
    """SVG, PNG and PDF of every figure in `folder`, which is made: names by their ids."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise NotWritten(f"{folder}: {error.strerror or 'cannot be made'}") from error
    return {folder / f"{f.id}{ending}": f for f in figures for ending in (".svg", ".png", ".pdf")}
