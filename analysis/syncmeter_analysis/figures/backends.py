"""What the portable API costs over the native one, op by op."""

from __future__ import annotations

from math import log

from syncmeter_analysis.data.point import native_of
from syncmeter_analysis.figures.dots import ratio_dots
from syncmeter_analysis.figures.figure import Figure, Panel
from syncmeter_analysis.statistics import text
from syncmeter_analysis.statistics.evidence import Evidence, Pairs
from syncmeter_analysis.statistics.relation import Verdict, verdict

# The largest differences; all are in the table.
_most_rows = 45


def backend_pairs(data: Evidence) -> dict[str, Pairs]:
    """For each portable backend its ratios over the native one of its hardware."""
    found = {}
    for portable, native in native_of.items():
        over = data.of_backend(portable)
        if not over:
            continue
        pairs = data.pairs(
            over,
            data.of_backend(native),
            ("backend", "flavour", "scope", "space"),
        )
        if pairs or pairs.without:
            found[portable] = pairs
    if data.of_backend("std") and data.of_backend("omp"):
        pairs = data.pairs(data.of_backend("std"), data.of_backend("omp"), ("backend",))
        if pairs:
            found["std"] = pairs
    return found


def backend_figures(data: Evidence) -> list[Figure]:
    """A figure for each backend that has a native counterpart."""
    figures = []
    for backend, pairs in backend_pairs(data).items():
        if not pairs:
            continue
        ordered = sorted(pairs.found, key=lambda p: -abs(log(p.ratio.value)))
        shown = sorted(ordered[:_most_rows], key=lambda p: -p.ratio.value)
        rows = [
            {
                "row": text.short_name(p.over.point, without=("backend",)),
                "ratio": p.ratio.value,
                "low": p.ratio.low if p.ratio.bounded else None,
                "high": p.ratio.high if p.ratio.bounded else None,
                "group": verdict(p.ratio).value,
                "id": p.over.id,
            }
            for p in shown
        ]
        groups = [g for g in (v.value for v in Verdict) if any(r["group"] == g for r in rows)]
        said = [verdict(p.ratio) for p in pairs.found]
        slower, faster, same = map(said.count, (Verdict.slower, Verdict.faster, Verdict.same))
        native = pairs.found[0].under.point.backend
        title = (
            f"{backend} over {native}: slower at {text.count(slower, 'point')}, faster at {faster}, "
            f"the same at {same} of {len(pairs.found)}"
        )
        cut = (
            f"; the {len(shown)} largest of {len(pairs.found)}" if len(shown) < len(ordered) else ""
        )
        note = f"Ratio of costs with its 95 % interval, logarithmic; within 5 % is the same{cut}."
        figures.append(
            Figure(
                f"backend-{backend}",
                title,
                note,
                [Panel(f"{backend} over {native}", ratio_dots(rows, "ratio of costs", groups))],
                pairs.ids,
                wide=True,
            )
        )
    return figures
