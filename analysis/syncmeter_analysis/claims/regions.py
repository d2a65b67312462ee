"""What was published of OpenMP's regions, loops and tasks, and what is widely held of them."""

from __future__ import annotations

from functools import partial

from syncmeter_analysis.claims.claim import (
    Finding,
    above,
    at_least,
    claim,
    missing,
    on_cpus,
    row,
)
from syncmeter_analysis.claims.sources import belief, origin
from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.relate.evidence import Evidence, Pair, Pairs
from syncmeter_analysis.relate.relation import Ratio
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.studies.constructs import iterations
from syncmeter_analysis.studies.regions import rows
from syncmeter_analysis.studies.work_that_pays import break_even, grains_of

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
    .every(0.8, 1.25, "LLVM's OpenMP over GCC's"),
    _of(f"the contrary of {_epcc}, and of {_epcc_tasks}, abstracts"),
    statement="It makes no difference which implementation of OpenMP runs a construct.",
    needs="constructs of omp and of omp-llvm, 2 lanes or more",
    advice="Take the compiler for its code: its runtime costs the same.",
    otherwise="Measure your constructs with both runtimes: the choice is worth as much as tuning.",
)

epcc_region_threads = row(
    on_cpus("parallel_region").ends("lanes", 2).above(1.1, "a region of all threads over one of 2"),
    _of(_epcc),
    statement="A parallel region gets slower with every thread of its team.",
    needs="parallel_region at 2 lanes and at more",
    least_pus=3,
    advice="Give small regions fewer threads: num_threads, or OMP_NUM_THREADS for all.",
    otherwise="Small regions gain nothing by fewer threads here.",
)

belief_static_schedule = row(
    _teams("for_dynamic", size=_small)
    .over(_teams("for_static_chunk", size=_small), "op")
    .above(1.1, "a dynamic over a static loop of equal chunks"),
    _of(belief),
    statement="A static schedule costs less than a dynamic one of small chunks.",
    needs="for_dynamic and for_static_chunk of one size, 2 lanes or more",
    advice="Leave schedules static where iterations take alike.",
    otherwise="A dynamic schedule costs no more here: take it where iterations may differ.",
)

belief_guided_schedule = row(
    _teams("for_guided", size=_small)
    .over(_teams("for_dynamic", size=_small), "op")
    .below(0.9, "a guided over a dynamic loop of equal chunks"),
    _of(belief),
    statement="A guided schedule costs less than a dynamic one of small chunks.",
    needs="for_guided and for_dynamic of one size, 2 lanes or more",
    advice="Prefer guided where chunks would have to be small.",
    otherwise="Choose between guided and dynamic by balance alone: they cost the same.",
)

book_merge_regions = row(
    _teams("parallel_for")
    .over(_teams("for_static", size=_one), "op", "size")
    .above(1.1, "a loop in a region of its own over one in a region that is there"),
    _of(_book),
    statement="Neighbouring parallel regions should be merged: a loop in one of its own costs more.",
    needs="parallel_for and for_static, 2 lanes or more",
    advice="Merge neighbouring regions and keep loops inside.",
    otherwise="Write a region for each loop: it costs no more than the loop's own barrier.",
)

book_nowait = row(
    _teams("for_static", size=_one)
    .over(_teams("for_nowait"), "op", "size")
    .above(1.1, "a loop with its barrier over one with nowait"),
    _of(_book),
    statement="The barrier is what a loop costs: with nowait it is faster.",
    needs="for_static and for_nowait, 2 lanes or more",
    advice="Write nowait where no thread needs what another one did in the loop.",
    otherwise="Leave the barrier: it costs nothing that could be measured.",
)

book_ordered = row(
    _teams("ordered")
    .over(_teams("for_static", size=_one), "op", "size")
    .above(1.25, "a loop with ordered iterations over one without"),
    _of(_book),
    statement="The ordered construct is slow and to be avoided.",
    needs="ordered and for_static, 2 lanes or more",
    advice="Avoid ordered: collect results and combine them in order after the loop.",
    otherwise="Use ordered where the order counts: the loop's barrier costs as much.",
)

belief_passive_regions = row(
    on_cpus("parallel_region", lanes=at_least(2))
    .between("wait", ("passive", "active"))
    .above(2.0, "passive over active"),
    _of(belief),
    statement="Where waiting threads sleep, regions cost several times as much.",
    needs="parallel_region with wait policy active and passive, 2 lanes or more",
    advice="Set OMP_WAIT_POLICY=active where regions follow each other closely.",
    otherwise="Let threads sleep between regions: it costs little.",
)

belief_nested = row(
    _teams("nested_region")
    .over(_teams("parallel_region"), "op", "affinity")
    .above(2.0, "a nested region over one outside"),
    _of(belief),
    statement="Nested parallelism costs a new team each time.",
    needs="nested_region and parallel_region, 2 lanes or more",
    advice="Do not nest regions in hot code: collapse the loops, or make tasks.",
    otherwise="Nest regions where the program wants it: the runtime keeps inner teams.",
)

belief_thread_per_loop = row(
    _teams("thread_create_join jthread_create_join async_get")
    .over(_teams("parallel_region", backend="omp"), "op", "backend", "affinity")
    .above(5.0, "threads created and joined over a region"),
    _of(belief),
    statement="Creating threads for every loop costs several times as much as a region.",
    needs="thread_create_join or another of std, and parallel_region of omp, 2 lanes or more",
    advice="Keep threads: a region of OpenMP, or a pool of your own.",
    otherwise="Create threads where it makes the program simpler: a region costs about as much.",
)

belief_tasks_by_all = row(
    _teams("task_by_one")
    .over(_teams("task_by_all"), "op")
    .above(1.1, "tasks made by one thread over tasks made by all"),
    _of(f"{_epcc_tasks} measure both"),
    statement="Tasks that one thread makes for all cost more than tasks that each thread makes.",
    needs="task_by_one and task_by_all of one size, 2 lanes or more",
    advice="Let all threads make tasks: divide the outer loop first.",
    otherwise="Make tasks in a single where that is simpler.",
)


def _times(s: Measured, work: Interval, bound_ns: float) -> Pair:
    """Some work in units of a bound; the point stands on both sides."""
    return Pair(s, s, Ratio(work.scaled(1 / bound_ns), under_ns=bound_ns))


@claim(
    _of(belief),
    statement="A task needs 10 us of work or more.",
    needs="task_by_all, 2 lanes or more",
    advice="Cut work into tasks of 10 us and more.",
    otherwise="Tasks may be smaller than 10 us: the study says how small.",
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
    return above(pairs, 1.0, "work of a task that threads are 90 % busy with, over 10 us")


@claim(
    _of(_tbb),
    statement="A loop has to take a million clock cycles, about 500 us, to be worth a parallel_for.",
    needs="tbb_parallel_for, 2 lanes or more",
    advice="Leave loops of less than 500 us serial.",
    otherwise="Loops far below 500 us gain too: the study says from where on.",
)
def tbb_million_cycles(data: Evidence) -> Finding:
    """The work that pays for a parallel_for of all threads against 500 us."""
    loops = data.measured("tbb_parallel_for", lanes=at_least(2))
    most = max((s.point.lanes for s in loops), default=0)
    able = [s for s in loops if s.point.lanes == most and s.usable]
    if not able:
        return missing()
    pairs = [_times(s, break_even(s.cost, most), 500e3) for s in able if s.cost]
    return above(Pairs(pairs), 1.0, "serial work that takes as long with parallel_for, over 500 us")
