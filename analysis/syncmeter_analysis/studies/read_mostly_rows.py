"""One datum that many read and few write: the cost of an access by scheme, share of writes, size of the
datum and lanes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.relation import Winners, fastest_of
from syncmeter_analysis.relate.summary import Measured

_least_schemes = 2


@dataclass
class Contest:
    """All schemes at one number of lanes, bytes of the datum and reads for each write, of one file."""

    schemes: list[Measured]
    winners: Winners | None
    source: str = ""

    @property
    def lanes(self) -> int:
        return self.schemes[0].point.lanes

    @property
    def size(self) -> int:
        return self.schemes[0].point.size

    @property
    def reads(self) -> int:
        return self.schemes[0].point.reads_per_write

    def of(self, scheme: str) -> Measured | None:
        return next((s for s in self.schemes if scheme_of(s) == scheme), None)


@dataclass
class ReadMostly:
    """The contests by lanes, size and reads, and the schemes in them."""

    contests: list[Contest]
    schemes: list[str]

    def __bool__(self) -> bool:
        return bool(self.contests)


def scheme_of(s: Measured) -> str:
    """`std seqlock`."""
    return f"{s.point.backend} {s.point.op.removesuffix('_read_mostly')}"


def rows(campaign: Campaign) -> ReadMostly:
    """Nothing where fewer than two schemes were measured at one point."""
    found = []
    for file, points in zip(campaign.files, campaign.by_file, strict=True):
        for group in _groups(points):
            found.append(Contest(group, fastest_of(group), campaign.named(file)))
    return ReadMostly(found, sorted({scheme_of(s) for c in found for s in c.schemes}))


def _groups(points: Iterable[Measured]) -> list[list[Measured]]:
    groups: dict[tuple[int, int, int, str, str], list[Measured]] = defaultdict(list)
    for s in points:
        p = s.point
        if p.op.endswith("_read_mostly") and not s.imported and s.status != "unsupported":
            groups[p.lanes, p.size, p.reads_per_write, p.affinity, p.wait].append(s)
    ordered = (group for _, group in sorted(groups.items()))
    return [group for group in ordered if len(group) >= _least_schemes]
