"""Capabilities of a worker and lines of a results file, made by hand."""

import json

BUILD = {"id": "0123456789abcdef", "compiler": "none", "flags": "", "runtime": "python"}


def entry(op, family, *, types=(None,), orders=("unordered",), placements=(), pairing="self", supported=True, **more):
    """One op of a worker's capabilities: an entry for each type, order and placement."""
    for kind in types:
        for order in orders:
            for placement in placements or (None,):
                made = {
                    "backend": "omp", "op": op, "family": family, "pairing": pairing, "order": order,
                    "placements": [placement] if placement else [], "unroll": 32, "ops_per_step": 1, "min_lanes": 1,
                    "communicates": False, "note": "", "supported": supported,
                }
                if kind:
                    made["type"] = kind
                    made["code"] = [f"{op} {kind} {order} {placement} {side}" for side in ("baseline", "test")]
                yield {**made, **more}


def capabilities(backend="omp"):
    atomic = {"types": ("int32", "double"), "orders": ("relaxed", "seq_cst"), "placements": ("shared", "strided")}
    ops = [
        *entry("atomic_add", "atomic", **atomic),
        *entry("atomic_cas_pass", "atomic", supported=False, reason="this compiler has no `omp atomic compare`", **atomic),
        *entry("fence_between_adds", "fence", pairing="insert", types=("int32", "double"), placements=("strided",),
               note="marginal cost between plain adds to two arrays"),
        *entry("barrier", "barrier"),
        *entry("fence", "fence", orders=("unordered",)),
        *entry("fence", "fence", orders=("seq_cst",), supported=False, reason="this compiler has no `flush seq_cst`"),
        *entry("handoff", "handoff", min_lanes=2),
    ]
    for op in ops:
        op["backend"] = backend
    return {"kind": "capabilities", "protocol": 1, "worker": backend,
            "backends": [{"name": backend, "clock": "host lanes", "portable": False}], "build": BUILD, "ops": ops}


def point(op, lanes, **axes):
    made = {"backend": "omp", "op": op, "lanes": lanes, "order": "unordered", "affinity": "close", "wait": "active",
            "stride_bytes": 0}
    return {**made, **axes}


ADD = {"type": "int32", "placement": "shared", "order": "relaxed"}


def visit(where, number, cost, *, baseline=2.0, half=0.02, status="ok", reason="", busy=False, rounds=20):
    value = {"value": cost, "low": cost - half, "high": cost + half}
    estimate = {"state": 0, "busy": busy, "rounds": rounds, "share": 1.0, "cost_ns": value, "host_cost_ns": value,
                "baseline_ns": baseline, "test_ns": baseline + cost}
    return {"kind": "visit", "id": number, "point": where, "visit": number, "time": "2026-01-01T00:00:00Z", "status": status,
            "reason": reason, "stopped_by": "precision", "trips": 100, "unroll": 32, "ops_per_step": 1, "seed": 7,
            "pus": list(range(where["lanes"])), "pus_seen": list(range(where["lanes"])), "rounds_taken": rounds + 1,
            "rounds_kept": rounds, "drops": {"moved": 0, "preempted": 1, "state_changed": 0, "throttled": 0},
            "estimates": [] if status == "failed" else [estimate], "fairness": 0.96, "slowest_over_fastest": 1.05,
            "timed_ns": 2e6, "elapsed_ns": 3e6, "stolen_ns": 0, "rounds": []}


def results():
    """One point of every kind of outcome."""
    spread = point("atomic_add", 1, **{**ADD, "affinity": "spread"})
    lines = [
        {"kind": "campaign", "schema": {"major": 1, "minor": 0}, "argv": ["syncmeter", "run"], "options": {}},
        {"kind": "worker", "worker": "omp", "build": BUILD},
        {"kind": "same", "point": spread, "measured_as": point("atomic_add", 1, **ADD), "why": "equal placement"},
        {"kind": "refused", "point": point("atomic_cas_pass", 1, **ADD), "status": "unsupported",
         "reason": "this compiler has no `omp atomic compare`"},
        {"kind": "refused", "point": point("fence", 1, order="acquire"), "status": "elided", "reason": "nothing is emitted"},
    ]
    costs = [2.32, 2.34, 2.31, 2.33, 2.32]
    for number, cost in enumerate(costs, start=1):
        lines += [
            visit(point("atomic_add", 1, **ADD), number, cost),
            visit(point("atomic_add", 2, **ADD), number, cost * 8),
            visit(point("barrier", 2), number, cost * 100),
            visit(point("handoff", 2), number, cost * 20),
            visit(point("fence_between_adds", 2, type="int32", placement="strided", stride=16, stride_bytes=64), number, cost),
            visit(point("control_aa", 1), number, (number - 3) * 0.001),
            visit(point("plain_read", 1, type="int32", placement="shared"), number, -cost / 10, baseline=3.0),
            visit(point("fence", 2), number, cost, busy=True),
        ]
    lines.append({"kind": "end", "time": "2026-01-01T00:00:10Z", "reason": "complete", "visits": 40, "wall_ns": 1e8,
                  "timed_ns": 8e7, "failed": 0})
    return lines


def failing_results():
    lines = results()
    lines.insert(-1, visit(point("lock_add", 2, **{**ADD, "order": "unordered"}), 1, 0, status="failed",
                           reason="the cell holds 41, not 42"))
    return lines


def write(path, lines):
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return str(path)
