"""Controls with costs that are known beforehand: what is expected and what was measured."""

from __future__ import annotations

from syncmeter_analysis.relate.known_costs import Known, asked_costs, verdicts
from syncmeter_analysis.studies.blocks import Block, Cell, Table, table

title = "Known costs"
order = -1

#: Other studies have their controls in the reliability.
rows = asked_costs


def table_of(found: Known, caption: str) -> Table:
    """Returns a row for each control."""
    lines = [
        [c.what, c.expected, Cell(c.found, c.points), Cell(verdicts[c.kind], kind=c.kind)]
        for c in found.controls
    ]
    return table(caption, "control|expected|measured|", lines)


def text(found: Known) -> list[Block]:
    """Returns the expected and the measured costs."""
    return [table_of(found, "Costs known beforehand, ns")]
