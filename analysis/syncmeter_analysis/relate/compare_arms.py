"""The two arms of a campaign of `syncmeter ab`, point by point: visits are paired by number, inside the
placement state that both arms have most of them in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import ClassVar

from syncmeter_analysis.record.arms import Arms, arms_of
from syncmeter_analysis.record.point import Point
from syncmeter_analysis.record.reader import ResultsFile
from syncmeter_analysis.relate import text
from syncmeter_analysis.relate.campaign import Campaign, campaign_of
from syncmeter_analysis.relate.compare import (
    Apart,
    Candidate,
    Comparison,
    has_failed,
    hides_no_change,
    is_broken,
    judged,
)
from syncmeter_analysis.relate.relation import Ratio, paired_visits, ratio
from syncmeter_analysis.relate.summary import Measured

#: Fewer pairs of visits say nothing of their scatter.
enough_pairs = 3


@dataclass
class ArmComparison(Comparison):
    """Points are named without their arm."""

    arms: Arms = field(kw_only=True)

    cures: ClassVar[str] = "More visits (`ab --visits`, `--budget`, `--resume`) or quiet hours"

    @property
    def blind_apart(self) -> list[Apart]:
        """None: each reason has a sentence of its own."""
        return []

    @property
    def hides_changes(self) -> bool:
        """As of every comparison, and where the second arm lacks points of the first, unless the arms
        are of two backends, which need not have the same."""
        # Where all points are of equal code, no point says of which backends the arms are.
        known = bool(self.differences) or not self.arms.any_backend
        one_backend = known and all(
            d.old.point.backend == d.new.point.backend for d in self.differences
        )
        return super().hides_changes or (one_backend and bool(self.arms.only[0]))

    @property
    def status(self) -> int:
        """As of every comparison. Points of equal code are the same, so that 3, or 0, may be said where
        they are all that was compared."""
        if self.broken or self.differences or not self.arms.equal:
            return super().status
        return 3 if self.hides_changes and not self.blind_is_fine else 0


def share_of_look(visits: int, arms: Arms) -> float:
    """The share of the chance of a false alarm that looking at so many visits may take.

    Points that could not be told were visited again until half as many visits more were there. Looking
    until something shows would raise false alarms: the first look takes half of the chance, each
    further one a tenth (docs/estimates.md has why). All of it where there is one look only.
    """
    if visits <= max(arms.planned, 1):
        return 0.5 if arms.looks_again else 1.0
    return 0.1


def _obstacle(s: Measured | None) -> str:
    if s is None:
        return "no visit"
    if s.status in ("not_resolved", "interferes") or (s.status in ("ok", "busy") and not s.usable):
        return "its cost is not resolved from 0"
    return "" if s.usable else s.status + (f": {s.reason}" if s.reason else "")


def _candidate(arms: Arms, a: Measured | None, b: Measured | None) -> Candidate | str:
    """What is to be judged, or why there is nothing."""
    # A busy machine makes a visit time out; what the others measured counts.
    a, b = (
        replace(s, status="ok") if s and s.status == "timeout" and s.cost else s for s in (a, b)
    )
    for s, name in zip((a, b), arms.names, strict=True):
        if why := _obstacle(s):
            return f"in {name}: {why}"
    assert a and b
    r = ratio(b, a)
    # GPUs have no placement states: there a ratio is of all visits.
    if isinstance(r, Ratio) and r.visits >= enough_pairs and (r.paired or a.device is not None):
        visits = max([*a.by_visit, *b.by_visit])
        return Candidate(a, b, r, arms.threshold, share_of_look(visits, arms))
    pairs = paired_visits(a, b)
    return (
        f"{text.count(pairs, 'pair')} of visits in one placement state, {enough_pairs} are needed"
    )


def compare_arms(file: ResultsFile, threshold: float | None = None) -> ArmComparison | None:
    """The second arm against the first, by the file's threshold or another one; None where the file has
    no arms."""
    arms = arms_of(file.campaign, file.path)
    if arms is None:
        return None
    if threshold is not None:
        arms = replace(arms, threshold=threshold)
    refused = {point.key for point, *_ in file.refused}
    pairs: dict[str, dict[str, Measured]] = {}
    points: dict[str, Point] = {}
    for s in campaign_of([file]).points.values():
        # Points that share a measurement are one comparison.
        if s.measured_as or s.point.key in refused or s.point.arm not in arms.names:
            continue
        key = arms.common(s.point).key
        pairs.setdefault(key, {})[s.point.arm] = s
        if key not in points or s.point.arm == arms.names[0]:
            points[key] = s.point.without("arm")
    result = ArmComparison(arms.names, arms.threshold, arms=arms)
    result.only = (len(arms.only[0]), len(arms.only[1]))
    found = []
    for key, by_arm in pairs.items():
        a, b = (by_arm.get(name) for name in arms.names)
        candidate = _candidate(arms, a, b)
        if isinstance(candidate, Candidate):
            found.append(candidate)
        else:
            in_both = a is not None and b is not None and hides_no_change(a, b)
            result.apart.append(Apart(points[key], candidate, in_both))
        if b is not None and (is_broken(a, b) if a is not None else has_failed(b)):
            result.broken.append(points[key])
    result.differences = judged(found, arms.threshold)
    return result


def parts_by_arm(campaign: Campaign) -> Iterator[tuple[str, Campaign]]:
    """The points of each arm as a campaign of its own, with the arm's name; all of them as one, named
    '', where there are no arms. What costs the least is asked for within an arm."""
    names = list(dict.fromkeys(s.point.arm for s in campaign.points.values()))
    if len(names) < 2:
        yield "", campaign
        return
    for name in names:
        points = {k: s for k, s in campaign.points.items() if s.point.arm == name}
        by_file = [[s for s in of if s.point.arm == name] for of in campaign.by_file]
        yield name, replace(campaign, points=points, by_file=by_file)
