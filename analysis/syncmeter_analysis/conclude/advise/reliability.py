"""Grades how far the conclusions on a program can be trusted, and splits its time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from syncmeter_analysis.conclude.advise.facts import Lock, Program
from syncmeter_analysis.conclude.conclusion import to_json
from syncmeter_analysis.record.advice_file import AdviceFile
from syncmeter_analysis.relate.spent import spent_in

#: Fewer plain runs show no scatter.
_enough_runs = 3


@dataclass(frozen=True, slots=True)
class ProgramReliability:
    """The members of record/advise_reliability.def."""

    grade: str
    plain_runs: int = 0
    counting: float | None = None
    perturbed: bool = False
    other_cpu_share: float | None = None
    stolen_cpu_share: float | None = None
    spread: float | None = None
    disturbed: bool = False
    lost_calls: int = 0
    not_counted: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        found: dict[str, Any] = to_json(self)
        return found


def reliability_of(file: AdviceFile, program: Program) -> ProgramReliability:
    """Returns the grade: poor on a disturbed machine, moderate if counts, runs or times are
    doubtful, unknown without a run."""
    header = file.header
    cost = header.get("counting_cost") or {}
    lost, reasons = header.get("lost_calls") or 0, tuple(header.get("not_counted") or ())
    runs = len(program.plain_s)
    is_doubtful = program.is_perturbed or lost or reasons or runs < _enough_runs or file.left_out
    if not header["runs"]:
        grade = "unknown"
    elif program.disturbance:
        grade = "poor"
    else:
        grade = "moderate" if is_doubtful else "good"
    return ProgramReliability(
        grade,
        runs,
        cost.get("ratio"),
        program.is_perturbed,
        program.other_cpu_share,
        program.stolen_cpu_share,
        program.spread,
        bool(program.disturbance),
        lost,
        reasons,
    )


@dataclass(frozen=True, slots=True)
class Shares:
    """Shares of a thread's time: waiting for locks, for the last thread, in other calls that
    synchronize, and for a GPU. None if unknown."""

    locks: float | None = None
    threads: float | None = None
    calls: float | None = None
    gpu: float | None = None


def shares_of(file: AdviceFile, program: Program, locks: Sequence[Lock]) -> Shares:
    """Returns the shares of the timed run. Nothing is known if counting changed the program."""
    wall = program.timed_s
    if not wall or program.is_perturbed:
        return Shares()
    found: dict[str, float] = {}
    if locks:
        threads = max(
            [program.threads_at_work or program.threads, 1, *(lock.threads for lock in locks)]
        )
        lost_s = sum(lock.lost_ns(program) for lock in locks) * 1e-9
        found["locks"] = min(1.0, lost_s / threads / wall)
    calls = AdviceFile(file.path, file.header)
    # The calls that acquire locks are counted above.
    at_locks = {site for lock in locks for site in lock.call_sites}
    calls.call_sites = [site for site in file.call_sites if site["id"] not in at_locks]
    if spent := spent_in(calls):
        found["threads"] = min(1.0, spent.late / wall)
        found["calls"] = min(1.0, (spent.after + spent.calls + spent.woken) / wall)
        found["gpu"] = min(1.0, spent.gpu / wall)
    return Shares(**found)
