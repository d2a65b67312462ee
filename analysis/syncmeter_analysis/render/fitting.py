"""Tables that fit a terminal. Where one is too wide its remarks go below it, what all rows share goes
to its heading, its columns' names break, spare columns are left out, texts break, and what is still
too wide goes on below in a table of the same rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from textwrap import wrap

from syncmeter_analysis.studies.blocks import Cell, Table, without_empty_columns

#: Texts break into lines no shorter than this, and remarks up to this stay in their rows.
_least_text, _least_remark = 16, 12


def lines_of(text: str, width: int, indent: str = "") -> list[str]:
    """`text` in lines of at most `width`, longer words whole; `indent` stands before all but the
    first."""
    found = wrap(
        text,
        max(width, 1),
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return found or [""]


def _longest_word(text: str) -> int:
    return max(map(len, text.split()), default=0)


def _cells(table: Table, column: int) -> list[str]:
    return [row[column].whole for row in table.rows]


def _taken(table: Table, widths: Sequence[int]) -> int:
    return sum(widths) + table.gap * (len(widths) - 1)


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
    return _taken(table, _natural(table, 0)) <= width


def widths_of(table: Table, width: int) -> list[int]:
    """Of each column, with names in as few lines and texts as wide as `width` allows; 0 allows all."""
    found = _natural(table, 1)
    for lines in (2, 3, 0):
        if not width or _taken(table, found) <= width:
            return found
        found = _natural(table, lines)
    least = [
        found[i]
        if i in table.right
        else min(found[i], max(_least_text, *map(_longest_word, _cells(table, i))))
        for i in range(len(found))
    ]
    while _taken(table, found) > width and found != least:
        widest = max((i for i in range(len(found)) if found[i] > least[i]), key=found.__getitem__)
        found[widest] -= 1
    return found


def _remarks_below(table: Table) -> tuple[Table, list[str]]:
    last = len(table.columns) - 1
    remarks = list(dict.fromkeys(filter(None, _cells(table, last))))
    if table.columns[last] or max(map(len, remarks), default=0) <= _least_remark:
        return table, []
    marks = {remark: f"[{i}]" for i, remark in enumerate(remarks, 1)}
    rows = [[*row[:-1], Cell(marks.get(row[-1].whole, ""))] for row in table.rows]
    return replace(table, rows=rows), [f"{mark} {remark}" for remark, mark in marks.items()]


def _shared_in_caption(table: Table) -> tuple[Table, list[str]]:
    shared = [
        i
        for i, name in enumerate(table.columns)
        if len(table.rows) > 1 and len(set(_cells(table, i))) == 1
    ]
    kept = [i for i in range(len(table.columns)) if i not in shared]
    if not shared or not kept:
        return table, []
    told = ", ".join(f"{table.columns[i]} {table.rows[0][i].whole}".strip() for i in shared)
    caption = f"{table.caption}; all rows: {told}" if table.caption else f"All rows: {told}"
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
    if _taken(table, widths_of(table, width)) <= width:
        return [table]
    keys = table.keys or 1
    while keys > 1 and not all(
        _fits(table.of_columns([*range(keys), i]), width) for i in range(keys, len(table.columns))
    ):
        keys -= 1
    parts = [list(range(keys))]
    for i in range(keys, len(table.columns)):
        if i > keys and table.columns[i] == "95 % interval":
            continue
        added = [i, i + 1] if table.columns[i + 1 : i + 2] == ["95 % interval"] else [i]
        wider = table.of_columns([*parts[-1], *added])
        if len(parts[-1]) > keys and _taken(wider, widths_of(wider, width)) > width:
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
        found, told = step(found)
        below += told
    return _in_parts(found, width), below
