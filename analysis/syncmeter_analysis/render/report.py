"""What reports are made of, so that one description becomes a page and a Markdown file alike."""

from __future__ import annotations

from dataclasses import dataclass, field

from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.studies import blocks
from syncmeter_analysis.studies.figures import Figure
from syncmeter_analysis.voice.cards import Card

Block = blocks.Block | Figure


#: The colour of a grade.
kinds = {"good": "good", "moderate": "unclear", "poor": "bad", "unknown": "unclear"}


@dataclass(frozen=True)
class Check:
    """One reason for or against trust, in words; `link` is the section that has the details, `kind` its
    colour ('good', 'bad', 'unclear')."""

    text: str
    kind: str
    link: str


@dataclass
class Head:
    """The first screen: title and facts of the machine, a verdict with its reasons, a figure and cards.
    `badge` is the grade of a campaign's reliability, whose details are `sureness`, the verdict, the
    checks. `answers` are lines for a program."""

    title: str
    facts: list[str]
    verdict: str
    kind: str
    checks: list[Check]
    figures: list[Figure] = field(default_factory=list)
    cards: list[Card] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    badge: str = ""
    sureness: str = ""


@dataclass
class Section:
    """One part of the report; `id` is its address in the page."""

    id: str
    title: str
    blocks: list[Block] = field(default_factory=list)

    @property
    def figures(self) -> list[Figure]:
        return [block for block in self.blocks if isinstance(block, Figure)]


@dataclass
class Report:
    """What is rendered: to a page (page.py) or to Markdown (markdown.py). `points` are those that the
    page lists; several have one id where two campaigns are compared."""

    head: Head
    sections: list[Section]
    points: list[Measured]
    files: list[str]

    @property
    def figures(self) -> list[Figure]:
        return self.head.figures + [figure for s in self.sections for figure in s.figures]
