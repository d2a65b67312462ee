"""What a campaign has not measured, what it resolved where no study has an answer, and what to run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from syncmeter_analysis.record.machine import object_of
from syncmeter_analysis.record.reader import ResultsFile
from syncmeter_analysis.record.text_file import is_packed
from syncmeter_analysis.relate import text
from syncmeter_analysis.relate.campaign import Campaign, studies_of
from syncmeter_analysis.relate.group import once_each
from syncmeter_analysis.relate.point_text import short_name
from syncmeter_analysis.relate.relation import least_visits
from syncmeter_analysis.relate.summary import Measured


def without_answer(campaign: Campaign, is_answered: Sequence[bool]) -> Iterator[str]:
    """Of each file whose campaign is not complete, how much of it was measured and how to go on; of
    each without an answer, what was resolved all the same."""
    for (file, points, source), answered in zip(campaign.parts(), is_answered, strict=True):
        rest = _rest(file)
        if not answered and (names := studies_of(file)):
            usable = [s for s in points if s.usable]
            resolved = _resolved(usable)
            of = names[0] + f" ({source})" * bool(source)
            failed = failures(points)
            measured = [_is_measured(s) for s in points if s.status != "failed"]
            if not (rest or failed) and measured and all(measured) and _lacks_ops(file):
                why = "no answer, perhaps as `--op` left out what it compares"
                yield f"{of}: {why}: {resolved}"
            else:
                # The line on how sure the answers are has failures, where anything was measured.
                more = "" if usable or not failed else f"; {failed}"
                if not (rest or (failed and all(measured))):
                    more += "; measure again with more `--visits`"
                yield f"{of}: cannot tell: {resolved}{more}"
        if rest:
            yield rest


def _is_measured(s: Measured) -> bool:
    """It has a cost of several visits."""
    return s.usable and s.visits >= least_visits


def _lacks_ops(file: ResultsFile) -> bool:
    ops = object_of(file.campaign, "options").get("ops")
    return bool(ops) and ops != ["*"]


def failures(points: Iterable[Measured]) -> str:
    """`2 points failed (wrong value 3)`, with the first reason; '' without any."""
    failed = once_each(s for s in points if s.status == "failed")
    reason = f" ({failed[0].reason})" if failed and failed[0].reason else ""
    return f"{text.count(len(failed), 'point')} failed{reason}" if failed else ""


def _rest(file: ResultsFile) -> str:
    """`not complete: ...` of a campaign that its budget or a signal ended; '' of a complete one."""
    planned = object_of(file.campaign, "plan").get("visits")
    ended = bool(file.ends) and file.ends[-1].get("reason") in ("budget", "interrupted")
    done = len(file.visits)
    if not ended or not isinstance(planned, int) or done >= planned:
        return ""
    measured = f"Not complete: {done} of {planned} visits were measured"
    where = Path(file.path)
    if not where.is_file() or Path("/dev") in where.parents:
        return measured
    if is_packed(where):
        return f"{measured}; `syncmeter run --resume` measures the others once the file is unpacked"
    return f"{measured}; `syncmeter run --resume {file.path}` measures the others"


def _resolved(usable: list[Measured]) -> str:
    """`12 points have a cost, from plain_add 0.34 ns to barrier 490 ns`."""
    if not usable:
        return "no point has a cost yet"
    least, *_, most = sorted((s for s in usable if s.cost), key=text.ns_of) * 2
    has = f"{text.count(len(usable), 'point')} {'has' if len(usable) == 1 else 'have'} a cost"
    without: tuple[str, ...] = ("backend", "type", "placement", "affinity")
    if least is not most and len({short_name(s.point, without) for s in (least, most)}) == 1:
        without = ("backend", "type", "affinity")
    ends = dict.fromkeys(
        f"{short_name(s.point, without)} {text.duration(text.ns_of(s))}" for s in (least, most)
    )
    return f"{has}, {'from ' * (len(ends) > 1)}{' to '.join(ends)}"
