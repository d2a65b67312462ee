"""The report of a campaign: its first screen, then its sections in the order in which a reader needs
them."""

from __future__ import annotations

from typing import Any

from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.compare_arms import parts_by_arm
from syncmeter_analysis.render.charts.lead import lead_figures
from syncmeter_analysis.render.charts.scaling import scaling_figures
from syncmeter_analysis.render.costs import costs
from syncmeter_analysis.render.method import census_section, machine_section
from syncmeter_analysis.render.recommendations import (
    cards,
    claims_section,
    judged_with_doubts,
    not_on_cards,
)
from syncmeter_analysis.render.report import Drawing, Report, Section
from syncmeter_analysis.render.trust import answers_and_how_sure, head, trust
from syncmeter_analysis.studies import StudySection, answers, sections


def _of_study(of: StudySection[Any]) -> Section:
    """A study's answer, its figures and its text."""
    identity = f"{of.name}-{of.arm}" if of.arm else of.name
    return Section(identity, of.title, [*of.first, *map(Drawing, of.figures), *of.text])


def _scaling(campaign: Campaign, studies: list[Section]) -> Section:
    """The figures of points that no study draws."""
    others = [set(figure.points) for study in studies for figure in study.figures]
    figures = scaling_figures(campaign)
    drawn = [f for f in figures if not any(set(f.points) <= points for points in others)]
    return Section("by-threads", "By number of threads", [*map(Drawing, drawn)])


def build(campaign: Campaign) -> Report:
    """The first screen, and the sections that have something to show."""
    # Statements are judged on one build: the new one.
    *_, (_, judged_part) = parts_by_arm(campaign)
    findings = judged_with_doubts(judged_part)
    found = sections(campaign)
    studies = [_of_study(of) for of in found]
    parts = [
        trust(campaign),
        costs(campaign),
        _scaling(campaign, studies),
        *studies,
        census_section(campaign),
        claims_section(findings),
        machine_section(campaign),
    ]
    report = Report(
        head(campaign),
        [part for part in parts if part.blocks],
        list(campaign.points.values()),
        [file.path for file in campaign.files],
        findings,
    )
    report.head.answers = answers_and_how_sure(campaign, answers(campaign, found))
    report.head.figures = lead_figures(campaign, report.figures)
    # What stands on the first screen is not drawn again.
    first = {figure.id for figure in report.head.figures}
    for section in report.sections:
        section.blocks = [
            b for b in section.blocks if not (isinstance(b, Drawing) and b.figure.id in first)
        ]
    ids = {section.id for section in report.sections}
    report.head.cards = cards(findings, report.figures, ids)
    report.head.folded = not_on_cards(campaign, findings)
    return report
