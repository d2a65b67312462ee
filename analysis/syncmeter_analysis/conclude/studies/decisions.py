"""Pairs of constructs that differ in one decision, and regions with two numbers of threads
alternately."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from syncmeter_analysis.conclude.studies.constructs import Runtime, iterations
from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.relate.contest import Over, over
from syncmeter_analysis.relate.stats import quotient
from syncmeter_analysis.relate.summary import Measured


class Pair(NamedTuple):
    """Two operations with a size, or 0 for the largest common size. A program changes `over` to
    `under`, unless `under` is the default. `condition` names what the change requires."""

    name: str
    over: tuple[str, int]
    under: tuple[str, int]
    condition: str = ""
    is_default: bool = False


pairs = (
    Pair("merge_regions", ("parallel_for", 1), ("for_static", 1)),
    Pair("nowait", ("for_static", 1), ("for_nowait", 1), "independent_threads"),
    Pair("static_schedule", ("for_dynamic", 1), ("for_static", iterations), is_default=True),
    Pair("reduce_once", ("reduction_sum", 1), ("parallel_region", 1)),
    Pair("one_level", ("nested_region", 1), ("parallel_region", 1)),
    Pair("keep_threads", ("first_region", 1), ("parallel_region", 1)),
    Pair("all_create_tasks", ("task_by_one", 0), ("task_by_all", 0)),
    Pair("join_chain", ("task_chain", 0), ("task_by_one", 0)),
    Pair("taskwait", ("task_chain", 0), ("taskwait_by_one", 0), "nothing_beside"),
    Pair("tbb_auto", ("tbb_parallel_for_simple", 1), ("tbb_parallel_for_auto", 1)),
    Pair(
        "tbb_static",
        ("tbb_parallel_for_auto", 1),
        ("tbb_parallel_for_static", 1),
        "even_iterations",
    ),
)


def compared(runtime: Runtime, lanes: int) -> Iterator[tuple[Pair, Measured, Measured, Over]]:
    """Yields the measured pairs with their ratio."""
    for pair in pairs:
        both = (pair.over, pair.under)
        sizes = [runtime.by_size(op, lanes).keys() for op, _ in both]
        largest = max(sizes[0] & sizes[1], default=0)
        more, less = (runtime.at(op, lanes, size or largest) for op, size in both)
        if more and less:
            yield pair, more, less, over(more, less)


def resized(runtime: Runtime, lanes: int) -> Iterator[tuple[Interval, Interval, Interval]]:
    """Yields the time for a small and a large region alternately, the time for both among equal
    regions, and the ratio."""
    ops = "region_after_resize", "parallel_region_fewer", "parallel_region"
    both, half, whole = (
        s.cost if s and s.usable else None for s in (runtime.at(op, lanes) for op in ops)
    )
    if both and half and whole:
        alone = Interval(half.value + whole.value, half.low + whole.low, half.high + whole.high)
        yield both, alone, quotient(both, alone)
