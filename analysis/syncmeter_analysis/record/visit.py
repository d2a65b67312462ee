"""One visit line: what a worker found at one point in one stretch, checked as it is read. Its estimates
are the driver's to combine: readers take the lines of points (point_line.py)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from syncmeter_analysis.record.errors import BadLine, quoted
from syncmeter_analysis.record.members import Members, check
from syncmeter_analysis.record.point import Point, learn_backend, point_from
from syncmeter_analysis.record.tables import Member, Table, statuses, visit_members

# Each of the two sides of a litmus looks at two words in a round.
_words_of_a_round = 4


@dataclass(frozen=True, slots=True)
class Link:
    """How device `source` reaches device `target`; `nvlinks` are those of the source that are up."""

    source: int
    target: int
    peer_access: bool
    native_atomics: bool
    performance_rank: int
    nvlinks: int


@dataclass(frozen=True, slots=True)
class Litmus:
    """Words that were stale, of those looked at."""

    stale: int = 0
    looked_at: int = 0

    def __add__(self, other: Litmus) -> Litmus:
        return Litmus(self.stale + other.stale, self.looked_at + other.looked_at)


def link_of(members: Members) -> Link:
    """The link that these members, which were checked, describe."""
    return Link(
        int(members.get("from") or 0),
        int(members.get("to") or 0),
        members.get("peer_access") is True,
        members.get("native_atomics") is True,
        int(members.get("performance_rank") or 0),
        int(members.get("nvlinks") or 0),
    )


def litmus_of(line: Members) -> Litmus | None:
    """What a visit's litmus counted over its rounds; None without one."""
    if "litmus_seen" not in line or "litmus_rounds" not in line:
        return None
    rounds = line["litmus_rounds"] or 0
    return Litmus(int(line["litmus_seen"] or 0), _words_of_a_round * int(rounds))


#: What a visit may say beside its times: of a GPU, its handoffs and sums, and of lanes that wait.
remarks = (
    *("host_deviation_ns", "polls_per_handoff", "violations_seen", "litmus_handoffs"),
    *("same_gpc", "waiting_cpu_ns", "visited_device", "relative_error"),
)


@dataclass(slots=True)
class Visit:
    """One visit of one point. `remarks` are what it says beside its times, by the member's name;
    `device_shares` the rate of each of several GPUs over their mean. `cycles` are its costs in
    cycles, by those in ns; `slowest_over_fastest` compares its lanes.
    `core_ghz` is the clock of a CPU's lanes, by one cost in cycles and in ns; 999 of 1000 waits for a
    lock were no longer than `p999_wait_ns`, 0 without one."""

    point: Point
    number: int
    status: str
    rounds_kept: int = 0
    rounds_taken: int = 0
    drops: dict[str, int] = field(default_factory=dict)
    stolen_ns: float = 0.0
    census: dict[str, Any] | None = None
    remarks: dict[str, float | bool] = field(default_factory=dict)
    links: tuple[Link, ...] = ()
    litmus: Litmus | None = None
    device_shares: tuple[float, ...] = ()
    cycles: dict[float, float] = field(default_factory=dict)
    slowest_over_fastest: float | None = None
    core_ghz: float | None = None
    p999_wait_ns: float = 0.0


def point_of(members: Any, points: dict[str, Point]) -> Point:
    """The point that these members are; `points` lets lines of one point share it. Raises BadLine."""
    # What is written alike is one point: to read it again at every visit took a tenth of the time.
    written = repr(members)
    found = points.get(written)
    if found is None:
        found = point_from(members)
        found = points[written] = points.setdefault(found.key, found)
    return found


def check_status(line: Members) -> str:
    """The line's status. Raises BadLine."""
    status = line.get("status")
    if status not in statuses:
        raise BadLine(f"status {quoted(status)} is unknown")
    return str(status)


def visit_from(line: Members, points: dict[str, Point]) -> Visit:
    """The visit that a line holds; raises BadLine with the reason where it cannot be."""
    point = point_of(line.get("point"), points)
    status = check_status(line)
    check(line, _members)
    if line.get("visit") is None:
        raise BadLine("a visit without its number")
    visit = Visit(point, int(line["visit"]), status, census=line.get("census"))
    visit.rounds_kept = line.get("rounds_kept") or 0
    visit.rounds_taken = line.get("rounds_taken") or 0
    visit.drops = {why: n for why, n in (line.get("drops") or {}).items() if n}
    visit.stolen_ns = line.get("stolen_ns") or 0.0
    if status in ("ok", "busy"):
        visit.cycles = {
            each["cost_ns"]["value"]: cycles
            for each in line.get("estimates") or ()
            if math.isfinite(cycles := _cycles(each))
        }
        visit.slowest_over_fastest = line.get("slowest_over_fastest")
        if line.get("device") is None:
            visit.core_ghz = _clock(line.get("estimates") or ())
        visit.p999_wait_ns = (line.get("lane_waits") or {}).get("p999_ns") or 0.0
    if not _rare_members.isdisjoint(line):
        visit.remarks = {name: line[name] for name in remarks if line.get(name) is not None}
        visit.links = tuple(map(link_of, line.get("links") or ()))
        visit.litmus = litmus_of(line)
        visit.device_shares = tuple(line.get("device_shares") or ())
    learn_backend(point.backend, line)
    return visit


def _cycles(estimate: Members) -> float:
    """Of one placement state, where it has rounds enough and a cost above 0; else infinite."""
    cycles, ns = estimate.get("cost_cycles"), estimate.get("cost_ns")
    solid = (estimate.get("rounds") or 0) >= _enough_rounds
    known = isinstance(cycles, dict) and isinstance(ns, dict) and (ns.get("low") or 0) > 0
    value = float(cycles["value"]) if isinstance(cycles, dict) else 0.0
    return value if solid and known and value > 0 else math.inf


def _clock(estimates: Sequence[Members]) -> float | None:
    """Of the first estimate that tells cycles per ns."""
    solid = (e for e in estimates if math.isfinite(_cycles(e)))
    return next((_cycles(e) / e["cost_ns"]["value"] for e in solid), None)


_enough_rounds = 5

_count = Member("whole")
_link = {name: _count for name in ("from", "to", "nvlinks")}
_link |= {name: Member("flag") for name in ("peer_access", "native_atomics")}

#: With what the driver and the backends add to visits of some kinds.
_members = Table(
    {
        **visit_members,
        "stolen_ns": Member("number"),
        "device_shares": Member("numbers"),
        "links": Member("objects", of=Table({**_link, "performance_rank": Member("whole", -1)})),
        "litmus_seen": _count,
        "litmus_rounds": _count,
    }
)
_rare_members = frozenset({*remarks, "device_shares", "links", "litmus_seen"})
