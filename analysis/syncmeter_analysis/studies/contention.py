"""The tables of contention, and what follows from them in sentences."""

from __future__ import annotations

from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.relation import NotComparable, Ratio
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.studies.blocks import Block, Bullets, Cell, Table
from syncmeter_analysis.studies.contention_rows import Contention, NearFar, Part, Row, Shared, rows

__all__ = ["rows", "text", "title"]

title = "Contention"
measured_by = "`syncmeter run --study contention`"


def text(contention: Contention) -> list[Block]:
    """Throughput by cells, by lanes, and near lanes beside far ones."""
    return [block for part in contention.parts for block in _of_part(part)]


def _of_part(part: Part) -> list[Block]:
    found: list[Block] = [_cells_table(part)]
    if part.most_lanes > 2:  # else the first table has them
        found.append(_lanes_table(part))
    if part.most_lanes < 2:
        items = ["cannot tell: points with two lanes or more were not measured"]
    else:
        items = [throughput_sentence(row) for row in part.rows if row.lanes == part.most_lanes]
    items += [distance_sentence(pair) for pair in part.pairs]
    if not part.pairs:
        items.append(f"near lanes against far lanes: cannot tell: {part.why_no_pairs}")
    if part.virtual:
        items.append(
            "the domains are as the hypervisor reports them; it may move lanes between CPUs of "
            "other domains"
        )
    return [*found, Bullets(items)]


def _rate(s: Measured) -> str:
    per_s = s.ops_per_s_total
    return "" if per_s is None else formats.rate(per_s)


def _ratio_cells(cells: int, r: Ratio | NotComparable | None) -> list[str]:
    if isinstance(r, Ratio):
        return [formats.ratio(r.value), formats.ratio_bounds(r)]
    return ["1" if cells == 1 else "-" if r is not None else "", ""]


def _notes(c: Shared) -> str:
    said = [c.seen.status] if c.seen.status != "ok" else []
    said += ["oversubscribed"] if c.seen.oversubscribed else []
    if isinstance(c.over_one, NotComparable):
        said.append(f"not comparable with one cell: {c.over_one.why}")
    return "; ".join(said)


def _cells_table(part: Part) -> Table:
    """Everything of the rows with most lanes; of the others the second table has the throughput."""
    columns = ["backend", "op", "affinity", "cells", "lanes a cell", "lanes of one share", "ns/op"]
    columns += ["ops/s", "fair", "slow/fast", "over one cell", "95 % interval", ""]
    lanes = part.most_lanes
    found = Table(
        columns,
        [],
        [3, 4, *range(6, 12)],
        caption=f"{part.source}: "
        * bool(part.source)
        + f"{formats.count(lanes, 'lane')} on a number of cells, neighbouring lanes on the same "
        f"cell; throughput over that on one cell, of the same visits, in one placement state",
        spare=[9],
        keys=4,
    )
    for row in part.rows:
        if row.lanes != lanes:
            continue
        for cells, c in row.by_cells.items():
            p, s = row.first.point, c.seen
            texts = [p.backend, p.op, row.placed, str(cells), str(lanes // cells), c.joined_by]
            texts += [formats.cost(s) if s.usable else "", _rate(s)]
            several = lanes > 1
            texts += [f"{s.fairness:.3f}" if several and s.fairness is not None else ""]
            slow = s.slowest_over_fastest
            texts += [f"{slow:.2f}" if several and slow is not None else ""]
            fields = [Cell(x) for x in [*texts, *_ratio_cells(cells, c.over_one), _notes(c)]]
            fields[1].points = [s.id]
            found.rows.append(fields)
    return found


def _lanes_table(part: Part) -> Table:
    numbers = sorted({n for row in part.rows for n in row.by_cells})
    found = Table(
        ["backend", "op", "affinity", "lanes", *(formats.count(n, "cell") for n in numbers)],
        [],
        range(3, 4 + len(numbers)),
        caption="ops/s of all lanes, and fairness, by lanes and cells",
        keys=4,
    )
    for row in part.rows:
        p = row.first.point
        texts = [p.backend, p.op, row.placed, str(row.lanes)]
        for n in numbers:
            c = row.by_cells.get(n)
            fair = "" if c is None or c.seen.fairness is None else f" {c.seen.fairness:.3f}"
            rate = _rate(c.seen) if c is not None else ""
            texts.append(f"{rate}{fair}" if rate else "")
        found.rows.append([Cell(x) for x in texts])
    return found


def name_of(row: Row) -> str:
    p = row.first.point
    return f"{p.backend} {p.op}, {formats.count(row.lanes, 'lane')}, {row.placed}"


def throughput_sentence(row: Row) -> str:
    """On one cell against a lone lane, then on more cells against one."""
    told = []
    if row.over_alone is not None:
        told.append(_times("on one cell", row.over_alone, "the throughput of one lane alone"))
    for cells, c in row.by_cells.items():
        if c.over_one is not None:
            told.append(
                _times(f"on {formats.count(cells, 'cell')}", c.over_one, "that on one cell")
            )
    return f"{name_of(row)}: {'; '.join(told) or 'cannot tell: nothing to compare'}"


def _times(where: str, r: Ratio | NotComparable, what: str) -> str:
    if isinstance(r, NotComparable):
        return f"{where} not comparable with {what} ({r.why})"
    return f"{where} {formats.ratio_interval(r)} times {what}"


def distance_sentence(pair: NearFar) -> str:
    """Both costs, each with the hop of its placement state, and their ratio where there is one."""
    near, far = (_side(row, row.by_cells[pair.cells]) for row in (pair.near, pair.far))
    p, r = pair.near.first.point, pair.far_over_near
    lanes = f"{formats.count(pair.near.lanes, 'lane')} on {formats.count(pair.cells, 'cell')}"
    told = (
        f"no ratio ({r.why})"
        if isinstance(r, NotComparable)
        else f"{formats.ratio_interval(r)} times"
    )
    return f"{p.backend} {p.op}, {lanes}: {near}; {far}: {told}"


def _side(row: Row, c: Shared) -> str:
    hop = f", hop {c.seen.state.hop_ns:.0f} ns" if c.seen.state.hop_ns > 0 else ""
    return f"{c.joined_by} ({row.placed}) {formats.cost_interval(c.seen)} ns{hop}"
