"""A study's screen as blocks, which become a terminal's text, Markdown and a page."""

from __future__ import annotations

from syncmeter_analysis.studies.blocks import Block, Cell, Lines, Table
from syncmeter_analysis.voice.screen import Field, Grid, Screen


def screen_blocks(screen: Screen, is_whole: bool = True, hint: str = "") -> list[Block]:
    """Returns the tables and then all lines. Only a whole screen ends with its reliability and next
    step. `hint` tells how to see more."""
    lines = [*screen.notes, *screen.sentences, *filter(None, [hint])]
    lines += [line for line in (screen.reliability, screen.next) if line and is_whole]
    return [*map(_table, screen.grids), Lines(lines)]


def _table(grid: Grid) -> Table:
    rows = [list(map(_cell, row)) for row in grid.rows]
    return Table(list(grid.columns), rows, grid.right, grid.caption)


def _cell(field: Field) -> Cell:
    return Cell(field.text, field.points, "good" if field.chosen else "")
