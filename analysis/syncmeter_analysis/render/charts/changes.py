"""What changed between two sides: the ratio of each resolved point with its interval."""

from __future__ import annotations

from syncmeter_analysis.relate import text
from syncmeter_analysis.relate.compare import Comparison
from syncmeter_analysis.relate.relation import Verdict
from syncmeter_analysis.studies.figures import Dots, Figure, Panel, row

# More rows than this are no figure that anyone reads; fewer will do where nothing changed.
_most_rows, _most_unchanged = 60, 15


def changes_figure(comparisons: list[Comparison]) -> Figure:
    """One panel for each comparison: what changed, or where nothing did the largest ratios."""
    panels, points = [], []
    for c in comparisons:
        chosen = c.resolved or sorted(c.differences, key=lambda d: -d.ratio.value)
        rows = [
            row(
                d.ratio.interval,
                d.new.id,
                row=text.short_name(d.new.point, without=("backend",)),
                group=d.verdict.value,
            )
            for d in chosen[: _most_rows if c.resolved else _most_unchanged]
        ]
        if not rows:
            continue
        groups = [v.value for v in Verdict if any(r["group"] == v.value for r in rows)]
        dots = Dots(rows, "ratio of costs", groups, ratios=True)
        panels.append(Panel(f"{c.names[1]} over {c.names[0]}", dots))
        points += [str(r["id"]) for r in rows]
    slower = sum(len(c.slower) for c in comparisons)
    faster = sum(len(c.resolved) for c in comparisons) - slower
    title = (
        f"{slower} points are slower, {faster} faster"
        if slower + faster
        else "Nothing changed: no difference is resolved"
    )
    return Figure(
        "changes",
        title,
        "ratio of costs with its 95 % interval, logarithmic",
        panels,
        points,
        wide=True,
    )
