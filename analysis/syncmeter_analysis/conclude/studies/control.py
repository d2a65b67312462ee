"""Concludes whether the costs of a machine can be trusted, from controls with known costs."""

from __future__ import annotations

import math

from syncmeter_analysis.conclude.conclusion import Conclusion, Condition, Grade, Kind, Situation
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.known_costs import Miss, asked_costs


def conclude(campaign: Campaign) -> list[Conclusion]:
    """Returns one conclusion without an advice: `keep` if all judged controls are as expected."""
    found = asked_costs(campaign)
    if not found:
        return []
    good, bad, unclear = (found.of(kind) for kind in ("good", "bad", "unclear"))
    conditions = [Condition("as_expected", len(good), len(found.controls))]
    if bad:
        conditions = [*_missed(found.miss), *conditions]
    if unclear:
        conditions.append(Condition("not_judged", len(unclear)))
    ids = tuple(dict.fromkeys(id for c in found.controls for id in c.points))
    points = [s for s in campaign.points.values() if s.id in ids]
    most = max((s.point.lanes for s in points), default=1)
    return [
        Conclusion(
            kind=Kind.keep if good and not bad and not unclear else Kind.undecided,
            question="missed_costs" if bad else "known_costs",
            situation=Situation(most, "controls"),
            grade=Grade.measured,
            conditions=tuple(conditions),
            evidence=ids or tuple(s.id for s in campaign.measured[:1]),
            next=("known_costs_again" if bad else "advise_program",),
        )
    ]


def _missed(miss: Miss) -> list[Condition]:
    """Returns the miss as a share and in ns, or without figures if it is unknown."""
    if not (math.isfinite(miss.ns) and math.isfinite(miss.share)):
        return [Condition("missed")]
    parts = {"missed_share": miss.share, "missed_ns": miss.ns}
    return [Condition(name, value) for name, value in parts.items() if value]
