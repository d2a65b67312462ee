"""Clocks, devices, rates, what visits say beside their cost, points that share one, and imports."""

from building import (
    T,
    expected,
    five,
    lines,
    lost,
    point_of,
    powers_of_2,
    scattered,
    several,
    shape,
    v,
)

# Other clocks.
host = [{"value": c, "low": c - 1, "high": c + 1} for c in (15.0, 14.0, 16.0, 15.5, 14.5)]
shape(
    "the host's clock too",
    [v(c, host_cost_ns=h) for c, h in zip(scattered, host, strict=True)],
    five,
    host_cost_ns=15.0,
    host_cost_low_ns=14.0,
    host_cost_high_ns=16.0,
)
gpu = {"backend": "cuda", "lanes": 32}
cycles = [{"value": c, "low": c - 1, "high": c + 1} for c in (10.0, 20.0)]
shape(
    "GPU visits that do not agree",
    [v(1.0, cost_cycles=cycles[0]), v(2.0, cost_cycles=cycles[1])],
    (1.5, *powers_of_2(2)),
    at=gpu,
    total=32,
    cost_cycles=15.0,
    cost_low_cycles=10 * powers_of_2(2)[0],
    cost_high_cycles=10 * powers_of_2(2)[1],
)
shape("one visit of a GPU keeps its interval", [v(5.0, 0.1)], (5.0, 4.5, 5.5), at=gpu, total=32)


def raw(costs, ops=3200):
    """Rounds whose sides differ by these costs times the ops of a sample."""
    return {"rounds": [[3200.0, 3200.0 + ops * cost, 0, False] for cost in costs]}


pooled = (9.05, 8.9, 9.2)
alike = [
    v(9.0, 0.02, members=raw([8.9, 9.0, 9.1]), cost_cycles={"value": 18.0, "low": 17, "high": 19}),
    v(9.1, 0.02, members=raw([9.0, 9.1, 9.2]), cost_cycles={"value": 18.2, "low": 17, "high": 19}),
]
shape(
    "GPU visits that agree are one sample",
    alike,
    pooled,
    at=gpu,
    total=32,
    cost_cycles=18.1,
    cost_low_cycles=17.8,
    cost_high_cycles=18.4,
)
apart = (9.05, 9.0 * (9.1 / 9.0) ** (0.5 - T[2] / 2), 9.0 * (9.1 / 9.0) ** (0.5 + T[2] / 2))
shape(
    "GPU visits that agree, one of them without rounds",
    [v(9.0, 0.02, members=raw([8.9, 9.0, 9.1])), v(9.1, 0.02)],
    apart,
    at=gpu,
    total=32,
)
ring = {"cost_per_lane": True, "family": "handoff"}
on_ring = [v(9.0, 0.02, members=raw([8.9, 9.0, 9.1], 3200 * 264))]
on_ring += [v(9.1, 0.02, members=raw([9.0, 9.1, 9.2], 3200 * 264))]
blocks = {**gpu, "blocks": 132}
shape(
    "rounds of a ring that says how long it is",
    on_ring,
    pooled,
    at=blocks,
    of_visits=ring | {"participants": 264},
    rate=1 / 264,
)

# Rates: how many lanes do an op at a time.
shape("a ring of lanes", several(scattered), five, at={"lanes": 7}, of_visits=ring, rate=1 / 7)
shape("a ring of blocks", [v(5.0, 0.2)], five, at=blocks, of_visits=ring, rate=1 / 132)
shape(
    "a ring of one lane of each of its warps",
    [v(5.0, 0.2)],
    five,
    at=blocks,
    of_visits=ring | {"participants": 300},
    rate=1 / 300,
)
for name, members, more, total in (
    ("lanes of blocks", {"family": "warp"}, {}, 32 * 132),
    ("some lanes of each warp", {"family": "warp"}, {"active": 8}, 8 * 132),
    ("barriers of blocks", {"family": "barrier"}, {}, 132),
    ("barriers of a grid", {"family": "barrier", "launching": "cooperative"}, {}, 1),
    ("barriers of clusters", {"family": "barrier", "launching": "cluster"}, {"size": 4}, 33),
    ("groups of a size", {"family": "group"}, {"size": 8}, 32 * 132),
    ("launches", {"family": "launch"}, {}, 1),
    ("the host's lane", {"family": "memory", "host_lane": True}, {}, 1),
    ("two devices", {"family": "atomic", "devices": [0, 1]}, {}, 2 * 32 * 132),
):
    shape(f"rates of {name}", [v(5.0, 0.2)], five, at=blocks | more, of_visits=members, total=total)
insert = {"pairing": "insert", "family": "fence"}
shape("a marginal cost has no rate", several(scattered), five, of_visits=insert, rate=0)

# What visits say beside their estimate.
conduct = [
    v(
        5.0,
        members={"fairness": f, "slowest_over_fastest": s, "rounds_kept": k, "drops": {"moved": d}},
    )
    for f, s, k, d in ((0.5, 3.0, 10, 1), (0.7, 1.0, 20, 2), (0.9, 2.0, 30, 4))
]
for visit, adds_up in zip(conduct, (True, False, True), strict=True):
    visit["additivity"] = {"additive": adds_up}
shape(
    "medians of fairness, sums of rounds, most of the checks",
    conduct,
    (5.0, 5.0, 5.0),
    fairness_jain=0.7,
    slowest_over_fastest_ratio=2.0,
    rounds_kept=60,
    rounds_dropped=7,
    additive=True,
)

# Points without a visit of their own.
shape("measured for another too", several(scattered), five, at={"lanes": 8}, total=8)
first = lines[-1]["point"]
told = dict(expected[str(first["repeat"])])
key = (
    "backend=omp op=atomic_add type=int32 placement=shared lanes=8 order=relaxed affinity=close "
    f"wait=active repeat={first['repeat']}"
)
same = point_of({"lanes": 8, "affinity": "spread"})
lines.append({"kind": "same", "point": same, "measured_as": first, "why": "equal placement"})
expected[str(same["repeat"])] = told | {"shape": "measured as another", "measured_as": key}
refused = shape("refused", [], status="unsupported", reason="too many", pus=None)
lines.append({"kind": "refused", "point": refused, "status": "unsupported", "reason": "too many"})

# Imports: what their source says, without an interval too.
imported = {"imported": True, "build": "imported"}


def bounds(low, high):
    return {"cost_ns": {"value": 5.0, "low": low, "high": high}}


for name, low, high in (("with an interval", 4.0, 7.0), ("without an interval", None, None)):
    shape(
        f"an import {name}",
        [v(5.0, rounds=0, **bounds(low, high))],
        (5.0, low, high),
        of_visits=imported,
    )
shape(
    "an import that its source could not resolve",
    [lost("not_resolved", "published as 0 ns")],
    of_visits=imported,
    status="not_resolved",
    reason="published as 0 ns",
)
