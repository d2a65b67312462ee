"""What a barrier costs by number of lanes, runtime and way of waiting, and what the others pay for a
late arriver beyond its lateness.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from operator import attrgetter

from syncmeter_analysis.record.machine import object_of
from syncmeter_analysis.record.reader import ResultsFile
from syncmeter_analysis.relate import contest_text
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import Over, contest, over
from syncmeter_analysis.relate.group import group, grouped, placed_alike
from syncmeter_analysis.relate.relation import NotComparable, Ratio, Verdict, ratio, verdict
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.studies.blocks import Block, Bullets, Cell, Table, Text, table
from syncmeter_analysis.studies.cells import (
    cost_alone,
    cost_ns,
    legend_of_marks,
    line_moves,
    ns_of,
    of_each,
)
from syncmeter_analysis.studies.figures import Axis, Figure, Panel, curve, rows_of

title = "Barriers"
order = 5

#: Who waits, and how: backend (and op, of a user's barrier) and wait policy, a column of the tables.
Runtime = tuple[str, str]

#: As many numbers of lanes are a curve; fewer, of one runtime, have nothing to compare.
_least_curve = 3

#: More numbers of threads than this are counted in a sentence.
_most_numbers = 4


@dataclass
class Row:
    """One number of lanes, placed in one way; of barrier_late also one lateness."""

    lanes: int
    late_us: int
    costs: dict[Runtime, Measured]


@dataclass
class Placement:
    """Affinities that place every number of lanes alike, and what one file measured there: `curve` of
    the op barrier by lanes, `late` of barrier_late by lanes and lateness."""

    affinities: list[str]
    curve: list[Row]
    late: list[Row]

    @property
    def placed(self) -> str:
        return ", ".join(self.affinities)

    def over_on_time(self, row: Row, runtime: Runtime) -> Over:
        """The cost of a late arriver over that with nobody late."""
        on_time = {each.lanes: each.costs.get(runtime) for each in self.late if each.late_us == 0}
        return over(row.costs.get(runtime), on_time.get(row.lanes)) if row.late_us else None


@dataclass
class Comparison:
    """Two columns against each other over the numbers of lanes of one placement."""

    name: str
    placed: str
    over: Runtime
    under: Runtime
    ratios: dict[int, Ratio | NotComparable]


@dataclass
class Part:
    """The barriers of one file. `sleeping`: passive over active of one backend; `between`: one
    backend over another, waiting alike. `libraries`: compiler and library by backend. `source` names
    the file where there are several."""

    placements: list[Placement]
    runtimes: list[Runtime]
    sleeping: list[Comparison]
    between: list[Comparison]
    libraries: dict[str, str]
    points: list[str]
    source: str = ""

    @property
    def backends(self) -> list[str]:
        return sorted({backend for backend, _ in self.runtimes})

    @property
    def several_lanes(self) -> bool:
        return any(row.lanes > 1 for p in self.placements for row in (*p.curve, *p.late))


def rows(campaign: Campaign) -> list[Part]:
    """The barriers of CPUs of each file that has something to compare: several runtimes or ways of
    waiting, late arrivers, or a curve."""
    found = (_part(*part) for part in campaign.parts())
    return [part for part in found if part is not None]


def curves(campaign: Campaign) -> dict[str, dict[int, Measured]]:
    """Barriers by runtime and way of waiting, then by lanes; imports and single costs included. Of
    several affinities the one with most points."""

    def belongs(s: Measured) -> bool:
        return _is_barrier(s) and not _is_late(s) and s.usable and not s.oversubscribed

    by_affinity = grouped(filter(belongs, campaign.points.values()), attrgetter("point.affinity"))
    found: dict[str, dict[int, Measured]] = {}
    for s in max(by_affinity.values(), key=len, default=[]):
        waits = "" if s.point.wait == "active" else f", {s.point.wait} waiting"
        found.setdefault(_runtime(s)[0] + waits, {}).setdefault(s.point.lanes, s)
    return found


# A user's barrier has a name of its own.
def _is_barrier(s: Measured) -> bool:
    cpu = s.device is None and not s.point.on_gpu
    return cpu and (s.family == "barrier" or s.point.op in ("barrier", "barrier_late"))


def _is_late(s: Measured) -> bool:
    return s.point.op == "barrier_late"


def _part(file: ResultsFile, measured: Sequence[Measured], source: str) -> Part | None:
    able = (s for s in measured if not s.imported and s.status != "unsupported")
    points = list(filter(_is_barrier, able))
    runtimes = sorted({_runtime(s) for s in points})
    late = any(map(_is_late, points))
    if not late and len(runtimes) < 2 and len({s.point.lanes for s in points}) < _least_curve:
        return None
    placements = [_placement(*alike) for alike in placed_alike(points)]
    return Part(
        placements,
        runtimes,
        _compared(placements, _sleeping(runtimes)),
        _compared(placements, _between(runtimes)),
        _libraries(file, runtimes),
        [s.id for s in points],
        source,
    )


def _runtime(s: Measured) -> Runtime:
    p = s.point
    own = p.op in ("barrier", "barrier_late")
    return p.backend if own else f"{p.backend} {p.op}", p.wait


def _placement(affinities: list[str], points: Sequence[Measured]) -> Placement:
    on_time = [s for s in points if not _is_late(s)]
    return Placement(affinities, _rows_of(on_time), _rows_of(filter(_is_late, points)))


def _rows_of(points: Iterable[Measured]) -> list[Row]:
    return [
        Row(lanes, late_us, {_runtime(s): s for s in alike})
        for (lanes, late_us), alike in group(points, "lanes", "late_us").items()
    ]


def _compared(
    placements: Sequence[Placement], pairs: Iterable[tuple[str, Runtime, Runtime]]
) -> list[Comparison]:
    """Of each placement and each name with the runtimes that it compares, where both were measured."""
    found = []
    for (name, above, below), placed in product(pairs, placements):
        both = [row for row in placed.curve if above in row.costs and below in row.costs]
        ratios = {row.lanes: ratio(row.costs[above], row.costs[below]) for row in both}
        if ratios:
            found.append(Comparison(name, placed.placed, above, below, ratios))
    return found


def _sleeping(runtimes: Sequence[Runtime]) -> Iterator[tuple[str, Runtime, Runtime]]:
    for backend, wait in runtimes:
        if wait == "active" and (backend, "passive") in runtimes:
            yield backend, (backend, "passive"), (backend, wait)


def _between(runtimes: Sequence[Runtime]) -> Iterator[tuple[str, Runtime, Runtime]]:
    for below, above in product(runtimes, runtimes):
        if below[0] < above[0] and below[1] == above[1]:
            yield f"{above[0]} : {below[0]} {above[1]}", above, below


def _libraries(file: ResultsFile, runtimes: Sequence[Runtime]) -> dict[str, str]:
    found: dict[str, str] = {}
    for (backend, _), worker in product(runtimes, file.workers):
        if about := object_of(object_of(worker, "runtime"), backend.split()[0]):
            compiler = object_of(worker, "build").get("compiler") or "unknown compiler"
            library = about.get("library") or "unknown library"
            found.setdefault(backend, f"{compiler}, {library}")
    return found


@of_each
def answer(part: Part) -> list[str]:
    """The fastest barrier of the most threads, what sleeping costs, and one runtime over another."""
    if not part.several_lanes:
        return [
            "cannot tell what waiting costs: that takes two threads or more; on one processing unit "
            "`--oversubscribe --lanes 2` measures two"
        ]
    found = [_at_most_lanes(placed) for placed in part.placements if len(part.runtimes) > 1]
    found += map(_sentence, (*part.sleeping, *part.between))
    return list(filter(None, found)) or _ends(part.placements)


def _at_most_lanes(placed: Placement) -> str:
    """Which runtime has the fastest barrier of the most threads, and what the others take."""
    row = max(placed.curve, key=lambda row: row.lanes, default=None)
    if row is None or row.lanes < 2 or len(row.costs) < 2:
        return ""
    # std::barrier is what a program takes that does not use OpenMP.
    usual = [s for runtime, s in row.costs.items() if runtime == ("std", "active")]
    one = contest(row.costs.values())
    where = f"a barrier of {one.threads} ({placed.placed})"
    moves = line_moves(one.taken, ns_of(one.taken), "what a cache line takes") if one.taken else ""
    lines = f"{cost_alone(one.taken)} is {moves}" if one.taken and moves else ""
    return contest_text.sentence(
        one, where, lambda s: _name(_runtime(s)), cost_ns, "barrier", usual, but=lines
    )


@of_each
def text(part: Part) -> list[Block]:
    """The cost by lanes, passive over active waiting, late arrivers, and runtimes beside each other."""
    found: list[Block] = [_cost_table(part)]
    if not part.several_lanes:
        return [*found, Bullets(_about_runtimes(part))]
    found += _ratios("Passive waiting over active, the same barrier", part.sleeping)
    found += _late(part)
    found += _ratios("One runtime over another, the same wait policy", part.between)
    if len(found) > 1:
        marks = "; ".join(
            filter(None, ["Median over visits (95 % interval)", legend_of_marks(*found)])
        )
        found.append(Text(f"{marks}."))
    return [*found, Bullets(_about_runtimes(part))]


def _name(runtime: Runtime) -> str:
    return " ".join(runtime)


def _cost_table(part: Part) -> Table:
    what = "ns of a barrier by number of lanes, runtime and wait policy (95 % interval)"
    return table(
        f"{part.source}: " * bool(part.source) + what,
        ["affinity", "lanes>", *(f"{_name(runtime)}>" for runtime in part.runtimes)],
        [
            [placed.placed, str(row.lanes), *(_cost(row, r) for r in part.runtimes)]
            for placed in part.placements
            for row in placed.curve
        ],
        keys=2,
    )


def _cost(row: Row, runtime: Runtime, behind: str = "") -> Cell:
    s = row.costs.get(runtime)
    return Cell("") if s is None else Cell(formats.cost_interval(s) + behind, [s.id])


def _ratios(what: str, found: Sequence[Comparison]) -> list[Block]:
    """A table of ratios of one kind."""
    if not found:
        return []
    names = list(dict.fromkeys(c.name for c in found))
    rows = []
    for placed, of_these in grouped(found, lambda c: c.placed).items():
        by_name = {c.name: c.ratios for c in of_these}
        for lanes in sorted({n for c in of_these for n in c.ratios}):
            marks = [formats.marked_interval(by_name.get(n, {}).get(lanes)) for n in names]
            rows.append([placed, str(lanes), *marks])
    columns = ["affinity", "lanes>", *(f"{name}>" for name in names)]
    return [table(what, columns, rows, keys=2)]


_open_verdicts = {Verdict.cannot_tell, Verdict.not_comparable}


def _sentence(c: Comparison) -> str:
    """At which numbers of threads the one is slower, faster, the same, and how many times."""
    over, under = _name(c.over), _name(c.under)
    decided: list[str] = []
    others: list[str] = []
    is_open = not {verdict(r) for r in c.ratios.values()} & {*Verdict} - _open_verdicts
    for says in Verdict:
        at = {lanes: r for lanes, r in c.ratios.items() if verdict(r) is says}
        if not at:
            continue
        ratios = [r for r in at.values() if isinstance(r, Ratio)]
        whys = dict.fromkeys(r.why for r in at.values() if isinstance(r, NotComparable))
        if says is Verdict.cannot_tell and is_open:
            known = {_among([n], [n]): r for n, r in at.items() if isinstance(r, Ratio)}
            whys = dict.fromkeys([formats.least_known(known) or "too few visits"])
        why = f" ({', '.join(whys)})" if whys else ""
        among = _among(list(at), list(c.ratios))
        if says in (Verdict.slower, Verdict.faster):
            than = f" than {under}" * (not decided)
            decided.append(f"{span_of(ratios)} times {says.value}{than} at {among}")
        elif says is Verdict.same:
            decided.append(f"as fast{f' as {under}' * (not decided)} at {among}")
        else:
            others.append(f"{says.value}{why} at {among}")
    if not decided:
        return f"{over} against {under}: {', '.join(others)} ({c.placed})"
    return "; ".join([f"{over} is {', '.join(decided)}", *others]) + f" ({c.placed})"


def span_of(ratios: Sequence[Ratio]) -> str:
    """`11.3 to 15.2`: how many times slower or faster, of ratios that all say the same of the two."""
    factors = [max(r.value, 1 / r.value) for r in ratios]
    low, high = formats.ratio(min(factors)), formats.ratio(max(factors))
    return high if low == high else f"{low} to {high}"


def _late(part: Part) -> list[Block]:
    what = (
        "A late arriver: ns from its arrival until the lane that is late next has left, without its "
        "delay; each time another lane is late"
    )
    columns = ["affinity", "lanes>", "late us>", *(f"{_name(r)}>" for r in part.runtimes)]
    rows = [_late_row(part, placed, row) for placed in part.placements for row in placed.late]
    note = Text("x: ratio to the cost with nobody late.")
    return [table(what, columns, rows, keys=3), note] if rows else []


def _late_row(part: Part, placed: Placement, row: Row) -> list[Cell | str]:
    over_on_time = {r: formats.marked(placed.over_on_time(row, r)) for r in part.runtimes}
    costs = [_cost(row, r, x and f" x{x}") for r, x in over_on_time.items()]
    return [placed.placed, str(row.lanes), str(row.late_us), *costs]


def _about_runtimes(part: Part) -> list[str]:
    found = [f"{backend}: {library}" for backend, library in part.libraries.items()]
    if "std" in part.backends:
        found.append(
            "std: std::barrier ignores the wait policy: active against passive is a control there"
        )
    if "omp-llvm" not in part.backends:
        found.append(
            "a second OpenMP runtime was not measured; `syncmeter list` says whether omp-llvm is "
            "available, and what it needs"
        )
    return found


def figures(parts: list[Part]) -> list[Figure]:
    """A figure for each file whose barriers have a cost at three numbers of lanes or more: a panel for
    each placement, a line for each runtime and way of waiting."""
    note = (
        "ns of a barrier by number of lanes with the 95 % interval; both axes logarithmic. "
        "Costs may be from different placement states; the title compares within one state."
    )
    return [
        Figure(f"barrier-{number}", answer([part])[0], note, panels, part.points)
        for number, part in enumerate(parts, 1)
        if (panels := [panel for placed in part.placements for panel in _curves(part, placed)])
    ]


def _curves(part: Part, placed: Placement) -> list[Panel]:
    rows = [
        drawn
        for row in placed.curve
        for (backend, wait), s in row.costs.items()
        for drawn in rows_of(s, x=row.lanes, name=backend, dash=wait)
    ]
    return curve(
        f"affinity {placed.placed}",
        rows,
        Axis("lanes", "log2", "d", sorted({row["x"] for row in rows})),
        Axis("ns of a barrier"),
        part.backends,
        _least_curve,
        dashes=sorted({row["dash"] for row in rows}),
        dash_legend="waiting",
    )


def _among(lanes: Sequence[int], measured: Sequence[int]) -> str:
    """`2 to 16 lanes` where all that were measured between are among them, else each."""
    between = [n for n in measured if lanes[0] <= n <= lanes[-1]]
    if len(lanes) > 1 and list(lanes) == between:
        return f"{lanes[0]} to {lanes[-1]} threads"
    if len(lanes) > _most_numbers:
        return (
            f"{len(lanes)} of the {len(between)} numbers of threads from {lanes[0]} to {lanes[-1]}"
        )
    return f"{', '.join(map(str, lanes))} thread{'' if list(lanes) == [1] else 's'}"


def _ends(placements: Sequence[Placement]) -> list[str]:
    """The costs at the fewest and at the most lanes, as they stand: of two states there is no ratio."""
    curve = placements[0].curve
    ends = [
        f"{cost_alone(s)} at {formats.count(row.lanes, 'thread')}"
        for row in (*curve[:1], *curve[-1:])
        for s in list(row.costs.values())[:1]
    ]
    return [f"A barrier costs {', '.join(ends)} ({placements[0].placed})"] if ends else []
