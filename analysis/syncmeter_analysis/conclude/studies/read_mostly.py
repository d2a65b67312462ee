"""Concludes the study `read-mostly`: which scheme to use for data that many threads read and few
write."""

from __future__ import annotations

from collections import Counter

from syncmeter_analysis.conclude import references
from syncmeter_analysis.conclude.choice import choose, situation_in
from syncmeter_analysis.conclude.conclusion import Conclusion, Condition
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import Contest, contests
from syncmeter_analysis.relate.op_groups import is_own_code
from syncmeter_analysis.relate.summary import Measured

suffix = "_read_mostly"


def rows(campaign: Campaign) -> list[Contest]:
    """Returns all schemes at one number of threads, size and reads for each write, of each file."""
    axes = "lanes", "size", "reads_per_write", "affinity", "wait"
    return contests(campaign, _belongs, *axes)


def _belongs(s: Measured) -> bool:
    return s.point.op.endswith(suffix) and not s.imported and s.status != "unsupported"


def conclude(campaign: Campaign) -> list[Conclusion]:
    """Returns a conclusion for each situation, the most threads first."""
    found = rows(campaign)
    sizes = Counter(one.first.point.size for one in found)

    def order(one: Contest) -> tuple[int, ...]:
        """Orders the size with the most ratios of reads to writes before other sizes."""
        p = one.first.point
        return -p.lanes, -sizes[p.size], p.size, p.reads_per_write

    return [_scheme(one) for one in sorted(found, key=order)]


def _scheme(one: Contest) -> Conclusion:
    p = one.first.point
    situation = situation_in(
        one,
        "access",
        crowded=one.is_crowded,
        size=p.size,
        reads_per_write=p.reads_per_write,
    )
    mine = references.read_mostly.among(one.points)
    return choose(
        one,
        "scheme",
        situation,
        mine,
        conditions=lambda s: [Condition("own_code")] * is_own_code(s.point.op),
        next=["advise_program"],
    )
