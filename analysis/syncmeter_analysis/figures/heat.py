"""Heat maps with the figure in every field: false sharing, and cores against cores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt


def heat_map(
    rows: list[dict[str, Any]],
    x: tuple[str, Sequence[str]],
    y: tuple[str, Sequence[str]],
    value: str,
    *,
    logarithmic: bool,
    domain: tuple[float, float],
    scheme: Any,
    size: tuple[int, int],
    after: str | None = None,
) -> Any:
    """Rows with `x`, `y` (text), `v` (value), `label`, `low`, `high` and `id`.

    `x` and `y` give a title and the order of their values. `after` draws a line left of that x.
    Text in a field is light or dark by its value's place in `domain`.
    """
    xs, ys = x[1], y[1]
    middle = (domain[0] * domain[1]) ** 0.5 if logarithmic else (domain[0] + domain[1]) / 2
    horizontal = alt.X("x:O", sort=list(xs), title=x[0], axis=alt.Axis(labelAngle=0))
    vertical = alt.Y("y:O", sort=list(ys), title=y[0])
    colour = alt.Color(
        "v:Q",
        title=value,
        scale=alt.Scale(
            scheme=scheme, type="log" if logarithmic else "linear", domain=list(domain), clamp=True
        ),
    )
    tips = [
        alt.Tooltip("y:N", title=y[0]),
        alt.Tooltip("x:N", title=x[0]),
        alt.Tooltip("v:Q", title=value, format=".4g"),
        alt.Tooltip("low:Q", title="from", format=".4g"),
        alt.Tooltip("high:Q", title="to", format=".4g"),
        alt.Tooltip("id:N", title="point"),
    ]
    cells = alt.Chart().mark_rect().encode(x=horizontal, y=vertical, color=colour, tooltip=tips)
    layers = [cells]
    if len(xs) <= 16:
        layers.append(
            alt.Chart()
            .mark_text(fontSize=10)
            .encode(
                x=horizontal,
                y=vertical,
                text="label:N",
                color=alt.condition(
                    f"datum.v > {middle}", alt.value("white"), alt.value("#222222")
                ),
            )
        )
    if after is not None:
        edge = (
            alt.Chart(alt.Data(values=[{"x": after}]))
            .mark_rule(strokeWidth=3, color="#D55E00")
            .encode(x=alt.X("x:O", sort=list(xs), bandPosition=0))
        )
        layers.append(edge)
    width = min(max(len(xs) * size[0], 120), 760)
    return alt.layer(*layers, data=alt.Data(values=rows)).properties(
        width=width, height=min(max(len(ys) * size[1], 60), 760)
    )
