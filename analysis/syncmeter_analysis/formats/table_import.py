"""Imports the table that `syncmeter show --csv` and `syncmeter-report export` write.

Older tables lack some columns, and gzip may have packed them. Rounds and visits are not in a table, so
that nothing can be resolved anew; estimates keep their intervals.
"""

from __future__ import annotations

import csv
import gzip
import math
import zlib
from pathlib import Path
from typing import Any

from syncmeter_analysis.data.errors import Unusable, quoted
from syncmeter_analysis.data.point import BadPoint, point_from
from syncmeter_analysis.data.visit import statuses
from syncmeter_analysis.formats.columns import columns
from syncmeter_analysis.formats.importing import campaign_line, write_import

_needed = ("backend", "op", "lanes", "status", "cost_ns")


def _value(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _interval(row: dict[str, str], name: str, unit: str) -> dict[str, float | None] | None:
    value = _value(row.get(f"{name}_{unit}"))
    if value is None:
        return None
    return {
        "value": value,
        "low": _value(row.get(f"{name}_low_{unit}")),
        "high": _value(row.get(f"{name}_high_{unit}")),
    }


def _members(row: dict[str, str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Of the point and of its visit what the table tells. Raises ValueError for what is no value."""
    point: dict[str, Any] = {"stride_bytes": 0}
    visit: dict[str, Any] = {}
    for column in columns:
        if column.member and (value := column.read(row.get(column.name))) is not None:
            (point if column.of_point else visit)[column.member] = value
    pus = [int(pu) for pu in (row.get("pus") or "").split()]
    # Of an affinity the PUs are what it chose; without one the point names them.
    if point.get("affinity") == "none" and len(pus) == point.get("lanes"):
        point["pus"] = pus
    visit["pus"] = pus
    return point, visit


def _line(row: dict[str, str], number: int) -> dict[str, Any]:
    try:
        point, visit = _members(row)
    except (ValueError, KeyError) as error:
        raise Unusable(f"line {number}: {error} is not a value of its column") from None
    if visit.get("status") not in statuses or not point.get("lanes"):
        raise Unusable(
            f"line {number}: {quoted(row.get('status'))} at {quoted(row.get('lanes'))} lanes is "
            f"not a point of `syncmeter show --csv`"
        )
    line: dict[str, Any] = {
        "kind": "visit",
        "point": point,
        "visit": 1,
        "imported": True,
        "build": "imported",
        "backend": point.get("backend", ""),
        "estimates": [],
        **visit,
    }
    cost = _interval(row, "cost", "ns")
    if cost is not None:
        estimate = {
            "state": 0,
            "busy": line["status"] == "busy",
            "rounds": 0,
            "cost_ns": cost,
            "baseline_ns": _value(row.get("baseline_ns_per_step")) or 0.0,
            "test_ns": _value(row.get("test_ns_per_step")) or 0.0,
        }
        for name, kind, unit in (
            ("host_cost_ns", "host_cost", "ns"),
            ("cost_cycles", "cost", "cycles"),
        ):
            found = _interval(row, kind, unit)
            if found is not None:
                estimate[name] = found
        line["estimates"] = [estimate]
        _add_rates(line, row, cost["value"])
    if row.get("additive"):
        line["additivity"] = {"additive": row["additive"].lower() in ("1", "true")}
    return line


def _add_rates(line: dict[str, Any], row: dict[str, str], cost: float | None) -> None:
    """What the rate of one lane tells of the op: a marginal cost has none, and of a ring only one lane
    at a time has the token."""
    if "ops_per_s_per_lane" not in row:
        return
    each = _value(row["ops_per_s_per_lane"])
    if not each:
        line["pairing"] = "insert"
    elif cost and (ring := round(1e9 / cost / each)) > 1:
        line["cost_per_lane"] = True
        line["participants"] = ring


def import_table(
    source: Path,
    output: Path,
    *,
    cpu: str = "",
    gpu: str = "",
    cores: int | None = None,
    pus: int | None = None,
) -> list[str]:
    """Writes `output` of the table in `source`; returns what is to be told of it. Raises Unusable."""
    try:
        opened = gzip.open if source.suffix == ".gz" else open
        with opened(source, "rt", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
    except (OSError, EOFError, zlib.error, UnicodeDecodeError, csv.Error) as error:
        raise Unusable(f"{source}: cannot be read ({error})") from error
    lacking = [name for name in _needed if name not in (rows[0] if rows else ())]
    if lacking:
        raise Unusable(
            f"{source} is not a table of `syncmeter show --csv`: "
            + (f"no column {', '.join(lacking)}" if rows else "it has no rows")
        )
    lines: list[dict[str, Any]] = []
    points: dict[str, dict[str, Any]] = {}
    for number, row in enumerate(rows, 2):
        if row.get("headline") == "false":
            continue  # a published point is known in one state
        try:
            line = _line(row, number)
            key = point_from(line["point"]).key
        except (Unusable, BadPoint) as error:
            raise Unusable(f"{source}, {error}") from None
        points[key] = line["point"]
        if (first := points.get(row.get("measured_as") or "")) is not None:
            line = {"kind": "same", "point": line["point"], "measured_as": first, "why": "told so"}
        lines.append(line)
    machine = {
        "cpu_model": cpu or source.name.removesuffix(".gz").removesuffix(".csv"),
        "host": "",
        "pus": pus,
        "cores": cores,
        "smt": None if cores is None or pus is None else pus > cores,
    }
    gpus = {"cuda": {"name": gpu}} if gpu else {}
    write_import(output, campaign_line("a table of syncmeter", machine, gpus), lines)
    return [f"{len(lines)} points"]
