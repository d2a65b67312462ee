"""The members of a visit's line, by type: what is absent or null is not known; what is of another type
or cannot be makes the visit wrong in itself."""

from __future__ import annotations

import math
from typing import Any

from syncmeter_analysis.record.errors import quoted

Members = dict[str, Any]

#: More rounds, warps or PUs than this were never counted.
most_counted = 1_000_000_000_000


class BadVisit(ValueError):
    """A visit that cannot be used: `str()` says why."""


def is_number(value: Any) -> bool:
    """JSON has no other kinds; a boolean is none of them."""
    return type(value) is float or type(value) is int


def number(line: Members, name: str, least: float = 0.0) -> float | None:
    """A finite number of at least `least`; None where the line does not say."""
    value = line.get(name)
    if value is None:
        return None
    if not is_number(value):
        raise BadVisit(f"{name} {quoted(value)} is not a number")
    if not least <= value < math.inf or value == -math.inf:
        raise BadVisit(f"{name} {value:g} is not possible")
    return float(value)


def whole(line: Members, name: str, otherwise: int = 0, least: int = 0) -> int:
    """A whole number from `least` to `most_counted`."""
    value = line.get(name)
    if value is None:
        return otherwise
    if not is_number(value) or value != value // 1:
        raise BadVisit(f"{name} {quoted(value)} is not a whole number")
    if not least <= value <= most_counted:
        raise BadVisit(f"{name} {value:g} is not possible")
    return int(value)


def flag(line: Members, name: str) -> bool | None:
    """True, false, or None where the line does not say."""
    found: bool | None = _of(line, name, bool, "neither true nor false")
    return found


def text(line: Members, name: str) -> str:
    """A text, '' where the line has none."""
    return _of(line, name, str, "not a text") or ""


def listed(line: Members, name: str) -> list[Any]:
    """A list, empty where the line has none."""
    return _of(line, name, list, "not a list") or []


def mapping(line: Members, name: str) -> Members | None:
    """An object, None where the line has none."""
    found: Members | None = _of(line, name, dict, "not an object")
    return found


def numbers(line: Members, name: str, least: float = -math.inf) -> list[float]:
    """A list of finite numbers of at least `least`, empty where the line has none."""
    values = listed(line, name)
    if not all(is_number(x) and math.isfinite(x) and x >= least for x in values):
        raise BadVisit(f"{name} {quoted(values)} is not a list of numbers that can be")
    return values


def _of(line: Members, name: str, kind: type, otherwise: str) -> Any:
    value = line.get(name)
    if value is not None and type(value) is not kind:
        raise BadVisit(f"{name} {quoted(value)} is {otherwise}")
    return value
