"""One node of a fleet: what is kept of its results file, a few numbers for each point and placement
state. Files are read one at a time by each process, so that a thousand fit into memory."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from math import log
from sys import intern
from typing import NamedTuple

from syncmeter_analysis.record.errors import Unusable
from syncmeter_analysis.record.machine import machine_of, object_of
from syncmeter_analysis.record.point import Point
from syncmeter_analysis.record.reader import ResultsFile, read_results
from syncmeter_analysis.relate.campaign import campaign_of
from syncmeter_analysis.relate.stats import error_of_median_log, median
from syncmeter_analysis.relate.summary import Measured, enough_visits

#: Fewer files than this are read faster than processes start.
_enough_files = 8


class StateCost(NamedTuple):
    """A point's cost in one placement state of one node: its logarithm (of ns) over visits, with its
    standard error, infinite for one visit. `hop_ns` is 0 without a pair probe."""

    busy: bool
    hop_ns: float
    log_ns: float
    error: float
    visits: int


@dataclass
class Node:
    """What a fleet keeps of one file. `costs` by the point's key, with how many rounds a GPU had in its
    queue, `failed` and `too_slow` the reason by the point's own key; `gpu` the keys of a GPU's points.
    `about` are facts of the machine that nodes of a run should share; `points` are by key those that no
    earlier node of the same process had."""

    path: str
    host: str
    kind: str
    about: dict[str, str]
    costs: dict[str, tuple[StateCost, ...]] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    too_slow: dict[str, str] = field(default_factory=dict)
    gpu: frozenset[str] = frozenset()
    notes: list[str] = field(default_factory=list)
    points: dict[str, Point] = field(default_factory=dict)


@dataclass(frozen=True)
class LeftOut:
    """A file that cannot be used, and why, in one sentence."""

    path: str
    why: str


def _costs(s: Measured) -> tuple[StateCost, ...]:
    """The point's cost in each state in which it has visits enough."""
    found = []
    for state in [s.state] if s.device is not None else s.states:
        costs = s.visit_costs(state)
        if costs and len(costs) >= min(enough_visits, s.visits):
            error = error_of_median_log(costs)
            found.append(StateCost(state.busy, state.hop_ns, log(median(costs)), error, len(costs)))
    return tuple(found)


def _about(file: ResultsFile) -> dict[str, str]:
    """Facts that a BIOS, an image or a job script sets, as text; what a file does not say is absent."""
    machine = object_of(file.campaign, "machine")
    names = ("pus", "cores", "packages", "numa_nodes", "smt", "turbo", "governor", "kernel", "os")
    found = {name: machine.get(name) for name in (*names, "virtualization")}
    found["quota"] = file.campaign.get("quota_cpus")
    found["syncmeter"] = file.campaign.get("version")
    found["compiler"] = ", ".join(sorted({str(build.get("compiler")) for build in file.builds}))
    memory = machine.get("memory_bytes")
    # The kernel keeps a little of it, not everywhere as much.
    if isinstance(memory, (int, float)) and memory >= 1 << 30:
        found["memory"] = f"{float(f'{memory / (1 << 30):.2g}'):g} GiB"
    return {name: str(value) for name, value in found.items() if value not in (None, "")}


def read_node(path: str) -> Node | LeftOut:
    """The file's summary; a file that cannot be used, or was imported, is LeftOut."""
    try:
        file = read_results(path)
    except Unusable as error:
        return LeftOut(path, str(error).removeprefix(f"{path}: ").removeprefix(f"{path} "))
    if machine_of(file.campaign).imported:
        return LeftOut(path, "it was imported, and says nothing of its scatter")
    return node_of(file)


def node_of(file: ResultsFile) -> Node:
    """What a fleet keeps of this file."""
    campaign = campaign_of([file])
    machine = campaign.machine
    gpus = sorted({name for _, name in machine.gpus})
    kind = ", ".join([machine.cpu or "unknown CPU", *gpus])
    node = Node(file.path, machine.host, kind, _about(file), notes=list(file.notes))
    gpu = set()
    for point_key, s in campaign.points.items():
        if s.measured_as:
            continue
        # Samples in a GPU's queue are compared with others in one.
        queued = s.rounds_at_once > 1
        key = f"{point_key} {s.rounds_at_once} rounds at once" if queued else point_key
        if s.on_gpu:
            node.about["GPU samples"] = "in queues" if queued else "one by one"
        if s.status in ("failed", "timeout", "too_slow"):
            key = point_key  # no queue is known of it
            reasons = node.too_slow if s.status == "too_slow" else node.failed
            reasons[key] = s.reason or s.status
        elif s.usable and (costs := _costs(s)):
            node.costs[key] = costs
        if s.on_gpu:
            gpu.add(key)
        node.points[key] = s.point
    node.gpu = frozenset(gpu)
    return node


# Keys of the points that this process has handed over: each is sent to another process once.
_known: set[str] = set()


def _read_beside(path: str) -> Node | LeftOut:
    """In a process of its own."""
    return _with_new_points(read_node(path), _known)


def _with_new_points(node: Node | LeftOut, known: set[str]) -> Node | LeftOut:
    """The node with the points only that are not known yet; they are from then on."""
    if isinstance(node, Node):
        node.points = {key: point for key, point in node.points.items() if key not in known}
        known.update(node.points)
    return node


def read_nodes(paths: Sequence[str], processes: int = 0) -> Iterator[Node | LeftOut]:
    """A summary for each file, in order, read by as many processes as may run (0: of this one's PUs).

    Keys that nodes share are one text.
    """
    processes = min(processes or len(os.sched_getaffinity(0)), len(paths) // _enough_files + 1)
    if processes < 2:
        known: set[str] = set()
        yield from (_with_new_points(read_node(path), known) for path in paths)
        return
    with ProcessPoolExecutor(processes) as pool:
        for node in pool.map(_read_beside, paths, chunksize=_enough_files):
            if isinstance(node, Node):
                node.costs = {intern(key): costs for key, costs in node.costs.items()}
                node.gpu = frozenset(map(intern, node.gpu))
            yield node


def odd_facts(nodes: Sequence[Node]) -> dict[int, list[str]]:
    """By the node's number the facts in which it is not like most: `turbo off (others on)`."""
    found: dict[int, list[str]] = defaultdict(list)
    for name in dict.fromkeys(name for node in nodes for name in node.about):
        own = [node.about.get(name, "unknown") for node in nodes]
        usual, n = Counter(own).most_common(1)[0]
        if 2 * n > len(nodes):
            for i, fact in enumerate(own):
                if fact != usual:
                    found[i].append(f"{name} {fact} (others {usual})")
    return dict(sorted(found.items()))
