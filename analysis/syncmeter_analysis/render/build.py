"""The report of a campaign: its first screen, then its sections in the order in which a reader needs
them."""

from __future__ import annotations

from syncmeter_analysis.claims.conclusions import conclusions_of, judged_with_doubts
from syncmeter_analysis.conclude.recommend import Found, cards_of
from syncmeter_analysis.relate.campaign import Campaign, parts_by_arm
from syncmeter_analysis.render.charts.lead import has_rows, lead_figures
from syncmeter_analysis.render.charts.scaling import scaling_figures
from syncmeter_analysis.render.claims_text import claims_section
from syncmeter_analysis.render.costs import costs
from syncmeter_analysis.render.method import census_section, machine_section
from syncmeter_analysis.render.report import Report, Section, kinds
from syncmeter_analysis.render.trust import head, trust
from syncmeter_analysis.studies import StudySection, reliability_of, sections
from syncmeter_analysis.studies.figures import Figure
from syncmeter_analysis.voice.cards import card_of
from syncmeter_analysis.voice.reliability import reliability_details, reliability_line
from syncmeter_analysis.voice.study import as_sure


def _of_study(of: StudySection) -> Section:
    """A study's answer, its figures and its text."""
    identity = f"{of.name}-{of.arm}" if of.arm else of.name
    return Section(identity, of.title, [*of.first, *of.figures, *of.text])


def _scaling(campaign: Campaign, studies: list[Section]) -> Section:
    """The figures of points that no study draws."""
    others = [set(figure.points) for study in studies for figure in study.figures]
    figures = scaling_figures(campaign)
    drawn = [f for f in figures if not any(set(f.points) <= points for points in others)]
    return Section("by-threads", "By number of threads", [*drawn])


def build(campaign: Campaign) -> Report:
    """Returns the first screen, and the sections that have something to show."""
    # Claims are judged on one build: the new one.
    *_, (_, judged_part) = parts_by_arm(campaign)
    judged = judged_with_doubts(judged_part)
    found = sections(campaign)
    studies = [_of_study(of) for of in found]
    parts = [
        *studies,
        costs(campaign),
        _scaling(campaign, studies),
        claims_section(judged_part, judged),
        trust(campaign),
        census_section(campaign),
        machine_section(campaign),
    ]
    report = Report(
        head(campaign),
        [part for part in parts if part.blocks],
        list(campaign.points.values()),
        [file.path for file in campaign.files],
    )
    concluded = [(s.name, s.conclusions) for s in found]
    of_claims = conclusions_of(judged_part, judged, ((s, c) for s, cs in concluded for c in cs))
    concluded.append(("claims", of_claims))
    _fill_head(report, campaign, concluded)
    return report


def _fill_head(report: Report, campaign: Campaign, concluded: Found) -> None:
    """Adds the figure, the cards and the reliability to the first screen. No figure is drawn twice."""
    first = report.head
    first.figures = lead_figures(campaign, report.figures)
    shown = {figure.id for figure in first.figures}
    for section in report.sections:
        section.blocks = [
            b
            for b in section.blocks
            if not isinstance(b, Figure) or (b.id not in shown and has_rows(b))
        ]
    if not any(found for _, found in concluded):
        return
    advice = cards_of(concluded)
    behind = [r.conclusion for r in advice] or [c for _, found in concluded for c in found]
    sure = reliability_of(campaign, behind)
    calm = as_sure((r.conclusion for r in advice), sure)
    first.badge, first.kind = reliability_line(sure), kinds[sure.grade]
    first.sureness = reliability_details(sure)
    # A failed control doubts every ratio.
    if sure.controls != "failed":
        first.cards = [card_of(r.study, c) for r, c in zip(advice, calm, strict=True)]
