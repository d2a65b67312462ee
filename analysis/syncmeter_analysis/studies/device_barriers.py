"""The table and the figure of barriers over the devices of one host."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from syncmeter_analysis.relate import point_text
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.several_gpus import Barrier, in_kernels
from syncmeter_analysis.studies.blocks import Table, table
from syncmeter_analysis.studies.cells import cost
from syncmeter_analysis.studies.figures import Axis, Figure, Row, curve


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


def barrier_figure(barriers: Sequence[Barrier]) -> list[Figure]:
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
    if usual is None:
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
    return [Figure("multi-gpu-barriers", "Barriers over several devices", note, panels)]
