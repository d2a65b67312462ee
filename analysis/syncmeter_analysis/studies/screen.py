"""A study's screen as blocks, which become a terminal's text, Markdown and a page."""

from __future__ import annotations

from dataclasses import replace

from syncmeter_analysis.studies.blocks import Block, Cell, Lines, Table
from syncmeter_analysis.voice.overview import Overview
from syncmeter_analysis.voice.screen import Field, Grid, Screen

#: A page folds the rows of longer tables away.
_folded = 40


def screen_blocks(
    screen: Screen, is_whole: bool = True, hint: str = "", with_others: bool = True
) -> list[Block]:
    """Returns the tables and then all lines. Only a whole screen ends with its reliability and next
    step. `hint` tells how to see more."""
    grids = [*screen.grids, *(screen.other_grids if with_others else ())]
    notes = [*screen.notes, *(screen.other_notes if with_others else ())]
    lines = [*notes, *screen.sentences, *filter(None, [hint])]
    lines += [line for line in (screen.reliability, screen.next) if line and is_whole]
    return [*map(_table, grids), Lines(lines)]


def overview_blocks(overview: Overview) -> list[Block]:
    """Returns the blocks below the title."""
    advice = [overview.heading, *overview.recommendations]
    last = [overview.reliability, *overview.next]
    notes = [Lines(list(overview.notes))] if overview.notes else []
    return [*map(_table, overview.costs), *notes, Lines(advice), Lines(last)]


def _table(grid: Grid) -> Table:
    rows = [list(map(_cell, row)) for row in grid.rows]
    found = Table(list(grid.columns), rows, grid.right, grid.caption, folded=_folded)
    return replace(found, spare=grid.spare, keys=grid.keys)


def _cell(field: Field) -> Cell:
    return Cell(field.text, field.points, "good" if field.chosen else "")
