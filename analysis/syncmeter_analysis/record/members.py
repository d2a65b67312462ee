"""Members of a line, checked by their table: what is absent or null is not known; what is of another
type or cannot be makes the line wrong in itself."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from typing import Any

from syncmeter_analysis.record.errors import BadLine, quoted
from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.record.tables import Member, Table

Members = dict[str, Any]

#: More rounds, warps or PUs than this were never counted.
most_counted = 1_000_000_000_000

#: A cost beyond this is no measurement: an hour for one op.
_absurd_ns = 3.6e12


# Each kind's type, and the fault in a value with another type.
_types: dict[str, tuple[type, str]] = {
    **dict.fromkeys(("flag", "verdict"), (bool, "neither true nor false")),
    "text": (str, "not a text"),
    **dict.fromkeys(("wholes", "numbers", "texts", "objects"), (list, "not a list")),
    **dict.fromkeys(("object", "counts", "interval"), (dict, "not an object")),
}


def is_number(value: Any) -> bool:
    """JSON has no other kinds; a boolean is none of them."""
    return type(value) is float or type(value) is int


def check(line: Members, table: Table) -> None:
    """Raises BadLine unless every member that the table has is as it says."""
    for name in table.required:
        if line.get(name) is None:
            raise BadLine(f"{name} is missing")
    for name, value in line.items():
        if value is not None and (member := table.get(name)) is not None:
            _check(name, value, member)


def _check(name: str, value: Any, member: Member) -> None:
    kind = member.kind
    if kind in _types:
        wanted, otherwise = _types[kind]
        if type(value) is not wanted:
            raise BadLine(f"{name} {quoted(value)} is {otherwise}")
    if kind in ("number", "whole", "index"):
        _check_number(name, value, member, kind != "number")
    elif kind == "interval":
        interval_of(value, name)
    elif kind == "counts":
        for why, count in value.items():
            _check_number(why, count, member, True)
    elif kind == "object" and member.of:
        check(value, member.of)
    elif kind in ("wholes", "numbers", "texts") or (kind == "objects" and member.of):
        of_each = replace(member, kind=kind.removesuffix("s"))
        for each in value:
            _check(name, each, of_each)


def _check_number(name: str, value: Any, member: Member, is_whole: bool) -> None:
    if not is_number(value) or (is_whole and value != value // 1):
        raise BadLine(f"{name} {quoted(value)} is not a {'whole ' * is_whole}number")
    if not member.least <= value <= member.most or abs(value) > sys.float_info.max:
        raise BadLine(f"{name} {value:g} is not possible")


_of_intervals = Table(dict.fromkeys(("value", "low", "high"), Member("number", -math.inf)))


def interval_of(found: Members, name: str) -> Interval:
    """The interval that a member of that name holds; bounds that are not known are infinite."""
    check(found, _of_intervals)
    value, low, high = found.get("value"), found.get("low"), found.get("high")
    if value is None:
        raise BadLine(f"a {name} without a value")
    if abs(value) > _absurd_ns:
        raise BadLine(f"a {name} of {value:g} is not possible")
    low, high = -math.inf if low is None else low, math.inf if high is None else high
    rounding = abs(value) * 1e-6  # numbers have seven digits
    if not low - rounding <= value <= high + rounding:
        raise BadLine(f"the {name} {value:g} lies outside its own bounds, {low:g} and {high:g}")
    return Interval(value, low, high)
