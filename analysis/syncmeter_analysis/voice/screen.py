"""The first screen of a study: words without layout. studies/ and render/ turn it into terminal text,
Markdown and a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Field:
    """A table cell. `points` are evidence ids, `chosen` marks the recommended
    choice."""

    text: str
    points: tuple[str, ...] = ()
    chosen: bool = False


@dataclass(frozen=True)
class Grid:
    """A table. `right` are the columns flush right. Columns in `spare` are left out on a narrow
    terminal, the first of them first, and the first `keys` columns name a row."""

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Field]]
    right: Sequence[int] = ()
    spare: Sequence[int] = ()
    keys: int = 1


@dataclass(frozen=True)
class Screen:
    """The reliability, tables, `notes` (legend and conditions), `sentences`. The `details` of the
    reliability and the next step end it. `other_grids` with `other_notes` are too long for the first
    screen."""

    grids: Sequence[Grid]
    notes: Sequence[str] = ()
    sentences: Sequence[str] = ()
    reliability: str = ""
    details: str = ""
    next: str = ""
    answers: Sequence[str] = field(default=())
    other_grids: Sequence[Grid] = ()
    other_notes: Sequence[str] = ()


@dataclass(frozen=True)
class Times:
    """Wall times in seconds behind an effect: the run as it is, and the ends after the change."""

    run_s: float
    low_s: float
    high_s: float


@dataclass(frozen=True)
class CauseText:
    """A cause in words: heading, effect and grade in the first line, then `lines`. `more` holds
    details."""

    title: str
    effect: str
    grade: str
    lines: Sequence[str]
    more: Sequence[str] = ()
    times: Times | None = None


@dataclass(frozen=True)
class CauseScreen:
    """The first screen for a program: a title, ranked causes, then `closing` sentences and the legend
    with the grades. The reliability and the next step are the last two lines."""

    title: str
    causes: Sequence[CauseText]
    closing: Sequence[str]
    legend: Sequence[str]
    reliability: str
    next: str
