"""Grades how far a campaign can be trusted."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from syncmeter_analysis.conclude.conclusion import Conclusion, to_json
from syncmeter_analysis.conclude.noise import clock_of, noise_of
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.distance import common_places, meet
from syncmeter_analysis.relate.group import once_each
from syncmeter_analysis.relate.relation import least_visits

#: A larger share makes times too long. Ratios stay usable.
quiet_share = 0.1

#: From this share on most ratios compare disturbed samples.
disturbed_from = 0.5

#: Fewer repetitions make intervals too uncertain.
usual_repetitions = 5

_of_controls = {"passed": "good", "not_measured": "good", "missed": "moderate", "failed": "poor"}
_worse = ("good", "moderate", "poor", "unknown")
_verified = ("proven", "elided")


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
    causes: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    others_cpus: float | None = None
    stolen_cpus: float | None = None
    noisy_share: float | None = None
    clock_ghz: tuple[float, ...] = ()
    miss_ns: float | None = None
    miss_share: float | None = None
    checked: int = 0
    verified: int = 0
    failed: int = 0
    failure: str = ""
    hops_ns: tuple[float, ...] = ()
    gpu_notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        found: dict[str, Any] = to_json(self)
        return found


def reliability(
    campaign: Campaign,
    conclusions: Sequence[Conclusion],
    controls: str = "not_measured",
    miss: tuple[float, float] = (0.0, 0.0),
) -> Reliability:
    """Returns the worst grade by noise, repetitions and `controls` (a key of `_of_controls`), which
    missed by `miss`: ns of an empty operation, and a share of a known cost."""
    if campaign.machine.imported:
        return Reliability("unknown", controls, imported=True)
    ids = {id for c in conclusions for id in c.evidence}
    behind = [s for s in campaign.measured if s.id in ids or not ids]
    visits = [s.visits for s in campaign.points.values() if s.id in ids and s.visits]
    repetitions = min(visits, default=0)
    share = campaign.conduct.busy_share
    lost = _noisy_share(campaign)
    noise = noise_of(campaign, share if share and share > quiet_share else 0.0)
    notes = gpu_notes(campaign)
    grades = [
        _of_controls[controls],
        grade_of_repetitions(repetitions) if ids else "good",
        "unknown" if share is None else _by_noise(max(share, lost)),
        "moderate" if noise.loaded or notes else "good",
    ]
    own = [s for s in campaign.points.values() if not s.measured_as]
    checks = [s.census for s in own if s.census]
    # A cost without a check is unverified, unless the run has no check at all.
    unchecked = sum(s.cost is not None and not s.census for s in own) if checks else 0
    failed = once_each(s for s in campaign.points.values() if s.status == "failed")
    ns, part = (x if 0 < x < math.inf else None for x in miss)
    return Reliability(
        max(grades, key=_worse.index),
        controls,
        share,
        repetitions,
        _hop_of(campaign, conclusions),
        campaign.machine.hypervisor and any(map(meet, behind)),
        causes=noise.causes,
        programs=noise.programs,
        others_cpus=noise.others_cpus,
        stolen_cpus=noise.stolen_cpus,
        noisy_share=lost if lost > max(quiet_share, share or 0.0) else None,
        clock_ghz=clock_of(campaign) or (),
        miss_ns=ns,
        miss_share=part,
        checked=len(checks) + unchecked,
        verified=sum(census.get("verdict") in _verified for census in checks),
        failed=len(failed),
        failure=failed[0].reason if failed else "",
        hops_ns=_hops_met(campaign),
        gpu_notes=tuple(notes),
    )


def grade_of_repetitions(repetitions: int) -> str:
    if repetitions >= usual_repetitions:
        return "good"
    return "moderate" if repetitions >= least_visits else "poor"


def _by_noise(share: float) -> str:
    if share >= disturbed_from:
        return "poor"
    return "good" if share <= quiet_share else "moderate"


def _noisy_share(campaign: Campaign) -> float:
    """Returns the share of repetitions that lost most sample pairs, which are not among the disturbed
    sample pairs."""
    c = campaign.conduct
    return c.noisy_visits / c.visits if c.visits else 0.0


def _hop_of(campaign: Campaign, conclusions: Sequence[Conclusion]) -> float | None:
    """Returns the core-to-core latency behind the conclusions, or in the largest team."""
    if hops := [c.situation.hop_ns for c in conclusions if c.situation.hop_ns]:
        return hops[0]
    if not campaign.machine.hypervisor or conclusions:
        return None
    met = [s for s in campaign.measured if meet(s) and s.team_hop_ns > 0]
    most = max((s.point.lanes for s in met), default=0)
    return median(s.team_hop_ns for s in met if s.point.lanes == most) if met else None


def _hops_met(campaign: Campaign) -> tuple[float, ...]:
    """Returns the latency in each placement that a hypervisor chose often, if there are several."""
    if not campaign.machine.hypervisor:
        return ()
    places = common_places(campaign.measured)
    return tuple(place.hop_ns for place in places) if len(places) > 1 else ()


def gpu_notes(campaign: Campaign) -> list[str]:
    """Returns what the driver noticed about the GPUs before the run, such as other work on them."""
    found = [file.campaign.get("gpu_notes") for file in campaign.files]
    notes = [note for each in found if isinstance(each, list) for note in each]
    return list(dict.fromkeys(note for note in notes if isinstance(note, str)))
