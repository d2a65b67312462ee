"""Members of a line, checked by their table: what is absent or null is not known; what is of another
type or cannot be makes the line wrong in itself."""

from __future__ import annotations

import math
import sys
from typing import Any

from syncmeter_analysis.record.errors import BadLine, quoted
from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.record.tables import Member, Table

Members = dict[str, Any]

#: More rounds, warps or PUs than this were never counted.
most_counted = 1_000_000_000_000

#: A cost beyond this is no measurement: an hour for one op.
_absurd_ns = 3.6e12


_types = {
    "flag": (bool, "neither true nor false"),
    "verdict": (bool, "neither true nor false"),
    "text": (str, "not a text"),
    "wholes": (list, "not a list"),
    "numbers": (list, "not a list"),
    "texts": (list, "not a list"),
    "objects": (list, "not a list"),
}


_text = Member("text")


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
    if kind in ("number", "whole", "index"):
        _check_number(name, value, member, kind != "number")
    elif kind in _types:
        wanted, otherwise = _types[kind]
        if type(value) is not wanted:
            raise BadLine(f"{name} {quoted(value)} is {otherwise}")
        if not isinstance(value, list):
            return
        if kind in ("wholes", "numbers"):
            for each in value:
                _check_number(name, each, member, kind == "wholes")
        elif kind == "texts":
            for each in value:
                _check(name, each, _text)
        elif kind == "objects" and member.of:
            for each in value:
                check(_object(name, each), member.of)
    elif kind in ("object", "counts", "interval"):
        found = _object(name, value)
        if kind == "interval":
            interval_of(found, name)
        elif member.of:
            check(found, member.of)
        for why in found if kind == "counts" else ():
            _check_number(why, found[why], member, True)


def _object(name: str, value: Any) -> Members:
    if type(value) is not dict:
        raise BadLine(f"{name} {quoted(value)} is not an object")
    return value


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
