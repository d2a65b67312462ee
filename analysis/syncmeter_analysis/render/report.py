"""What reports are made of, so that one description becomes a page and a Markdown file alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from syncmeter_analysis.claims.claim import Claim, Finding
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.studies import blocks
from syncmeter_analysis.studies.figures import Figure


@dataclass
class Drawing:
    figure: Figure


Block = blocks.Block | Drawing


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
    """The first screen: title and facts of the machine, the answers of the studies, a verdict with its
    reasons, how far costs would land if measured again, figures, cards, and blocks that are folded
    away, each under its heading."""

    title: str
    facts: list[str]
    verdict: str
    kind: str
    checks: list[Check]
    figures: list[Figure] = field(default_factory=list)
    cards: list[Card] = field(default_factory=list)
    folded: list[tuple[str, list[Block]]] = field(default_factory=list)
    precision: list[str] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)


@dataclass
class Section:
    """One part of the report; `id` is its address in the page."""

    id: str
    title: str
    blocks: list[Block] = field(default_factory=list)

    @property
    def figures(self) -> list[Figure]:
        return [block.figure for block in self.blocks if isinstance(block, Drawing)]


@dataclass
class Report:
    """What is rendered: to a page (page.py) or to Markdown (markdown.py). `points` are those that the
    page lists; several have one id where two campaigns are compared."""

    head: Head
    sections: list[Section]
    points: list[Measured]
    files: list[str]
    judged: list[tuple[Claim, Finding]] = field(default_factory=list)

    @property
    def figures(self) -> list[Figure]:
        return self.head.figures + [figure for s in self.sections for figure in s.figures]
