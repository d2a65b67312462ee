"""One visit line: what a worker found at one point in one stretch, checked as it is read."""

from __future__ import annotations

import math
from array import array
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from syncmeter_analysis.data.across_gpus import Link, Litmus, links_of, litmus_of
from syncmeter_analysis.data.errors import quoted
from syncmeter_analysis.data.interval import Interval
from syncmeter_analysis.data.point import BadPoint, Point, learn_backend, point_from

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


#: What a visit of a GPU may say beside its times: the deviation of its cost by the host's clock (ns),
#: polls in vain for each handoff, how many of how many messages were old, and whether the two
#: multiprocessors are of one GPC.
_remarks = (
    "host_deviation_ns",
    "polls_per_handoff",
    "violations_seen",
    "litmus_handoffs",
    "same_gpc",
)


class BadVisit(ValueError):
    """A visit that cannot be used: `str()` says why."""


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


@dataclass(slots=True)
class Visit:
    """One visit of one point. `round_costs` are ns per op of each round kept in the file;
    `remarks` what a GPU's visit says beside its times, by the member's name; `device_shares` the rate
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


def _number(value: Any, otherwise: float) -> float:
    # JSON has no other kinds; a boolean is none of them. It is asked a hundred times a visit.
    return float(value) if type(value) is float or type(value) is int else otherwise


def _whole(value: Any, otherwise: int, what: str) -> int:
    number = _number(value, otherwise)
    if not math.isfinite(number):
        raise BadVisit(f"{what} {number:g} is not possible")
    return int(number)


def _interval(members: Any, what: str) -> Interval | None:
    if not isinstance(members, dict):
        return None
    value = _number(members.get("value"), math.nan)
    low = _number(members.get("low"), -math.inf)
    high = _number(members.get("high"), math.inf)
    if low <= value <= high and -_absurd_ns <= value <= _absurd_ns:
        return Interval(value, low, high)
    if math.isnan(value) or math.isnan(low) or math.isnan(high) or math.isinf(value):
        raise BadVisit(f"the {what} is not a number")
    if low > high:
        raise BadVisit(f"the interval of the {what} runs backwards ({low:g} to {high:g})")
    if abs(value) > _absurd_ns:
        raise BadVisit(f"a {what} of {value:g} is not possible")
    if value and (value < low - abs(value) * 10 or value > high + abs(value) * 10):
        raise BadVisit(f"the {what} {value:g} lies far outside its own interval")
    return Interval(value, low, high)


def _estimate(members: Any) -> Estimate:
    if not isinstance(members, dict):
        raise BadVisit(f"an estimate is an object, not {quoted(members)}")
    cost = _interval(members.get("cost_ns"), "cost")
    if cost is None:
        raise BadVisit("an estimate without a cost")
    rounds = _number(members.get("rounds"), 0)
    if not 0 <= rounds < 1e12:
        raise BadVisit(f"{rounds:g} rounds are not possible")
    baseline = _number(members.get("baseline_ns"), 0.0)
    test = _number(members.get("test_ns"), 0.0)
    hop = _number(members.get("hop_ns"), 0.0)
    if not (0 <= baseline < math.inf and 0 <= test < math.inf and 0 <= hop < math.inf):
        raise BadVisit("baseline_ns, test_ns and hop_ns must be finite and not negative")
    return Estimate(
        _whole(members.get("state"), 0, "state"),
        members.get("busy") is True,
        int(rounds),
        cost,
        _interval(members.get("host_cost_ns"), "cost by the host's clock"),
        _interval(members.get("cost_cycles"), "cost in cycles"),
        baseline,
        test,
        hop,
    )


def _round_costs(line: dict[str, Any], point: Point) -> array[float]:
    costs = array("d")
    told = line.get("round_costs_ns")
    if isinstance(told, list):
        try:
            return array("d", told)
        except TypeError:
            return costs
    ops = (
        _number(line.get("trips"), 0)
        * _number(line.get("unroll"), 0)
        * _number(line.get("ops_per_step"), 1)
    )
    if line.get("cost_per_lane") is True:
        warps = max(1, (point.lanes + 31) // 32 * point.blocks)
        ops *= max(1, _number(line.get("participants"), warps))
    rounds = line.get("rounds")
    if not ops > 0 or not isinstance(rounds, list):
        return costs
    try:
        costs.extend([(r[1] - r[0]) / ops for r in rounds])
    except (TypeError, LookupError):
        return array("d")
    return costs


def _share(value: Any) -> float | None:
    # JSON has no other kinds of numbers; a boolean is none.
    known = type(value) is float or type(value) is int
    return float(value) if known and 0 <= value < math.inf else None


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


def _drops(members: dict[str, Any]) -> dict[str, int]:
    return {why: int(n) for why, n in members.items() if n and 0 < _number(n, 0) < math.inf}


def visit_from(line: dict[str, Any], points: dict[str, Point]) -> Visit:
    """The visit that a line holds; `points` lets visits of one point share it.

    Raises BadVisit with the reason where the line contradicts itself or cannot be.
    """
    point = _point(line.get("point"), points)
    learn_backend(point.backend, line)
    status = line.get("status")
    if status not in statuses:
        raise BadVisit(f"status {quoted(status)} is unknown")
    estimates = line.get("estimates") or []
    if not isinstance(estimates, list):
        raise BadVisit("estimates is not a list")
    census, drops, pus = line.get("census"), line.get("drops"), line.get("pus")
    visit = Visit(
        point,
        _whole(line.get("visit"), 1, "visit"),
        str(status),
        str(line.get("reason") or ""),
        tuple([_estimate(e) for e in estimates]),
        family=str(line.get("family") or ""),
        inserted=line.get("pairing") == "insert",
        cost_per_lane=line.get("cost_per_lane") is True,
        participants=int(_share(line.get("participants")) or 0),
        build=str(line.get("build") or ""),
        pus=tuple([pu for pu in pus if isinstance(pu, int)]) if isinstance(pus, list) else (),
        fairness=_share(line.get("fairness")),
        slowest_over_fastest=_share(line.get("slowest_over_fastest")),
        rounds_kept=int(_share(line.get("rounds_kept")) or 0),
        rounds_taken=int(_share(line.get("rounds_taken")) or 0),
        drops=_drops(drops) if isinstance(drops, dict) else {},
        stolen_ns=_share(line.get("stolen_ns")) or 0.0,
        census=census if isinstance(census, dict) else None,
    )
    if not _on_some.isdisjoint(line):
        _add_what_some_say(visit, line)
    return visit


#: Members that visits of some kinds have: of a GPU, of several, of a library, an import's.
_on_some = frozenset(
    {
        *("host_lane", "launching", "devices", "device", "additivity", "device_shares"),
        *("imported", "oversubscribed", "doubt", "links", "litmus_seen"),
        *_remarks,
    }
)


def _add_what_some_say(visit: Visit, line: dict[str, Any]) -> None:
    visit.host_lane = line.get("host_lane") is True
    visit.launching = str(line.get("launching") or "")
    if isinstance(line.get("devices"), list):
        visit.devices = max(1, len(line["devices"]))
    if isinstance(line.get("device"), int):
        visit.device = line["device"]
        visit.round_costs = _round_costs(line, visit.point)
    additivity = line.get("additivity")
    if isinstance(additivity, dict) and isinstance(additivity.get("additive"), bool):
        visit.additive = additivity["additive"]
    visit.imported = line.get("imported") is True
    visit.oversubscribed = line.get("oversubscribed") is True
    visit.doubt = str(line.get("doubt") or "")
    visit.remarks = {
        name: value
        for name in _remarks
        if isinstance(value := line.get(name), (bool, int, float)) and math.isfinite(value)
    }
    visit.links, visit.litmus = links_of(line), litmus_of(line)
    shares = line.get("device_shares")
    if isinstance(shares, list):
        visit.device_shares = tuple(x for x in map(_share, shares) if x is not None)
