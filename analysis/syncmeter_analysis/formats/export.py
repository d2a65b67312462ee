"""Exports: CSV and Parquet with a row for each point, and Google Benchmark's JSON."""

from __future__ import annotations

import io
import json
import math
from pathlib import Path
from typing import Any

import polars as pl

from syncmeter_analysis.formats.columns import columns, row
from syncmeter_analysis.record.errors import Unusable
from syncmeter_analysis.record.output import write_whole
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.summary import Measured

formats = ("csv", "parquet", "google-benchmark")


_types = {str: pl.String, int: pl.Int64, float: pl.Float64, bool: pl.Boolean}


def table(campaign: Campaign) -> pl.DataFrame:
    """All points in the order of the files, a row for each placement state, the headline's first. Each
    column has its type, so that tables of several files can be put together."""
    schema = {column.name: _types[column.type] for column in columns}
    return pl.DataFrame(
        [row(state) for s in campaign.points.values() for state in (s, *s.other_states)],
        schema=schema,
    )


def harmless(table: pl.DataFrame) -> pl.DataFrame:
    """The table with an apostrophe before texts that a spreadsheet would run as formulas."""
    text = pl.col(pl.String)
    is_formula = text.str.contains("^[=+@-]") & ~text.str.contains(r"^-?[0-9.]+( -?[0-9.]+)*$")
    return table.with_columns(pl.when(is_formula).then("'" + text).otherwise(text).name.keep())


def benchmark_name(s: Measured) -> str:
    """`omp/atomic_add/int32/shared/lanes:2/affinity:close`: Google Benchmark's way of names."""
    p = s.point
    parts = [p.backend, p.op, p.type, p.placement if p.placement != "none" else ""]
    named = [
        ("stride", p.stride),
        ("base_offset", p.base_offset or None),
        ("cells", p.cells or None),
        ("lanes", p.lanes),
        ("blocks", p.blocks if p.blocks != 1 else None),
        ("active", p.active or None),
        ("waves", "true" if p.waves else ""),
        ("size", p.size or None),
        ("scope", p.scope),
        ("flavour", p.flavour),
        ("space", p.space),
        ("order", p.order if p.order != "unordered" else ""),
        ("affinity", p.affinity if p.affinity != "none" else ""),
        ("wait", p.wait if p.wait != "active" else ""),
        ("home", p.home),
        ("pus", "-".join(map(str, p.pus))),
        ("late_us", p.late_us or None),
        ("section_ns", p.section_ns or None),
        ("think_ns", p.think_ns or None),
        ("reads_per_write", p.reads_per_write or None),
        ("repeat", p.repeat or None),
        *p.others,
    ]
    parts += [f"{name}:{value}" for name, value in named if value not in (None, "")]
    return "/".join(part for part in parts if part)


def _benchmarks(s: Measured, family: int) -> list[dict[str, Any]]:
    name = benchmark_name(s)
    common = {
        "run_name": name,
        "family_index": family,
        "per_family_instance_index": 0,
        "repetitions": max(s.visits, 1),
        "threads": s.point.lanes,
    }
    if not s.usable or s.cost is None:
        return [
            {
                "name": name,
                **common,
                "run_type": "iteration",
                "repetition_index": 0,
                "iterations": 0,
                "error_occurred": True,
                "error_message": f"{s.status}: {s.reason}".rstrip(": "),
                "real_time": 0.0,
                "cpu_time": 0.0,
                "time_unit": "ns",
                "point": s.id,
            }
        ]
    runs: list[dict[str, Any]] = []
    costs = s.visit_costs(s.state) if not s.imported else []
    for i, ns in enumerate(costs):
        runs.append(
            {
                "name": name,
                **common,
                "run_type": "iteration",
                "repetition_index": i,
                "iterations": max(s.rounds_kept // max(s.visits, 1), 1),
                "real_time": ns,
                "cpu_time": ns,
                "time_unit": "ns",
                "point": s.id,
            }
        )
    if not costs:
        runs.append(
            {
                "name": name,
                **common,
                "run_type": "iteration",
                "repetition_index": 0,
                "iterations": 1,
                "real_time": s.cost.value,
                "cpu_time": s.cost.value,
                "time_unit": "ns",
                "point": s.id,
            }
        )
    if len(costs) > 1:
        # The names and units that Google Benchmark gives to aggregates; cv is a ratio.
        mean = sum(costs) / len(costs)
        deviation = math.sqrt(sum((c - mean) ** 2 for c in costs) / (len(costs) - 1))
        for aggregate, value, unit in (
            ("mean", mean, "time"),
            ("median", s.cost.value, "time"),
            ("stddev", deviation, "time"),
            ("cv", deviation / mean, "percentage"),
        ):
            runs.append(
                {
                    "name": f"{name}_{aggregate}",
                    **common,
                    "run_type": "aggregate",
                    "aggregate_name": aggregate,
                    "aggregate_unit": unit,
                    "iterations": len(costs),
                    "real_time": value,
                    "cpu_time": value,
                    "time_unit": "ns",
                    "point": s.id,
                }
            )
    return runs


def _caches(machine: Any) -> list[dict[str, Any]]:
    """The caches that the machine names whole; a stranger's file may name any nonsense."""
    caches = machine.get("caches") if isinstance(machine, dict) else None
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
        "caches": _caches(first.get("machine")),
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
    if form == "parquet":
        if output is None:
            raise Unusable("--format parquet is binary; give a file with -o")
        table(campaign).write_parquet(written := io.BytesIO())
        write_whole(output, written.getvalue())
        return ""
    text = (
        harmless(table(campaign)).write_csv()
        if form == "csv"
        else json.dumps(google_benchmark(campaign), indent=1) + "\n"
    )
    if output is None:
        return text
    write_whole(output, text)
    return ""
