"""Made-up results files: lines as the driver writes them, with what a test wants to be so."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from syncmeter_analysis.record import driver
from syncmeter_analysis.record.reader import ResultsFile, read_results
from syncmeter_analysis.relate.campaign import Campaign, campaign_of
from syncmeter_analysis.studies import reliability_of, sections
from syncmeter_analysis.voice.reliability import reliability_details, reliability_line

#: Code words, never on a screen.
INTERNAL_WORDS = ("lane", "visit", "point", "round", "op", "hop", "placement")

MACHINE = {
    "cpu_model": "Test CPU",
    "host": "testhost",
    "architecture": "x86_64",
    "packages": 1,
    "cores": 8,
    "pus": 16,
    "smt": True,
    "numa_nodes": 1,
    "line_bytes": 64,
    "hypervisor": False,
    "virtualization": "",
    "governor": "performance",
    "turbo": "off",
    "kernel": "Linux 6.1",
    "os": "Debian GNU/Linux 12",
    "hwloc": "2.9.0",
}


def campaign(**members: Any) -> dict[str, Any]:
    line = {
        "kind": "campaign",
        "schema": {"major": 1, "minor": 0},
        "version": "0.1.0",
        "git": {"sha": "0" * 40, "dirty": False},
        "time": "2026-01-01T00:00:00Z",
        "argv": ["syncmeter", "run", "--study", "quick"],
        "seed": 7,
        "options": {},
        "machine": dict(MACHINE),
        "allowed_pus": list(range(16)),
        "quota_cpus": None,
        "gpus": {},
        "states": [],
        "states_note": "one state",
        "plan": {"points": 1, "visits": 5, "same": 0, "refused": 0, "predicted_s": 1.0},
    }
    line.update(members)
    return line


def point(op: str = "atomic_add", **axes: Any) -> dict[str, Any]:
    members: dict[str, Any] = {
        "backend": "omp",
        "op": op,
        "lanes": 1,
        "order": "relaxed",
        "affinity": "close",
        "wait": "active",
        "stride_bytes": 0,
    }
    members.update({name: value for name, value in axes.items() if value is not None})
    size = {"uint64": 8, "double": 8}.get(members.get("type", ""), 4)
    if "stride" in members:
        members["stride_bytes"] = members["stride"] * size
    return members


def _places(lanes: int, affinity: str) -> list[int]:
    return [(2 if affinity == "spread" else 1) * lane for lane in range(lanes)]


def visits(
    costs: list[float], what: dict[str, Any], spread: float = 0.001, **members: Any
) -> list[dict[str, Any]]:
    """One visit for each cost (ns), with an interval of `spread` to either side."""
    lines = []
    for number, cost in enumerate(costs, 1):
        estimate = {
            "state": 0,
            "busy": False,
            "rounds": 11,
            "share": 1.0,
            "cost_ns": {
                "value": cost,
                "low": cost - spread * abs(cost),
                "high": cost + spread * abs(cost),
            },
            "host_cost_ns": {
                "value": cost,
                "low": cost - spread * abs(cost),
                "high": cost + spread * abs(cost),
            },
            "baseline_ns": 1.0,
            "test_ns": 1.0 + abs(cost),
            "hop_ns": 0.0,
        }
        estimate.update(members.get("estimate", {}))
        line = {
            "kind": "visit",
            "point": what,
            "visit": number,
            "status": "ok",
            "reason": "",
            "stopped_by": "precision",
            "family": "atomic",
            "pairing": "self",
            "cost_per_lane": False,
            "trips": 100,
            "unroll": 32,
            "ops_per_step": 1,
            "pus": _places(what["lanes"], what["affinity"]) if what["lanes"] <= 16 else [],
            "rounds_taken": 12,
            "rounds_kept": 11,
            "drops": {"moved": 0, "preempted": 1, "state_changed": 0, "throttled": 0},
            "estimates": [estimate],
            "fairness": 0.99,
            "slowest_over_fastest": 1.01,
            "stolen_ns": 0,
            "build": "b" * 16,
            "backend": what["backend"],
            "time": "2026-01-01T00:00:00Z",
        }
        line.update({k: v for k, v in members.items() if k != "estimate"})
        lines.append(line)
    return lines


def around(cost: float, n: int = 5, scatter: float = 0.004) -> list[float]:
    """n visit medians around `cost` that scatter by about `scatter`, the middle one exact."""
    return [cost * (1 + scatter * (i - (n - 1) / 2) / n) for i in range(n)]


def write(path: Path, *lines: Any, first: dict[str, Any] | None = None) -> Path:
    """A results file of these lines (objects, lists of objects, or text as it is)."""
    text = [json.dumps(first if first is not None else campaign())]
    for line in lines:
        for one in line if isinstance(line, list) else [line]:
            text.append(one if isinstance(one, str) else json.dumps(one))
    path.write_text("\n".join(text) + "\n")
    return path


def point_lines(path: Path, *lines: Any) -> list[str]:
    """The lines of points that the driver makes of these visits."""
    with write(path, *lines).open("rb") as file:
        return [line.decode() for line in driver.point_lines(str(path), file)[0]]


def results(name: str, lines: list[dict[str, Any]]) -> ResultsFile:
    """Visits as a reader gives them, without a file that stays: for tests of many campaigns. Points of
    one name and key are one measurement."""
    with TemporaryDirectory() as folder:
        file = read_results(write(Path(folder) / "f.jsonl", lines))
        file.estimate()
    file.path = name
    return file


def read_costs(
    folder: Path, *costs_of_points: tuple[dict[str, Any], float], code: str = ""
) -> Campaign:
    """Points of a GPU with what they cost, ns; with the kind of instruction that each compiles to."""
    census = {"verdict": "proven", "reason": "", "per_op": {code: 1, "alu": 2}} if code else None
    lines: list[dict[str, Any]] = []
    for what, cost in costs_of_points:
        lines += visits([cost * 0.999, cost, cost * 1.001], what, device=0, census=census)
    return read(write(folder / "f.jsonl", lines))


def read(path: Path) -> Campaign:
    return campaign_of([read_results(path)])


def answers_in(found):
    """Returns a sentence for each conclusion, and last the reliability line."""
    of_studies = sections(found)
    said = [answer for s in of_studies if s.screen for answer in s.screen.answers]
    conclusions = [c for s in of_studies for c in s.conclusions]
    sure = reliability_of(found, conclusions)
    return [*said, f"{reliability_line(sure)} {reliability_details(sure, 300)}"]
