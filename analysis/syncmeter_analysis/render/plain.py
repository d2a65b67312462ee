"""Sections as text for a terminal, in its width and its colours."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from syncmeter_analysis.render.fitting import fitted, lines_of, widths_of
from syncmeter_analysis.studies.blocks import Block, Bullets, Cell, Table, Text

# Of the 256 colours of a terminal: green over yellow to red, dark enough for white letters, which
# are 231: a theme may give 15 another colour.
_heat = (22, 28, 58, 94, 130, 124, 88)

#: Prose is hard to read in longer lines.
_widest_prose = 100


def bold(text: str, coloured: bool) -> str:
    return f"\x1b[1m{text}\x1b[0m" if coloured and text else text


def _on_heat(text: str, heat: float) -> str:
    step = round(min(max(heat, 0.0), 1.0) * (len(_heat) - 1))
    return f"\x1b[48;5;{_heat[step]}m\x1b[38;5;231m{text}\x1b[0m"


def prose(text: str, width: int) -> str:
    """`text` in lines of `width` (0: one line); behind a bullet they are indented."""
    if not width:
        return text
    indent = "  " if text.startswith("- ") else ""
    return "\n".join(lines_of(text, min(width, _widest_prose), indent))


def _row(cells: Sequence[Cell], table: Table, widths: Sequence[int], coloured: bool) -> list[str]:
    columns = [
        [cell.whole] if i in table.right else lines_of(cell.whole, w, "  ")
        for i, (cell, w) in enumerate(zip(cells, widths, strict=True))
    ]
    lines = []
    for texts in zip_longest(*columns, fillvalue=""):
        fields = [
            text.rjust(w) if i in table.right else text.ljust(w)
            for i, (text, w) in enumerate(zip(texts, widths, strict=True))
        ]
        if coloured:
            fields = [
                field if cell.heat is None else _on_heat(field, cell.heat)
                for field, cell in zip(fields, cells, strict=True)
            ]
        lines.append((" " * table.gap).join(fields).rstrip())
    return lines


def _heading(table: Table, widths: Sequence[int]) -> list[str]:
    """The columns' names, those that are broken ending in one line."""
    names = [lines_of(name, w)[::-1] for name, w in zip(table.columns, widths, strict=True)]
    lines = [
        (" " * table.gap)
        .join(
            text.rjust(w) if i in table.right else text.ljust(w)
            for i, (text, w) in enumerate(zip(texts, widths, strict=True))
        )
        .rstrip()
        for texts in zip_longest(*names, fillvalue="")
    ]
    return lines[::-1]


def _part(table: Table, coloured: bool, width: int) -> str:
    widths = widths_of(table, width)
    head = [bold(line, coloured) for line in _heading(table, widths)]
    rows = [_row(row, table, widths, coloured) for row in table.rows]
    step = table.repeat or len(rows)
    lines = [prose(table.caption, width)] * bool(table.caption)
    for i in range(0, len(rows), step):
        lines += [*head, *(line for row in rows[i : i + step] for line in row)]
    return "\n".join(lines)


def table_plain(table: Table, coloured: bool = False, width: int = 0) -> str:
    """A table within `width`, with what does not fit into it below; '' without rows."""
    if not table.rows:
        return ""
    if width and table.narrowed:
        table = table.narrowed(width) or table
    parts, below = fitted(table, width)
    told = [prose(line, width) for line in below]
    return "\n".join(["\n\n".join(_part(part, coloured, width) for part in parts), *told])


def as_plain(title: str, blocks: Sequence[Block], coloured: bool = False, width: int = 0) -> str:
    """A section for a terminal, an empty line between its blocks; `coloured` by ANSI colours. Nothing
    is wider than `width`, where it is not 0 and no single word is."""
    parts = [bold(title, coloured)]
    for block in blocks:
        if isinstance(block, Text):
            parts.append(prose(block.text, width))
        elif isinstance(block, Bullets):
            parts.append("\n".join(prose(f"- {item}", width) for item in block.items))
        elif isinstance(block, Table) and block.rows:
            parts.append(table_plain(block, coloured, width))
    return "\n\n".join(parts)
