"""Reads the published measurements of LiTL (Guiroux, Lachaize, Quéma: Multicore Locks: The Case Is Not
Closed Yet, USENIX ATC 2016, and the article that follows it): whole programs whose pthread mutexes were
replaced by each of 27 other locks when they were loaded.

The folder `paper/journal/datasets` of multicore-locks/litl has a table for each machine: program, NUMA
nodes, lock, and throughput of each run. It is read where it lies; nothing of it is part of syncmeter.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from math import isfinite
from pathlib import Path
from statistics import median

from syncmeter_analysis.formats.importing import text_of
from syncmeter_analysis.record.errors import Unusable, quoted
from syncmeter_analysis.relate.lock_score import Machine, Program, default_lock

#: The machines: two of Intel, two of AMD, with so many cores each.
machines = ("I48", "A64", "A48", "I20")
#: A few programs were run with locks that sleep alone; only those with these locks are compared.
_compared = {default_lock, "backoff", "mcs_spin"}


def _machine(path: Path) -> Machine:
    runs: dict[tuple[str, int, str], list[float]] = defaultdict(list)
    rows = csv.reader(text_of(path, "utf-8"))
    if next(rows, [])[:3] != ["bench", "node", "strategy"]:
        raise Unusable(f"{path}: its first line does not begin with bench,node,strategy")
    for row in rows:
        try:
            program, nodes, lock, throughput = row[0], int(row[1]), row[2], float(row[3])
            is_number = isfinite(throughput) and throughput >= 0 and nodes > 0
        except (ValueError, IndexError):
            is_number = False
        if not is_number:
            raise Unusable(f"{path}: line {rows.line_num}: {quoted(','.join(row))} is no run")
        runs[program, nodes, lock].append(throughput)
    all_nodes = max((nodes for _, nodes, _ in runs), default=0)
    found = []
    for name in sorted({program for program, _, _ in runs}):
        of_it = {key[1:]: median(each) for key, each in runs.items() if key[0] == name}
        by_lock = {lock: each for (nodes, lock), each in of_it.items() if nodes == all_nodes}
        by_nodes = {nodes: each for (nodes, lock), each in of_it.items() if lock == default_lock}
        if not _compared <= by_lock.keys():
            continue
        if by_lock[default_lock] > 0 and by_nodes.get(1, 0) > 0:
            found.append(Program(name, by_nodes, by_lock))
    return Machine(path.stem, found)


def read_litl(folder: str) -> list[Machine]:
    """The machines whose tables are there, with their programs: those that were measured with spinning
    locks too, and with the default mutex on one node and on all.

    Raises Unusable where there are fewer than two machines.
    """
    paths = [Path(folder) / f"{name}.csv" for name in machines]
    found = [_machine(path) for path in paths if path.is_file()]
    if len(found) < 2:
        names = ", ".join(path.name for path in paths)
        raise Unusable(
            f"{quoted(folder)} has {len(found)} of {names}; two or more are needed: give "
            "paper/journal/datasets of multicore-locks/litl"
        )
    return found
