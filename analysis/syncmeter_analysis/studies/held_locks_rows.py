"""Locks held for a while: what all lanes get done, and how long each lane waits, by lock."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.relation import NotComparable, Ratio, Winners, fastest_of, ratio
from syncmeter_analysis.relate.summary import Measured

_least_locks = 2


@dataclass
class Situation:
    """All locks with so many lanes, so much work under the lock and so much between two sections, of
    one file and affinity. Ratios by a point's id, over the fastest lock."""

    locks: list[Measured]
    winners: Winners | None
    over_fastest: dict[str, Ratio | NotComparable] = field(default_factory=dict)
    source: str = ""

    @property
    def first(self) -> Measured:
        return self.locks[0]

    @property
    def oversubscribed(self) -> bool:
        """More lanes than PUs: two of them share one."""
        pus = [pu for s in self.locks for pu in s.pus[: s.point.lanes]]
        lanes = self.first.point.lanes
        return any(s.oversubscribed for s in self.locks) or (
            bool(pus) and len(set(self.first.pus)) < min(lanes, len(self.first.pus))
        )


def situations(campaign: Campaign) -> list[Situation]:
    """In the order of lanes, work inside and work outside; none where there is one lock only."""
    found = []
    for file, points in zip(campaign.files, campaign.by_file, strict=True):
        for group in _groups(points):
            winners = fastest_of(group)
            one = Situation(group, winners, source=campaign.named(file))
            if winners is not None:
                others = (s for s in group if s is not winners.best)
                one.over_fastest = {s.id: ratio(s, winners.best) for s in others}
            found.append(one)
    return found


def _groups(points: Iterable[Measured]) -> list[list[Measured]]:
    groups: dict[tuple[int, int, int, str, str], list[Measured]] = defaultdict(list)
    for s in points:
        p = s.point
        # A point that timed out has no family: its name tells.
        if p.op.endswith("_held") and not s.imported and s.status != "unsupported":
            groups[p.lanes, p.section_ns, p.think_ns, p.affinity, p.wait].append(s)
    ordered = (sorted(group, key=_name) for _, group in sorted(groups.items()))
    return [group for group in ordered if len(group) >= _least_locks]


def _name(s: Measured) -> tuple[str, str]:
    return s.point.backend, s.point.op


def lock_of(s: Measured) -> str:
    """`std mcs_lock`."""
    return f"{s.point.backend} {s.point.op.removesuffix('_held')}"
