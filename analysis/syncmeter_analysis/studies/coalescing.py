"""Loads of a warp by how its lanes lie on memory: the time of each pattern for a useful byte over that
of the coalesced load, and bank conflicts of shared memory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import Over, over
from syncmeter_analysis.relate.group import grouped
from syncmeter_analysis.relate.relation import (
    NotComparable,
    Ratio,
    Verdict,
    default_margin,
    ratio,
    verdict,
)
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.studies.blocks import Block, Cell, Table, Text, table
from syncmeter_analysis.studies.cells import cost_text, legend_of_marks
from syncmeter_analysis.studies.figures import Dots, Figure, Panel
from syncmeter_analysis.studies.figures import row as figure_row

title = "Coalescing and bank conflicts"
order = 14

#: A warp's words, of 4 bytes each, and what its coalesced load asks for.
warp_lanes, word_bytes = 32, 4
line_bytes = warp_lanes * word_bytes

#: In the order in which they are told.
patterns = (
    "coalesced",
    "permuted",
    "broadcast",
    "misaligned",
    "strided",
    "random",
    "row_walk",
    "column_walk",
)
level_names = ("device memory", "L2")


@dataclass
class Loads:
    """One kind of loads. `full` is the throughput with the device, or the block, full, `latency` that
    of a warp alone; None: not measured, and of several launches the largest."""

    full: Measured | None = None
    latency: Measured | None = None

    def add(self, s: Measured, is_latency: bool) -> None:
        kept = self.latency if is_latency else self.full
        if kept is not None and warps(s) <= warps(kept):
            return
        if is_latency:
            self.latency = s
        else:
            self.full = s

    @property
    def ns(self) -> Interval | None:
        """Of one load by a warp, while all of the device's load."""
        return of_one_load(self.full) if self.full else None

    @property
    def points(self) -> list[Measured]:
        return [s for s in (self.full, self.latency) if s]


@dataclass(kw_only=True)
class PatternRow(Loads):
    """One pattern of loads from one level. `over` is the time for a useful byte over that of the
    coalesced load of the level; None where that was not measured."""

    pattern: str
    size: int
    over: Over = None

    @property
    def name(self) -> str:
        return f"{self.pattern} {self.size}" if self.size else self.pattern

    @property
    def words(self) -> str:
        return f"{self.pattern} by {self.size}" if self.size else self.pattern

    @property
    def useful_bytes(self) -> int:
        """Of the words that a load of a warp asks for, each counted once."""
        return word_bytes if self.pattern == "broadcast" else line_bytes

    @property
    def useful_bytes_per_ns(self) -> float | None:
        return self.useful_bytes / self.ns.value if self.ns else None


@dataclass
class Level:
    """The patterns of one level of a device's memory, in their order."""

    backend: str
    device: int
    name: str
    rows: list[PatternRow]

    @property
    def coalesced(self) -> PatternRow | None:
        return next((row for row in self.rows if row.pattern == "coalesced" and row.full), None)

    @property
    def slowest(self) -> list[PatternRow]:
        """The pattern that takes the longest for a useful byte, and those within the margin of it or
        without a shown difference; of those resolved to be slower than the coalesced one. Of a
        broadcast nearly all is waste by its nature."""
        slower = [
            (row.over, row)
            for row in self.rows
            if row.pattern != "broadcast"
            and isinstance(row.over, Ratio)
            and verdict(row.over) is Verdict.slower
        ]
        slower.sort(key=lambda found: -found[0].value)
        reached = slower[0][0].low / (1 + default_margin) if slower else 0.0
        return [row for over, row in slower if over.high >= reached]


@dataclass(kw_only=True)
class BankRow(Loads):
    """Loads from shared memory with `ways` lanes on each bank, with the ratio of the throughput of a
    block and of the latency of a warp to one lane on a bank."""

    ways: int
    full_over_one: Over = None
    latency_over_one: Over = None


@dataclass
class Coalescing:
    """All levels and, by backend and device, bank conflicts; falsy where nothing can be compared."""

    levels: list[Level] = field(default_factory=list)
    banks: dict[tuple[str, int], list[BankRow]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        several = any(len(found.rows) > 1 for found in self.levels)
        return several or any(len(found) > 1 for found in self.banks.values())


def warps(s: Measured) -> float:
    return s.point.blocks * s.point.lanes / warp_lanes


def of_one_load(s: Measured) -> Interval:
    """A point's cost is the time in which all its warps load once."""
    assert s.cost is not None
    return s.cost.scaled(1 / warps(s))


def rows(campaign: Campaign) -> Coalescing:
    """Rows of each level of each backend's devices, with their ratios."""
    levels: dict[tuple[str, int, int], dict[tuple[int, int], PatternRow]] = defaultdict(dict)
    banks: dict[tuple[str, int], dict[int, BankRow]] = defaultdict(dict)
    for s in campaign.points.values():
        if not s.on_gpu or not s.usable or s.doubt:
            continue
        p, place = s.point, (s.point.backend, s.device or 0)
        if p.op in ("bank_conflict", "bank_conflict_latency"):
            bank = banks[place].setdefault(p.size, BankRow(ways=p.size))
            bank.add(s, p.op == "bank_conflict_latency")
            continue
        pattern = p.op.removeprefix("load_").removeprefix("latency_").removesuffix("_l2")
        if p.op.startswith("load_") and pattern in patterns:
            of_level = levels[*place, p.op.endswith("_l2")]
            of_pattern = PatternRow(pattern=pattern, size=p.size)
            loads = of_level.setdefault((patterns.index(pattern), p.size), of_pattern)
            loads.add(s, p.op.startswith("load_latency_"))
    found = Coalescing(
        [
            Level(backend, device, level_names[level], [row for _, row in sorted(of.items())])
            for (backend, device, level), of in sorted(levels.items())
        ],
        {place: [row for _, row in sorted(of.items())] for place, of in sorted(banks.items())},
    )
    for level in found.levels:
        _relate(level)
    for conflicts in found.banks.values():
        one = next((row for row in conflicts if row.ways == 1), BankRow(ways=1))
        for row in conflicts:
            row.full_over_one = over(row.full, one.full)
            row.latency_over_one = over(row.latency, one.latency)
    return found


def _relate(level: Level) -> None:
    base = level.coalesced.full if level.coalesced else None
    for row in level.rows:
        if base and row.full:
            row.over = _over(row, ratio(row.full, base).times(warps(base) / warps(row.full)))


def _over(row: PatternRow, r: Ratio | NotComparable) -> Ratio | NotComparable:
    if isinstance(r, NotComparable):
        return r
    if row.pattern == "random":
        # A random load comes behind a coalesced one, of the numbers of the words.
        i = r.interval
        own = Interval(max(i.value - 1, 0.0), max(i.low - 1, 0.0), i.high - 1)
        if own.value <= 0:
            return NotComparable("not resolved")
        return replace(r, interval=own, over_ns=r.over_ns - r.under_ns)
    return r.times(line_bytes / row.useful_bytes)


def answer(loads: Coalescing) -> list[str]:
    """The slowest patterns beside the coalesced one, the level first in which they cost most."""
    telling = [level for level in loads.levels if level.coalesced and len(level.rows) > 1]
    place = len({(level.backend, level.device) for level in telling}) > 1
    return [
        finding(level) + (f", {level.backend} device {level.device}" if place else "")
        for level in sorted(telling, key=_worst, reverse=True)
    ]


def _worst(level: Level) -> float:
    slowest = level.slowest
    return slowest[0].over.value if slowest and isinstance(slowest[0].over, Ratio) else 0.0


def text(loads: Coalescing) -> list[Block]:
    """A table for each level of memory, and one of bank conflicts."""
    several = len({(level.backend, level.device) for level in loads.levels} | set(loads.banks)) > 1

    def of(backend: str, device: int) -> str:
        return f", {backend} device {device}" if several else ""

    blocks: list[Block] = [_level(level, of(level.backend, level.device)) for level in loads.levels]
    if loads.levels:
        blocks.append(
            Text(
                "useful: words asked for, each once; time/useful: of a useful byte, over the "
                f"coalesced load's ({legend_of_marks(*blocks)}). random: without the coalesced "
                "load of the words' numbers; row_walk and column_walk: L1 may serve them."
            )
        )
    return blocks + [_banks(found, of(*place)) for place, found in loads.banks.items()]


def _level(level: Level, of: str) -> Table:
    def ns(value: float | None) -> str:
        return formats.nanoseconds(value) if value else ""

    return table(
        f"Loads of a warp from {level.name}{of}",
        "pattern|size>|ns/warp load>|useful B/ns>|time/useful>|latency ns>",
        [
            [
                Cell(row.pattern, [s.id for s in row.points]),
                str(row.size or ""),
                ns(row.ns.value if row.ns else None),
                ns(row.useful_bytes_per_ns),
                formats.marked(row.over),
                cost_text(row.latency),
            ]
            for row in level.rows
        ],
        keys=2,
    )


def finding(level: Level) -> str:
    """The slowest patterns of a level beside the coalesced one."""
    base, slowest = level.coalesced, level.slowest
    assert base is not None and base.useful_bytes_per_ns is not None
    per_ns = formats.nanoseconds(base.useful_bytes_per_ns)
    sentence = f"{level.name}: read coalesced ({per_ns} useful bytes per ns)"
    if not slowest or not isinstance(slowest[0].over, Ratio):
        return f"{sentence}; no pattern is resolved to take longer"
    names = " and ".join(row.words for row in slowest)
    return (
        f"{sentence}, because {names} take{'s' if len(slowest) == 1 else ''} "
        f"{formats.times_as_long(slowest[0].over)} for a useful byte"
    )


def _banks(conflicts: Sequence[BankRow], of: str) -> Table:
    return table(
        f"Bank conflicts: loads of a warp from shared memory, one multiprocessor{of}",
        "lanes of a bank>|ns/warp load>|over one>|latency ns>|over one>",
        [
            [
                Cell(str(row.ways), [s.id for s in row.points]),
                formats.nanoseconds(row.ns.value) if row.ns else "",
                formats.marked(row.full_over_one),
                cost_text(row.latency),
                formats.marked(row.latency_over_one),
            ]
            for row in conflicts
        ],
    )


def figures(loads: Coalescing) -> list[Figure]:
    """For each backend's device the loads by how its lanes lie on memory, from device memory and from
    L2, on one axis; where loads of several patterns were measured."""
    by_device = grouped(loads.levels, lambda level: (level.backend, level.device))
    return [figure for levels in by_device.values() for figure in _figure(levels, len(by_device))]


def _figure(levels: Sequence[Level], devices: int) -> list[Figure]:
    found = [(level, r, r.full, r.ns) for level in levels for r in level.rows]
    found.sort(key=lambda f: (patterns.index(f[1].pattern), f[1].size))
    drawn = [
        figure_row(ns, full.id, row=r.name, group=level.name)
        for level, r, full, ns in found
        if full and ns
    ]
    if len(drawn) < 2:
        return []
    note = (
        "Time of one load by a warp with the device full, and its 95 % interval, logarithmic. "
        "Numbers: bytes from the start of a line (misaligned), words from lane to lane (strided); "
        "random: two loads; the title counts the second alone."
    )
    first = levels[0]
    name = "coalescing" + (f"-{first.backend}-{first.device}" if devices > 1 else "")
    dots = Dots(drawn, "ns per load of a warp", level_names, "pattern", "from")
    panels = [Panel(f"all patterns, {first.backend}", dots)]
    title, *_ = answer(Coalescing(list(levels))) or ["What a load costs, by how its lanes lie"]
    return [Figure(name, title, note, panels, wide=True)]
