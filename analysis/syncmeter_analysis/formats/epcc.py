"""Imports what EPCC's OpenMP microbenchmarks print (Bull, EWOMP 1999; Bull, Reid and McDonnell, IWOMP
2012): syncbench, schedbench, taskbench and arraybench of versions 3 and 4, one run or several behind
each other.

`NAME overhead = X microseconds +/- Y` is the mean over repetitions less the reference's; version 4
gives `NAME median_ovrhd` beside it, which is taken where it is there. Y is 1.96 times the sum of the
standard deviations of the repetitions of construct and reference: their scatter, and no interval of
the mean, so that the points have none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from syncmeter_analysis.formats.importing import (
    campaign_line,
    members_of,
    name_of,
    text_of,
    visit_line,
    with_repeats,
    write_import,
)
from syncmeter_analysis.record.errors import Unusable, quoted

source = "EPCC OpenMP microbenchmarks"


#: Iterations of each thread in the loops of schedbench; a run may ask for others and does not say so.
_iterations = 128


@dataclass(frozen=True)
class Construct:
    """What one of its tests measures, as an op here, with the op's size."""

    op: str
    family: str
    size: int | None = None


#: Its tests by name; with a number of their own they are `NAME n`. A test that no op measures keeps its
#: name, so that nothing is compared with it that is something else.
constructs: dict[str, Construct] = {
    "PARALLEL": Construct("parallel_region", "region"),
    "PARALLEL FOR": Construct("parallel_for", "region"),
    "REDUCTION": Construct("reduction_sum", "region"),
    "FOR": Construct("for_static", "worksharing", 1),
    "STATIC": Construct("for_static", "worksharing", _iterations),
    "STATIC n": Construct("for_static_chunk", "worksharing"),
    "DYNAMIC n": Construct("for_dynamic", "worksharing"),
    "GUIDED n": Construct("for_guided", "worksharing"),
    "SINGLE": Construct("single", "worksharing"),
    "BARRIER": Construct("barrier", "barrier"),
    "TASK WAIT": Construct("taskwait", "tasking"),
    # Of these a repetition is one by one thread, while an op here is one by each.
    "ORDERED": Construct("epcc_ordered", "worksharing"),
    "CRITICAL": Construct("epcc_critical", "critical"),
    "LOCK/UNLOCK": Construct("epcc_lock", "critical"),
    "ATOMIC": Construct("epcc_atomic", "atomic"),
}


def _construct(name: str, sized: bool) -> Construct:
    """Of a test's name; one with a number of its own is looked up as `NAME n`."""
    known = constructs.get(f"{name} n" if sized else name)
    if known:
        return known
    words = "_".join(re.findall("[a-z0-9]+", name.lower()))
    family = "tasking" if "TASK" in name else "worksharing"
    return Construct(f"epcc_{words}", family)


_threads = re.compile(r"\s*([0-9]{1,9}) thread\(s\)\s*")
_figure = re.compile(
    r"([A-Z][A-Z_/ ]{0,60}?)(?: ([0-9]{1,9}))? +(overhead|median_ovrhd) *= *(\S+) microseconds.*"
)


@dataclass
class _Test:
    """A test of one run with its overhead in microseconds."""

    name: str
    size: int | None
    threads: int
    overhead: float


def _tests(path: Path, notes: list[str]) -> Iterator[_Test]:
    """Each test of each run. Raises Unusable where the file is no such output."""
    threads = 0
    # A mean waits for the median that may follow.
    waiting: _Test | None = None
    for number, line in enumerate(text_of(path, "utf-8", "replace"), 1):
        if count := _threads.fullmatch(line.rstrip()):
            threads = int(count[1])
            if threads < 1:
                raise Unusable(f"{path}, line {number}: a run of no threads")
        if not (found := _figure.fullmatch(line.rstrip())):
            continue
        name, size, what, text = found.groups()
        if not threads:
            raise Unusable(
                f"{path}, line {number}: no line `N thread(s)` stands before the figures"
            )
        try:
            overhead = float(text)
        except ValueError:
            overhead = float("nan")
        if not isfinite(overhead):
            notes.append(f"{path}, line {number}: {quoted(text)} is not a number")
            continue
        test = _Test(name, int(size) if size else None, threads, overhead)
        if waiting and (what == "overhead" or (waiting.name, waiting.size) != (name, test.size)):
            yield waiting
        waiting = test
    if waiting is None:
        raise Unusable(
            f"{path} is not the output of a program of {source}: it holds no line "
            "`NAME overhead = X microseconds`"
        )
    yield waiting


def _line(test: _Test, backend: str) -> dict[str, Any]:
    construct = _construct(test.name, test.size is not None)
    members = members_of(
        backend=backend,
        op=construct.op,
        lanes=test.threads,
        order="unordered",
        size=construct.size or test.size or None,
    )
    return visit_line(members, construct.family, test.overhead * 1e3, source=test.name)


def import_epcc(
    path: Path,
    output: Path,
    *,
    backend: str = "omp",
    cpu: str = "",
    cores: int | None = None,
    pus: int | None = None,
) -> list[str]:
    """Writes `output` of what the programs printed into the file `path`; returns what there is to say
    of it, in sentences.

    `backend` names the OpenMP runtime, `cpu`, `cores` and `pus` describe the machine: the output says
    none of them. Raises Unusable.
    """
    notes: list[str] = []
    tests = list(_tests(path, notes))
    lines = with_repeats(_line(test, backend) for test in tests)
    first = campaign_line(source, cpu or name_of(path), None, host="", cores=cores, pus=pus)
    write_import(output, first, lines)
    unresolved = sum(line["status"] == "not_resolved" for line in lines)
    return [
        f"{len(lines)} points, {unresolved} of them not resolved; +/- is the scatter of repetitions, "
        "no interval, and is left out",
        *notes,
    ]
