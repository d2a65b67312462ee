"""What sections are made of, so that one description becomes a page and a Markdown file alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from syncmeter_analysis.studies.blocks import Bullets as Bullets
from syncmeter_analysis.studies.blocks import Cell as Cell
from syncmeter_analysis.studies.blocks import Table as Table
from syncmeter_analysis.studies.blocks import Text as Text

if TYPE_CHECKING:
    from syncmeter_analysis.studies.figures import Figure


@dataclass
class Drawing:
    figure: Figure


Block = Text | Bullets | Table | Drawing


@dataclass(frozen=True)
class Check:
    """One reason for or against trust, in words; `link` is the section that has the details, `kind` its
    colour ('good', 'bad', 'unclear')."""

    text: str
    kind: str
    link: str


@dataclass(frozen=True)
class Bar:
    """One side of a card's comparison; `share` of the longer side from 0 to 1."""

    name: str
    cost: str
    share: float


@dataclass
class Card:
    """A recommendation: what to do, what it is worth, where that was seen, and what speaks against it.

    `figure` is the id of the figure that draws its points, or of the section.
    """

    text: str
    effect: str
    where: str
    doubt: str
    bars: list[Bar]
    figure: str
    points: Sequence[str]


@dataclass
class Head:
    """The first screen: title and facts of the machine, a verdict with its reasons, figures, cards, and
    blocks that are folded away, each under its heading."""

    title: str
    facts: list[str]
    verdict: str
    kind: str
    checks: list[Check]
    figures: list[Figure] = field(default_factory=list)
    cards: list[Card] = field(default_factory=list)
    folded: list[tuple[str, list[Block]]] = field(default_factory=list)


@dataclass
class Section:
    """One part of the report; `id` is its address in the page."""

    id: str
    title: str
    blocks: list[Block] = field(default_factory=list)

    @property
    def figures(self) -> list[Figure]:
        return [block.figure for block in self.blocks if isinstance(block, Drawing)]
