"""The first screen of a study: words without layout. studies/ and render/ turn it into terminal text,
Markdown and a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace


@dataclass(frozen=True)
class Field:
    """A table cell. `points` are evidence ids, `chosen` marks the recommended choice, `kind` colours
    the text ('good', 'bad'). The `note` stands below the text on a page, behind it elsewhere."""

    text: str
    points: Sequence[str] = ()
    chosen: bool = False
    kind: str = ""
    note: str = ""

    @property
    def whole(self) -> str:
        """Returns text and note on one line."""
        return f"{self.text} ({self.note})" if self.note else self.text


@dataclass(frozen=True)
class Grid:
    """A table. `right` are the columns flush right. A narrow terminal leaves out columns in `spare`,
    the first one first. Columns that still do not fit stand below, with the first `keys` columns
    again. The heads come again after every `repeat` rows. A page folds rows beyond `folded`. Text
    leaves out empty columns."""

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Field]]
    right: Sequence[int] = ()
    spare: Sequence[int] = ()
    keys: int = 1
    folded: int = 0
    repeat: int = 0

    def of_columns(self, kept: Sequence[int]) -> Grid:
        """Returns the table with these of its columns."""
        place = {old: new for new, old in enumerate(kept)}
        return replace(
            self,
            columns=[self.columns[i] for i in kept],
            rows=[[row[i] for i in kept] for row in self.rows],
            right=[place[i] for i in self.right if i in place],
            spare=[place[i] for i in self.spare if i in place],
            keys=sum(i < self.keys for i in kept),
        )


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
