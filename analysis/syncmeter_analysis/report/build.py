"""The report of a campaign: its sections in the order in which a reader needs them."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module

from syncmeter_analysis.claims import judged
from syncmeter_analysis.claims.claim import Claim, Finding
from syncmeter_analysis.figures.figure import Figure
from syncmeter_analysis.figures.scaling import scaling_figures
from syncmeter_analysis.report.blocks import Drawing, Section
from syncmeter_analysis.report.costs import costs
from syncmeter_analysis.report.method import (
    census_section,
    drawn,
    machine_section,
)
from syncmeter_analysis.report.recommendations import claims_section, recommendations
from syncmeter_analysis.report.trust import trust
from syncmeter_analysis.statistics.campaign import Campaign
from syncmeter_analysis.statistics.evidence import Evidence
from syncmeter_analysis.studies import StudySection, names, sections, study


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


def _of_study(name: str, told: StudySection | None) -> Section:
    """A study's figures (figures/NAME.py) and text, or what would measure it."""
    if told is None:
        module = study(name)
        return drawn(name, module.title, [], f"Not measured: {module.measured_by}.")
    draw = import_module(f"syncmeter_analysis.figures.{name.replace('-', '_')}").figures
    return drawn(name, told.title, draw(told.rows), "", told.blocks)


def build(campaign: Campaign) -> Report:
    """All sections; one that has nothing to show says what would measure it."""
    data = Evidence(campaign)
    findings = judged(data)
    told = {s.name: s for s in sections(campaign)}
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
        *(_of_study(name, told.get(name)) for name in names),
        census_section(campaign),
        claims_section(findings),
        machine_section(campaign),
    ]
    return Report(f"Synchronization on {campaign.name}", campaign, parts, findings)
