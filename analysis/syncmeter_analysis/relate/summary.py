"""From the visits of a point to its one estimate: headline state, median over visits, status.

The rules are those of the driver's summarize (driver/results/summarize.cpp), so that report and table
agree.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.record.point import Point
from syncmeter_analysis.record.visit import Estimate, LaneWaits, Visit
from syncmeter_analysis.relate.headline import ByState, HeadlineRule, enough_rounds
from syncmeter_analysis.relate.states import State
from syncmeter_analysis.relate.stats import median, median_interval, over_visits


@dataclass
class Measured:
    """What a campaign says of one point. Costs in ns per op and lane; `cost` is None without one.

    `by_visit` holds for each visit number and state its cost in ns and its rounds, `host_costs` what
    the host's clock says at each visit of the headline. `measured_as` is the key of the point whose
    measurement this one shares, or ''; `source` the file it is from. `resolved` says that 0 is not
    among what the cost may be. `other_states` are the same point in each other state that it was seen
    in, nearest first; they are no `headline`.
    """

    point: Point
    status: str
    reason: str
    cost: Interval | None = None
    resolved: bool = False
    cycles: Interval | None = None
    host_costs: list[Interval] = field(default_factory=list)
    baseline_ns: float = 0.0
    test_ns: float = 0.0
    hop_ns: float = 0.0
    state: State = field(default_factory=State)
    states: dict[State, int] = field(default_factory=dict)
    visits: int = 0
    fairness: float | None = None
    slowest_over_fastest: float | None = None
    lane_waits: LaneWaits | None = None
    additive: bool | None = None
    rounds_kept: int = 0
    rounds_dropped: int = 0
    pus: tuple[int, ...] = ()
    device: int | None = None
    census: dict[str, Any] | None = None
    family: str = ""
    inserted: bool = False
    cost_per_lane: bool = False
    participants: int = 0
    host_lane: bool = False
    launching: str = ""
    devices: int = 1
    build: str = ""
    imported: bool = False
    oversubscribed: bool = False
    doubt: str = ""
    measured_as: str = ""
    source: str = ""
    headline: bool = True
    other_states: list[Measured] = field(default_factory=list)
    by_visit: dict[int, dict[State, tuple[float, int]]] = field(default_factory=dict)

    @property
    def id(self) -> str:
        return self.point.id

    @property
    def measured_at(self) -> tuple[str, str]:
        """File and point of the measurement behind it: equal where two points share one."""
        return self.source, self.measured_as or self.point.key

    def standing_for(self, point: Point) -> Measured:
        """What this measurement says of a point that shares it."""
        return replace(
            self,
            point=point,
            measured_as=self.point.key,
            other_states=[
                replace(other, point=point, measured_as=self.point.key)
                for other in self.other_states
            ],
        )

    @property
    def on_gpu(self) -> bool:
        """By its backend's name, or because its visits name a device."""
        return self.point.on_gpu or self.device is not None

    @property
    def host_cost(self) -> Interval | None:
        """The cost by the host's clock, ns; None unless every visit has it."""
        every = self.visits and len(self.host_costs) == self.visits
        return _combined(self.host_costs, self) if every else None

    @property
    def usable(self) -> bool:
        """A positive cost stands behind it that can be compared."""
        return (
            self.cost is not None
            and self.status in ("ok", "busy", "noisy")
            and self.cost.value > 0
            and (self.imported or self.resolved)
        )

    @property
    def ops_per_s_per_lane(self) -> float | None:
        """Throughput of one lane in ops/s; None for a marginal cost or none at all."""
        if not self.usable or self.inserted or self.cost is None:
            return None
        return 1e9 / self.cost.value / self.ring

    @property
    def ring(self) -> int:
        """Hops until a token is back at a lane, or on a GPU at a warp of any of the blocks; 1 for an op
        that hands nothing on."""
        if not self.cost_per_lane:
            return 1
        warps = (self.point.lanes + 31) // 32 * self.point.blocks
        lanes = warps if self.on_gpu else self.point.lanes
        return self.participants or lanes

    @property
    def ops_per_s_total(self) -> float | None:
        """Throughput of all lanes together in ops/s; None where that of one is."""
        each = self.ops_per_s_per_lane
        # Only one lane of a ring has the token.
        return each and each * (self.ring if self.cost_per_lane else self._at_a_time)

    @property
    def _at_a_time(self) -> float:
        """Ops done at a time: one for each lane, or for each block, cluster or grid whose lanes do
        it together."""
        p = self.point
        if self.host_lane or self.family == "launch":
            return 1
        # Of groups of a size the lanes are counted, as those of the other words of a warp.
        if self.family != "barrier" and (self.family != "group" or p.size):
            return (p.active / 32 if p.active else 1) * p.lanes * p.blocks * self.devices
        if self.launching == "cooperative":
            return 1
        return p.blocks / max(1, p.size) if self.launching == "cluster" else p.blocks

    def visit_costs(self, state: State) -> list[float]:
        """Cost of each visit in this state with rounds enough, ns; all that is positive."""
        found = [costs[state] for costs in self.by_visit.values() if state in costs]
        solid = [cost for cost, rounds in found if rounds >= enough_rounds and cost > 0]
        return solid or [cost for cost, _ in found if cost > 0]


def _combined(found: list[Interval], s: Measured) -> Interval:
    """Over visits. What one visit says of its own rounds is no interval for a CPU: it held the truth
    4 to 26 % of the time. An import's is over its own visits."""
    if len(found) == 1 and (s.device is not None or s.imported):
        return found[0]
    return over_visits([i.value for i in found])


def _pooled(visits: list[Visit], estimates: list[Estimate]) -> Interval | None:
    """All rounds as one sample where a GPU's visits agree; None where they do not."""
    if len(visits) < 2 or any(not v.round_costs for v in visits):
        return None
    costs = [e.cost for e in estimates]
    if max(c.low for c in costs) > min(c.high for c in costs):
        return None
    pooled = median_interval(c for v in visits for c in v.round_costs)
    # What visits differ by is seen in their medians, however many rounds there are.
    return Interval(
        pooled.value,
        min(pooled.low, *(c.value for c in costs)),
        max(pooled.high, *(c.value for c in costs)),
    )


def _estimate(s: Measured, visits: list[Visit], states: ByState, state: State) -> None:
    s.state = state
    s.states = {state: sum(e.rounds for _, e in found) for state, found in states.items()}
    chosen = [(i, e) for i, e in states[s.state] if e.rounds >= enough_rounds] or states[s.state]
    used = [e for _, e in chosen]
    s.visits = len(used)
    s.hop_ns = median([e.hop_ns for e in used])
    s.cost = _combined([e.cost for e in used], s)
    s.host_costs = [e.host_cost for e in used if e.host_cost is not None]
    cycles = [e.cycles for e in used if e.cycles is not None]
    s.cycles = _combined(cycles, s) if len(cycles) == len(used) else None
    if s.device is not None:
        pooled = _pooled([visits[i] for i, _ in chosen], used)
        if pooled is not None:
            value = s.cost.value
            s.cost = Interval(value, min(pooled.low, value), max(pooled.high, value))
            if s.cycles is not None and value > 0:
                s.cycles = s.cost.scaled(s.cycles.value / value)
    s.baseline_ns = median([e.baseline_ns for e in used])
    s.test_ns = median([e.test_ns for e in used])
    if s.imported:
        return
    # Nothing is known over one visit; whether that visit saw a cost at all, its rounds say.
    seen = used[0].cost if len(used) == 1 else s.cost
    s.resolved = seen.low > 0
    if seen.high < 0:
        s.status = "interferes"
        s.reason = (
            f"the test side is faster: {s.test_ns:.4g} ns a step against {s.baseline_ns:.4g} ns"
        )
    elif not s.resolved:
        s.status = "not_resolved"
        s.reason = f"the interval holds 0; at most {seen.high:.3g} ns"
    elif s.state.busy:
        s.status = "busy"
        s.reason = "a processing unit of its lanes was shared or slow while measuring"


def _overrule(s: Measured, visits: list[Visit]) -> None:
    """A visit's own word goes over the interval where it tells what an interval cannot."""
    for word in ("failed", "timeout", "too_slow", "unsupported", "elided"):
        for visit in visits:
            if visit.status == word:
                s.status, s.reason = word, visit.reason
                return
    noisy = [v for v in visits if v.status == "noisy"]
    if 2 * len(noisy) > len(visits):
        s.status, s.reason = "noisy", noisy[0].reason
    elif s.visits == 0 and not s.imported:
        s.status, s.reason = "noisy", "no visit holds an estimate"


def _visit_costs(visits: list[Visit], states: ByState) -> dict[int, dict[State, tuple[float, int]]]:
    by_visit: dict[int, dict[State, tuple[float, int]]] = {}
    for state, estimates in states.items():
        for i, e in estimates:
            costs = by_visit.setdefault(visits[i].number, {})
            if state not in costs or e.rounds >= costs[state][1]:
                costs[state] = (e.cost.value, e.rounds)
    return by_visit


def _waits(visits: list[Visit]) -> LaneWaits | None:
    """The median of the visits' waits, and the longest of all."""
    found = [v.lane_waits for v in visits if v.lane_waits is not None]
    if not found:
        return None
    return LaneWaits(
        sum(w.waits for w in found),
        median([w.p50_ns for w in found]),
        median([w.p999_ns for w in found]),
        max(w.longest_ns for w in found),
    )


def summarize(visits: list[Visit], states: ByState, rule: HeadlineRule) -> Measured:
    """The visits of one point, in the order of their numbers, as one estimate."""
    first = visits[0]
    s = Measured(first.point, "ok", "")
    s.imported = any(v.imported for v in visits)
    if s.imported:
        s.status, s.reason = first.status, first.reason
    s.device = first.device
    told = next((v for v in visits if v.family), first)
    s.family, s.inserted, s.cost_per_lane = told.family, told.inserted, told.cost_per_lane
    s.participants, s.devices = told.participants, told.devices
    s.host_lane, s.launching = told.host_lane, told.launching
    s.build, s.pus = first.build, first.pus
    s.census = next((v.census for v in visits if v.census is not None), None)
    s.oversubscribed = any(v.oversubscribed for v in visits)
    s.doubt = first.doubt
    spoke = [v for v in visits if v.estimates]
    fairness = [v.fairness for v in spoke if v.fairness is not None]
    slowest = [v.slowest_over_fastest for v in spoke if v.slowest_over_fastest is not None]
    s.fairness = median(fairness) if fairness else None
    s.slowest_over_fastest = median(slowest) if slowest else None
    s.lane_waits = _waits(visits)
    checked = [v.additive for v in visits if v.additive is not None]
    s.additive = 2 * sum(checked) > len(checked) if checked else None
    s.rounds_kept = sum(v.rounds_kept for v in visits)
    s.rounds_dropped = sum(n for v in visits for n in v.drops.values())
    if states:
        s.by_visit = _visit_costs(visits, states)
        headline = rule.of(visits, states)
        for state in states:
            if state != headline:
                other = replace(s, headline=False)
                _estimate(other, visits, states, state)
                s.other_states.append(other)
        _estimate(s, visits, states, headline)
    _overrule(s, visits)
    if s.cost is not None and not math.isfinite(s.cost.value):
        s.cost = None
    return s
