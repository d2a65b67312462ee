"""What sections are made of, so that one description becomes a terminal's text, a page and Markdown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from syncmeter_analysis.voice.words import soft_break


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
class Lines:
    """Lines without bullets."""

    items: list[str]


@dataclass
class Cell:
    """A field of a table; `points` links it to its evidence, `kind` colours it ('good', 'bad').

    `heat` from 0 to 1 is its place on a scale of colours, for a terminal that has them; `note` stands
    below the text on a page, behind it elsewhere.
    """

    text: str
    points: Sequence[str] = ()
    kind: str = ""
    heat: float | None = None
    note: str = ""

    @property
    def whole(self) -> str:
        """Text and note on one line."""
        return f"{self.text} ({self.note})" if self.note else self.text


@dataclass
class Table:
    """`right` are the columns flush right. Rows beyond `folded` are folded away on a page. In text a
    column in which no row has anything is left out. On a terminal the columns' names come again after
    every `repeat` rows, and columns stand `gap` characters apart; where it is too narrow, `narrowed`
    gives what stands in the table's place (None: nothing does), columns in `spare` go, the first of
    them first, and the first `keys`, which name a row, come again with what has to stand below."""

    columns: list[str]
    rows: list[list[Cell]]
    right: Sequence[int] = ()
    caption: str = ""
    folded: int = 0
    repeat: int = 0
    gap: int = 2
    narrowed: Callable[[int], Table | None] | None = field(default=None, compare=False)
    spare: Sequence[int] = ()
    keys: int = 1

    def of_columns(self, kept: Sequence[int]) -> Table:
        """The same with these of its columns."""
        place = {old: new for new, old in enumerate(kept)}
        return replace(
            self,
            columns=[self.columns[i] for i in kept],
            rows=[[row[i] for i in kept] for row in self.rows],
            right=[place[i] for i in self.right if i in place],
            spare=[place[i] for i in self.spare if i in place],
            keys=sum(i < self.keys for i in kept),
        )


def table(
    caption: str,
    columns: str | Sequence[str],
    rows: Iterable[Sequence[object]],
    keys: int = 1,
    **more: Any,
) -> Table:
    """A table of these rows. Columns are separated by `|`; those that end in `>` are flush right."""
    names = columns.split("|") if isinstance(columns, str) else list(columns)
    found = Table(
        [name.removesuffix(">") for name in names],
        [[c if isinstance(c, Cell) else Cell(str(c)) for c in row] for row in rows],
        [i for i, name in enumerate(names) if name.endswith(">")],
        caption,
        keys=keys,
    )
    return replace(found, **more)


#: What a study's text is made of; a report has more (render/report.py).
Block = Text | Bullets | Lines | Table


def without_empty_columns(table: Table) -> Table:
    """The table without the columns in which no row has anything."""
    return table.of_columns(
        [i for i in range(len(table.columns)) if any(row[i].text for row in table.rows)]
    )


def width_of(table: Table) -> int:
    """The characters that its longest line takes as plain text."""
    shown = without_empty_columns(table)
    widths = [
        max([len(name), *(len(row[i].whole) for row in shown.rows)])
        for i, name in enumerate(shown.columns)
    ]
    return sum(widths) + shown.gap * (len(widths) - 1)


_special = re.compile(r"(?<!`)(`[^`|]+`)(?!`)|([\\`*_{}\[\]<>#|!&~])")


def escaped_md(text: str) -> str:
    """`text` for Markdown, on one line: code spans stay, and nothing else in it is taken for markup.

    A code span that holds `|` would end a cell of a table, and is escaped.
    """
    plain = str(text).replace(soft_break, "")
    return _special.sub(lambda m: m[1] or "\\" + m[2], " ".join(plain.split()))


def table_md(table: Table) -> list[str]:
    """A table's lines in Markdown, an empty one behind; none without rows."""
    if not table.rows:
        return []
    right = set(table.right)
    align = ["---:" if i in right else "---" for i in range(len(table.columns))]
    head = [f"*{escaped_md(table.caption)}*", ""] if table.caption else []
    return [
        *head,
        "| " + " | ".join(map(escaped_md, table.columns)) + " |",
        "| " + " | ".join(align) + " |",
        *("| " + " | ".join(escaped_md(c.whole) for c in row) + " |" for row in table.rows),
        "",
    ]


def lines_md(block: Block) -> list[str]:
    """A block's lines in Markdown, an empty one behind."""
    if isinstance(block, Text):
        return [_codes(block.text), ""]
    if isinstance(block, (Bullets, Lines)):
        return [*(f"- {escaped_md(item)}" for item in block.items), ""]
    return table_md(block)


def as_markdown(title: str, blocks: Sequence[Block]) -> str:
    """A section in Markdown."""
    lines = [f"## {escaped_md(title)}", ""]
    return "\n".join(lines + [line for block in blocks for line in lines_md(block)]).rstrip()


def _codes(text: str) -> str:
    """The text escaped, but for what stands between backquotes."""
    parts = " ".join(text.split()).split("`")
    if len(parts) % 2 == 0:
        return escaped_md(text)
    return "".join(f"`{p}`" if i % 2 else escaped_md(f".{p}.")[1:-1] for i, p in enumerate(parts))
