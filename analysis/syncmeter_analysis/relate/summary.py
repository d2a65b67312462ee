"""One point of a campaign, as the driver estimated it over its visits
(docs/explanation/how-sure-is-a-number.md); and of several points side by side the placement state
that most of them have, with their costs in it. A placement state is its hop, which means the same
in every file."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from operator import itemgetter
from statistics import median
from typing import Any, NamedTuple

from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.record.members import Members, interval_of
from syncmeter_analysis.record.point import Point

#: Hops this far apart in ratio are of two placement states; the driver's `state_gap`.
gap_of_states = 1.5

#: Fewer rounds than this in a visit say too little of its cost; so many visits make an interval, and a
#: point with fewer needs all of them.
enough_rounds = 5
enough_visits = 3


@dataclass(frozen=True, order=True, slots=True)
class State:
    """Where the lanes of a point were: `hop_ns` between them (0: no pair probe), and whether a quiet
    probe was slow.

    `number` is the class in the state's own file and orders the states of one point; between
    points use `agrees`.
    """

    number: int = 0
    busy: bool = False
    hop_ns: float = 0.0

    def agrees(self, other: State) -> bool:
        """The same state, of whatever points and files: hops less than the gap apart, and both busy
        or both quiet. A state without a hop is in no particular place and goes with every one."""
        if self.busy != other.busy:
            return False
        if self.hop_ns <= 0 or other.hop_ns <= 0:
            return True
        smaller, larger = sorted((self.hop_ns, other.hop_ns))
        return larger < gap_of_states * smaller

    def __str__(self) -> str:
        busy = "busy" if self.busy else "quiet"
        return f"hop {self.hop_ns:.0f} ns, {busy}" if self.hop_ns > 0 else busy


class LaneWaits(NamedTuple):
    """How long the lanes of a point waited for a lock, each time, by their own clocks; in ns."""

    waits: int
    p50_ns: float
    p999_ns: float
    longest_ns: float


class Mode(NamedTuple):
    """Visits of a point that cost about the same, in ns, where others cost something else."""

    cost_ns: float
    visits: int


_fewest_in_mode = 2


@dataclass
class Measured:
    """What a campaign says of one point. Costs in ns per op and lane; `cost` is None without one.

    `by_visit` holds for each visit number and state its cost in ns and its rounds; `states` the rounds
    of each state. `host_cost` is what the host's clock says; None unless every visit of the headline
    has it. `measured_as` is the key of the point whose measurement this one shares, or ''; `source` the
    file it is from. `resolved` says that 0 is not among what the cost may be. `other_states` are the
    same point in each other state that it was found in, nearest first; they are no `headline`.
    `on_hypervisor`: a CPU's point of a virtual machine, which may move its threads between campaigns.
    `team_hop_ns` is the median hop of all points of the file with as many lanes in this state: what a
    cache line takes between the threads of such a team. `cycles_by_visit` has for each visit with costs
    in cycles these, by class of placement states and busy or not, and the time of the slowest lane over
    that of the fastest. `p999_wait_by_visit`: the longest of 1000 waits for a lock, by visit number.
    `owner_changes`: acquisitions by another thread, as a share.
    `rounds_at_once`: rounds that a GPU may queue, of which the first costs more
    (docs/reference/gpu-options.md).
    """

    point: Point
    status: str
    reason: str
    cost: Interval | None = None
    resolved: bool = False
    cycles: Interval | None = None
    host_cost: Interval | None = None
    baseline_ns: float = 0.0
    test_ns: float = 0.0
    hop_ns: float = 0.0
    team_hop_ns: float = 0.0
    state: State = field(default_factory=State)
    states: dict[State, int] = field(default_factory=dict)
    visits: int = 0
    fairness: float | None = None
    slowest_over_fastest: float | None = None
    owner_changes: float | None = None
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
    rounds_at_once: int = 1
    build: str = ""
    imported: bool = False
    on_hypervisor: bool = False
    oversubscribed: bool = False
    doubt: str = ""
    measured_as: str = ""
    source: str = ""
    headline: bool = True
    other_states: list[Measured] = field(default_factory=list)
    by_visit: dict[int, dict[State, tuple[float, int]]] = field(default_factory=dict)
    p999_wait_by_visit: dict[int, float] = field(default_factory=dict)
    cycles_by_visit: list[tuple[dict[tuple[int, bool], float], float | None]] = field(
        default_factory=list
    )

    @property
    def least_cycles(self) -> list[float]:
        """Of each visit the least cost in cycles: what it took while nobody shared the core."""
        return [min(cycles.values()) for cycles, _ in self.cycles_by_visit]

    @property
    def fastest_lane_cycles(self) -> list[float]:
        """The same of the fastest lane alone, where visits tell it."""
        return [min(cycles.values()) / slow for cycles, slow in self.cycles_by_visit if slow]

    @property
    def quiet_cycles(self) -> list[float]:
        """Of each visit that has it the cost in cycles while nobody shared the cores."""
        quiet = (
            [each for (_, busy), each in cycles.items() if not busy]
            for cycles, _ in self.cycles_by_visit
        )
        return [min(each) for each in quiet if each]

    def cycles_in(self, state: State) -> list[float]:
        """Of each visit that has it the cost in cycles in this state."""
        key = state.number, state.busy
        return [cycles[key] for cycles, _ in self.cycles_by_visit if key in cycles]

    def fastest_lane_cycles_in(self, state: State) -> list[float]:
        """The same of the fastest lane alone, where visits tell it."""
        key = state.number, state.busy
        return [
            cycles[key] / slow for cycles, slow in self.cycles_by_visit if key in cycles and slow
        ]

    @property
    def id(self) -> str:
        return self.point.id

    @property
    def measured_at(self) -> tuple[str, str]:
        """File and point of the measurement behind it: equal where two points share one."""
        return self.source, self.measured_as or self.point.key

    def standing_for(self, point: Point) -> Measured:
        """What this measurement says of a point that shares it."""
        shared: dict[str, Any] = {"point": point, "measured_as": self.point.key}
        others = [replace(other, **shared) for other in self.other_states]
        return replace(self, **shared, other_states=others)

    def per_part(self, parts: int) -> Measured:
        """Returns the same with the costs for one of the parts of an op."""
        visits = {
            number: {state: (ns / parts, rounds) for state, (ns, rounds) in states.items()}
            for number, states in self.by_visit.items()
        }
        cost = self.cost.scaled(1 / parts) if self.cost else None
        return replace(self, cost=cost, by_visit=visits)

    @property
    def on_gpu(self) -> bool:
        """By its backend's name, or because its visits name a device."""
        return self.point.on_gpu or self.device is not None

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
        return each and each * (self.ring if self.cost_per_lane else self.concurrent_ops)

    @property
    def concurrent_ops(self) -> float:
        """Ops that are done at once: one for each lane, or for each block, cluster or grid
        whose lanes do it together."""
        p = self.point
        if self.host_lane or self.family == "launch":
            return 1
        # Of groups of a size the lanes are counted, as those of the other words of a warp.
        joint = self.family in ("barrier", "group", "region", "worksharing", "tasking")
        if not joint or (self.family == "group" and p.size):
            return (p.active / 32 if p.active else 1) * p.lanes * p.blocks * self.devices
        if self.launching == "cooperative":
            return 1
        return p.blocks / max(1, p.size) if self.launching == "cluster" else p.blocks

    def costs_by_visit(self, state: State) -> dict[int, float]:
        """Cost of each visit in this state with rounds enough, ns, by its number; of every visit where
        none has; all that is positive."""
        found = {n: costs[state] for n, costs in self.by_visit.items() if state in costs}
        positive = {n: each for n, each in found.items() if each[0] > 0}
        solid = {n: cost for n, (cost, rounds) in positive.items() if rounds >= enough_rounds}
        return solid or {n: cost for n, (cost, _) in positive.items()}

    def visit_costs(self, state: State) -> list[float]:
        return list(self.costs_by_visit(state).values())

    @property
    def modes(self) -> tuple[Mode, Mode] | None:
        """The lower and the upper one, where the visits of the headline's state are in two: each has
        two visits or more, and lies as far from the other as two placements do, and twice as far
        as either is wide (as ratios)."""
        costs = sorted(self.visit_costs(self.state))
        splits = range(_fewest_in_mode, len(costs) - _fewest_in_mode + 1)
        if not splits:
            return None
        cut = max(splits, key=lambda i: costs[i] / costs[i - 1])
        parts = costs[:cut], costs[cut:]
        widest = max(part[-1] / part[0] for part in parts)
        if costs[cut] / costs[cut - 1] < max(gap_of_states, widest**2):
            return None
        low, high = (Mode(median(part), len(part)) for part in parts)
        return low, high


# Members of a line that are called as they are here.
_copied_members = (
    *("visits", "fairness", "slowest_over_fastest", "additive", "rounds_kept", "rounds_dropped"),
    *("device", "family", "cost_per_lane", "participants", "host_lane", "launching", "devices"),
    *("rounds_at_once", "build", "imported", "oversubscribed", "doubt", "owner_changes"),
)


def measured_from(point: Point, line: Members, source: str, census: Members | None) -> Measured:
    """The point of a checked line of a results file; `census` is of its first visit."""
    waits = line.get("lane_waits") or {}
    times = (waits.get(name) or 0.0 for name in ("p50_ns", "p999_ns", "longest_ns"))
    s = Measured(
        point,
        line["status"],
        line.get("reason") or "",
        lane_waits=LaneWaits(waits["count"], *times) if waits.get("count") else None,
        pus=tuple(line.get("pus") or ()),
        census=census,
        inserted=line.get("pairing") == "insert",
        source=source,
        **{name: line[name] for name in _copied_members if line.get(name) is not None},
    )
    states = [(_state_of(each), each) for each in line.get("states") or ()]
    for state, members in sorted(states, key=itemgetter(0)):
        s.states[state] = members.get("rounds") or 0
        for number, cost_ns, rounds, *_ in members.get("by_visit") or ():
            s.by_visit.setdefault(number, {})[state] = cost_ns, rounds
    for state, members in states[1:]:
        other = replace(s, headline=False, status=members["status"], reason=members["reason"])
        s.other_states.append(_in_state(other, state, members))
    return _in_state(s, *states[0]) if states else s


def _state_of(members: Members) -> State:
    return State(
        members.get("state") or 0, members.get("busy") is True, members.get("hop_ns") or 0.0
    )


def _in_state(s: Measured, state: State, members: Members) -> Measured:
    """The point with what was found in this state."""
    s.state, s.hop_ns = state, state.hop_ns
    s.visits = members.get("visits") or 0
    s.resolved = members.get("resolved") is True
    s.baseline_ns = members.get("baseline_ns") or 0.0
    s.test_ns = members.get("test_ns") or 0.0
    s.cost, s.host_cost, s.cycles = (
        interval_of(members[name], name) if members.get(name) else None
        for name in ("cost_ns", "host_cost_ns", "cost_cycles")
    )
    return s


def cost_in(s: Measured, state: State) -> Interval | None:
    """Returns the cost in the state in ns, or None if too few visits saw the state."""
    if s.state.agrees(state):
        return s.cost
    alike = [each for each in s.other_states if each.resolved and each.state.agrees(state)]
    best = max(alike, key=lambda each: each.visits, default=None)
    return best.cost if best and best.visits >= min(enough_visits, s.visits) else None


#: Classes of instructions that find addresses, count and jump around an op, and are none of it: those
#: of the driver (is_bookkeeping in driver/census/rule/census.cpp).
bookkeeping = frozenset({"move", "alu", "imad", "jump", "reconverge", "nop", "frame"})


def code_of(census: dict[str, Any] | None) -> str:
    """The instructions of one op without bookkeeping: `lock_add 1`."""
    per_op = census.get("per_op") if census else None
    if not isinstance(per_op, dict):
        return ""
    return ", ".join(
        f"{name} {count:g}"
        for name, count in sorted(per_op.items())
        if isinstance(count, (int, float)) and count and name not in bookkeeping
    )
