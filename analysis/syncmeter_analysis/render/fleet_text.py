"""The nodes of a run as text for a terminal and as Markdown."""

from __future__ import annotations

from collections import Counter
from math import isfinite

from syncmeter_analysis.relate import text
from syncmeter_analysis.relate.fleet import Fleet, FleetPoint, Group, Whole, fewest_nodes
from syncmeter_analysis.render.plain import prose, table_plain
from syncmeter_analysis.studies.blocks import (
    Block,
    Bullets,
    Cell,
    Table,
    Text,
    as_markdown,
    without_empty_columns,
)

# Longer tables and lists are for --all.
_most_rows = 20
_most_named = 3
_most_notes = 8


def title(fleet: Fleet) -> str:
    """`1000 nodes: 50 differ`."""
    nodes = sum(len(g.nodes) for g in fleet.groups)
    differ = sum(len(g.differing) for g in fleet.groups)
    judged = any(g.judged for g in fleet.groups)
    found = f"{differ or 'none'} differ{'s' if differ == 1 else ''}" if judged else "cannot tell"
    return f"{text.count(nodes, 'node')}: {found}"


def _percent(share: float) -> str:
    """`0.4%`, `12%`: of a standard deviation of logarithms."""
    return f"{100 * share:.2g}%" if isfinite(share) else "unknown"


def _named(group: Group, nodes: list[int]) -> str:
    more = f" and {len(nodes) - _most_named} more" if len(nodes) > _most_named else ""
    return ", ".join(group.names[i] for i in nodes[:_most_named]) + more


def _beyond(point: FleetPoint) -> list[int]:
    """Nodes that failed or differ at the point, the largest difference first."""
    odd = sorted(point.odd, key=lambda o: (o.p, -abs(o.ratio - 1)))
    return [*point.failed, *(o.node for o in odd)]


def points_in_order(group: Group) -> list[FleetPoint]:
    """Those at which nodes differ, by their number; then those with the largest spread."""
    return sorted(group.points, key=lambda p: (-len(_beyond(p)), -p.spread))


def _point_row(group: Group, p: FleetPoint, shared: list[str]) -> list[Cell]:
    known = bool(p.ratios)
    return [
        Cell(text.short_name(p.point, shared), [p.point.id]),
        Cell(str(p.state) if p.state else ""),
        Cell(str(len(p.ratios))),
        Cell(text.nanoseconds(p.median_ns) if known else ""),
        Cell(_percent(p.spread) if known else ""),
        Cell(f"{text.ratio(p.low)}..{text.ratio(p.high)}" if known else ""),
        Cell(
            " ".join([_named(group, _beyond(p)), *["(failed)"] * bool(p.failed)]),
            kind="bad" if _beyond(p) else "",
        ),
    ]


def point_table(group: Group, everything: bool = False) -> Table:
    """A row for each point: its median over nodes, the spread between them, who differs."""
    ordered = points_in_order(group)
    shown = ordered if everything else ordered[:_most_rows]
    columns = ["point", "state", "nodes", "median ns", "spread", "range", "differs"]
    shared = [axis for axis in ("backend", "affinity") if _is_shared(group, axis)]
    rows = [_point_row(group, p, shared) for p in shown]
    return without_empty_columns(
        Table(columns, rows, range(2, 6), folded=_most_rows, spare=(5, 2), keys=1)
    )


def _is_shared(group: Group, axis: str) -> bool:
    return len({getattr(p.point, axis) for p in group.points}) == 1


def _node_rows(group: Group) -> list[list[Cell]]:
    at: dict[int, list[str]] = {}
    failed: dict[int, int] = {}
    for p in group.points:
        for odd in p.odd:
            at.setdefault(odd.node, []).append(p.point.id)
        for n in p.failed:
            failed[n] = failed.get(n, 0) + 1
    wholes: dict[int, list[Whole]] = {}
    for whole in group.wholes:
        wholes.setdefault(whole.node, []).append(whole)
    parts = {whole.part for whole in group.wholes}
    rows = []
    for i in group.differing:
        points = at.get(i, [])
        last = [
            Cell(str(len(points) or ""), points),
            Cell(str(failed.get(i, "") or ""), kind="bad"),
            Cell("; ".join(group.facts.get(i, []))),
        ]
        for told in [_told(w, len(parts) > 1) for w in wholes.get(i, [])] or [["", "", "", ""]]:
            rows.append([Cell(group.names[i]), *(Cell(t) for t in told), *last])
    return rows


def _told(whole: Whole, of_several: bool) -> list[str]:
    """Part, median, quartiles and p."""
    low, middle, high = map(text.ratio, whole.quartiles)
    p = f"{whole.p:.1g}" if whole.p > 1e-15 else "< 1e-15"
    return [
        whole.part if of_several else "",
        middle,
        f"{low}..{high}",
        p if whole.differs else "",
    ]


def node_table(group: Group, everything: bool = False) -> Table:
    """A row for each node that differs and each part of it."""
    columns = ["node", "part", "median", "quartiles", "p (Holm)", "points", "failed", "unlike most"]
    rows = _node_rows(group)
    rows = rows if everything else rows[: 2 * _most_rows]
    return without_empty_columns(Table(columns, rows, range(2, 7), keys=1))


def _group_notes(group: Group, everything: bool) -> list[str]:
    notes = []
    if group.judged and (alone := group.unjudged):
        notes.append(f"{_named(group, alone)}: no point in one state with two others; cannot tell")
    odd = [i for i in group.facts if i not in set(group.differing)]
    notes += [f"{group.names[i]}: {'; '.join(group.facts[i])}" for i in odd]
    for i, n in group.missing.most_common():
        notes.append(f"{group.names[i]}: no cost of {text.count(n, 'point')} that most nodes have")
    elsewhere = Counter(i for p in group.points for i in p.elsewhere)
    for i, n in elsewhere.most_common():
        notes.append(
            f"{group.names[i]}: {text.count(n, 'point')} in another placement state, or busy where "
            f"most are quiet: not compared"
        )
    notes += [f"{node.path}: {note}" for node in group.nodes for note in node.notes]
    if not everything and len(notes) > _most_notes:
        notes = [
            *notes[:_most_notes],
            f"and {len(notes) - _most_notes} more notes; --all shows them",
        ]
    return notes


def blocks(fleet: Fleet, group: Group, everything: bool = False) -> list[Block]:
    """What is told of one kind of nodes."""
    if not group.judged:
        why = (
            f"fewer than {fewest_nodes} nodes of this kind"
            if len(group.nodes) < fewest_nodes
            else "no point is in three files in one placement state"
        )
        told: list[Block] = [Text(f"Cannot tell which node differs: {why}.")]
    else:
        differ = group.differing
        whole = {w.node for w in group.wholes if w.differs}
        told = [
            Text(
                f"{text.count(len(group.points), 'point')} over {len(group.nodes)} nodes; what differs "
                f"by more than {fleet.threshold:.0%} and more than nodes do, 95 % after Holm's "
                f"correction."
            ),
            Text(
                f"{text.count(len(differ), 'node')} differ{'s' if len(differ) == 1 else ''}, "
                f"{len(whole)} over all points."
                if differ
                else "No node differs."
            ),
        ]
        if differ:
            told.append(node_table(group, everything))
        table = point_table(group, everything)
        told.append(table)
        if len(table.rows) < len(group.points):
            told.append(
                Text(f"... and {len(group.points) - len(table.rows)} more points; --all shows them")
            )
    if notes := _group_notes(group, everything):
        told.append(Bullets(notes))
    return told


def _left_out(fleet: Fleet, everything: bool) -> list[str]:
    lines = [f"{each.path}: left out: {each.why}" for each in fleet.left_out]
    if not everything and len(lines) > _most_notes:
        lines = [*lines[:_most_notes], f"and {len(lines) - _most_notes} more left out; --all"]
    return lines


def sections(fleet: Fleet, everything: bool = False) -> list[tuple[str, list[Block]]]:
    """A title and its blocks for each kind of nodes, then the files that were left out."""
    told = [
        (f"{text.count(len(g.nodes), 'node')}: {g.kind}", blocks(fleet, g, everything))
        for g in fleet.groups
    ]
    if lines := _left_out(fleet, everything):
        told.append((f"{text.count(len(fleet.left_out), 'file')} left out", [Bullets(lines)]))
    return told


def as_text(fleet: Fleet, everything: bool, coloured: bool = False, width: int = 0) -> str:
    """For a terminal of this width, 0 for any."""
    parts = [title(fleet)]
    for name, told in sections(fleet, everything):
        parts.append(prose(name, width))
        for block in told:
            if isinstance(block, Table):
                parts.append(table_plain(block, coloured, width))
            elif isinstance(block, Bullets):
                parts.append("\n".join(prose(f"- {item}", width) for item in block.items))
            elif isinstance(block, Text):
                parts.append(prose(block.text, width))
    return "\n\n".join(filter(None, parts))


def as_markdown_text(fleet: Fleet, everything: bool) -> str:
    return "\n\n".join(
        [
            f"# {title(fleet)}",
            *(as_markdown(name, told) for name, told in sections(fleet, everything)),
        ]
    )
