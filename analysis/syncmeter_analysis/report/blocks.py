"""What sections are made of, so that one description becomes a page and a Markdown file alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from syncmeter_analysis.figures.figure import Figure
from syncmeter_analysis.studies.blocks import Bullets as Bullets
from syncmeter_analysis.studies.blocks import Cell as Cell
from syncmeter_analysis.studies.blocks import Table as Table
from syncmeter_analysis.studies.blocks import Text as Text


@dataclass
class Advice:
    """A recommendation: what to do, its effect, and where it is shown."""

    text: str
    effect: str
    machine: str
    figure: str
    points: Sequence[str]


@dataclass
class Drawing:
    figure: Figure


Block = Text | Bullets | Advice | Table | Drawing


@dataclass
class Section:
    """One part of the report; `id` is its address in the page."""

    id: str
    title: str
    blocks: list[Block] = field(default_factory=list)
