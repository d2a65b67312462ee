"""Members of a line, checked by their table: what is absent or null is not known; what is of another
type or cannot be makes the line wrong in itself."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from syncmeter_analysis.record.errors import quoted
from syncmeter_analysis.record.interval import Interval

Members = dict[str, Any]

#: More rounds, warps or PUs than this were never counted.
most_counted = 1_000_000_000_000

#: A cost beyond this is no measurement: an hour for one op.
_absurd_ns = 3.6e12


class BadVisit(ValueError):
    """A line that cannot be used: `str()` says why."""


@dataclass(frozen=True, slots=True)
class Member:
    """One member: `kind` is number, whole, flag, text, list, object, interval or row (of numbers, some
    of them not known); `of` is what an object holds, or each element of a list is. Numbers lie within
    `least`..`most`."""

    kind: str
    least: float = 0.0
    most: float = sys.float_info.max
    of: Table | Member | None = None


Table = Mapping[str, Member]

_names = {
    "flag": (bool, "neither true nor false"),
    "text": (str, "not a text"),
    "list": (list, "not a list"),
    "row": (list, "not a list"),
}


def is_number(value: Any) -> bool:
    """JSON has no other kinds; a boolean is none of them."""
    return type(value) is float or type(value) is int


def check(line: Members, table: Table) -> None:
    """Raises BadVisit unless every member that the table has is as it says."""
    for name, value in line.items():
        if value is not None and (member := table.get(name)) is not None:
            _check(name, value, member)


def _check(name: str, value: Any, member: Member) -> None:
    kind = member.kind
    if kind == "number":
        if not is_number(value):
            raise BadVisit(f"{name} {quoted(value)} is not a number")
    elif kind == "whole":
        if not is_number(value) or value != value // 1:
            raise BadVisit(f"{name} {quoted(value)} is not a whole number")
    elif kind in _names:
        wanted, otherwise = _names[kind]
        if type(value) is not wanted:
            raise BadVisit(f"{name} {quoted(value)} is {otherwise}")
        if isinstance(member.of, Member) and isinstance(value, list):
            if kind == "row" and len(value) < 3:
                raise BadVisit(f"{name} {quoted(value)} is no visit's cost")
            for each in value:
                if each is not None or kind == "list":
                    _check(name, each, member.of)
        return
    else:
        if type(value) is not dict:
            raise BadVisit(f"{name} {quoted(value)} is not an object")
        if kind == "interval":
            interval_of(value, name)
        elif isinstance(member.of, Member):
            check(value, dict.fromkeys(value, member.of))
        elif member.of:
            check(value, member.of)
        return
    if not member.least <= value <= member.most:
        raise BadVisit(f"{name} {value:g} is not possible")


_bound = Member("number", -sys.float_info.max)
_of_intervals = dict.fromkeys(("value", "low", "high"), _bound)


def interval_of(found: Members, name: str) -> Interval:
    """The interval that a member of that name holds; bounds that are not known are infinite."""
    check(found, _of_intervals)
    value, low, high = found.get("value"), found.get("low"), found.get("high")
    if value is None:
        raise BadVisit(f"a {name} without a value")
    if abs(value) > _absurd_ns:
        raise BadVisit(f"a {name} of {value:g} is not possible")
    low, high = -math.inf if low is None else low, math.inf if high is None else high
    rounding = abs(value) * 1e-6  # numbers have seven digits
    if not low - rounding <= value <= high + rounding:
        raise BadVisit(f"the {name} {value:g} lies outside its own bounds, {low:g} and {high:g}")
    return Interval(value, low, high)
