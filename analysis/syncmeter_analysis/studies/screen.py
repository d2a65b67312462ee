"""A study's screen as blocks, which become a terminal's text, Markdown and a page."""

from __future__ import annotations

from dataclasses import replace

from syncmeter_analysis.studies.blocks import Block, Lines, Table
from syncmeter_analysis.voice.overview import Overview
from syncmeter_analysis.voice.screen import Screen

#: A page folds the rows of longer tables away.
_folded = 40


def screen_blocks(screen: Screen, more: str = "", with_others: bool = True) -> list[Block]:
    """Returns the reliability, the tables and then all lines. `more` tells how to see more."""
    grids = [*screen.grids, *(screen.other_grids if with_others else ())]
    notes = [*screen.notes, *(screen.other_notes if with_others else ())]
    lines = [*notes, *screen.sentences, screen.details, screen.next, more]
    top = [Lines([screen.reliability], is_subtitle=True)] if screen.reliability else []
    return [*top, *map(_folding, grids), Lines(list(filter(None, lines)))]


def overview_blocks(overview: Overview) -> list[Block]:
    """Returns the blocks below the title."""
    last = list(filter(None, [overview.details, *overview.next]))
    notes = [Lines(list(overview.notes))] if overview.notes else []
    top = Lines([overview.reliability], is_subtitle=True)
    return [top, *map(_folding, overview.costs), *notes, Lines(overview.advice), Lines(last)]


def _folding(table: Table) -> Table:
    return replace(table, folded=_folded)
