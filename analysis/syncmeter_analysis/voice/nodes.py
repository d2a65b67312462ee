"""Words the nodes of a run: the table of configurations over the nodes, and the files left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite

from syncmeter_analysis.conclude.compare import Comparison
from syncmeter_analysis.relate.fleet import Fleet, Group
from syncmeter_analysis.voice import numbers
from syncmeter_analysis.voice.compare import name_of
from syncmeter_analysis.voice.screen import Field, Grid
from syncmeter_analysis.voice.words import counted, say

#: So many names stand in a cell or a line, and so many files.
_most_named, _most_files = 3, 8


def point_grid(c: Comparison, group: Group) -> Grid:
    """Returns a row for each configuration: its median over nodes, the spread, and who differs."""
    rows = []
    for p in group.in_order():
        figures = ["", "", ""]
        if p.ratios:
            low, high = (numbers.ratio(x, p.low, p.high) for x in (p.low, p.high))
            spread = numbers.percent(p.spread) if isfinite(p.spread) else ""
            figures = [numbers.plain(p.median_ns, 3), spread, f"{low}-{high}"]
        differs = _some([group.names[i] for i in p.beyond()])
        rows.append(
            [
                Field(name_of(p.point, c), (p.point.id,)),
                Field(str(p.state) if p.state else ""),
                *map(Field, (str(len(p.ratios)), *figures)),
                Field(say("nodes.failed", names=differs) if p.failed else differs),
            ]
        )
    heads = ["configuration", "state", "nodes", "median_ns", "spread", "range", "differs"]
    columns = [say(f"compare.heads.{head}") for head in heads]
    return Grid(say("nodes.caption_points"), columns, rows, (2, 3, 4, 5), (5, 2))


def _some(names: Sequence[str]) -> str:
    shown, left = ", ".join(names[:_most_named]), len(names) - _most_named
    return say("compare.and_more", names=shown, count=left) if left > 0 else shown


def left_out(fleet: Fleet, everything: bool) -> list[str]:
    """Returns a line for each file that could not be used."""
    shown = fleet.left_out if everything else fleet.left_out[:_most_files]
    lines = [say("nodes.left_out", file=each.path, why=each.why) for each in shown]
    left = len(fleet.left_out) - len(shown)
    return [*lines, *[counted("nodes.more_left_out", left)] * bool(left)]


def title_of_left_out(fleet: Fleet) -> str:
    return counted("nodes.files_left_out", len(fleet.left_out))


def figure_title(fleet: Fleet) -> str:
    """Returns `2 of 48 nodes differ: node04 (1.20x), node11`."""
    differing = sum(len(group.differing) for group in fleet.groups)
    count = sum(len(group.nodes) for group in fleet.groups)
    if not any(group.judged for group in fleet.groups):
        return say("nodes.figure.title_unjudged", all=count)
    names = [name for group in fleet.groups for name in _differing(group)]
    named = say("nodes.figure.named", names=_some(names)) if names else ""
    return counted("nodes.figure.title", differing, all=count, named=named)


def _differing(group: Group) -> Iterator[str]:
    medians = {w.node: w.quartiles[1] for w in group.wholes if w.differs}
    for i in group.differing:
        ratio = f"{numbers.ratio(medians[i])}x" if i in medians else ""
        yield group.names[i] + (say("compare.reason_of", reason=ratio) if ratio else "")
