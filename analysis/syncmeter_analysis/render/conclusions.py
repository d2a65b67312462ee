"""Writes the conclusions of a screen as JSON for other programs."""

from __future__ import annotations

import json
from collections.abc import Sequence

from syncmeter_analysis import __version__
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.render.overview import recommended
from syncmeter_analysis.studies import StudySection


def as_json(campaign: Campaign, found: Sequence[StudySection]) -> str:
    """Returns one object with the conclusions and the reliability for each study, and the
    recommendations."""
    studies = [
        {
            "study": section.name,
            **({"arm": section.arm} if section.arm else {}),
            "reliability": section.reliability.to_json() if section.reliability else None,
            "conclusions": [c.to_json() for c in section.conclusions],
        }
        for section in found
        if section.conclusions
    ]
    ranked = recommended(campaign, found)
    chosen = [{"study": r.study, "conclusion": r.conclusion.to_json()} for r in ranked.chosen]
    whole = {
        "schema": 1,
        "version": __version__,
        "machine": campaign.name,
        "files": [file.path for file in campaign.files],
        "studies": studies,
        "recommendations": chosen,
        "further": ranked.further,
        "undecided": ranked.undecided,
    }
    return json.dumps(whole, indent=2, allow_nan=False)
