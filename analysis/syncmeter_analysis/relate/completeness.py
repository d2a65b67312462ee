"""What a campaign has not measured, what it resolved where no study has an answer, and what to run."""

from __future__ import annotations

from collections.abc import Iterator

from syncmeter_analysis.record.machine import object_of
from syncmeter_analysis.record.reader import ResultsFile
from syncmeter_analysis.relate import text
from syncmeter_analysis.relate.campaign import Campaign, studies_of
from syncmeter_analysis.relate.point_text import short_name
from syncmeter_analysis.relate.summary import Measured


def without_answer(campaign: Campaign, is_answered: bool) -> Iterator[str]:
    """Of each file whose campaign is not complete, how much of it was measured and how to go on; where
    no study has an answer, what was resolved all the same."""
    for file, points, _ in campaign.parts():
        rest = _rest(file)
        if not is_answered and (names := studies_of(file)):
            resolved = _resolved([s for s in points if s.usable])
            more = "" if rest else "; measure again with more `--visits`"
            yield f"{names[0]}: cannot tell: {resolved}{more}"
        if rest:
            yield rest


def _rest(file: ResultsFile) -> str:
    """`not complete: ...` of a campaign that its budget or a signal ended; '' of a complete one."""
    planned = object_of(file.campaign, "plan").get("visits")
    ended = bool(file.ends) and file.ends[-1].get("reason") in ("budget", "interrupted")
    done = len(file.visits)
    if not ended or not isinstance(planned, int) or done >= planned:
        return ""
    return (
        f"Not complete: {done} of {planned} visits were measured; `syncmeter run --resume {file.path}` "
        "measures the others"
    )


def _resolved(usable: list[Measured]) -> str:
    """`12 points have a cost, from plain_add 0.34 ns to barrier 490 ns`."""
    if not usable:
        return "no point has a cost yet"
    least, *_, most = sorted((s for s in usable if s.cost), key=_ns) * 2
    has = f"{text.count(len(usable), 'point')} {'has' if len(usable) == 1 else 'have'} a cost"
    ends = dict.fromkeys(f"{_name(s)} {text.duration(_ns(s))}" for s in (least, most))
    return f"{has}, {'from ' * (len(ends) > 1)}{' to '.join(ends)}"


def _name(s: Measured) -> str:
    return short_name(s.point, ("backend", "type", "placement", "affinity"))


def _ns(s: Measured) -> float:
    return s.cost.value if s.cost else 0.0
