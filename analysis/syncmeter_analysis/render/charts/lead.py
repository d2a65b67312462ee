"""The first figure of a report: all costs on one axis, or updates of a shared counter, levels of a GPU,
or barriers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import log

from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.relate import gpu_levels, lock_tables, text
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import Contest
from syncmeter_analysis.relate.ladder import ladder
from syncmeter_analysis.relate.summary import Measured, State, common_state, cost_in
from syncmeter_analysis.studies import barrier as barriers
from syncmeter_analysis.studies.figures import Dots, Figure, Panel, Row, row
from syncmeter_analysis.voice.overview import operation_of
from syncmeter_analysis.voice.words import say

#: Panels of the first figure.
_most_panels = 2
#: Fewer rows are no chart.
_least_rows = 2
#: A cost in the figure's state is named beside that of the tables where they differ by more (5 %).
_as_in_tables = log(1.05)


def lead_figures(campaign: Campaign, others: Sequence[Figure]) -> list[Figure]:
    """Returns at most one figure: the cost overview, updates, levels or barriers, or the first small
    figure of a study."""
    small = [figure for figure in others if len(figure.panels) <= _most_panels]
    small.sort(key=lambda figure: figure.id.startswith("scaling-"))
    for found in (_ladder, _updates, _levels, _barriers):
        if figures := [f for f in found(campaign) if has_rows(f)]:
            return figures[:1]
    return [f for f in small if has_rows(f)][:1]


def has_rows(figure: Figure) -> bool:
    """Returns whether a chart of dots has several rows."""
    dots = [p.drawing for p in figure.panels if isinstance(p.drawing, Dots)]
    return not dots or len({f["row"] for d in dots for f in d.rows}) >= _least_rows


def _ladder(campaign: Campaign) -> list[Figure]:
    """Returns all costs on one axis, from the least to the highest."""
    rungs = sorted((r for r in ladder(campaign) if not r.others), key=lambda r: r.ns)
    if not rungs:
        return []
    fields = [_dot(operation_of(r), r.s.cost, r.s.point.backend, r.s.id) for r in rungs if r.s.cost]
    backends = list(dict.fromkeys(f["group"] for f in fields))
    chart = Dots(fields, "ns", backends, "op", None if len(backends) == 1 else "by")
    title = say("overview.costs.title")
    return [_figure("ladder", title, "ns, 95 % CI, logarithmic axis", chart)]


def _threads(n: int) -> str:
    return text.count(n, "thread")


def _dot(name: str, cost: Interval, group: str, point: str) -> Row:
    return row(cost, point, row=name, group=group, label=text.duration(cost.value))


def _dots(
    rows: Sequence[tuple[str, dict[int, Measured]]], counts: Sequence[int]
) -> tuple[list[Row], dict[int, State | None], list[str]]:
    """Fields of each row at these numbers of threads, the state of each, and sentences on what is left
    out and what tables have in another state."""
    # Of imported figures nobody knows what else ran.
    measured = [at for _, at in rows if not any(s.imported for s in at.values())]
    states = {n: common_state(at[n] for at in measured if n in at) for n in counts}
    fields: list[Row] = []
    left, elsewhere = [], []
    for name, at in rows:
        for n in counts:
            if n not in at or not at[n].usable:
                continue
            cost = cost_in(at[n], states[n])
            if cost is None:
                left.append(f"{name} on {_threads(n)}")
                continue
            table = at[n].cost
            if table and abs(log(table.value / cost.value)) > _as_in_tables:
                elsewhere.append(f"{name} on {_threads(n)} {text.duration(table.value)}")
            fields.append(_dot(name, cost, _threads(n), at[n].id))
    left = [f"not seen in that state: {', '.join(left)}"] if left else []
    if elsewhere:
        left.append(f"in tables of another state, {', '.join(elsewhere)}")
    shown = {n: _of_team(state, measured, n) for n, state in states.items()}
    most = _threads(max(counts))
    last: dict[str, float] = {}
    for f in fields:
        if f["group"] == most or f["row"] not in last:
            last[f["row"]] = f["value"]
    return sorted(fields, key=lambda f: last[f["row"]]), shown, left


def _of_team(state: State | None, rows: Sequence[dict[int, Measured]], n: int) -> State | None:
    """The state with the hop of a team of so many threads, which other sentences name too."""
    hops = [at[n].team_hop_ns for at in rows if n in at and state and at[n].state.agrees(state)]
    return replace(state, hop_ns=max(hops)) if state and hops and state.hop_ns > 0 else state


def _figure(id: str, title: str, note: str, chart: Dots) -> Figure:
    return Figure(id, title, note, [Panel("", chart)], [f["id"] for f in chart.rows], wide=True)


def _note(states: dict[int, State | None], left: Sequence[str]) -> str:
    seen = "; ".join(f"{_threads(n)}: {state}" for n, state in states.items() if state)
    note = "ns, 95 % CI, logarithmic axis"
    note += f"; each number of threads in one placement state ({seen})" if seen else ""
    return "; ".join([note, *left])


def _updates(campaign: Campaign) -> list[Figure]:
    """A dot for each way to update one counter, alone and among the most threads."""
    rows = lock_tables.updates(campaign)
    counts = sorted({n for row in rows for n in row.on_one})
    if len(rows) < 2:
        return []
    counts = sorted({counts[0], counts[-1]})
    several = len({row.first.point.backend for row in rows}) > 1
    named = [(row.name if several else row.op, row.on_one) for row in rows]
    fields, states, left = _dots(named, counts)
    if not fields:
        return []
    kind = rows[0].first.point.type
    chart = Dots(fields, "ns of one update", [_threads(n) for n in counts], "by", "")
    title = f"One update of a shared {kind} counter"
    return [_figure("updates", title, _note(states, left), chart)]


def _barriers(campaign: Campaign) -> list[Figure]:
    """The curves of the study, where there are any; else a dot for each runtime."""
    if curves := barriers.figures(barriers.rows(campaign)):
        return curves[:1]
    rows = barriers.curves(campaign)
    counts = sorted({n for at in rows.values() for n in at})
    if not counts:
        return []
    fields, states, left = _dots(list(rows.items()), sorted({counts[0], counts[-1]}))
    if not fields:
        return []
    groups = [_threads(n) for n in states]
    chart = Dots(fields, "ns of a barrier", groups, "runtime", "")
    title = f"A barrier of {groups[-1]}"
    return [_figure("barriers", title, _note(states, left), chart)]


def _levels(campaign: Campaign) -> list[Figure]:
    """Returns the fastest of each level of the first GPU backend."""
    found = gpu_levels.rows(campaign)[:1]
    return [figure for of in found for figure in _axis(of.backend, of.axis)]


def _axis(backend: str, axis: Iterable[tuple[str, Contest]]) -> list[Figure]:
    fields = [
        _dot(f"{name}: {taken.point.op}", taken.cost, backend, taken.id)
        for name, one in axis
        if (taken := gpu_levels.way_of(name, one)) and taken.cost
    ]
    if len(fields) < 2:
        return []
    chart = Dots(fields, "ns", [backend], "level", None)
    note = "the recommended way of each level, ns, 95 % CI, logarithmic axis; one warp in a block"
    title = f"Levels of synchronization ({backend})"
    return [_figure("axis", title, note, chart)]
