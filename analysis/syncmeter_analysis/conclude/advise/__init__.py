"""Concludes on a program: the package's causes, merged with the advice of the driver."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from syncmeter_analysis.conclude.advise.facts import Program, locks_of, program_of
from syncmeter_analysis.conclude.advise.limits import common
from syncmeter_analysis.conclude.advise.locks import conclude_locks
from syncmeter_analysis.conclude.advise.merge import Entry, covered_sites, ranked, sites_of
from syncmeter_analysis.conclude.advise.reliability import (
    ProgramReliability,
    Shares,
    reliability_of,
    shares_of,
)
from syncmeter_analysis.conclude.conclusion import Conclusion, Grade, Kind, Situation, Subject
from syncmeter_analysis.record.advice_file import AdviceFile
from syncmeter_analysis.relate.spent import spent_at


@dataclass(frozen=True)
class Judged:
    """All that is concluded on a program. `others` are the ids of call sites with a considerable share
    of the time and without a cause. It is None if times are unknown."""

    program: Program
    conclusions: Sequence[Conclusion]
    entries: Sequence[Entry]
    reliability: ProgramReliability
    shares: Shares
    others: Sequence[int] | None


def judge(file: AdviceFile) -> Judged:
    """Returns the conclusions on the program. The driver's advice covers some locks."""
    program, locks = program_of(file), locks_of(file)
    covered = covered_sites(file.advice)
    mine = [lock for lock in locks if not covered & set(lock.call_sites)]
    conclusions = conclude_locks(mine, program)
    entries = ranked(file, conclusions)
    if not entries and has_nothing_to_gain(file):
        conclusions = [_nothing_to_gain(program)]
    return Judged(
        program,
        conclusions,
        entries,
        reliability_of(file, program),
        shares_of(file, program, locks),
        _others(file, program, entries),
    )


def has_nothing_to_gain(file: AdviceFile) -> bool:
    """Returns whether the driver judged the whole program and found no cause."""
    header = file.header
    return bool(
        header.get("conclusion")
        and not header.get("withheld")
        and not header.get("not_counted")
        and not file.advice
    )


def _nothing_to_gain(program: Program) -> Conclusion:
    return Conclusion(
        Kind.nothing_to_gain,
        "advise",
        Situation(max(1, program.threads), "program", program.cpus),
        (),
        None if program.wall_s is None else Subject(wall_s=program.wall_s),
        None,
        Grade.bound,
    )


def _others(file: AdviceFile, program: Program, entries: Sequence[Entry]) -> list[int] | None:
    if not program.timed_s or program.is_perturbed or not file.call_sites:
        return None
    named = sites_of(e.conclusion for e in entries if e.conclusion)
    named |= {site for e in entries if e.advice for site in e.advice["sites"]}
    least_s = common["min_lost_share"] * program.timed_s
    return [
        site["id"]
        for site in file.call_sites
        if site["id"] not in named and (spent := spent_at(site)) and spent.in_all >= least_s
    ]
