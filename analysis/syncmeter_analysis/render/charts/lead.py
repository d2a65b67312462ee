"""The first figures of a report: the ladder of all costs, what one update of a shared counter costs
alone and among all threads, what a barrier costs, and on a GPU each level of synchronization."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import log

from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.relate import lock_tables, text
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import Contest
from syncmeter_analysis.relate.ladder import ladder, ladder_title
from syncmeter_analysis.relate.lock_tables import Row as LockRow
from syncmeter_analysis.relate.summary import Measured, State, common_state, cost_in
from syncmeter_analysis.studies import barrier as barriers
from syncmeter_analysis.studies import levels as gpu_levels
from syncmeter_analysis.studies.figures import Dots, Figure, Panel, Row, row

#: So many stand on the first screen.
_most = 2
#: A cost in the figure's state is named beside that of the tables where they differ by more (5 %).
_as_in_tables = log(1.05)


def lead_figures(campaign: Campaign, others: Sequence[Figure]) -> list[Figure]:
    """Up to two: the ladder, updates, levels, barriers, as far as measured; else of the others that
    leave room for the cards the first of a study, or of a family by its number of threads."""
    found = _ladder(campaign) + _updates(campaign) + _levels(campaign) + _barriers(campaign)
    small = [figure for figure in others if len(figure.panels) <= _most]
    small.sort(key=lambda figure: figure.id.startswith("scaling-"))
    return (found or small[:1])[:_most]


def _ladder(campaign: Campaign) -> list[Figure]:
    """All costs on one axis, from the least to the highest."""
    rungs = ladder(campaign)
    if not rungs:
        return []
    fields = [_dot(r.name, r.s.cost, r.s.point.backend, r.s.id) for r in rungs if r.s.cost]
    backends = list(dict.fromkeys(f["group"] for f in fields))
    chart = Dots(fields, "ns", backends, "op", None if len(backends) == 1 else "by")
    note = "ns of one op with the 95 % interval, logarithmic, each as it stands in the tables."
    return [_figure("ladder", ladder_title(rungs), note, chart)]


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
    note = "ns with the 95 % interval, logarithmic"
    note += f"; each number of threads in one placement state ({seen})" if seen else ""
    return "; ".join([note, *left]) + "."


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
    title = f"One update of a shared {kind} counter by each of {_threads(counts[-1])}: "
    title += _span(rows, fields, _threads(counts[-1]))
    return [_figure("updates", title, _note(states, left), chart)]


def _span(rows: Sequence[LockRow], fields: Sequence[Row], group: str) -> str:
    """The costs of the atomic, and of the locks from least to most, as they are drawn."""
    locks = {s.id for row in rows if row.is_lock for s in row.on_one.values()}
    seen = [f for f in fields if f["group"] == group]
    sentences = [f"{f['row']} {f['label']}" for f in seen if f["id"] not in locks]
    held = sorted((f for f in seen if f["id"] in locks), key=lambda f: f["value"])
    if len(held) > 1:
        sentences.append(
            f"locks {held[0]['label']} ({held[0]['row']}) to {held[-1]['label']} ({held[-1]['row']})"
        )
    else:
        sentences += [f"{f['row']} {f['label']}" for f in held]
    return ", ".join(sentences) or "no cost in a common state"


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
    sentences = [
        f"{f['row']} {text.duration(f['value'])}" for f in fields if f["group"] == groups[-1]
    ]
    title = f"A barrier of {groups[-1]}: {', '.join(sentences) or 'no cost in a common state'}"
    return [_figure("barriers", title, _note(states, left), chart)]


def _levels(campaign: Campaign) -> list[Figure]:
    """The fastest way of each level of the first GPU backend, as the study tells them."""
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
    sentences = [f"{str(f['row']).partition(':')[0]} {f['label']}" for f in fields]
    chart = Dots(fields, "ns", [backend], "level", None)
    note = "The way to take at each level, ns with the 95 % interval, logarithmic; one warp in a block."
    title = f"Levels of synchronization ({backend}): {'; '.join(sentences)}"
    return [_figure("axis", title, note, chart)]
