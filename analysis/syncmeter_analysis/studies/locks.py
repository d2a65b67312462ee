"""The tables of locks, and what follows from them in sentences."""

from __future__ import annotations

from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.relation import NotComparable, Ratio, default_margin
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.studies.blocks import Block, Bullets, Cell, Table, Text
from syncmeter_analysis.studies.held_locks_map import held_text
from syncmeter_analysis.studies.locks_rows import (
    Contest,
    Locks,
    LockTable,
    Row,
    least_fairness,
    rows,
)

__all__ = ["rows", "text", "title"]

title = "Locks"
measured_by = "`syncmeter run --study locks`"


def text(locks: Locks) -> list[Block]:
    """For each table what the locks cost, what they do by lanes, and which to take."""
    found = [block for table in locks.tables for block in _of_table(table)]
    return [*found, *held_text(locks.held)]


def scope(table: LockTable) -> str:
    """`int32, 16 lanes, affinity close`, and the file's way of waiting where that is passive."""
    p = table.first.point
    parts = [p.type, formats.count(table.most_lanes, "lane")]
    parts.append(f"affinity {', '.join(table.affinities)}")
    parts += [f"{p.wait} waiting"] * (p.wait != "active")
    return ", ".join(parts + [table.source] * bool(table.source))


def _of_table(table: LockTable) -> list[Block]:
    found: list[Block] = [_cost_table(table)]
    found.append(
        Text(
            "alone: 1 lane; own: each lane has a lock and a cell of its own; shared: all lanes on one "
            f"lock. Ratios are of the column {'shared' if table.shared else 'alone'}, inside one "
            "placement state; fastest: of the locks of all backends."
        )
    )
    if (by_lanes := _lanes_table(table)) is not None:
        found.append(by_lanes)
    items = [cost_sentence(table, table.alone)]
    if table.shared is None:
        items.append(
            "shared by lanes: cannot tell: points with two lanes or more were not measured"
        )
    else:
        items += [cost_sentence(table, table.shared), *_fairness_sentence(table)]
    return [*found, Bullets(items)]


def _ns(s: Measured | None) -> str:
    return "" if s is None else formats.cost(s)


def _rate(s: Measured | None) -> str:
    per_s = None if s is None else s.ops_per_s_total
    return "" if per_s is None else formats.rate(per_s)


def _ratio_cells(r: Ratio | NotComparable | None) -> list[str]:
    if r is None:
        return ["", ""]
    if isinstance(r, NotComparable):
        return ["-", ""]
    return [formats.ratio(r.value), formats.ratio_bounds(r)]


def _notes(row: Row, contest: Contest) -> str:
    seen = row.on_one.get(contest.lanes)
    said = [seen.status] if seen is not None and seen.status != "ok" else []
    if seen is not None and seen.oversubscribed:
        said.append("oversubscribed")
    for other, ratios in (("the fastest", contest.over_fastest), (None, contest.over_atomic)):
        r = ratios.get(row.name)
        if isinstance(r, NotComparable):
            said.append(f"not comparable with {other or 'atomic_add'}: {r.why}")
    return "; ".join(said)


def _cost_table(table: LockTable) -> Table:
    columns = ["backend", "lock", "alone ns", "own ns", "shared ns", "ops/s", "fair", "slow/fast"]
    columns += ["over fastest", "95 % interval", "over atomic_add", "95 % interval", ""]
    contest = table.shared or table.alone
    best = contest.winners.best if contest.winners else None
    found = Table(columns, [], range(2, 12), f"One add under each lock: {scope(table)}", keys=2)
    for row in table.rows:
        shared = row.on_one.get(table.shared.lanes) if table.shared else None
        cost = row.cost_at(contest.lanes)
        fair = shared if shared is not None and shared.usable else None
        texts = [row.first.point.backend, row.op]
        texts += [_ns(row.on_one.get(1)), _ns(row.own), _ns(shared), _rate(cost)]
        texts += [
            _number(fair.fairness if fair else None, 3),
            _number(fair.slowest_over_fastest if fair else None, 2),
        ]
        is_best = cost is not None and cost is best
        texts += ["1", ""] if is_best else _ratio_cells(contest.over_fastest.get(row.name))
        atomic = contest.over_atomic.get(row.name)
        texts += _ratio_cells(atomic) if row.is_lock else ["1", ""]
        cells = [Cell(text) for text in [*texts, _notes(row, contest)]]
        cells[1].points = [s.id for s in row.on_one.values()]
        found.rows.append(cells)
    return found


def _number(value: float | None, decimals: int) -> str:
    return "" if value is None else f"{value:.{decimals}f}"


def _lanes_table(table: LockTable) -> Table | None:
    lanes = sorted({n for row in table.rows for n in row.on_one})
    if len(lanes) <= 2:  # the first table has them
        return None
    found = Table(
        ["backend", "lock", *(formats.count(n, "lane") for n in lanes)],
        [],
        range(2, 2 + len(lanes)),
        caption="One lock for all lanes: ops/s of all of them, and fairness",
        keys=2,
    )
    for row in table.rows:
        texts = [row.first.point.backend, row.op]
        for n in lanes:
            s = row.cost_at(n)
            fair = "" if s is None or n == 1 else _number(s.fairness, 3)
            texts.append(f"{_rate(s)} {fair}".rstrip() if s is not None else "-")
        found.rows.append([Cell(text) for text in texts])
    return found


def slowest(table: LockTable, contest: Contest) -> tuple[Row, Ratio] | None:
    """The lock with the largest ratio to the fastest."""
    found = [
        (row, r)
        for row in table.rows
        if row.is_lock and isinstance(r := contest.over_fastest.get(row.name), Ratio)
    ]
    return max(found, key=lambda item: item[1].value, default=None)


def cost_sentence(table: LockTable, contest: Contest) -> str:
    """The fastest lock, its backend's atomic add, what is not told apart from it, the slowest."""
    lanes = formats.count(contest.lanes, "lane")
    start = f"{'uncontended (1 lane)' if contest.lanes == 1 else f'{lanes} on one lock'}: "
    if contest.winners is None:
        return f"{start}cannot tell: no lock has a cost"
    best = table.row_of(contest.winners.best)
    told = f"{start}{best.name} is the fastest, {_cost_with_unit(contest.winners.best)}"
    atomic = contest.over_atomic.get(best.name)
    if isinstance(atomic, Ratio):
        told += f", {formats.ratio_interval(atomic)} times {best.first.point.backend} atomic_add"
    if contest.winners.ties:
        names = [table.row_of(s).name for s in contest.winners.ties]
        told += f"; not resolved to be more than {default_margin:.0%} slower: {', '.join(names)}"
    if worst := slowest(table, contest):
        row, r = worst
        told += f"; {row.name} takes {formats.ratio_interval(r)} times as long"
    apart = [f"{table.row_of(s).name} ({why})" for s, why in contest.winners.apart]
    return told + (f"; not comparable with it: {', '.join(apart)}" if apart else "")


def _cost_with_unit(s: Measured) -> str:
    bounds = f" ({formats.interval_ns(s.cost)})" if s.cost and s.cost.bounded else ""
    return f"{formats.cost(s)} ns{bounds}"


def _fairness_sentence(table: LockTable) -> list[str]:
    found = [
        (s.fairness, row.name, s)
        for row in table.rows
        if row.is_lock and (s := row.cost_at(table.most_lanes)) and s.fairness is not None
    ]
    if not found:
        return []
    fairness, name, s = min(found, key=lambda item: item[0])
    took = s.slowest_over_fastest
    longer = (
        ""
        if took is None
        else f": its slowest lane took {took:.2f} times as long as its fastest one"
    )
    return [
        f"least fair: {name}, {fairness:.3f}{longer}. All lanes do the same number of sections, "
        f"so that lanes that run one after the other would "
        f"give {least_fairness(table.most_lanes):.2f}"
    ]
