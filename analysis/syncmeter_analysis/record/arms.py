"""The two arms of a campaign of `syncmeter ab`, as its first line has them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from syncmeter_analysis.record.errors import Unusable
from syncmeter_analysis.record.point import Point


@dataclass(frozen=True)
class Arms:
    """Two builds, or one in two environments. `threshold`: a smaller change, as a share, is none;
    `looks_again`: points that could not be told were visited again; `equal` points are not measured,
    being equal machine code in both; `only` are the points that one arm alone has, as text; `planned`
    visits of each point. `line` is the member of the campaign line.
    """

    names: tuple[str, str]
    threshold: float
    looks_again: bool
    any_backend: bool
    any_wait: bool
    equal: int
    only: tuple[tuple[str, ...], tuple[str, ...]]
    planned: int
    line: dict[str, Any]

    def common(self, point: Point) -> Point:
        """What a point of one arm shares with that of the other one which it is compared with."""
        axes = ("arm", *(("wait",) if self.any_wait else ()))
        found = point.without(*axes)
        return replace(found, backend="any") if self.any_backend else found


#: How many visits of each point `syncmeter ab` takes, where --visits does not say.
_usual_visits = 10


def arms_of(campaign: dict[str, Any], path: str) -> Arms | None:
    """None for a campaign of another kind. Raises Unusable for a line that cannot be read."""
    line = campaign.get("ab")
    if line is None:
        return None
    try:
        a, b = (str(arm["name"]) for arm in line["arms"])
        options = campaign.get("options") or {}
        only = line.get("only") or [[], []]
        return Arms(
            (a, b),
            float(line["threshold"]),
            bool(line.get("looks_again")),
            bool(line.get("any_backend")),
            bool(line.get("any_wait")),
            int(line.get("equal") or 0),
            (tuple(map(str, only[0])), tuple(map(str, only[1]))),
            int(options.get("visits") or _usual_visits),
            line,
        )
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise Unusable(f"{path}, line 1: invalid 'ab': {error}") from error


def split_arms(line: dict[str, Any]) -> None:
    """Of a file from before the arm was an axis: the backend "omp@old" becomes "omp", with the arm
    "old"."""
    for member in ("point", "measured_as"):
        point = line.get(member)
        if not isinstance(point, dict) or "arm" in point:
            continue
        backend, _, arm = str(point.get("backend")).rpartition("@")
        if backend and arm:
            point["backend"], point["arm"] = backend, arm
    for member in ("backend", "worker", "native_of"):
        name = line.get(member)
        if isinstance(name, str) and "@" in name:
            line[member] = name.rpartition("@")[0]
