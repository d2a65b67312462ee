"""Concludes how to avoid a branch with several paths in a warp on a GPU."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

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
    for n in sorted(inside, reverse=True):
        situation = situation_of(inside[n], "paths", size=n)
        made = []
        if n in across and n > 1:
            made.append(("warps", across[n], "sorted_data"))
        if n in predicated and n > 1:
            made.append(("select", predicated[n], "all_paths"))
        for question, other, condition in made:
            found = choose(
                [inside[n], other],
                question + more,
                situation,
                inside[n],
                conditions=lambda s, name=condition: [Condition(name)],  # type: ignore[misc]
                next=["advise_program"],
            )
            reason = Condition("each_path", slope) if slope and slope > 0 and is_largest else None
            yield replace(found, reason=reason)
