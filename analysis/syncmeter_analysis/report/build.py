"""The report of a campaign: its sections in the order in which a reader needs them."""

from __future__ import annotations

from dataclasses import dataclass

from syncmeter_analysis.claims import judged
from syncmeter_analysis.claims.claim import Claim, Finding
from syncmeter_analysis.figures import false_sharing
from syncmeter_analysis.figures.backends import backend_figures
from syncmeter_analysis.figures.coalescing import coalescing_figures
from syncmeter_analysis.figures.core_to_core import core_to_core_figures
from syncmeter_analysis.figures.divergence import divergence_figures
from syncmeter_analysis.figures.figure import Figure
from syncmeter_analysis.figures.handoffs import handoff_figures
from syncmeter_analysis.figures.levels import level_figures
from syncmeter_analysis.figures.reductions import reduction_figures
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
from syncmeter_analysis.studies import sections


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
        drawn(
            "levels",
            "GPU levels",
            level_figures(campaign),
            "Not measured: `syncmeter run --study quick --backend cuda`."
            if gpu
            else "No GPU was measured here.",
        ),
        drawn(
            "handoffs",
            "Handoffs between warps",
            handoff_figures(campaign),
            "Not measured: `syncmeter run --study handoff`."
            if gpu
            else "No GPU was measured here.",
        ),
        drawn(
            "divergence",
            "Divergence and memory access",
            divergence_figures(campaign) + coalescing_figures(campaign),
            "Not measured: `syncmeter run --study divergence` and `syncmeter run --study coalescing`."
            if gpu
            else "No GPU was measured here.",
        ),
        drawn(
            "reductions",
            "Reductions",
            reduction_figures(campaign),
            "Not measured: `syncmeter run --study reductions`.",
        ),
        census_section(campaign),
        claims_section(findings),
        machine_section(campaign),
    ]
    return Report(f"Synchronization on {campaign.name}", campaign, parts, findings)
