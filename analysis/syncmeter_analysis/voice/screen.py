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
    """A table. `right` are the columns flush right."""

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Field]]
    right: Sequence[int] = ()


@dataclass(frozen=True)
class Screen:
    """Tables, then `notes` (legend and conditions), then `sentences`. The reliability and the next step
    are the last two lines."""

    grids: Sequence[Grid]
    notes: Sequence[str] = ()
    sentences: Sequence[str] = ()
    reliability: str = ""
    next: str = ""
    answers: Sequence[str] = field(default=())
