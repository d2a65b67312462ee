"""Fork and join: every way, of every API, to have all threads do something and to wait for them; and
the same with a number from each thread, which are one in the end.
"""

from __future__ import annotations

from collections.abc import Iterable

from syncmeter_analysis.relate import contest_text
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.contest import Contest, contest
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.studies.blocks import Cell, Table, table
from syncmeter_analysis.studies.cells import cost_ns, notes
from syncmeter_analysis.studies.constructs import runtime_name

#: Not oneTBB's: no thread has to come to its tasks, and where they are empty the caller does them all.
_forks = (
    *("parallel_region", "thread_create_join", "jthread_create_join", "async_get"),
    *("pool_submit_wait", "launch_team"),
)
_reductions = ("reduction_sum", "launch_team_reduce")


def _fork_name(s: Measured) -> str:
    """`omp active`, `std thread_create_join`."""
    openmp = s.point.op in (_forks[0], _reductions[0])
    return runtime_name(s) if openmp else f"{runtime_name(s)} {s.point.op}"


def forks_of(points: Iterable[Measured], lanes: int, source: str) -> Contest:
    """The ways that fork and join so many threads; of equal ones the first counts."""
    return _ways(points, _forks, lanes, source)


def reductions_of(points: Iterable[Measured], lanes: int, source: str) -> Contest:
    """The ways that also reduce a number of each of so many threads."""
    return _ways(points, _reductions, lanes, source)


def _ways(points: Iterable[Measured], ops: tuple[str, ...], lanes: int, source: str) -> Contest:
    found: dict[str, Measured] = {}
    for s in points:
        if s.point.op in ops and s.point.lanes == lanes:
            found.setdefault(_fork_name(s), s)
    return contest([found[name] for name in sorted(found)], source)


def _what(one: Contest) -> str:
    reduces = one.first.point.op in _reductions
    what = "fork, reduction of a number and join" if reduces else "fork and join"
    return f"{what} of {one.threads}"


def fork_sentence(one: Contest) -> str:
    """Which way to fork and join to take."""
    return contest_text.sentence(one, _what(one), _fork_name, cost_ns, "way")


def fork_table(one: Contest) -> Table:
    """Every way to fork and join, over the fastest."""
    lines = [
        [
            Cell(runtime_name(s), [s.id]),
            s.point.op,
            formats.cost(s),
            *one.fields(s),
            notes(s, one.source),
        ]
        for s in one.points
    ]
    columns = "runtime|op|ns>|over fastest>|95 % interval>|"
    what = _what(one)
    return table(what[0].upper() + what[1:], columns, lines)
