"""The columns of a table of points: the driver's (`syncmeter show --csv`, driver/show/csv.cpp), in its
order and under its names, then what only results files have. Export writes them, import reads them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass

from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.record.tables import Axis, axes
from syncmeter_analysis.relate.summary import Measured

Value = str | int | float | bool | None

# In CSV an apostrophe stands before a text that a spreadsheet would take for a formula.
_harmless_formulas = tuple(f"'{sign}" for sign in "=+-@\uff1d\uff0b\uff0d\uff20")

_decimal = re.compile(r"[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?")
_truths = {"true": True, "false": False, "1": True, "0": False}


@dataclass(frozen=True)
class Column:
    """`name` carries the unit; `type` is that of every value, None where a point has none. `member` is
    what the value is called in a results file, of a point where `of_point`, else of a visit; '' where
    it is worked out and cannot be read back."""

    name: str
    type: type
    value: Callable[[Measured], Value]
    member: str = ""
    of_point: bool = False
    least: int = 0

    def read(self, text: str | None) -> Value:
        """The value of a field of CSV; None where it is empty. Raises ValueError, with what is allowed,
        for another type and for what cannot be."""
        if not text:
            return None
        if self.type is str:
            return text[1:] if text.startswith(_harmless_formulas) else text
        if self.type is bool:
            if text.lower() not in _truths:
                raise ValueError("true or false")
            return _truths[text.lower()]
        return self._whole(text) if self.type is int else self._number(text)

    def _whole(self, text: str) -> int:
        if not re.fullmatch("[0-9]{1,12}", text) or int(text) < self.least:
            raise ValueError(f"a whole number from {self.least}")
        return int(text)

    def _number(self, text: str) -> float:
        may_be_negative = self.name.startswith(("cost", "host_cost"))
        value = float(text) if _decimal.fullmatch(text) else math.nan
        if not math.isfinite(value) or (value < 0 and not may_be_negative):
            raise ValueError("a number" if may_be_negative else "a number from 0")
        return value


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


# Axes that stand behind another one than in the record.
_behind = {"order": "type", "scope": "blocks", "flavour": "scope", "space": "flavour"}


def _axis(axis: Axis) -> Column:
    """The column of an axis; None where the point has no value on it."""

    def value(s: Measured) -> Value:
        found = getattr(s.point, axis.name)
        if axis.cell == "if_strided":
            return int(found or 0) if s.point.placement == "strided" else None
        return None if axis.cell == "if_any" and found == axis.absent else found

    return Column(axis.column, axis.kind, value, axis.name, of_point=True, least=axis.least)


def _axes() -> list[Column]:
    """A column for each axis but those that are never one."""
    found = [_axis(axis) for axis in axes if axis.column]
    for name, before in _behind.items():
        at = [column.member for column in found]
        found.insert(at.index(before) + 1, found.pop(at.index(name)))
    return found


def _interval(
    kind: str, unit: str, of: Callable[[Measured], Interval | None], bound: bool = False
) -> tuple[Column, ...]:
    """Value, low and high of a usable point; with `bound` the high one too of what is not resolved."""

    def column(name: str, end: str, or_bound: bool = False) -> Column:
        def value(s: Measured) -> Value:
            found = of(s)
            if found is None or not (s.usable or (or_bound and _has_upper_bound(s))):
                return None
            return _finite(getattr(found, end))

        return Column(f"{kind}_{name}{unit}", float, value)

    return column("", "value"), column("low_", "low"), column("high_", "high", bound)


def _has_upper_bound(s: Measured) -> bool:
    return (
        s.status in ("not_resolved", "noisy")
        and s.cost is not None
        and s.cost.low <= 0 < s.cost.high < math.inf
    )


def state_text(s: Measured) -> str:
    """The headline state: its hop, and its share of the rounds where there are others."""
    hop = f"hop {s.hop_ns:.0f} ns" if s.hop_ns > 0 else ""
    if len(s.states) < 2:
        return hop
    several = any(state.number != s.state.number for state in s.states)
    name = f"{hop}, " if hop else f"state {s.state.number}, " if several else ""
    rounds = sum(s.states.values())
    share = 100 * s.states[s.state] / rounds if rounds else 0
    return f"{name}{'busy' if s.state.busy else 'quiet'} ({share:.0f} %)"


def _if_visited(name: str, of: Callable[[Measured], float | None], member: str = "") -> Column:
    return Column(name, float, lambda s: of(s) if s.visits else None, member)


# The arm of `syncmeter ab` is the last of the driver's columns.
_arm = next(column for column in _axes() if column.member == "arm")
_backend, *_other_axes = [column for column in _axes() if column.member != "arm"]

columns: tuple[Column, ...] = (
    _backend,
    Column("family", str, lambda s: s.family or None, "family"),
    *_other_axes,
    Column("status", str, lambda s: s.status, "status"),
    Column("reason", str, lambda s: s.reason or None, "reason"),
    Column("measured_as", str, lambda s: s.measured_as or None),
    Column("state", str, lambda s: state_text(s) or None),
    Column("headline", bool, lambda s: s.headline),
    Column("visits", int, lambda s: s.visits),
    *_interval("cost", "ns", lambda s: s.cost, bound=True),
    *_interval("host_cost", "ns", lambda s: s.host_cost),
    *_interval("cost", "cycles", lambda s: s.cycles),
    _if_visited("baseline_ns_per_step", lambda s: s.baseline_ns),
    _if_visited("test_ns_per_step", lambda s: s.test_ns),
    Column("ops_per_s_per_lane", float, lambda s: s.ops_per_s_per_lane),
    Column("ops_per_s_total", float, lambda s: s.ops_per_s_total),
    _if_visited("fairness_jain", lambda s: s.fairness, "fairness"),
    _if_visited(
        "slowest_over_fastest_ratio", lambda s: s.slowest_over_fastest, "slowest_over_fastest"
    ),
    Column("rounds_kept", int, lambda s: s.rounds_kept, "rounds_kept"),
    Column("rounds_dropped", int, lambda s: s.rounds_dropped),
    Column("additive", bool, lambda s: s.additive),
    Column("pus", str, lambda s: " ".join(map(str, s.pus)) or None),
    Column("device", int, lambda s: s.device, "device"),
    _arm,
    # What follows the driver's table does not have.
    Column("point", str, lambda s: s.id),
    Column("busy", bool, lambda s: s.state.busy),
    Column("hop_ns", float, lambda s: s.hop_ns or None),
    Column("imported", bool, lambda s: s.imported),
    Column("oversubscribed", bool, lambda s: s.oversubscribed, "oversubscribed"),
    Column("doubt", str, lambda s: s.doubt or None, "doubt"),
    Column("build", str, lambda s: s.build or None),
)


def row(s: Measured) -> dict[str, Value]:
    """A point as a row."""
    return {column.name: column.value(s) for column in columns}
