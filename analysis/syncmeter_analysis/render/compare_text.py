"""A comparison as text for a terminal or Markdown, and as a figure."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from syncmeter_analysis.relate import text
from syncmeter_analysis.relate.compare import Comparison, Difference
from syncmeter_analysis.relate.relation import Verdict
from syncmeter_analysis.relate.seen_changes import blind_text, seen_changes, verdict_text
from syncmeter_analysis.render.plain import prose, table_plain
from syncmeter_analysis.studies.blocks import (
    Block,
    Bullets,
    Cell,
    Table,
    Text,
    without_empty_columns,
)
from syncmeter_analysis.studies.blocks import as_markdown as blocks_as_markdown

# Longer tables are for --all.
_most_rows = 40


def _rows(differences: list[Difference]) -> list[list[str]]:
    rows = []
    for d in differences:
        p = d.new.point
        rows.append(
            [
                p.op,
                p.type,
                text.cells(p),
                text.launch(p),
                " ".join(
                    x
                    for x in (
                        p.affinity if p.affinity != "none" else "",
                        p.wait if p.wait != "active" else "",
                        p.scope,
                    )
                    if x
                ),
                str(d.ratio.state) if d.ratio.state and d.ratio.state.hop_ns > 0 else "",
                text.nanoseconds(d.ratio.under_ns),
                text.nanoseconds(d.ratio.over_ns),
                text.ratio(d.ratio.value),
                f"{text.ratio(d.ratio.low)}..{text.ratio(d.ratio.high)}"
                if d.ratio.bounded
                else "unknown",
                f"{d.p:.2g}",
                verdict_text(d),
                p.id,
            ]
        )
    return rows


columns = (
    *("op", "type", "cells", "lanes", "placed", "state", "old ns", "new ns", "ratio"),
    *("95 % interval", "p (Holm)", "", "point"),
)
_right = range(6, 11)
# The point's name says what the first columns do.
_spare = (12, 10)


def asked(c: Comparison) -> str:
    """What the comparison looked for."""
    return (
        f"{c.names[1]} against {c.names[0]}: what differs by more than {c.threshold:.0%}, "
        "95 % after Holm's correction"
    )


def counted(c: Comparison) -> str:
    """How many points were compared, by verdict."""
    counts = Counter(d.verdict for d in c.differences)
    return f"{text.count(len(c.differences), 'point')} compared: " + (
        ", ".join(f"{counts[v]} {v.value}" for v in Verdict if counts[v]) or "none"
    )


def change_table(differences: list[Difference], caption: str = "") -> Table:
    """A row for each difference; each names its point, which both sides have."""
    rows = [[Cell(x) for x in row] for row in _rows(differences)]
    for row, d in zip(rows, differences, strict=True):
        row[0].points = list(dict.fromkeys((d.old.id, d.new.id)))
    return without_empty_columns(
        Table(list(columns), rows, _right, caption, _most_rows, spare=_spare, keys=6)
    )


def as_text(c: Comparison, everything: bool = False, coloured: bool = False, width: int = 0) -> str:
    """What changed, largest first, then what could not be compared, then the counts; for a terminal
    of this width, 0 for any."""
    lines: list[str | Table] = [asked(c)]
    shown = sorted(c.differences, key=lambda d: -d.ratio.value) if everything else c.resolved
    cut = shown if everything else shown[:_most_rows]
    told = [] if c.resolved else [f"nothing by more than {c.threshold:.0%}"]
    if seen := seen_changes(c):
        told.append(seen)
    if told:
        lines.append("; ".join(told))
    if cut:
        lines.append(change_table(cut))
        if len(shown) > len(cut):
            lines.append(f"... and {len(shown) - len(cut)} more; --all shows them")
    lines += ["", counted(c)]
    lines += [blind] if (blind := blind_text(c, everything)) else []
    for old_only, name in zip(c.only, c.names, strict=True):
        if old_only:
            lines.append(f"{old_only} points only in {name}")
    if c.apart:
        lines.append(f"{len(c.apart)} points not comparable:")
        limit = len(c.apart) if everything else 8
        lines += [f"- {text.short_name(a.point)}: {a.why}" for a in c.apart[:limit]]
        if len(c.apart) > limit:
            lines.append(f"- and {len(c.apart) - limit} more; --all shows them")
    lines += [f"note: {note}" for note in c.notes]
    return "\n".join(
        table_plain(line, coloured, width) if isinstance(line, Table) else prose(line, width)
        for line in lines
    )


def as_markdown(c: Comparison) -> str:
    """What changed, what could not be compared, and the counts."""
    blocks: list[Block] = [Text(f"{asked(c)}."), Text(f"{counted(c)}.")]
    blocks += [change_table(c.resolved)] if c.resolved else []
    blocks += [Text(blind)] if (blind := blind_text(c)) else []
    only = [f"{n} points only in {name}" for n, name in zip(c.only, c.names, strict=True) if n]
    apart = [f"{text.short_name(a.point)}: {a.why}" for a in c.apart]
    if more := [*only, *apart, *c.notes]:
        blocks.append(Bullets(more))
    return blocks_as_markdown(f"{c.names[1]} against {c.names[0]}", blocks)


def write_figure(comparisons: list[Comparison], path: Path) -> None:
    """Draws what changed into `path`, by its ending. Raises Unusable for another ending."""
    # Text needs no package that draws.
    from syncmeter_analysis.render.charts.changes import changes_figure
    from syncmeter_analysis.render.charts.static import save

    save(changes_figure(comparisons), path)
