"""What the shapes of make_shapes.py are made of: visits, points, and closed forms of intervals."""

import json
import math
from pathlib import Path

HERE = Path(__file__).parent
lines = []
expected = {}

COST = ("cost_ns", "cost_low_ns", "cost_high_ns")
#: Columns without a value, but for the shapes that are about them.
EMPTY = (
    *COST,
    *("host_" + name for name in COST),
    *(name.replace("_ns", "_cycles") for name in COST),
    "reason",
    "state",
    "ops_per_s_per_lane",
    "ops_per_s_total",
    "additive",
    "measured_as",
)

# Quantiles of Student's t at 97.5 % for 1, 2 and 3 degrees of freedom, from tables; and how much more
# the median of n normal values scatters than their mean (the fit of core/harness/stats.hpp).
T = {2: 12.706204736432095, 3: 4.302652729911275, 4: 3.182446305284263}
SCATTER = {2: 1.0, 3: math.sqrt(3 * math.pi / 6.96), 4: math.sqrt(4 * math.pi / 10.55)}


def powers_of_2(n):
    """The interval of 1, 2, 4, ...: n visits whose logarithms are 0, 1, 2, ... times log 2.

    Their standard deviation is sqrt(n (n + 1) / 12) log 2; the interval is never narrower than the
    range.
    """
    middle, sd = (n - 1) / 2, math.sqrt(n * (n + 1) / 12)
    half = max(SCATTER[n] * T[n] * sd / math.sqrt(n), middle)
    return 2.0 ** (middle - half), 2.0 ** (middle + half)


def linear(values):
    """The interval of 2 values not all positive."""
    middle, sd = sum(values) / 2, abs(values[0] - values[1]) / math.sqrt(2)
    half = SCATTER[2] * T[2] * sd / math.sqrt(2)
    return middle - half, middle + half


def between(x, y, part):
    """From x towards y, on logarithms."""
    return x ** (1 - part) * y**part


def v(cost, width=0.001, *, rounds=11, busy=False, hop=0.0, cls=0, members=None, **estimate):
    """A visit with one estimate: `cost` ns with bounds `width` to either side, as a share of it."""
    reach = abs(cost) * width
    found = {
        "state": cls,
        "busy": busy,
        "rounds": rounds,
        "share": 1.0,
        "cost_ns": {"value": cost, "low": cost - reach, "high": cost + reach},
        "baseline_ns": 1.0,
        "test_ns": 2.0,
        "hop_ns": hop,
        **estimate,
    }
    return {"estimates": [found], **(members or {})}


def lost(status, reason="why", **members):
    return {"estimates": [], "status": status, "reason": reason, **members}


def point_of(axes):
    what = {
        "backend": "omp",
        "op": "atomic_add",
        "type": "int32",
        "placement": "shared",
        "lanes": 1,
    }
    what |= {"order": "relaxed", "affinity": "close", "wait": "active", "stride_bytes": 0}
    if axes.get("backend") == "cuda":
        what["affinity"] = "none"
    return what | axes | {"repeat": len(expected) + 1}


def shape(name, found, cost=None, *, at=None, of_visits=None, rate=None, total=1.0, **told):
    """A point with these visits. `cost` is (value, low, high) of what is usable; `rate` is ops per cost
    of one lane (1 but for rings; 0: none) and `total` of all; `told` are other columns."""
    what = point_of(at or {})
    gpu = what["backend"] == "cuda"
    pus = [] if gpu else list(range(what["lanes"]))
    for number, members in enumerate(found, 1):
        line = {
            "kind": "visit",
            "point": what,
            "visit": number,
            "status": "ok",
            "reason": "",
            "family": "atomic",
            "pairing": "self",
            "cost_per_lane": False,
            "trips": 100,
            "unroll": 32,
            "ops_per_step": 1,
            "pus": pus,
            "rounds_taken": 14,
            "rounds_kept": 11,
            "drops": {"moved": 1, "preempted": 2},
            "fairness": 0.9,
            "slowest_over_fastest": 1.1,
            "build": "b" * 16,
            "backend": what["backend"],
        }
        line |= {"device": 0} if gpu else {}
        lines.append(line | (of_visits or {}) | members)
    spoke = sum(bool(members["estimates"]) for members in found)
    numbers = {members.get("visit", n) for n, members in enumerate(found, 1)}
    row = dict.fromkeys(EMPTY)
    row |= {
        "shape": name,
        "lanes": what["lanes"],
        "status": "ok",
        "headline": True,
        "visits": spoke,
        "rounds_kept": 11 * len(numbers),
        "rounds_dropped": 3 * len(numbers),
        "pus": " ".join(map(str, pus)) or None,
        "device": 0 if gpu else None,
    }
    for column, value in (
        ("baseline_ns_per_step", 1.0),
        ("test_ns_per_step", 2.0),
        ("fairness_jain", 0.9),
        ("slowest_over_fastest_ratio", 1.1),
    ):
        row[column] = value if spoke else None
    if cost:
        row |= zip(COST, cost, strict=True)
        if rate != 0:
            row |= {"ops_per_s_per_lane": 1e9 / cost[0] * (rate or 1)}
            row |= {"ops_per_s_total": 1e9 / cost[0] * total}
    expected[str(what["repeat"])] = row | told
    return what


def several(costs, **members):
    return [v(cost, **members) for cost in costs]


#: Five visits, and their cost with its interval.
scattered = [5.0, 4.0, 6.0, 5.5, 4.5]
five = (5.0, 4.0, 6.0)


def write():
    campaign = {
        "kind": "campaign",
        "schema": {"major": 1, "minor": 0},
        "version": "0.1.0",
        "argv": ["syncmeter", "run"],
        "seed": 7,
        "machine": {
            "cpu_model": "Made-up CPU",
            "host": "nowhere",
            "cores": 8,
            "pus": 16,
            "smt": True,
        },
        "states": [],
    }
    text = "".join(json.dumps(line) + "\n" for line in [campaign, *lines])
    (HERE / "shapes.jsonl").write_text(text)
    (HERE / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")
