"""Equal GPUs that took the visits of points by turns: whether one of them is slower."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median

from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.relation import Verdict, verdict_of
from syncmeter_analysis.relate.stats import median_interval

_least_points = 6  # below, the extremes do not reach 95 %
_margin = 0.005


@dataclass(frozen=True, slots=True)
class DeviceDifference:
    """One GPU over another, the one of the lowest index, over the points of a family that both
    visited; `ratio` is the median over these points."""

    family: str
    device: int
    reference: int
    points: int
    ratio: Interval

    @property
    def verdict(self) -> Verdict:
        return verdict_of(self.ratio, _margin)


def device_differences(campaign: Campaign) -> list[DeviceDifference]:
    """By family; those with fewer points than an interval of the median needs are left out."""
    ratios: dict[tuple[str, int, int], list[float]] = defaultdict(list)
    for family, costs in _costs_by_device(campaign):
        reference = min(costs)
        for device in costs.keys() - {reference}:
            ratios[family, device, reference].append(
                median(costs[device]) / median(costs[reference])
            )
    return [
        DeviceDifference(*key, len(found), median_interval(found))
        for key, found in sorted(ratios.items())
        if len(found) >= _least_points
    ]


def _costs_by_device(campaign: Campaign) -> Iterator[tuple[str, dict[int, list[float]]]]:
    """The family of each point whose visits name their GPU, and the costs of its visits by GPU."""
    for s in campaign.points.values():
        if s.measured_as or not s.usable:
            continue
        costs: dict[int, list[float]] = defaultdict(list)
        for visit in campaign.visits.get(s.measured_at, ()):
            device = visit.remarks.get("visited_device")
            cost, _ = s.by_visit.get(visit.number, {}).get(s.state, (0.0, 0))
            if device is not None and visit.status == "ok" and cost > 0:
                costs[int(device)].append(cost)
        if costs:
            yield s.family, costs


def device_sentences(campaign: Campaign) -> list[str]:
    """A sentence for each GPU that differs; where none does, one for all of them."""
    found = device_differences(campaign)
    different = [d for d in found if d.verdict in (Verdict.slower, Verdict.faster)]
    if found and not different:
        pairs = sum(d.points for d in found)
        if all(d.verdict is Verdict.same for d in found):
            return [
                "the GPUs that shared the points cost the same in every family (within half a "
                f"percent, {pairs} pairs of visits)"
            ]
        return [f"no GPU that shared the points is known to be slower ({pairs} pairs of visits)"]
    return [
        f"GPU {d.device} is {d.verdict.value} than GPU {d.reference} at {d.points} points of "
        f"{d.family}: {d.ratio.value:.3f} times its costs ({d.ratio.low:.3f} to {d.ratio.high:.3f})"
        for d in different
    ]
