"""What was published of OpenMP's regions, loops and tasks, and what is widely held of them."""

from __future__ import annotations

from functools import partial

from syncmeter_analysis.claims.claim import (
    above,
    at_least,
    claim,
    missing,
    on_cpus,
    row,
)
from syncmeter_analysis.claims.sources import belief, origin
from syncmeter_analysis.conclude.conclusion import Kind
from syncmeter_analysis.conclude.finding import Finding
from syncmeter_analysis.conclude.studies.constructs import iterations
from syncmeter_analysis.conclude.studies.regions import rows
from syncmeter_analysis.conclude.studies.work_that_pays import break_even, grains_of
from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.relate.evidence import Evidence, Pair, Pairs
from syncmeter_analysis.relate.relation import Ratio
from syncmeter_analysis.relate.summary import Measured

_epcc = "Bull, Measuring Synchronisation and Scheduling Overheads in OpenMP, EWOMP 1999"
_epcc_tasks = "Bull, Reid and McDonnell, A Microbenchmark Suite for OpenMP Tasks, IWOMP 2012"
_book = "Chapman, Jost and van der Pas, Using OpenMP, 2008, best practices of chapter 5"
_tbb = "oneTBB developer guide, Automatic Chunking"

_of = partial(origin, study="regions", figure="regions")
#: Where waiting threads sleep, waking them is all that constructs differ by.
_teams = partial(on_cpus, lanes=at_least(2), wait="active")
#: Iterations of each thread: one, which the study names and quick does not.
_one = (0, 1)


def _small(chunk: int) -> bool:
    """So that a loop has several for each thread."""
    return 0 < chunk < iterations


epcc_implementations = row(
    _teams("parallel_region for_static for_dynamic reduction_sum task_by_all task_by_one")
    .between("backend", ("omp-llvm", "omp"))
    .every(0.8, 1.25),
    _of(f"the contrary of {_epcc}, and of {_epcc_tasks}, abstracts"),
    if_true=Kind.any,
    if_false=Kind.use,
)

epcc_region_threads = row(
    on_cpus("parallel_region").ends("lanes", 2).above(1.1),
    _of(_epcc),
    least_pus=3,
)

belief_static_schedule = row(
    _teams("for_dynamic", size=_small)
    .over(_teams("for_static_chunk", size=_small), "op")
    .above(1.1),
    _of(belief),
)

belief_guided_schedule = row(
    _teams("for_guided", size=_small).over(_teams("for_dynamic", size=_small), "op").below(0.9),
    _of(belief),
)

book_merge_regions = row(
    _teams("parallel_for").over(_teams("for_static", size=_one), "op", "size").above(1.1),
    _of(_book),
)

book_nowait = row(
    _teams("for_static", size=_one).over(_teams("for_nowait"), "op", "size").above(1.1),
    _of(_book),
    if_false=Kind.keep,
)

book_ordered = row(
    _teams("ordered").over(_teams("for_static", size=_one), "op", "size").above(1.25),
    _of(_book),
    if_true=Kind.avoid,
)

belief_passive_regions = row(
    on_cpus("parallel_region", lanes=at_least(2)).between("wait", ("passive", "active")).above(2.0),
    _of(belief),
)

belief_nested = row(
    _teams("nested_region").over(_teams("parallel_region"), "op", "affinity").above(2.0),
    _of(belief),
    if_true=Kind.avoid,
)

belief_thread_per_loop = row(
    _teams("thread_create_join jthread_create_join async_get")
    .over(_teams("parallel_region", backend="omp"), "op", "backend", "affinity")
    .above(5.0),
    _of(belief),
)

belief_tasks_by_all = row(
    _teams("task_by_one").over(_teams("task_by_all"), "op").above(1.1),
    _of(f"{_epcc_tasks} measure both"),
)


def _times(s: Measured, work: Interval, bound_ns: float) -> Pair:
    """Some work in units of a bound; the point stands on both sides."""
    return Pair(s, s, Ratio(work.scaled(1 / bound_ns), under_ns=bound_ns))


@claim(
    _of(belief),
)
def belief_task_grain(data: Evidence) -> Finding:
    """The work that keeps threads busy for nine tenths of the time against 10 us."""
    grains = (
        grain
        for part in rows(data.campaign)
        for runtime in part.runtimes
        for grain in grains_of(runtime, part.lanes)
        if grain.op == "task_by_all" and part.lanes > 1 and not runtime.name.endswith("passive")
    )
    pairs = Pairs([_times(grain.measured[0], grain.least, 10e3) for grain in grains])
    return above(pairs, 1.0)


@claim(
    _of(_tbb),
)
def tbb_million_cycles(data: Evidence) -> Finding:
    """The work that pays for a parallel_for of all threads against 500 us."""
    loops = data.measured("tbb_parallel_for", lanes=at_least(2))
    most = max((s.point.lanes for s in loops), default=0)
    able = [s for s in loops if s.point.lanes == most and s.usable]
    if not able:
        return missing()
    pairs = [_times(s, break_even(s.cost, most), 500e3) for s in able if s.cost]
    return above(Pairs(pairs), 1.0)
