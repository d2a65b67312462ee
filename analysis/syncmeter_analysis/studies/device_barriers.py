"""Barriers over the devices of one host: each by the number of devices, and the fastest in kernels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter

from syncmeter_analysis.record.point import Point
from syncmeter_analysis.relate import contest_text, point_text
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.contest import Contest, Over, contest, over
from syncmeter_analysis.relate.group import grouped
from syncmeter_analysis.relate.relation import Ratio, Verdict, verdict
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.studies.blocks import Table, table
from syncmeter_analysis.studies.cells import cost, ns_of
from syncmeter_analysis.studies.figures import Axis, Figure, Row, curve

in_kernels = "multi_gpu_barrier_"


@dataclass
class Barrier:
    """One barrier with one launch on each device, by the number of devices."""

    by_devices: dict[int, Measured]

    @property
    def point(self) -> Point:
        return next(iter(self.by_devices.values())).point

    @property
    def name(self) -> str:
        return barrier_name(self.point)


@dataclass
class Fastest:
    """The fastest barrier inside kernels over so many devices. `fewer` is the one to take with the
    same launch over the next fewer, `step` its ratio to that one."""

    devices: int
    contest: Contest
    fewer: Measured | None = None
    step: Over = None


def barrier_name(p: Point) -> str:
    return f"{p.op} (counter on the second)" if p.home == "second" else p.op


def barriers_over_devices(points: Iterable[Measured]) -> list[Barrier]:
    of_barriers = (s for s in points if s.family == "barrier")
    barriers = [
        Barrier({s.point.size: s for s in sorted(alike, key=attrgetter("point.size"))})
        for alike in grouped(of_barriers, lambda s: s.point.without("size")).values()
    ]
    return sorted(barriers, key=lambda b: (b.name, b.point.blocks, b.point.lanes))


def fastest_of_each(barriers: Sequence[Barrier]) -> list[Fastest]:
    inside = [b for b in barriers if b.point.op.startswith(in_kernels)]
    found = []
    for devices in sorted({n for b in inside for n in b.by_devices}):
        over_these = grouped((b for b in inside if devices in b.by_devices), lambda b: b.name)
        # Of each barrier its fastest launch.
        of_each = (contest(b.by_devices[devices] for b in bs).best for bs in over_these.values())
        one = contest(best for best in of_each if best)
        if one.best is None:
            continue
        best = Fastest(devices, one)
        of_best = next(b for b in inside if b.by_devices.get(devices) is one.taken)
        fewer = [s for n, s in of_best.by_devices.items() if n < devices and s.usable]
        best.fewer = fewer[-1] if fewer else None
        best.step = over(one.taken, best.fewer)
        found.append(best)
    return found


def barrier_table(barriers: Sequence[Barrier]) -> Table:
    devices = sorted({n for barrier in barriers for n in barrier.by_devices})
    columns = ["barrier", "blocks x threads>"]
    columns += [f"{formats.count(n, 'device')}>" for n in devices]
    rows = []
    for b in barriers:
        at = [b.name.removeprefix("multi_gpu_"), point_text.blocks_by_threads(b.point)]
        rows.append([*at, *(cost(b.by_devices.get(n)) for n in devices)])
    what = "Barriers over devices (multi_gpu_*), ns, by blocks and threads on each"
    return table(what, columns, rows, keys=2)


def fastest_sentence(fastest: Fastest) -> str:
    """The barrier to take over so many devices, what others take, and its step from fewer devices."""
    one = fastest.contest
    launches = {point_text.blocks_by_threads(s.point) for s in one.points}
    alike = len(launches) == 1

    def name(s: Measured) -> str:
        launch = "" if alike else f" of {point_text.blocks_by_threads(s.point)} threads"
        return barrier_name(s.point).removeprefix("multi_gpu_") + launch

    # What a program has that copies the barrier of one GPU.
    usual = [s for s in one.points if barrier_name(s.point) == f"{in_kernels}counter"]
    devices = formats.count(fastest.devices, "device")
    launch = f" of {launches.pop()} threads" if alike else ""
    where = f"{devices}, a barrier inside kernels{launch}"
    which = contest_text.sentence(
        one, where, name, lambda s: formats.duration(ns_of(s)), "barrier", usual
    )
    it_is = f"{name(one.taken)} takes" if one.ties and one.taken else "that is"
    return which + _step(fastest, it_is)


def _step(fastest: Fastest, it_is: str) -> str:
    fewer, r, best = fastest.fewer, fastest.step, fastest.contest.taken
    if fewer is None or best is None or not isinstance(r, Ratio):
        return ""
    devices = formats.count(fewer.point.size, "device")
    if verdict(r) is Verdict.slower:
        more = formats.duration(ns_of(best) - ns_of(fewer))
        times = formats.times(r)
        return f"; {it_is} {times} times as long as over {devices}, {more} more"
    return f"; {it_is} as long as over {devices}" if verdict(r) is Verdict.same else ""


def barrier_figure(barriers: Sequence[Barrier], fastest: Sequence[Fastest]) -> list[Figure]:
    several = [
        b
        for b in barriers
        if sum(s.usable for s in b.by_devices.values()) > 1 and b.point.home != "second"
    ]
    inside = Counter(
        (b.point.blocks, b.point.lanes) for b in several if b.point.op.startswith(in_kernels)
    )
    # Of the launches that most barriers have, the smallest.
    usual = min(inside, key=lambda launch: (-inside[launch], launch), default=None)
    shown = [
        b
        for b in several
        if not b.point.op.startswith(in_kernels) or (b.point.blocks, b.point.lanes) == usual
    ]
    if usual is None or not fastest:
        return []
    rows: list[Row] = [
        {"x": n, "value": s.cost.value, "name": b.name.removeprefix("multi_gpu_"), "id": s.id}
        for b in shown
        for n, s in b.by_devices.items()
        if s.usable and s.cost
    ]
    note = (
        "Cost of a barrier by the number of devices, logarithmic; inside kernels "
        f"{usual[0]} blocks of {usual[1]} threads on each device, the others one block. "
        "Counters on the second device are in the table."
    )
    panels = curve("all barriers", rows, Axis("devices", "steps"), Axis("ns"))
    title = fastest_sentence(fastest[-1])
    return [Figure("multi-gpu-barriers", title, note, panels)]
