"""Constructs of a program beside each other: pairs that differ by one decision, and regions of two
teams in turn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.relate.contest import Over, over
from syncmeter_analysis.relate.stats import quotient
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.studies.constructs import Runtime, iterations


class Pair(NamedTuple):
    """Two ops that differ by one decision of a program, each with its size (0: the largest that both
    have), in words, and what to do where it costs."""

    over: tuple[str, int]
    under: tuple[str, int]
    more: str
    less: str
    advice: str


pairs = (
    Pair(
        ("parallel_for", 1),
        ("for_static", 1),
        "a loop in a region of its own",
        "one in a region that is there",
        "merge neighbouring regions",
    ),
    Pair(
        ("for_static", 1),
        ("for_nowait", 1),
        "a loop with the barrier at its end",
        "one with nowait",
        "write nowait where no thread needs what another one did",
    ),
    Pair(
        ("for_dynamic", 1),
        ("for_static", iterations),
        f"a loop of {iterations} iterations a thread in dynamic chunks of one",
        "a static one",
        "keep even loops static",
    ),
    Pair(
        ("reduction_sum", 1),
        ("parallel_region", 1),
        "a region with a reduction of one number",
        "one without",
        "reduce once, in the last of several regions",
    ),
    Pair(
        ("nested_region", 1),
        ("parallel_region", 1),
        "a region inside of another",
        "one outside",
        "do not nest regions",
    ),
    Pair(
        ("first_region", 1),
        ("parallel_region", 1),
        "a region that starts its threads, and their end",
        "one whose threads are there",
        "keep the threads: leave a program's first region out of what is timed",
    ),
    Pair(
        ("task_by_one", 0),
        ("task_by_all", 0),
        "a task where one thread makes all of them",
        "one where each thread makes its own",
        "let all threads make tasks",
    ),
    Pair(
        ("task_chain", 0),
        ("task_by_one", 0),
        "a task that depends on the one before",
        "one that depends on nothing",
        "join tasks of a chain",
    ),
    Pair(
        ("task_chain", 0),
        ("taskwait_by_one", 0),
        "a task that depends on the one before",
        "one that is made after a taskwait for the one before",
        "write taskwait between tasks where nothing else is to run beside them",
    ),
    Pair(
        ("tbb_parallel_for_simple", 1),
        ("tbb_parallel_for_auto", 1),
        "a loop of oneTBB in which each index is a task",
        "one that auto_partitioner divides",
        "do not name simple_partitioner for single indices",
    ),
    Pair(
        ("tbb_parallel_for_auto", 1),
        ("tbb_parallel_for_static", 1),
        "a loop of oneTBB that auto_partitioner divides",
        "one that static_partitioner does",
        "name static_partitioner where indices take alike",
    ),
)


def compared(runtime: Runtime, lanes: int) -> Iterator[tuple[Pair, Measured, Measured, Over]]:
    for pair in pairs:
        sizes = [runtime.by_size(op, lanes).keys() for op, _ in pair[:2]]
        largest = max(sizes[0] & sizes[1], default=0)
        more, less = (runtime.at(op, lanes, size or largest) for op, size in pair[:2])
        if more and less:
            yield pair, more, less, over(more, less)


def resized(runtime: Runtime, lanes: int) -> Iterator[tuple[Interval, Interval, Interval]]:
    """A region of half of the threads and one of all in turn: what both take, what they take each among
    its like, and the ratio."""
    ops = "region_after_resize", "parallel_region_fewer", "parallel_region"
    both, half, whole = (
        s.cost if s and s.usable else None for s in (runtime.at(op, lanes) for op in ops)
    )
    if both and half and whole:
        alone = Interval(half.value + whole.value, half.low + whole.low, half.high + whole.high)
        yield both, alone, quotient(both, alone)
