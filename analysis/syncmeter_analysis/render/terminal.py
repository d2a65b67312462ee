"""Sections as text for a terminal, in its width and its colours. Where a table is too wide its remarks
go below it, what all rows share goes to its heading, its columns' names break, spare columns are left
out, texts break, and what is still too wide goes on below in a table of the same rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from textwrap import wrap

from syncmeter_analysis.studies.blocks import (
    Block,
    Bullets,
    Cell,
    Lines,
    Table,
    Text,
    without_empty_columns,
)
from syncmeter_analysis.voice.words import no_break, soft_break

#: Texts break into lines no shorter than this, and remarks up to this stay in their rows.
_least_text, _least_remark = 16, 12


#: Stands between columns.
_gap = "  "


def lines_of(text: str, width: int, indent: str = "") -> list[str]:
    """`text` in lines of at most `width`, longer words whole; `indent` stands before all but the
    first."""
    whole = text.replace(soft_break, "")
    found = wrap(
        whole if len(whole) <= width else text.replace(soft_break, " "),
        max(width, 1),
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace(no_break, " ") for line in found] or [""]


def _longest_word(text: str) -> int:
    return max(map(len, text.replace(soft_break, " ").split()), default=0)


def _cells(table: Table, column: int) -> list[str]:
    return [row[column].whole for row in table.rows]


def _taken(widths: Sequence[int]) -> int:
    return sum(widths) + len(_gap) * (len(widths) - 1)


def _name_in(lines: int, name: str) -> int:
    """The least width in which a column's name takes so many lines; 0: as many as it has words."""
    least = _longest_word(name)
    if not lines:
        return least
    return next(w for w in range(least, len(name) + 1) if len(lines_of(name, w)) <= lines)


def _natural(table: Table, lines: int) -> list[int]:
    return [
        max(_name_in(lines, name), *map(len, _cells(table, i)))
        for i, name in enumerate(table.columns)
    ]


def _fits(table: Table, width: int) -> bool:
    return _taken(_natural(table, 0)) <= width


def widths_of(table: Table, width: int) -> list[int]:
    """Of each column, with names in as few lines and texts as wide as `width` allows; 0 allows all."""
    found = _natural(table, 1)
    for lines in (2, 3, 0):
        if not width or _taken(found) <= width:
            return found
        found = _natural(table, lines)
    least = [
        found[i]
        if i in table.right
        else min(found[i], max(_least_text, *map(_longest_word, _cells(table, i))))
        for i in range(len(found))
    ]
    while _taken(found) > width and found != least:
        widest = max((i for i in range(len(found)) if found[i] > least[i]), key=found.__getitem__)
        found[widest] -= 1
    return found


def _remarks_below(table: Table) -> tuple[Table, list[str]]:
    remarks = list(dict.fromkeys(filter(None, _cells(table, -1))))
    if table.columns[-1] or max(map(len, remarks), default=0) <= _least_remark:
        return table, []
    marks = {remark: f"[{i}]" for i, remark in enumerate(remarks, 1)}
    rows = [[*row[:-1], Cell(marks.get(row[-1].whole, ""))] for row in table.rows]
    return replace(table, rows=rows), [f"{mark} {remark}" for remark, mark in marks.items()]


def _shared_in_caption(table: Table) -> tuple[Table, list[str]]:
    columns = range(len(table.columns))
    shared = [i for i in columns if len(table.rows) > 1 and len(set(_cells(table, i))) == 1]
    kept = [i for i in columns if i not in shared]
    if not shared or not kept:
        return table, []
    rows = ", ".join(f"{table.columns[i]} {table.rows[0][i].whole}".strip() for i in shared)
    caption = f"{table.caption}; all rows: {rows}" if table.caption else f"All rows: {rows}"
    return replace(table.of_columns(kept), caption=caption), []


def _without_spare(table: Table, width: int) -> tuple[Table, list[str]]:
    for n in range(1, len(table.spare) + 1):
        gone = table.spare[:n]
        less = table.of_columns([i for i in range(len(table.columns)) if i not in gone])
        if _fits(less, width):
            names = ", ".join(table.columns[i] for i in gone)
            return less, [f"Left out for the width: {names} (--wide shows all)"]
    return table, []


def _in_parts(table: Table, width: int) -> list[Table]:
    """The table, or as many as its columns need; each begins with the columns that name its rows, and
    an interval stays behind what it is of."""
    if _taken(widths_of(table, width)) <= width:
        return [table]
    keys = table.keys or 1
    while keys > 1 and not all(
        _fits(table.of_columns([*range(keys), i]), width) for i in range(keys, len(table.columns))
    ):
        keys -= 1
    parts = [list(range(keys))]
    for i in range(keys, len(table.columns)):
        if i > keys and table.columns[i] == "95 % CI":
            continue
        added = [i, i + 1] if table.columns[i + 1 : i + 2] == ["95 % CI"] else [i]
        wider = table.of_columns([*parts[-1], *added])
        if len(parts[-1]) > keys and _taken(widths_of(wider, width)) > width:
            parts.append(list(range(keys)))
        parts[-1] += added
    found = [table.of_columns(part) for part in parts]
    return [found[0], *(replace(part, caption="") for part in found[1:])]


def fitted(table: Table, width: int) -> tuple[list[Table], list[str]]:
    """The table in as many parts as it needs within `width` (0: whole), and what stands below it."""
    found = without_empty_columns(table)
    below: list[str] = []
    for step in (_remarks_below, _shared_in_caption, lambda t: _without_spare(t, width)):
        if not width or _fits(found, width):
            return [found], below
        found, lines = step(found)
        below += lines
    return _in_parts(found, width), below


#: Prose is hard to read in longer lines.
_widest_prose = 100


def bold(text: str, coloured: bool) -> str:
    return f"\x1b[1m{text}\x1b[0m" if coloured and text else text


def prose(text: str, width: int, indent: str = "") -> str:
    """`text` in lines of `width` (0: one line); behind a bullet they are indented."""
    if not width:
        return text.replace(no_break, " ")
    indent = "  " if text.startswith("- ") else indent
    return "\n".join(lines_of(text, min(width, _widest_prose), indent))


def _lines(columns: Sequence[Sequence[str]], table: Table, widths: Sequence[int]) -> list[str]:
    """The columns' texts side by side."""
    return [
        _gap.join(
            text.rjust(w) if i in table.right else text.ljust(w)
            for i, (text, w) in enumerate(zip(texts, widths, strict=True))
        ).rstrip()
        for texts in zip_longest(*columns, fillvalue="")
    ]


def _row(cells: Sequence[Cell], table: Table, widths: Sequence[int]) -> list[str]:
    columns = [
        [cell.whole] if i in table.right else lines_of(cell.whole, w, "  ")
        for i, (cell, w) in enumerate(zip(cells, widths, strict=True))
    ]

    return _lines(columns, table, widths)


def _heading(table: Table, widths: Sequence[int]) -> list[str]:
    """The columns' names, those that are broken ending in one line."""
    names = [lines_of(name, w)[::-1] for name, w in zip(table.columns, widths, strict=True)]
    return _lines(names, table, widths)[::-1]


def _part(table: Table, coloured: bool, width: int) -> str:
    widths = widths_of(table, width)
    head = [bold(line, coloured) for line in _heading(table, widths)]
    rows = [_row(row, table, widths) for row in table.rows]
    step = table.repeat or len(rows)
    lines = [prose(table.caption, width)] * bool(table.caption)
    for i in range(0, len(rows), step):
        lines += [*head, *(line for row in rows[i : i + step] for line in row)]
    return "\n".join(lines)


def table_plain(table: Table, coloured: bool = False, width: int = 0) -> str:
    """A table within `width`, with what does not fit into it below; '' without rows."""
    if not table.rows:
        return ""
    parts, below = fitted(table, width)
    whole = "\n\n".join(_part(part, coloured, width) for part in parts)
    return "\n".join([whole, *(prose(line, width) for line in below)])


def parts_plain(blocks: Sequence[Block], coloured: bool = False, width: int = 0) -> list[str]:
    """Each block as text, but for tables without rows."""
    parts = []
    for block in blocks:
        if isinstance(block, Text):
            parts.append(prose(block.text, width))
        elif isinstance(block, Bullets):
            parts.append("\n".join(prose(f"- {item}", width) for item in block.items))
        elif isinstance(block, Lines):
            parts.append("\n".join(prose(item, width, indent="  ") for item in block.items))
        elif block.rows:
            parts.append(table_plain(block, coloured, width))
    return parts


def as_plain(title: str, blocks: Sequence[Block], coloured: bool = False, width: int = 0) -> str:
    """A section for a terminal, an empty line between its blocks; `coloured` by ANSI colours. Nothing
    is wider than `width`, where it is not 0 and no single word is. A subtitle stands directly
    below the title."""
    head = bold(prose(title, width), coloured)
    parts = parts_plain(blocks, coloured, width)
    if blocks and isinstance(blocks[0], Lines) and blocks[0].is_subtitle:
        head, parts = f"{head}\n{parts[0]}", parts[1:]
    return "\n\n".join([head, *parts])
