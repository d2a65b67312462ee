"""The first screen of a results file with several studies as text, Markdown and JSON."""

from __future__ import annotations

from collections.abc import Sequence

from syncmeter_analysis.claims.conclusions import conclusions_of, judged_with_doubts
from syncmeter_analysis.conclude.recommend import Recommendations, recommend
from syncmeter_analysis.conclude.reliability import disturbed_from
from syncmeter_analysis.relate.campaign import Campaign, study_of
from syncmeter_analysis.render.terminal import as_plain
from syncmeter_analysis.studies import StudySection, reliability_of, studies_in
from syncmeter_analysis.studies.blocks import as_markdown
from syncmeter_analysis.studies.screen import overview_blocks
from syncmeter_analysis.voice.overview import Overview, overview

#: A terminal shows so many lines at once.
most_lines = 40


def recommended(campaign: Campaign, found: Sequence[StudySection]) -> Recommendations:
    """Ranks what studies and claims conclude. Two builds of `syncmeter ab` share no answer."""
    if any(s.arm for s in found):
        return recommend([])
    studies = [(s.name, c) for s in found for c in s.conclusions]
    claims = conclusions_of(campaign, judged_with_doubts(campaign), studies)
    is_disturbed = (campaign.conduct.busy_share or 0) >= disturbed_from
    every = [*((s.name, s.conclusions) for s in found), ("claims", claims)]
    return recommend(every, is_disturbed=is_disturbed)


def as_text(
    campaign: Campaign, found: Sequence[StudySection], coloured: bool = False, width: int = 0
) -> str:
    """Returns the screen with as many recommendations as fit."""
    screen = _screen(campaign, found)
    for most in range(len(screen.recommendations), -1, -1):
        blocks = overview_blocks(screen.first(most))
        text = as_plain(screen.title, blocks, coloured, width)
        if text.count("\n") < most_lines or not width:
            break
    return text


def as_md(campaign: Campaign, found: Sequence[StudySection]) -> str:
    screen = _screen(campaign, found)
    return as_markdown(screen.title, overview_blocks(screen))


def _screen(campaign: Campaign, found: Sequence[StudySection]) -> Overview:
    ranked = recommended(campaign, found)
    reliability = reliability_of(campaign, [r.conclusion for r in ranked.chosen])
    return overview(campaign, ranked, reliability, list(dict.fromkeys(s.name for s in found)))


def only_study(campaign: Campaign, found: Sequence[StudySection]) -> StudySection | None:
    """Returns the section for the study that all files were measured for, or None."""
    asked = set(map(study_of, campaign.files))
    named = [
        s for s in found if asked <= {*studies_in(s.name)} or (asked == {""} and len(found) == 1)
    ]
    return named[0] if len(named) == 1 else None
