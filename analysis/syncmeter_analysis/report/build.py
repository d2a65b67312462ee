"""The report of a campaign: its sections in the order in which a reader needs them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from syncmeter_analysis.claims import judged
from syncmeter_analysis.claims.claim import Claim, Finding
from syncmeter_analysis.figures import (
    coalescing,
    divergence,
    false_sharing,
    handoff,
    launch,
    levels,
    multi_gpu,
    reductions,
)
from syncmeter_analysis.figures.backends import backend_figures
from syncmeter_analysis.figures.core_to_core import core_to_core_figures
from syncmeter_analysis.figures.figure import Figure
from syncmeter_analysis.figures.scaling import scaling_figures
from syncmeter_analysis.report.blocks import Drawing, Section
from syncmeter_analysis.report.costs import costs
from syncmeter_analysis.report.recommendations import claims_section, recommendations
from syncmeter_analysis.report.rest import (
    backend_table,
    census_section,
    core_table,
    drawn,
    machine_section,
)
from syncmeter_analysis.report.trust import trust
from syncmeter_analysis.statistics.campaign import Campaign
from syncmeter_analysis.statistics.evidence import Evidence
from syncmeter_analysis.studies import StudySection, sections, study


@dataclass
class Report:
    """What is rendered: to a page (page.py) or to Markdown (markdown.py)."""

    title: str
    campaign: Campaign
    sections: list[Section]
    judged: list[tuple[Claim, Finding]]

    @property
    def figures(self) -> list[Figure]:
        return [b.figure for s in self.sections for b in s.blocks if isinstance(b, Drawing)]


def _of_study(
    told: dict[str, StudySection], name: str, draw: Callable[[Any], list[Figure]], able: bool
) -> Section:
    """A study's figures and text; where it was not measured, what would measure it, or that the
    campaign has no GPU and is not `able`."""
    if name in told:
        return drawn(name, told[name].title, draw(told[name].rows), "", told[name].blocks)
    otherwise = (
        f"Not measured: `syncmeter run --study {name}`." if able else "No GPU was measured here."
    )
    return drawn(name, study(name).title, [], otherwise)


def build(campaign: Campaign) -> Report:
    """All sections; one that has nothing to show says what would measure it."""
    data = Evidence(campaign)
    findings = judged(data)
    told = {s.name: s for s in sections(campaign)}
    gpu = any(s.point.on_gpu for s in campaign.points.values())
    parts = [
        recommendations(campaign, findings),
        trust(campaign),
        costs(campaign),
        drawn(
            "scaling",
            "How they scale",
            scaling_figures(campaign),
            "Nothing was measured at several numbers of lanes: `syncmeter run --study scaling`.",
        ),
        drawn(
            "false-sharing",
            "False sharing",
            false_sharing.figures(told["false-sharing"].rows) if "false-sharing" in told else [],
            "Not measured: `syncmeter run --study false-sharing`.",
            told["false-sharing"].blocks if "false-sharing" in told else [],
        ),
        drawn(
            "core-to-core",
            "Core to core",
            core_to_core_figures(campaign),
            "Not measured: `syncmeter run --study core-to-core`.",
            core_table(campaign),
        ),
        drawn(
            "backends",
            "CPU and GPU, native and portable",
            backend_figures(data),
            "Not measured: `syncmeter run --study portability`, where Kokkos is found.",
            backend_table(data),
        ),
        _of_study(told, "levels", levels.figures, gpu),
        drawn(
            "launch",
            "Kernel boundary",
            launch.figures(told["launch"].rows) if "launch" in told else [],
            "Not measured: `syncmeter run --study levels`." if gpu else "No GPU was measured here.",
            told["launch"].blocks if "launch" in told else [],
        ),
        _of_study(told, "handoff", handoff.figures, gpu),
        _of_study(told, "divergence", divergence.figures, gpu),
        _of_study(told, "coalescing", coalescing.figures, gpu),
        _of_study(told, "reductions", reductions.figures, True),
        _of_study(told, "multi-gpu", multi_gpu.figures, gpu),
        census_section(campaign),
        claims_section(findings),
        machine_section(campaign),
    ]
    return Report(f"Synchronization on {campaign.name}", campaign, parts, findings)
