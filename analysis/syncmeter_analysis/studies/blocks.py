"""What sections are made of, so that one description becomes a terminal's text, a page and Markdown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.relation import NotComparable, Ratio
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.voice.screen import Field, Grid
from syncmeter_analysis.voice.words import soft_break


@dataclass
class Text:
    """A paragraph."""

    text: str


@dataclass
class Bullets:
    """Sentences below each other."""

    items: list[str]


@dataclass
class Lines:
    """Lines without bullets, directly below the title if they are a subtitle."""

    items: list[str]
    is_subtitle: bool = False


#: The tables of screens and those of studies are alike.
Cell = Field
Table = Grid


def cell(value: object) -> Cell:
    """Returns a value as a field: the cost of a configuration in ns, a ratio with its interval, a time
    in ns, or other text; empty for None."""
    if isinstance(value, Cell):
        return value
    if isinstance(value, Measured):
        return Cell(formats.cost(value), [value.id])
    if isinstance(value, Ratio):
        return Cell("1" if value.identical else formats.marked(value, with_interval=True))
    if isinstance(value, NotComparable):
        return Cell("-", note=value.why)
    if isinstance(value, Interval):
        scatter = f" ({formats.interval_ns(value)})" if value.bounded else ""
        return Cell(formats.nanoseconds(value.value) + scatter)
    if isinstance(value, float):
        return Cell(formats.nanoseconds(value))
    return Cell("" if value is None else str(value))


def table(
    caption: str,
    columns: str | Sequence[str],
    rows: Iterable[Sequence[object]],
    keys: int = 1,
    **more: Any,
) -> Table:
    """A table of these rows. Columns are separated by `|`; those that end in `>` are flush right."""
    names = columns.split("|") if isinstance(columns, str) else list(columns)
    return Table(
        caption,
        [name.removesuffix(">") for name in names],
        [list(map(cell, row)) for row in rows],
        [i for i, name in enumerate(names) if name.endswith(">")],
        keys=keys,
        **more,
    )


#: A table row: the names of the row, values by column name, and further values.
Line = tuple[Sequence[object], Mapping[str, object], Sequence[object]]


def pivot(
    caption: str,
    keys: str,
    lines: Iterable[Line],
    behind: str = "",
    show: Callable[[Any], object] = cell,
) -> Table:
    """Returns a table with a column for each name that a line has a value for, in the order of their
    appearance, shown by `show`. `keys` and `behind` are the columns around them."""
    found = list(lines)
    names = list(dict.fromkeys(name for _, values, _ in found for name in values))
    columns = [*keys.split("|"), *(f"{name}>" for name in names), *filter(None, behind.split("|"))]
    rows = [
        [*at, *(show(values[n]) if n in values else None for n in names), *more]
        for at, values, more in found
    ]
    return table(caption, columns, rows, keys=keys.count("|") + 1)


def legend(blocks: Iterable[Block]) -> list[Text]:
    """Returns the legend for marks behind figures, or nothing without a mark."""
    tables = [block for block in blocks if isinstance(block, Table)]
    cells = (cell.text for one in tables for row in one.rows for cell in row)
    found = {text.rpartition(" ")[2] for text in cells}
    marks = [f"{mark} {says}" for mark, says in formats.meaning_of_marks.items() if mark in found]
    return [Text(f"Marks: {', '.join(marks)}.")] if marks else []


#: What a study's text is made of; a report has more (render/report.py).
Block = Text | Bullets | Lines | Table


def without_empty_columns(table: Table) -> Table:
    """The table without the columns in which no row has anything."""
    return table.of_columns(
        [i for i in range(len(table.columns)) if any(row[i].text for row in table.rows)]
    )


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
