"""One visit line: what a worker found at one point in one stretch, checked as it is read."""

from __future__ import annotations

import math
from array import array
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from syncmeter_analysis.record.across_gpus import Link, Litmus, links_of, litmus_of
from syncmeter_analysis.record.errors import quoted
from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.record.members import BadVisit as BadVisit
from syncmeter_analysis.record.members import (
    Members,
    flag,
    is_number,
    listed,
    mapping,
    most_counted,
    number,
    numbers,
    text,
    whole,
)
from syncmeter_analysis.record.point import BadPoint, Point, learn_backend, point_from

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

#: A cost beyond this is no measurement: an hour for one op.
_absurd_ns = 3.6e12


#: What a visit may say beside its times. Of a GPU: the deviation of its cost by the host's clock (ns),
#: polls in vain for each handoff, how many of how many messages were old, and whether the two
#: multiprocessors are of one GPC. Of lanes that arrive late: the CPU time that a wait burns.
_remarks = (
    "host_deviation_ns",
    "polls_per_handoff",
    "violations_seen",
    "litmus_handoffs",
    "same_gpc",
    "waiting_cpu_ns",
)


class Estimate(NamedTuple):
    """What a visit found in one placement state, over `rounds` rounds; times in ns.

    `cost` per op, `baseline_ns` and `test_ns` per step, `cycles` per op where a device counts them,
    `hop_ns` 0 without a pair probe.
    """

    state: int
    busy: bool
    rounds: int
    cost: Interval
    host_cost: Interval | None
    cycles: Interval | None
    baseline_ns: float
    test_ns: float
    hop_ns: float


class LaneWaits(NamedTuple):
    """How long the lanes of a visit waited for a lock, each time, by their own clocks; in ns."""

    waits: int
    p50_ns: float
    p999_ns: float
    longest_ns: float


@dataclass(slots=True)
class Visit:
    """One visit of one point. `round_costs` are ns per op of each round kept in the file;
    `remarks` what a visit says beside its times, by the member's name; `device_shares` the rate
    of each of several GPUs over their mean."""

    point: Point
    number: int
    status: str
    reason: str
    estimates: tuple[Estimate, ...]
    family: str = ""
    inserted: bool = False
    cost_per_lane: bool = False
    participants: int = 0
    host_lane: bool = False
    launching: str = ""
    devices: int = 1
    build: str = ""
    device: int | None = None
    pus: tuple[int, ...] = ()
    fairness: float | None = None
    slowest_over_fastest: float | None = None
    additive: bool | None = None
    rounds_kept: int = 0
    rounds_taken: int = 0
    drops: dict[str, int] = field(default_factory=dict)
    stolen_ns: float = 0.0
    census: dict[str, Any] | None = None
    round_costs: array[float] | tuple[()] = ()
    imported: bool = False
    oversubscribed: bool = False
    doubt: str = ""
    remarks: dict[str, float | bool] = field(default_factory=dict)
    links: tuple[Link, ...] = ()
    litmus: Litmus | None = None
    device_shares: tuple[float, ...] = ()
    lane_waits: LaneWaits | None = None


def _interval(line: Members, name: str) -> Interval | None:
    found = mapping(line, name)
    if found is None:
        return None
    value, low, high = (number(found, end, -math.inf) for end in ("value", "low", "high"))
    if value is None:
        raise BadVisit(f"a {name} without a value")
    if abs(value) > _absurd_ns:
        raise BadVisit(f"a {name} of {value:g} is not possible")
    low, high = -math.inf if low is None else low, math.inf if high is None else high
    rounding = abs(value) * 1e-6  # numbers have seven digits
    if not low - rounding <= value <= high + rounding:
        raise BadVisit(f"the {name} {value:g} lies outside its own bounds, {low:g} and {high:g}")
    return Interval(value, low, high)


def _estimate(members: Any) -> Estimate:
    if not isinstance(members, dict):
        raise BadVisit(f"an estimate is an object, not {quoted(members)}")
    cost = _interval(members, "cost_ns")
    if cost is None:
        raise BadVisit("an estimate without a cost")
    return Estimate(
        whole(members, "state", least=-1),
        flag(members, "busy") is True,
        whole(members, "rounds"),
        cost,
        _interval(members, "host_cost_ns"),
        _interval(members, "cost_cycles"),
        number(members, "baseline_ns") or 0.0,
        number(members, "test_ns") or 0.0,
        number(members, "hop_ns") or 0.0,
    )


def _pus(line: Members) -> tuple[int, ...]:
    pus = listed(line, "pus")
    if not all(type(pu) is int and -1 <= pu <= most_counted for pu in pus):
        raise BadVisit(f"pus {quoted(pus)} is not a list of PUs")
    return tuple(pus)


def _round_costs(line: Members, point: Point) -> array[float]:
    if costs := numbers(line, "round_costs_ns"):
        return array("d", costs)
    rounds = listed(line, "rounds")
    if not all(
        isinstance(r, list) and len(r) > 1 and is_number(r[0]) and is_number(r[1]) for r in rounds
    ):
        raise BadVisit("rounds are not pairs of times")
    ops = whole(line, "trips") * whole(line, "unroll") * whole(line, "ops_per_step", 1)
    if flag(line, "cost_per_lane"):
        warps = max(1, (point.lanes + 31) // 32 * point.blocks)
        ops *= max(1, whole(line, "participants", warps))
    found = array("d", [(r[1] - r[0]) / ops for r in rounds] if ops else [])
    if not all(map(math.isfinite, found)):
        raise BadVisit("rounds that took for ever")
    return found


def _point(members: Any, points: dict[str, Point]) -> Point:
    # What is written alike is one point: to read it again at every visit took a tenth of the time.
    written = repr(members)
    found = points.get(written)
    if found is None:
        try:
            found = point_from(members)
        except BadPoint as error:
            raise BadVisit(str(error)) from error
        found = points[written] = points.setdefault(found.key, found)
    return found


def visit_from(line: Members, points: dict[str, Point]) -> Visit:
    """The visit that a line holds; `points` lets visits of one point share it.

    Raises BadVisit with the reason where the line contradicts itself or cannot be.
    """
    point = _point(line.get("point"), points)
    status = line.get("status")
    if status not in statuses:
        raise BadVisit(f"status {quoted(status)} is unknown")
    if line.get("visit") is None:
        raise BadVisit("a visit without its number")
    drops = mapping(line, "drops") or {}
    visit = Visit(
        point,
        whole(line, "visit"),
        str(status),
        text(line, "reason"),
        tuple([_estimate(e) for e in listed(line, "estimates")]),
        family=text(line, "family"),
        inserted=text(line, "pairing") == "insert",
        cost_per_lane=flag(line, "cost_per_lane") is True,
        participants=whole(line, "participants"),
        build=text(line, "build"),
        pus=_pus(line),
        fairness=number(line, "fairness"),
        slowest_over_fastest=number(line, "slowest_over_fastest"),
        rounds_kept=whole(line, "rounds_kept"),
        rounds_taken=whole(line, "rounds_taken"),
        drops={why: n for why in drops if (n := whole(drops, why))},
        stolen_ns=number(line, "stolen_ns") or 0.0,
        census=mapping(line, "census"),
    )
    if not _on_some.isdisjoint(line):
        _add_what_some_say(visit, line)
    learn_backend(point.backend, line)
    return visit


#: Members that visits of some kinds have: of a GPU, of several, of a library, an import's.
_on_some = frozenset(
    {
        *("host_lane", "launching", "devices", "device", "additivity", "device_shares"),
        *("imported", "oversubscribed", "doubt", "links", "litmus_seen", "lane_waits"),
        *_remarks,
    }
)


def _add_what_some_say(visit: Visit, line: Members) -> None:
    visit.host_lane = flag(line, "host_lane") is True
    visit.launching = text(line, "launching")
    visit.devices = max(1, len(listed(line, "devices")))
    if line.get("device") is not None:
        visit.device = whole(line, "device")
        visit.round_costs = _round_costs(line, visit.point)
    visit.additive = flag(mapping(line, "additivity") or {}, "additive")
    visit.imported = flag(line, "imported") is True
    visit.oversubscribed = flag(line, "oversubscribed") is True
    visit.doubt = text(line, "doubt")
    visit.remarks = {name: found for name in _remarks if (found := _remark(line, name)) is not None}
    visit.links, visit.litmus = links_of(line), litmus_of(line)
    visit.lane_waits = _lane_waits(line)
    visit.device_shares = tuple(numbers(line, "device_shares", least=0))


def _lane_waits(line: Members) -> LaneWaits | None:
    found = mapping(line, "lane_waits")
    if found is None or not (count := whole(found, "count")):
        return None
    times = [number(found, name, 0) for name in ("p50_ns", "p999_ns", "longest_ns")]
    p50, p999, longest = (0.0 if t is None else t for t in times)
    return LaneWaits(count, p50, p999, longest)


def _remark(line: Members, name: str) -> float | bool | None:
    return flag(line, name) if name == "same_gpc" else number(line, name, -math.inf)
