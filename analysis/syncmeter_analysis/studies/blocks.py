"""What sections are made of, so that one description becomes a terminal's text, a page and Markdown."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from syncmeter_analysis.statistics import text as formats


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
    """`right` are the columns flush right. Rows beyond `folded` are folded away on a page;
    on a terminal the columns' names come again after every `repeat` rows. A column in which no row has
    anything is left out of text. `gap`: characters between columns. `narrowed`: what stands in its
    place where so many characters fit a line; None: nothing does."""

    columns: list[str]
    rows: list[list[Cell]]
    right: Sequence[int] = ()
    caption: str = ""
    folded: int = 0
    repeat: int = 0
    gap: int = 2
    narrowed: Callable[[int], Table | None] | None = field(default=None, compare=False)


#: What a study's text is made of; a report has more (report/blocks.py).
Block = Text | Bullets | Table


def without_empty_columns(table: Table) -> Table:
    """The table without the columns in which no row has anything."""
    kept = [i for i in range(len(table.columns)) if any(row[i].text for row in table.rows)]
    return replace(
        table,
        columns=[table.columns[i] for i in kept],
        rows=[[row[i] for i in kept] for row in table.rows],
        right=[new for new, old in enumerate(kept) if old in set(table.right)],
    )


# Of the 256 colours of a terminal: green over yellow to red, dark enough for white letters.
_heat = (22, 28, 64, 100, 136, 130, 124, 88)


def _on_heat(text: str, heat: float) -> str:
    step = round(min(max(heat, 0.0), 1.0) * (len(_heat) - 1))
    return f"\x1b[48;5;{_heat[step]}m\x1b[38;5;15m{text}\x1b[0m"


def _lines(table: Table, paint: Callable[[int, int, str], str] | None = None) -> list[str]:
    right = [i in set(table.right) for i in range(len(table.columns))]
    rows = [[c.whole for c in row] for row in table.rows]
    return formats.table(table.columns, rows, right, paint, table.gap).splitlines()


def width_of(table: Table) -> int:
    """The characters that its longest line takes as plain text."""
    return max(map(len, _lines(without_empty_columns(table))))


def _table_plain(table: Table, coloured: bool, width: int | None) -> list[str]:
    if not table.rows:
        return []
    caption = [table.caption] * bool(table.caption)
    if width is not None and table.narrowed is not None:
        table = table.narrowed(width) or table
        caption = textwrap.wrap(table.caption, width)
    shown = without_empty_columns(table)

    def paint(row: int, column: int, text: str) -> str:
        heat = shown.rows[row][column].heat
        return text if heat is None else _on_heat(text, heat)

    lines = _lines(shown, paint if coloured else None)
    head, rows = lines[0], lines[1:]
    step = shown.repeat or len(rows)
    parts = [line for i in range(0, len(rows), step) for line in (head, *rows[i : i + step])]
    return caption + parts


def as_plain(
    title: str, blocks: Sequence[Block], coloured: bool = False, width: int | None = None
) -> str:
    """A section for a terminal, an empty line between its blocks; `coloured` by ANSI colours. `width`
    of the terminal, None where nothing says; only tables that can be narrowed keep to it."""
    parts = [title]
    for block in blocks:
        if isinstance(block, Text):
            parts.append(block.text)
        elif isinstance(block, Bullets):
            parts.append("\n".join(f"- {item}" for item in block.items))
        elif lines := _table_plain(block, coloured, width):
            parts.append("\n".join(lines))
    return "\n\n".join(parts)


_special = re.compile(r"([\\`*_{}\[\]<>#|!&~])")


def escaped_md(text: str) -> str:
    """`text` for Markdown, on one line, with nothing in it taken for markup."""
    return _special.sub(r"\\\1", " ".join(str(text).split()))


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
    if isinstance(block, Bullets):
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
