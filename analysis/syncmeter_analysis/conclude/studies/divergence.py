"""Concludes how to avoid a branch with several paths in a warp on a GPU."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from syncmeter_analysis.conclude.choice import choose, situation_of
from syncmeter_analysis.conclude.conclusion import Conclusion, Condition
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.divergence import Launch, forms, rows, slope_ns
from syncmeter_analysis.relate.group import on_first_device


def conclude(campaign: Campaign) -> list[Conclusion]:
    """Returns for each launch and number of paths whether to give each path its own warps, and whether
    to compute all paths. The largest launch and the most paths come first."""
    here = sorted(on_first_device(rows(campaign)), key=lambda one: -one.blocks * one.lanes)
    return [c for n, one in enumerate(here) for c in _of_launch(one, is_largest=n == 0)]


def _of_launch(one: Launch, is_largest: bool) -> Iterator[Conclusion]:
    inside, across, predicated = (one.by_op[op] for op in forms)
    more = "" if is_largest else "_small"
    slope = slope_ns(inside)
    reason = Condition("each_path", slope) if slope and slope > 0 and is_largest else None
    ways = (("warps", across, "sorted_data"), ("select", predicated, "all_paths"))
    for n, (question, other, condition) in product(sorted(inside, reverse=True), ways):
        if n > 1 and n in other:
            yield choose(
                [inside[n], other[n]],
                question + more,
                situation_of(inside[n], "paths", size=n),
                inside[n],
                conditions=lambda s, name=condition: [Condition(name)],  # type: ignore[misc]
                reason=reason,
                next=["advise_program"],
            )
