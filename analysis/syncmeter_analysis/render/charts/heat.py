"""Heat maps with the figure in every field: false sharing, and cores against cores."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from functools import cache
from typing import Any

import altair as alt

#: Colours of fields with text in them, and its own: the contrast is 4.5:1 or more along the ramp.
ramp, ink = ["#f7fbff", "#5da5d8"], "#000000"


def heat_map(
    rows: list[dict[str, Any]],
    x: tuple[str, Sequence[str]],
    y: tuple[str, Sequence[str]],
    value: str,
    *,
    logarithmic: bool,
    domain: tuple[float, float],
    size: tuple[int, int],
    after: str | None = None,
) -> dict[str, Any]:
    """The Vega-Lite of rows with `x`, `y` (text), `v` (value), `label`, `low`, `high` and `id`.

    `x` and `y` give a title and the order of their values. `after` draws a line left of that x.
    Maps of many fields have no text in them, and more colours.
    """
    xs, ys = x[1], y[1]
    spec = copy.deepcopy(_template(x[0], y[0], value, logarithmic, len(xs) <= 16))
    for layer in spec["layer"]:
        encoding = layer["encoding"]
        encoding["x"]["sort"], encoding["y"]["sort"] = list(xs), list(ys)
        if "text" not in encoding:
            encoding["color"]["scale"]["domain"] = list(domain)
    if after is not None:
        edge = {"field": "x", "type": "ordinal", "sort": list(xs), "bandPosition": 0}
        spec["layer"].append(
            {
                "data": {"values": [{"x": after}]},
                "mark": {"type": "rule", "strokeWidth": 3, "color": "#D55E00"},
                "encoding": {"x": edge},
            }
        )
    spec["width"] = min(max(len(xs) * size[0], 120), 760)
    spec["height"] = min(max(len(ys) * size[1], 60), 760)
    spec["data"] = {"values": rows}
    return spec


@cache
def _template(
    x_title: str, y_title: str, value: str, logarithmic: bool, labelled: bool
) -> dict[str, Any]:
    """The map without its data, orders and scale: Altair takes long to make one."""
    horizontal = alt.X("x:O", title=x_title, axis=alt.Axis(labelAngle=0))
    vertical = alt.Y("y:O", title=y_title)
    scale = alt.Scale(type="log" if logarithmic else "linear", clamp=True)
    scale[("range" if labelled else "scheme")] = ramp if labelled else "viridis"
    colour = alt.Color("v:Q", title=value, scale=scale)
    tips = [
        alt.Tooltip("y:N", title=y_title),
        alt.Tooltip("x:N", title=x_title),
        alt.Tooltip("v:Q", title=value, format=".4g"),
        alt.Tooltip("low:Q", title="from", format=".4g"),
        alt.Tooltip("high:Q", title="to", format=".4g"),
        alt.Tooltip("id:N", title="point"),
    ]
    layers = [alt.Chart().mark_rect().encode(x=horizontal, y=vertical, color=colour, tooltip=tips)]
    if labelled:
        # The text lies on the field and takes the pointer.
        layers.append(
            alt.Chart()
            .mark_text(fontSize=11)
            .encode(x=horizontal, y=vertical, text="label:N", color=alt.value(ink), tooltip=tips)
        )
    spec: dict[str, Any] = alt.layer(*layers, data=alt.Data(values=[])).to_dict(validate=False)
    spec.pop("config", None)
    return spec
