"""Costs against the number of threads, alternatives side by side: a figure for each job, a panel for
each layout of the cells or grid, a line for each op; and where types differ, a line for each type.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Any

from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.record.point import Point, key_without, type_bytes
from syncmeter_analysis.relate import point_text, text
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.group import grouped
from syncmeter_analysis.relate.op_groups import job_of
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.studies.blocks import Line
from syncmeter_analysis.studies.figures import Axis, Figure, courses, shared_domain

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
    groups = grouped(_curves(campaign.measured), lambda s: s.point.backend if s.on_gpu else "CPU")
    figures = []
    for where, points in groups.items():
        main = _of_main_type(points)
        by_job = grouped(main, lambda s: job_of(s.point.op, s.family or s.point.op))
        figures += [
            _figure(job, where, found, campaign, _variables_and_grid, _op)
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


def _variables_and_grid(p: Point) -> tuple[Any, ...]:
    """Sorts as panels do: by blocks, then by stride."""
    variables = point_text.cells(p) or "all threads"
    blocks = f"{text.count(p.blocks, 'block')}, " if p.on_gpu else ""
    return p.blocks, p.placement == "strided", p.stride_bytes, p.base_offset, blocks + variables


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
    """Draws the affinity with most points."""
    affinities = Counter(s.point.affinity for s in points)
    affinity = max(affinities, key=lambda a: (affinities[a], a == "close"))
    drawn = [s for s in points if s.point.affinity == affinity]
    drawn.sort(key=lambda s: (panel_of(s.point), s.point.lanes))
    panels = list(dict.fromkeys(str(panel_of(s.point)[-1]) for s in drawn))
    seen = {line_of(s.point) for s in drawn}
    names = sorted(seen, key=lambda n: (types.index(n) if n in types else -1, n))
    left_out = [f"affinity {a}" for a in sorted(affinities) if a != affinity]
    left_out += [*panels[_most_panels:], *names[_most_lines:]]
    places = [(str(panel_of(s.point)[-1]), line_of(s.point), s) for s in drawn]
    lines: list[Line] = [
        ([panel, s.point.lanes], {name: s}, ())
        for panel, name, s in places
        if panel in panels[:_most_panels] and name in names[:_most_lines]
    ]
    lanes = shared_domain([float(s.point.lanes) for s in drawn])
    marks = () if drawn[0].on_gpu else _marks(campaign, lanes)
    note = "ns of an operation of each thread with the 95 % CI, both axes logarithmic"
    note += f"; affinity {affinity}" if affinity != "none" else ""
    note += f"; not drawn: {', '.join(left_out)}" if left_out else ""
    note += "; dashed: " + ", ".join(f"{label} ({at})" for at, label in marks) if marks else ""
    powers = [2**i for i in range(25) if lanes[0] <= 2**i <= lanes[1]]
    x = Axis("threads of a block" if drawn[0].on_gpu else "threads", "log2", "d", powers, lanes)
    domain = shared_domain([ns for s in drawn if s.cost for ns in _bounds(s.cost)])
    y = Axis("ns of an operation", format="~s", domain=domain)
    id = "".join(c if c.isalnum() else "-" for c in f"{where} {what}").lower()
    title = f"{what[:1].upper()}{what[1:]} ({where})"
    curves = courses(lines, x, y, band=True, marks=[at for at, _ in marks])
    return Figure(f"scaling-{id}", title, f"{note}.", curves)


def _bounds(c: Interval) -> list[float]:
    """The cost and its bounds; a bound far off does not squeeze everything else."""
    if not c.bounded or c.low <= 0:
        return [c.value]
    return [max(c.low, c.value / 3), c.value, min(c.high, c.value * 3)]


def _marks(campaign: Campaign, lanes: tuple[float, float]) -> tuple[tuple[int, str], ...]:
    m = campaign.machine
    if not m.cores:
        return ()
    smt = "; beyond it SMT siblings" if m.pus and m.pus > m.cores else ""
    found = [(m.cores, f"all cores{smt}")]
    if m.packages and m.packages > 1:
        found.insert(0, (m.cores // m.packages, "one package"))
    return tuple((at, label) for at, label in found if lanes[0] <= at <= lanes[1])
