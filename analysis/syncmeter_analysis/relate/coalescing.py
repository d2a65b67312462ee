"""Loads of a warp by access pattern: the time for a useful byte with each pattern over the coalesced
load's, and bank conflicts of shared memory."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace

from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import Over, over
from syncmeter_analysis.relate.relation import NotComparable, Ratio, ratio
from syncmeter_analysis.relate.summary import Measured

#: A warp's words and their bytes, which a coalesced load reads as one line.
warp_lanes, word_bytes = 32, 4
line_bytes = warp_lanes * word_bytes

#: The patterns by their rows.
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
level_names = ("device_memory", "l2")


@dataclass
class Loads:
    """One kind of loads. `full` is the throughput with a full device or block, `latency` the latency in
    a single warp. Both come from the largest launch and are None if not measured."""

    full: Measured | None = None
    latency: Measured | None = None

    def add(self, s: Measured, is_latency: bool) -> None:
        name = "latency" if is_latency else "full"
        kept = getattr(self, name)
        if kept is None or warps(s) > warps(kept):
            setattr(self, name, s)

    @property
    def ns(self) -> Interval | None:
        """Returns the time for one load by a warp. The cost is the time in which all warps load."""
        s = self.full
        return s.cost.scaled(1 / warps(s)) if s and s.cost else None

    @property
    def points(self) -> list[Measured]:
        return [s for s in (self.full, self.latency) if s]


@dataclass(kw_only=True)
class PatternRow(Loads):
    """One pattern and level. `over` is the time for a useful byte over the coalesced load's, or None if
    this was not measured."""

    pattern: str
    size: int
    over: Over = None

    @property
    def name(self) -> str:
        return f"{self.pattern} {self.size}" if self.size else self.pattern

    @property
    def useful_bytes(self) -> int:
        """Returns the bytes that a warp asks for, each word counted once."""
        return word_bytes if self.pattern == "broadcast" else line_bytes

    @property
    def useful_bytes_per_ns(self) -> float | None:
        return self.useful_bytes / self.ns.value if self.ns else None


@dataclass
class Level:
    """The patterns by level and device."""

    backend: str
    device: int
    name: str
    rows: list[PatternRow]

    @property
    def coalesced(self) -> PatternRow | None:
        return next((row for row in self.rows if row.pattern == "coalesced" and row.full), None)


@dataclass(kw_only=True)
class BankRow(Loads):
    """Loads from shared memory with `ways` threads on each bank. The throughput with a full block and
    the latency in a single warp are over the same with one thread on each bank."""

    ways: int
    full_over_one: Over = None
    latency_over_one: Over = None


@dataclass
class Coalescing:
    """All levels, and bank conflicts by backend and device. It is empty if nothing can be compared."""

    levels: list[Level] = field(default_factory=list)
    banks: dict[tuple[str, int], list[BankRow]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        several = any(len(found.rows) > 1 for found in self.levels)
        return several or any(len(found) > 1 for found in self.banks.values())


def warps(s: Measured) -> float:
    return s.point.blocks * s.point.lanes / warp_lanes


def rows(campaign: Campaign) -> Coalescing:
    """Returns rows for each level, backend and device with the ratios."""
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
        base = level.coalesced.full if level.coalesced else None
        for loads in level.rows:
            if base and loads.full:
                r = ratio(loads.full, base).times(warps(base) / warps(loads.full))
                loads.over = _over(loads, r)
    for conflicts in found.banks.values():
        one = next((row for row in conflicts if row.ways == 1), BankRow(ways=1))
        for row in conflicts:
            row.full_over_one = over(row.full, one.full)
            row.latency_over_one = over(row.latency, one.latency)
    return found


def _over(row: PatternRow, r: Ratio | NotComparable) -> Ratio | NotComparable:
    if isinstance(r, NotComparable):
        return r
    if row.pattern == "random":
        # A coalesced load reads the indices before each random load.
        i = r.interval
        own = Interval(max(i.value - 1, 0.0), max(i.low - 1, 0.0), i.high - 1)
        if own.value <= 0:
            return NotComparable("not_resolved")
        return replace(r, interval=own, over_ns=r.over_ns - r.under_ns)
    return r.times(line_bytes / row.useful_bytes)
