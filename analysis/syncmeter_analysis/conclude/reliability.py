"""Grades how far a campaign can be trusted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from syncmeter_analysis.conclude.conclusion import Conclusion, to_json
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.relation import least_visits

#: A larger share makes times too long. Ratios stay usable.
quiet_share = 0.1

#: From this share on most ratios compare disturbed samples.
disturbed_from = 0.5

#: Fewer repetitions make intervals too uncertain.
usual_repetitions = 5

_of_controls = {"passed": "good", "not_measured": "good", "missed": "moderate", "failed": "poor"}
_worse = ("good", "moderate", "poor", "unknown")


@dataclass(frozen=True, slots=True)
class Reliability:
    """The members of record/conclusion_reliability.def."""

    grade: str
    controls: str
    disturbed_share: float | None = None
    repetitions: int = 0
    hop_ns: float | None = None
    is_guest: bool = False
    imported: bool = False

    def to_json(self) -> dict[str, Any]:
        found: dict[str, Any] = to_json(self)
        return found


def reliability(
    campaign: Campaign, conclusions: Sequence[Conclusion], controls: str = "not_measured"
) -> Reliability:
    """Returns the worst grade by noise, repetitions and `controls` (a key of `_of_controls`)."""
    if campaign.machine.imported:
        return Reliability("unknown", controls, imported=True)
    ids = {id for c in conclusions for id in c.evidence}
    visits = [s.visits for s in campaign.points.values() if s.id in ids and s.visits]
    repetitions = min(visits, default=0)
    share = campaign.conduct.busy_share
    if share is None:
        by_noise = "unknown"
    elif share >= disturbed_from:
        by_noise = "poor"
    else:
        by_noise = "good" if share <= quiet_share else "moderate"
    by_visits = "good" if repetitions >= usual_repetitions else "moderate"
    grades = [
        _of_controls[controls],
        by_visits if repetitions >= least_visits else "poor",
        by_noise,
    ]
    hops = [c.situation.hop_ns for c in conclusions if c.situation.hop_ns]
    hop_ns = hops[0] if hops else None
    grade = max(grades, key=_worse.index)
    return Reliability(grade, controls, share, repetitions, hop_ns, campaign.machine.hypervisor)
