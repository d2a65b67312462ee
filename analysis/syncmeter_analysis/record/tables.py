"""What lines of a results file hold, as record/*.def describe it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from syncmeter_analysis.record.members import Member, most_counted

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


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis of a point: its values are of this `kind`; at `absent` it has none, and is left out
    of the point's text unless it is `always` there."""

    name: str
    kind: type
    absent: Any
    always: bool = False
    in_key: bool = True


axes = (
    Axis("backend", str, "", always=True),
    Axis("op", str, "", always=True),
    Axis("type", str, ""),
    Axis("placement", str, "none"),
    Axis("stride", int, None),
    Axis("stride_bytes", int, 0, in_key=False),
    Axis("base_offset", int, 0),
    Axis("cells", int, 0),
    Axis("lanes", int, 1, always=True),
    Axis("blocks", int, 1),
    Axis("active", int, 0),
    Axis("waves", bool, False),
    Axis("size", int, 0),
    Axis("scope", str, ""),
    Axis("flavour", str, ""),
    Axis("space", str, ""),
    Axis("order", str, "unordered", always=True),
    Axis("affinity", str, "none", always=True),
    Axis("wait", str, "active", always=True),
    Axis("home", str, ""),
    Axis("pus", tuple, ()),
    Axis("late_us", int, 0),
    Axis("section_ns", int, 0),
    Axis("think_ns", int, 0),
    Axis("reads_per_write", int, 0),
    Axis("repeat", int, 0),
)

_number, _count, _flag, _text = (
    Member("number"),
    Member("whole", 0, most_counted),
    Member("flag"),
    Member("text"),
)
_pus = Member("list", of=Member("whole", -1, most_counted))
_any = Member("number", -1.7e308)
#: What a visit may say beside its times. Of a GPU: the deviation of its cost by the host's clock (ns),
#: polls in vain for each handoff, how many of how many messages were old, and whether the two
#: multiprocessors are of one GPC. Of lanes that arrive late: the CPU time that a wait burns.
remarks = {
    "host_deviation_ns": _any,
    "polls_per_handoff": _any,
    "violations_seen": _any,
    "litmus_handoffs": _any,
    "same_gpc": _flag,
    "waiting_cpu_ns": _any,
}
lane_waits = {"count": _count, "p50_ns": _number, "p999_ns": _number, "longest_ns": _number}
visit_members = {
    "visit": _count,
    "reason": _text,
    "family": _text,
    "pairing": _text,
    "build": _text,
    "cost_per_lane": _flag,
    "participants": _count,
    "pus": _pus,
    "fairness": _number,
    "slowest_over_fastest": _number,
    "rounds_kept": _count,
    "rounds_taken": _count,
    "drops": Member("object", of=_count),
    "stolen_ns": _number,
    "census": Member("object"),
    "device": _count,
    "estimates": Member("list"),
    "device_shares": Member("list", of=_number),
    "links": Member(
        "list",
        of=Member(
            "object",
            of={
                "from": _count,
                "to": _count,
                "peer_access": _flag,
                "native_atomics": _flag,
                "performance_rank": Member("whole", -1, most_counted),
                "nvlinks": _count,
            },
        ),
    ),
    "litmus_seen": _count,
    "litmus_rounds": _count,
    **remarks,
}
state_members = {
    "state": Member("whole", -1, most_counted),
    "busy": _flag,
    "hop_ns": _number,
    "visits": _count,
    "rounds": _count,
    "resolved": _flag,
    "status": _text,
    "reason": _text,
    "cost_ns": Member("interval"),
    "host_cost_ns": Member("interval"),
    "cost_cycles": Member("interval"),
    "baseline_ns": _number,
    "test_ns": _number,
    "by_visit": Member("list", of=Member("row", of=_any)),
}
point_members = {
    "states": Member("list", of=Member("object", of=state_members)),
    "visits": _count,
    "reason": _text,
    "family": _text,
    "pairing": _text,
    "cost_per_lane": _flag,
    "participants": _count,
    "host_lane": _flag,
    "launching": _text,
    "devices": _count,
    "build": _text,
    "device": _count,
    "pus": _pus,
    "fairness": _number,
    "slowest_over_fastest": _number,
    "additive": _flag,
    "rounds_kept": _count,
    "rounds_dropped": _count,
    "lane_waits": Member("object", of=lane_waits),
    "imported": _flag,
    "oversubscribed": _flag,
    "doubt": _text,
}
