"""The description of a results file (record/ of the sources, record/README.md), read as it is imported:
axes of a point, and members of its lines with kind, absent value and bounds."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_folder = Path(__file__).parent / "tables"

statuses = (
    "ok",
    "not_resolved",
    "interferes",
    "elided",
    "noisy",
    "busy",
    "too_slow",
    "unsupported",
    "failed",
    "timeout",
)


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis of a point: its values are of this `kind`, numbers at least `least`. At `absent` it has
    none, and is left out of the point's text unless it is `always` there. `column` is its name in
    tables of points, '' for none, and `cell` says when it has a value there."""

    name: str
    kind: type
    absent: Any
    least: int = 0
    always: bool = False
    in_key: bool = True
    column: str = ""
    cell: str = "if_any"
    words: str = ""


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a line: numbers, in lists too, lie within `least`..`most`; `of` is what an object, or
    each in a list of objects, holds, where a table says it. `shared`: a copy for others keeps it.
    `required`: a line without it is wrong; `may_be_null`: where it is not known it is null."""

    kind: str
    least: float = 0.0
    most: float = math.inf
    of: Table | None = None
    shared: bool = True
    words: str = ""
    required: bool = False
    may_be_null: bool = False


class Table(dict[str, Member]):
    """The members of a line or an object by name, and the names of those that it must have."""

    def __init__(self, members: Mapping[str, Member]) -> None:
        super().__init__(members)
        self.required = tuple(name for name, member in members.items() if member.required)


_row = re.compile(r'SM_(?:AXIS|KIND|MEMBER)\((.*), "([^"]*)"\)')
_kinds = {"unsigned": int, "bool": bool, "std::vector<int>": tuple}
_absent: dict[type, Any] = {int: 0, bool: False, tuple: (), str: ""}


def _rows(table: str) -> Iterator[list[str]]:
    """The fields of each row of a table, its words last."""
    for line in (_folder / f"{table}.def").read_text(encoding="utf-8").splitlines():
        if line.startswith("SM_"):
            if (found := _row.fullmatch(line)) is None:
                raise ValueError(f"{table}.def: no row of a table: {line}")
            yield [*(field.strip('"') for field in found[1].split(", ")), found[2]]


def _axis(row: list[str]) -> Axis:
    name, written_type, absent, least, written, cell, unit, *_, words = row
    kind = _kinds.get(written_type, str)
    value = int(absent) if kind is int else _absent[kind]
    if kind is str and cell == "always":
        value = absent.rpartition("::")[2].strip("{}")
    elif written == "if_strided":
        value = None
    column = name if name.endswith(unit) else f"{name}_{unit}"
    column = "" if cell == "never" else column
    return Axis(name, kind, value, int(least), written == "always", True, column, cell, words)


def _members(table: str) -> Table:
    found = {}
    for name, kind, absent, least, most, shared, words in _rows(table):
        inner = re.match(r"(\w+)\.def\b", words)
        of = _members(inner[1]) if inner else None
        is_shared, wanted, null = shared == "yes", absent == "required", absent == "null"
        bounds = float(least), float(most)
        found[name] = Member(kind, *bounds, of, is_shared, words, wanted, null)
    return Table(found)


def _axes() -> Iterator[Axis]:
    for axis in map(_axis, _rows("axes")):
        yield axis
        if axis.name == "stride":  # of the same in bytes, which files have beside it
            name = "stride_bytes"
            yield Axis(name, int, 0, in_key=False, column=name, cell=axis.cell)


axes = tuple(_axes())
visit_members = _members("visit")
point_members = _members("point_line")
#: Of the last line: what a table describes.
end_members = Table(
    {"cpu_use": Member("object", of=_members("cpu_use"), words="who used the CPUs during the run")}
)
#: Of each line of a file of `syncmeter advise`, by its `record`.
advise_records = {
    name: _members(name)
    for name in ("advise", "call_site", "kernel", "lock", "model", "price", "advice", "trial")
}
#: Conclusions and reliability (conclude/).
conclusion_members = _members("conclusion")
reliability_members = _members("conclusion_reliability")
advise_reliability_members = _members("advise_reliability")
conclusion_kinds = tuple(name for name, _ in _rows("conclusion_kinds"))
conclusion_grades = tuple(name for name, _ in _rows("conclusion_grades"))
#: What is timed of a call, by the kind of its site.
waits_of_calls = {name: waits for name, waits, _ in _rows("site_kinds")}
