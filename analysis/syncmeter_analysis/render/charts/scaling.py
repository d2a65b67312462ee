"""Costs against the number of threads, alternatives side by side: a figure for each job, a panel for
each layout of the cells or grid, a line for each op; and where types differ, a line for each type.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any

from syncmeter_analysis.record.point import Point, key_without, type_bytes
from syncmeter_analysis.relate import point_text, text
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import contest
from syncmeter_analysis.relate.op_groups import job_of
from syncmeter_analysis.relate.relation import (
    Ratio,
    Verdict,
    ratio,
    verdict,
)
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.studies.figures import (
    Axis,
    Curves,
    Figure,
    Panel,
    rows_of,
    shared_domain,
)

types = list(type_bytes)

#: So many numbers of threads make a line.
_least_counts = 3

#: More lines than this nobody tells apart, and more panels nobody looks through.
_most_lines, _most_panels = 14, 9

_but_lanes = key_without("lanes")
#: What names a line: everything in which points of a panel can differ.
_not_in_a_name = ("type", "placement", "lanes", "affinity")


def scaling_figures(campaign: Campaign) -> list[Figure]:
    """A figure for each job on CPUs and on each GPU backend, and one of the types of each."""
    groups: dict[str, list[Measured]] = defaultdict(list)
    for s in _curves(campaign.measured):
        groups[s.point.backend if s.on_gpu else "CPU"].append(s)
    figures = []
    for where, points in groups.items():
        by_job: dict[str, list[Measured]] = defaultdict(list)
        for s in _of_main_type(points):
            by_job[job_of(s.point.op, s.family or s.point.op)].append(s)
        figures += [
            _figure(job, where, found, campaign, _cells_and_grid, _op)
            for job, found in by_job.items()
        ]
        kinds = list(_curves(s for s in points if s.point.placement in ("shared", "none")))
        types_of = Counter(op for op, _ in {(s.point.op, s.point.type) for s in kinds})
        typed = [s for s in kinds if types_of[s.point.op] > 1]
        if typed:
            figures.append(
                _figure("types", where, typed, campaign, _op_and_grid, attrgetter("type"))
            )
    return figures


def _curves(points: Iterable[Measured]) -> Iterable[Measured]:
    """What was measured at several numbers of threads and has no axis of its own to be drawn by."""
    groups: dict[Any, list[Measured]] = defaultdict(list)
    for s in points:
        p = s.point
        special = p.pus or p.active or p.cells or p.size or p.late_us or p.repeat or p.others
        if not (special or s.oversubscribed or s.inserted or s.family == "control"):
            groups[_but_lanes(p)].append(s)
    return [s for curve in groups.values() if len(curve) >= _least_counts for s in curve]


def _of_main_type(points: Sequence[Measured]) -> list[Measured]:
    """The points of int32, or of the most frequent type; of ops that have another only, of that."""
    by_op: dict[str, Counter[str]] = defaultdict(Counter)
    for s in points:
        by_op[s.point.op][s.point.type] += 1
    main = {
        op: "int32" if "int32" in seen else seen.most_common(1)[0][0] for op, seen in by_op.items()
    }
    return [s for s in points if s.point.type == main[s.point.op]]


def _cells_and_grid(p: Point) -> tuple[Any, ...]:
    """Sorts as panels do: by blocks, then by stride."""
    cells = point_text.cells(p) or "all threads"
    blocks = f"{text.count(p.blocks, 'block')}, " if p.on_gpu else ""
    return p.blocks, p.placement == "strided", p.stride_bytes, p.base_offset, blocks + cells


def _op(p: Point) -> str:
    return point_text.short_name(p, _not_in_a_name + ("backend",) * p.on_gpu)


def _op_and_grid(p: Point) -> tuple[Any, ...]:
    name = point_text.short_name(p, ("backend", *_not_in_a_name))
    return p.op, p.blocks, name + (f", {text.count(p.blocks, 'block')}" if p.on_gpu else "")


def _figure(
    what: str,
    where: str,
    points: Sequence[Measured],
    campaign: Campaign,
    panel_of: Callable[[Point], tuple[Any, ...]],
    line_of: Callable[[Point], str],
) -> Figure:
    affinities = Counter(s.point.affinity for s in points)
    affinity = max(affinities, key=lambda a: (affinities[a], a == "close"))
    drawn = [s for s in points if s.point.affinity == affinity]
    drawn.sort(key=lambda s: panel_of(s.point))
    panels = [(str(k[-1]), list(g)) for k, g in groupby(drawn, lambda s: panel_of(s.point))]
    left_out = [f"affinity {a}" for a in sorted(affinities) if a != affinity]
    # Of many panels the first, the last, and those evenly between.
    if len(panels) > _most_panels:
        step = (len(panels) - 1) / (_most_panels - 1)
        kept = {round(i * step) for i in range(_most_panels)}
        left_out.append(", ".join(name for i, (name, _) in enumerate(panels) if i not in kept))
        panels = [panel for i, panel in enumerate(panels) if i in kept]
    seen = {line_of(s.point) for _, members in panels for s in members}
    names = sorted(seen, key=lambda n: (types.index(n) if n in types else -1, n))
    if len(names) > _most_lines:
        left_out.append(", ".join(names[_most_lines:]))
        names = names[:_most_lines]
    panels = [(t, [s for s in found if line_of(s.point) in names]) for t, found in panels]
    drawn = [s for _, members in panels for s in members]
    domain = shared_domain([x for s in drawn for x in _bounds(s)])
    lanes = shared_domain([float(s.point.lanes) for s in drawn])
    gpu = drawn[0].on_gpu
    marks = () if gpu else _marks(campaign, lanes)
    note = "ns of one op of each thread with the 95 % interval as a band, both axes logarithmic"
    note += "; threads of a block" if gpu else ""
    note += f"; affinity {affinity}" if affinity != "none" else ""
    note += f"; not drawn: {'; '.join(left_out)}" if left_out else ""
    note += "; costs may be from different placement states, the title compares inside one"
    if marks:
        note += "; dashed: " + ", ".join(f"{label} ({at})" for at, label in marks)
    return Figure(
        "scaling-" + "".join(c if c.isalnum() else "-" for c in f"{where} {what}").lower(),
        f"{what[:1].upper()}{what[1:]} ({where}): {_finding(drawn, panel_of)}",
        f"{note}.",
        [Panel(t, _drawn(m, line_of, names, domain, lanes, marks)) for t, m in panels if m],
        [s.id for s in drawn],
    )


def _bounds(s: Measured) -> list[float]:
    """The cost and its bounds; a bound far off does not squeeze everything else."""
    c = s.cost
    if c is None:
        return []
    if not c.bounded or c.low <= 0:
        return [c.value]
    return [max(c.low, c.value / 3), c.value, min(c.high, c.value * 3)]


def _finding(points: Sequence[Measured], panel_of: Callable[[Point], tuple[Any, ...]]) -> str:
    """What an op of a thread costs more among the most threads than among the fewest, at its worst, and
    the fastest and slowest of the alternatives there; each in one placement state."""
    changes = []
    curves: dict[Any, list[Measured]] = defaultdict(list)
    for s in points:
        curves[_but_lanes(s.point)].append(s)
    for curve in curves.values():
        curve.sort(key=lambda s: s.point.lanes)
        if isinstance(r := ratio(curve[-1], curve[0]), Ratio):
            changes.append((r, curve[0], curve[-1]))
    if not changes:
        sentence = "not comparable from the fewest threads to the most"
    else:
        r, fewest, most = max(changes, key=lambda c: c[0].value)
        name = point_text.short_name(most.point, ("lanes", "affinity", "backend"))
        span = f"from {fewest.point.lanes} to {most.point.lanes} threads"
        if verdict(r) is Verdict.slower or not r.bounded:
            sentence = f"up to {text.effect(r)} {span} ({name})"
        elif verdict(r) is Verdict.same:
            sentence = f"the same {span}"
        else:
            sentence = f"no rise is resolved {span}"
    return "; ".join([sentence, *_fastest(points, panel_of)])


def _fastest(points: Sequence[Measured], panel_of: Callable[[Point], tuple[Any, ...]]) -> list[str]:
    most = max(s.point.lanes for s in points)
    panel = min(panel_of(s.point) for s in points if s.point.lanes == most)
    there = [s for s in points if s.point.lanes == most and panel_of(s.point) == panel]
    one = contest(there)
    slower = one.slower_than_all
    if not slower:
        return []
    (s, r), fastest = slower[0], one.leaders
    over = point_text.names_apart(s.point, fastest[0].point)[0]
    names = text.listed([point_text.names_apart(s.point, each.point)[1] for each in fastest])
    how_much = text.effect(r)
    if one.ties:
        how_much, names = f"at least {text.ratio(r.low)} times slower", f"each of {names}"
    return [f"on {most} threads, {panel[-1]} {over} is {how_much} than {names}"]


def _marks(campaign: Campaign, lanes: tuple[float, float]) -> tuple[tuple[int, str], ...]:
    m = campaign.machine
    if not m.cores:
        return ()
    smt = "; beyond it SMT siblings" if m.pus and m.pus > m.cores else ""
    found = [(m.cores, f"all cores{smt}")]
    if m.packages and m.packages > 1:
        found.insert(0, (m.cores // m.packages, "one package"))
    return tuple((at, label) for at, label in found if lanes[0] <= at <= lanes[1])


def _drawn(
    points: Sequence[Measured],
    line_of: Callable[[Point], str],
    names: Sequence[str],
    domain: tuple[float, float],
    lanes: tuple[float, float],
    marks: tuple[tuple[int, str], ...],
) -> Curves:
    rows = [
        row
        for s in sorted(points, key=lambda s: s.point.lanes)
        for row in rows_of(s, x=s.point.lanes, name=line_of(s.point))
    ]
    powers = [2**i for i in range(25) if lanes[0] <= 2**i <= lanes[1]]
    x = Axis("threads of a block" if points[0].on_gpu else "threads", "log2", "d", powers, lanes)
    y = Axis("ns of one op", format="~s", domain=domain)
    return Curves(rows, x, y, names, band=True, marks=[at for at, _ in marks])
