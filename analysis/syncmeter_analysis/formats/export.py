"""Exports: CSV with a row for each point and placement state, and Google Benchmark's JSON."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from syncmeter_analysis.formats.columns import Value, columns, row
from syncmeter_analysis.record.machine import object_of
from syncmeter_analysis.record.output import write_whole
from syncmeter_analysis.record.point import axis_text
from syncmeter_analysis.record.tables import axes
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.summary import Measured

# A spreadsheet would run such a text as a formula, unless it is a list of numbers.
# Some spreadsheets also read the full-width forms (U+FF1D, U+FF0B, U+FF0D, U+FF20).
_formula = re.compile("[=+@-](?![0-9.]+( -?[0-9.]+)*$)|[\uff1d\uff0b\uff0d\uff20]")


def rows(campaign: Campaign) -> list[dict[str, Value]]:
    """All points in the order of the files, a row for each placement state, the headline's first."""
    return [row(state) for s in campaign.points.values() for state in (s, *s.other_states)]


def _field(value: Value) -> Value:
    """As CSV has it: true and false in small letters, an apostrophe before a formula."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"'{value}" if isinstance(value, str) and _formula.match(value) else value


def as_csv(campaign: Campaign) -> str:
    """A table with a header line; a value that a point does not have is an empty field."""
    written = io.StringIO()
    table = csv.writer(written, lineterminator="\n")
    table.writerow(column.name for column in columns)
    table.writerows([_field(value) for value in one.values()] for one in rows(campaign))
    return written.getvalue()


# These axes come first in a name, without theirs.
_unnamed = ("backend", "op", "type", "placement")


def benchmark_name(s: Measured) -> str:
    """`omp/atomic_add/int32/shared/lanes:2/affinity:close`: Google Benchmark's way of names."""
    p = s.point
    parts = [p.backend, p.op, p.type, p.placement if p.placement != "none" else ""]
    named = [(a.name, getattr(p, a.name), a) for a in axes if a.in_key and a.name not in _unnamed]
    parts += [
        f"{name}:{axis_text(value, '-')}"
        for name, value, axis in named
        if value != axis.absent or name == "lanes"
    ]
    return "/".join(part for part in (*parts, *map(":".join, p.others)) if part)


def _benchmarks(s: Measured, family: int) -> list[dict[str, Any]]:
    """A run for each visit, then aggregates where there are several; one with an error where there is
    no cost."""
    name = benchmark_name(s)

    def run(ns: float, iterations: int, suffix: str = "", **more: Any) -> dict[str, Any]:
        return {
            "name": name + suffix,
            "run_name": name,
            "family_index": family,
            "per_family_instance_index": 0,
            "repetitions": max(s.visits, 1),
            "threads": s.point.lanes,
            "run_type": "iteration",
            **more,
            "iterations": iterations,
            "real_time": ns,
            "cpu_time": ns,
            "time_unit": "ns",
            "point": s.id,
        }

    if not s.usable or s.cost is None:
        why = f"{s.status}: {s.reason}".rstrip(": ")
        return [run(0.0, 0, repetition_index=0, error_occurred=True, error_message=why)]
    costs = s.visit_costs(s.state) if not s.imported else []
    if not costs:
        return [run(s.cost.value, 1, repetition_index=0)]
    each = max(s.rounds_kept // max(s.visits, 1), 1)
    runs = [run(ns, each, repetition_index=i) for i, ns in enumerate(costs)]
    if len(costs) > 1:
        # The names and units that Google Benchmark gives to aggregates; cv is a ratio.
        mean, deviation = fmean(costs), stdev(costs)
        for aggregate, value, unit in (
            ("mean", mean, "time"),
            ("median", s.cost.value, "time"),
            ("stddev", deviation, "time"),
            ("cv", deviation / mean, "percentage"),
        ):
            more = {"run_type": "aggregate", "aggregate_name": aggregate, "aggregate_unit": unit}
            runs.append(run(value, len(costs), f"_{aggregate}", **more))
    return runs


def _caches(machine: dict[str, Any]) -> list[dict[str, Any]]:
    """The caches that the machine names whole; a stranger's file may name any nonsense."""
    caches = machine.get("caches")
    return [
        {
            "type": "Unified" if c["level"] > 1 else "Data",
            "level": c["level"],
            "size": c["bytes"],
            "num_sharing": c["shared_by"],
        }
        for c in (caches if isinstance(caches, list) else [])
        if isinstance(c, dict)
        and all(type(c.get(name)) is int for name in ("level", "bytes", "shared_by"))
    ]


def google_benchmark(campaign: Campaign) -> dict[str, Any]:
    """The document that Google Benchmark writes with --benchmark_format=json.

    A repetition is a visit; real_time and cpu_time both are ns per op of one lane. A point without
    a cost has `error_occurred`, as a skipped benchmark has.
    """
    first = campaign.files[0].campaign
    m = campaign.machine
    context = {
        "date": str(first.get("time", "")),
        "host_name": m.host,
        "executable": "syncmeter",
        "num_cpus": m.pus or 0,
        "mhz_per_cpu": 0,
        "cpu_scaling_enabled": False,
        "caches": _caches(object_of(first, "machine")),
        "load_avg": [],
        "library_version": "syncmeter",
        "library_build_type": "release",
        "json_schema_version": 1,
    }
    runs: list[dict[str, Any]] = []
    for family, s in enumerate(campaign.points.values()):
        runs += _benchmarks(s, family)
    return {"context": context, "benchmarks": runs}


def export(campaign: Campaign, form: str, output: Path | None) -> str:
    """Writes `output`; without one, returns the text. Raises Unusable, NotWritten."""
    text = (
        as_csv(campaign)
        if form == "csv"
        else json.dumps(google_benchmark(campaign), indent=1) + "\n"
    )
    if output is None:
        return text
    write_whole(output, text)
    return ""
