"""What sections are made of, so that one description becomes a page and a Markdown file alike."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from syncmeter_analysis.figures.figure import Figure


@dataclass
class Text:
    """A paragraph. `points` are ids that its figures rest on."""

    text: str
    points: Sequence[str] = ()


@dataclass
class Bullets:
    """Sentences below each other."""

    items: list[str]


@dataclass
class Advice:
    """A recommendation: what to do, its effect, and where it is shown."""

    text: str
    effect: str
    machine: str
    figure: str
    points: Sequence[str]
    doubts: Sequence[str] = ()


@dataclass
class Cell:
    """A field of a table; `points` links it to its evidence, `kind` colours it ('good', 'bad')."""

    text: str
    points: Sequence[str] = ()
    kind: str = ""


@dataclass
class Table:
    """`right` are the columns flush right. Rows beyond `folded` are folded away on a page."""

    columns: list[str]
    rows: list[list[Cell]]
    right: Sequence[int] = ()
    caption: str = ""
    folded: int = 0


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


_special = re.compile(r"([\\`*_{}\[\]<>#|!&~])")


def escaped_md(text: str) -> str:
    """`text` for Markdown, on one line, with nothing in it taken for markup."""
    return _special.sub(r"\\\1", " ".join(str(text).split()))
