"""Ways to wait for a late thread: what each costs beyond the lateness, the CPU time that it burns, and
for how long to spin before sleeping.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter

from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import over
from syncmeter_analysis.relate.distance import distance, threads_apart, unknown
from syncmeter_analysis.relate.group import grouped
from syncmeter_analysis.relate.relation import NotComparable, Ratio, Verdict, ratio, verdict
from syncmeter_analysis.relate.spin_then_sleep import Advice, Curve, advice
from syncmeter_analysis.relate.stats import median
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.studies.blocks import Block, Cell, Table, Text, table
from syncmeter_analysis.studies.cells import cost, of_each
from syncmeter_analysis.studies.figures import Axis, Figure, Panel, Row, curve
from syncmeter_analysis.studies.spin_settings import (
    Runtime,
    llvm_of,
    own_code,
    setting,
    whole_ns_of,
)

title = "Waiting"
order = 6

#: Ways by name of their op, in the order of the tables; the first four do not sleep.
awake = ("spin", "pause", "backoff", "yield")
asleep = ("futex", "condition", "atomic")


@dataclass
class Way:
    """One way of waiting, by lateness in us. `cpu_ns` is the CPU time that a wait burns, where the
    worker counts it; `sleeps` whether it gives its processing unit up."""

    name: str
    sleeps: bool
    costs: dict[int, Measured] = field(default_factory=dict)
    cpu_ns: dict[int, float] = field(default_factory=dict)

    @property
    def curve(self) -> Curve:
        """The costs that are known; one that is not resolved from 0 is 0."""
        return self.curve_of("value")

    def curve_of(self, end: str) -> Curve:
        """The same of an end of the intervals, `low` or `high`."""
        return {
            late: max(getattr(s.cost, end), 0.0)
            for late, s in sorted(self.costs.items())
            if s.cost is not None and s.status in ("ok", "busy", "noisy", "not_resolved")
        }

    @property
    def visits(self) -> int:
        """Of the cost that has least, of those whose scatter is known."""
        known = (s.visits for s in self.costs.values() if s.cost and s.cost.bounded)
        return min(known, default=0)


@dataclass(frozen=True)
class Neighbour:
    """The same work beside a lane that waits in this way, `over` the work alone. `affinity` says where
    the two are: smt on one core, else on two."""

    way: str
    affinity: str
    beside: Measured
    over: Ratio | NotComparable


@dataclass
class Part:
    """The ways of one file. `advice` is of its plain spinning and its fastest sleeping way. `barriers`
    are those of every backend, by its name; where it is of OpenMP also by its way of waiting.
    `neighbours`: what a waiting lane costs one that works. `apart`: how far apart a hypervisor had
    placed those that wait for each other, where that is known."""

    ways: list[Way]
    barriers: list[Way]
    runtimes: list[Runtime]
    advice: Advice | None
    between: tuple[str, str] | None
    neighbours: list[Neighbour]
    apart: str = ""
    source: str = ""

    @property
    def points(self) -> list[str]:
        of_ways = [s.id for way in self.ways + self.barriers for s in way.costs.values()]
        return of_ways + [n.beside.id for n in self.neighbours]


def rows(campaign: Campaign) -> list[Part]:
    """The ways of waiting of each file that has any, at two lanes."""
    found = (_part(campaign, points, source) for _, points, source in campaign.parts())
    return [part for part in found if part is not None]


def _part(campaign: Campaign, points: Sequence[Measured], source: str) -> Part | None:
    found: dict[str, Way] = {}
    barriers: dict[tuple[str, str], Way] = {}
    pauses = [s for s in points if s.point.op == "spin_pause" and s.usable and s.point.lanes == 1]
    for s in points:
        p = s.point
        if p.lanes != 2 or not p.late_us or s.imported or s.device is not None:
            continue
        name = p.op.removeprefix("wait_")
        if name in awake + asleep and p.op != name:
            way = found.setdefault(name, Way(name, name in asleep))
        elif p.op == "barrier_late" and (p.wait == "active" or p.backend.startswith("omp")):
            way = barriers.setdefault((p.backend, p.wait), Way(p.wait, p.wait == "passive"))
        else:
            continue
        way.costs.setdefault(p.late_us, s)
        if burnt := campaign.remarks(s, "waiting_cpu_ns"):
            way.cpu_ns[p.late_us] = max(median(burnt), 0.0)
    has_smt = campaign.machine.smt is not False
    neighbours = [n for n in _neighbours(points) if has_smt or n.affinity != "smt"]
    if not (found or neighbours):
        return None
    ways = [found[name] for name in awake + asleep if name in found]
    between = _between(found)
    waits = [s for way in (*ways, *barriers.values()) for s in way.costs.values()]
    compilers = {build: name for f in campaign.files for build, name in f.compilers.items()}
    return Part(
        ways,
        [
            # The other APIs have one way of waiting.
            replace(way, name=f"{backend} {wait}" if backend.startswith("omp") else backend)
            for (backend, wait), way in sorted(barriers.items())
        ],
        list(_runtimes(barriers, pauses[-1].cost if pauses else None, compilers)),
        _advice(*between[:2]) if between else None,
        (between[0].name, between[2]) if between else None,
        neighbours,
        apart if (apart := distance(waits, [])) != unknown else "",
        source,
    )


def _neighbours(points: Sequence[Measured]) -> list[Neighbour]:
    """By where the two lanes are, then in the order of the ways."""
    ways = {f"work_beside_{way}": way for way in awake + asleep}
    alone = {s.point.op: s for s in reversed(points) if s.point.lanes == 1}
    found = [
        Neighbour(ways[s.point.op], s.point.affinity, s, ratio(s, alone[s.point.op]))
        for s in points
        if s.point.lanes == 2 and s.point.op in ways and s.point.op in alone
    ]
    return sorted(found, key=lambda n: (n.affinity, list(ways.values()).index(n.way)))


def _between(found: Mapping[str, Way]) -> tuple[Way, Way, str] | None:
    """How to spin, the sleeping way of the least cost at the largest lateness, and the names of it and
    of those that are not shown to cost more there."""
    spinning = [found[name] for name in ("pause", "spin") if name in found and found[name].curve]
    sleeping = [found[name] for name in asleep if name in found and found[name].curve]
    if not spinning or not sleeping:
        return None
    best = min(sleeping, key=lambda way: way.curve[max(way.curve)])
    late, alike = max(best.curve), (Verdict.same, Verdict.faster, Verdict.cannot_tell)
    others = {w.name: over(w.costs.get(late), best.costs[late]) for w in sleeping if w is not best}
    as_good = [name for name, r in others.items() if r and verdict(r) in alike]
    return spinning[0], best, formats.listed([best.name, *as_good], last="or")


def _runtimes(
    barriers: Mapping[tuple[str, str], Way], pause: Interval | None, compilers: Mapping[str, str]
) -> Iterator[Runtime]:
    """`compilers`: the names of those of the builds."""
    for backend in sorted({b for b, _ in barriers if b.startswith("omp")}):
        active, passive = barriers.get((backend, "active")), barriers.get((backend, "passive"))
        if active and passive:
            # libgomp counts its looks, LLVM's runtime reads a clock.
            look, llvm = (None, _llvm(passive, compilers)) if "llvm" in backend else (pause, None)
            settings = _advice(active, passive, look, whole_ns_of(llvm))
            yield Runtime(backend, settings, look, llvm)


def _advice(
    spin: Way, sleep: Way, look: Interval | None = None, whole_ns: float = 0.0
) -> Advice | None:
    visits = min(spin.visits, sleep.visits)
    return advice(spin.curve_of, sleep.curve_of, look, whole_ns, visits)


def _llvm(way: Way, compilers: Mapping[str, str]) -> int | None:
    return min(
        filter(None, (llvm_of(compilers.get(s.build, "")) for s in way.costs.values())),
        default=None,
    )


@of_each
def text(part: Part) -> list[Block]:
    """Cost and CPU time by lateness, and work beside a lane that waits."""
    found: list[Block] = []
    if part.ways:
        what = "ns from the arrival of the late lane until it is seen"
        found += [_costs(part.ways, what, part.source), *_cpu(part.ways)]
    if part.barriers:
        found.append(_costs(part.barriers, "ns of a barrier beyond the lateness", ""))
    if part.neighbours:
        found.append(_neighbour_table(part.neighbours))
    return found


def _lates(ways: list[Way]) -> list[int]:
    return sorted({late for way in ways for late in way.costs})


def _costs(ways: list[Way], what: str, source: str) -> Table:
    return table(
        f"{source}: " * bool(source) + f"{what}, by lateness",
        ["late us>", *(f"{way.name}>" for way in ways)],
        [[str(late), *(cost(way.costs.get(late)) for way in ways)] for late in _lates(ways)],
    )


def _cpu(ways: list[Way]) -> list[Block]:
    found = [way for way in ways if way.cpu_ns]
    if not found:
        return []
    rows: list[list[str]] = []
    for late in _lates(found):
        burnt = (way.cpu_ns.get(late) for way in found)
        rows.append(
            [str(late), *("" if ns is None else formats.nanoseconds(ns / 1e3) for ns in burnt)]
        )
    columns = ["late us>", *(f"{way.name}>" for way in found)]
    note = Text("Its calls, and what is spent on waking it or another lane, are in it.")
    return [table("us of CPU time that a waiting lane burns, by lateness", columns, rows), note]


def _neighbour_table(neighbours: list[Neighbour]) -> Table:
    rows = [
        [
            *(Cell(f"waits: {n.way}", [n.beside.id]), _where(n.affinity)),
            *(*formats.ratio_fields(n.over), formats.why_none(n.over)),
        ]
        for n in neighbours
    ]
    columns = "the other lane|where|over alone>|95 % interval>|"
    return table("Work beside a lane that waits", columns, rows, keys=2)


def _where(affinity: str) -> str:
    return "same core" if affinity == "smt" else "another core"


def _cost_to_neighbours(neighbours: list[Neighbour]) -> Iterator[str]:
    """For each place the ways that slow a thread at work, those that do not, and those of which that
    is open, with what it may be and what to run."""
    by_place = grouped(neighbours, attrgetter("affinity"))
    for affinity in sorted(by_place, reverse=True):
        over = {n.way: n.over for n in by_place[affinity]}
        slowing = [
            f"{way} {formats.ratio_interval(r)} times as long"
            for way, r in over.items()
            if isinstance(r, Ratio) and verdict(r) is Verdict.slower
        ]
        harmless = [way for way, r in over.items() if verdict(r) is Verdict.same]
        undecided = {w: r for w, r in over.items() if verdict(r) is Verdict.cannot_tell}
        place = f"work beside a thread that waits on {_where(affinity).replace('same', 'the same')}"
        sentence = [", ".join(slowing)] * bool(slowing)
        sentence += [f"the same as alone: {', '.join(harmless)}"] * bool(harmless)
        if undecided:
            names = f"undecided: {', '.join(undecided)}"
            sentence.append(names if sentence else _undecided(undecided))
        yield f"{place}: {'; '.join(sentence) or 'cannot be compared with work alone'}"
    if neighbours and all(n.affinity != "smt" for n in neighbours):
        yield (
            "what a waiting thread costs one on the same core cannot be seen here: no core shows two "
            "processing units"
        )


def _undecided(over: Mapping[str, Ratio | NotComparable]) -> str:
    ways = formats.listed(list(over), len(over), last="or")
    bounded = [r for r in over.values() if isinstance(r, Ratio) and r.bounded]
    takes = ""
    if bounded:
        low, high = min(r.low for r in bounded), max(r.high for r in bounded)
        times = f"{formats.ratio(low)} to {formats.ratio(high)} times"
        takes = f": it takes {times} as long as alone ({formats.surely})"
    return (
        f"undecided whether {ways} slows it{takes}; `syncmeter run --study waiting --visits 30` may "
        "decide"
    )


@of_each
def answer(part: Part) -> list[str]:
    """How long to spin before sleeping, the settings of each OpenMP runtime that do so, and what
    waiting costs a neighbour."""
    of_team = f", {threads_apart(2, part.apart)} (no larger team was measured)"
    found = [each for runtime in part.runtimes for each in setting(runtime, of_team)]
    found += _of_own_code(part)
    if not found and part.ways:
        found.append(
            "cannot tell how long to spin: that takes a way that spins and one that sleeps, "
            "each at two latenesses"
        )
    found += _cost_to_neighbours(part.neighbours)
    return found


def _of_own_code(part: Part) -> list[str]:
    where = f", {threads_apart(2, part.apart)}"
    return own_code(part.advice, *part.between, where) if part.advice and part.between else []


def figures(parts: list[Part]) -> list[Figure]:
    """For each file with three latenesses or more what waiting costs and the CPU time that it burns: a
    line for each way."""
    note = "By how late the other thread comes; both axes logarithmic. Solid: spinning, dashed: asleep."
    return [
        Figure(
            f"waiting-{number}",
            (_of_own_code(part) or answer([part]))[0],
            note,
            panels,
            part.points,
        )
        for number, part in enumerate(parts, 1)
        if (panels := _panels(part.ways))
    ]


def _panels(ways: list[Way]) -> list[Panel]:
    drawn = {
        "ns until it is seen": [row for way in ways for row in _rows(way, way.curve)],
        "ns of CPU time burnt": [row for way in ways for row in _rows(way, way.cpu_ns)],
    }
    names = [way.name for way in ways]
    looks = {"dashes": ["awake", "asleep"]}
    return [
        panel
        for y, rows in drawn.items()
        for panel in curve(y, rows, Axis("us late"), Axis(y), names, least=3, **looks)
    ]


def _rows(way: Way, values: Mapping[int, float]) -> list[Row]:
    state = "asleep" if way.sleeps else "awake"
    return [
        {"x": late, "value": ns, "name": way.name, "dash": state, "id": way.costs[late].id}
        for late, ns in values.items()
        if ns > 0
    ]
