"""The tables of a warp's loads and of bank conflicts, and what follows from them in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.relation import Ratio
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.studies.blocks import Block, Bullets, Cell, Table, Text
from syncmeter_analysis.studies.coalescing_rows import BankRow, Level, Loads, of_one_load, rows

__all__ = ["rows", "text", "title"]

title = "Coalescing and bank conflicts"
measured_by = "`syncmeter run --study coalescing` on a GPU"


def text(loads: Loads) -> list[Block]:
    """A table for each level of memory with its finding, and one of bank conflicts."""
    several = len({(level.backend, level.device) for level in loads.levels} | set(loads.banks)) > 1

    def of(backend: str, device: int) -> str:
        return f", {backend} device {device}" if several else ""

    blocks: list[Block] = [_level(level, of(level.backend, level.device)) for level in loads.levels]
    if loads.levels:
        blocks.append(
            Text(
                "useful: words asked for, each once; time/useful: of a useful byte, over the "
                f"coalesced load's ({formats.legend_of_marks}); `scripts/moved-bytes` counts what "
                "is moved. random: without the coalesced load of the words' numbers; row_walk and "
                "column_walk: L1 may serve them."
            )
        )
        findings = [
            finding(level) + of(level.backend, level.device)
            for level in loads.levels
            if level.coalesced and len(level.rows) > 1
        ]
        blocks += [Bullets(findings)] if findings else []
    return blocks + [_banks(found, of(*place)) for place, found in loads.banks.items()]


def _level(level: Level, of: str) -> Table:
    columns = ["pattern", "size", "ns/warp load", "useful B/ns", "time/useful", "latency ns"]
    table = Table(
        columns,
        [],
        right=range(1, len(columns)),
        caption=f"Loads of a warp from {level.name}{of}",
        keys=2,
    )
    for row in level.rows:
        ns, rate = row.ns, row.useful_bytes_per_ns
        texts = [row.pattern, str(row.size or ""), formats.nanoseconds(ns.value) if ns else ""]
        texts += [formats.nanoseconds(rate) if rate else "", formats.marked(row.over)]
        texts += [formats.cost(row.latency) if row.latency else ""]
        cells = [Cell(text) for text in texts]
        cells[0].points = [s.id for s in row.points]
        table.rows.append(cells)
    return table


def finding(level: Level) -> str:
    """The slowest patterns of a level beside the coalesced one."""
    base, slowest = level.coalesced, level.slowest
    assert base is not None and base.useful_bytes_per_ns is not None
    rate = base.useful_bytes_per_ns
    told = f"{level.name}: coalesced loads bring {formats.nanoseconds(rate)} useful bytes per ns"
    if not slowest or not isinstance(slowest[0].over, Ratio):
        return f"{told}; no pattern is resolved to take longer"
    names = " and ".join(row.told for row in slowest)
    return (
        f"{told}; {names} take{'s' if len(slowest) == 1 else ''} the longest, "
        f"{formats.ratio_interval(slowest[0].over)} times as long for a useful byte"
    )


def _banks(conflicts: Sequence[BankRow], of: str) -> Table:
    columns = ["lanes of a bank", "ns/warp load", "over one", "latency ns", "over one"]
    table = Table(
        columns,
        [],
        right=range(len(columns)),
        caption=f"Bank conflicts: loads of a warp from shared memory, one multiprocessor{of}",
    )
    for row in conflicts:
        texts = [str(row.ways), _ns(row.full), formats.marked(row.full_over_one)]
        texts += [formats.cost(row.latency) if row.latency else ""]
        texts += [formats.marked(row.latency_over_one)]
        cells = [Cell(text) for text in texts]
        cells[0].points = [s.id for s in row.points]
        table.rows.append(cells)
    return table


def _ns(s: Measured | None) -> str:
    return formats.nanoseconds(of_one_load(s).value) if s else ""
