"""Imports the table that `syncmeter show --csv` and `syncmeter-report export` write.

Rounds and visits are not in it, so that nothing can be resolved anew; estimates keep their intervals.
"""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import Any

from syncmeter_analysis.data.errors import Unusable, quoted
from syncmeter_analysis.data.visit import statuses
from syncmeter_analysis.formats.importing import campaign_line, write_import

_numbers = {
    "stride_elements": "stride",
    "stride_bytes": "stride_bytes",
    "base_offset_bytes": "base_offset",
    "cells": "cells",
    "lanes": "lanes",
    "blocks": "blocks",
    "active": "active",
    "size": "size",
    "repeat": "repeat",
}
_names = (
    "backend",
    "op",
    "type",
    "order",
    "placement",
    "scope",
    "flavour",
    "space",
    "affinity",
    "wait",
    "home",
)


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


def _line(row: dict[str, str], number: int) -> dict[str, Any]:
    point: dict[str, Any] = {n: row[n] for n in _names if row.get(n)}
    for column, axis in _numbers.items():
        value = _value(row.get(column))
        if value is not None and not (
            axis in ("blocks", "active", "size", "repeat", "base_offset", "cells")
            and value == (1 if axis == "blocks" else 0)
        ):
            point[axis] = int(value)
    point.setdefault("stride_bytes", 0)
    status = row.get("status", "")
    if status not in statuses or not point.get("lanes"):
        raise Unusable(
            f"line {number}: {quoted(status)} at {quoted(row.get('lanes'))} lanes is no "
            "point of `syncmeter show --csv`"
        )
    line: dict[str, Any] = {
        "kind": "visit",
        "point": point,
        "visit": 1,
        "imported": True,
        "family": row.get("family", ""),
        "build": "imported",
        "backend": point.get("backend", ""),
        "status": status,
        "reason": row.get("reason", ""),
        "estimates": [],
    }
    cost = _interval(row, "cost", "ns")
    if cost is not None:
        estimate = {
            "state": 0,
            "busy": status == "busy",
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
    if (row.get("family") or "") == "fence" and not row.get("ops_per_s_per_lane") and cost:
        line["pairing"] = "insert"
    # A token passes one lane after the other; the table does not say so.
    line["cost_per_lane"] = row.get("family") == "handoff"
    device = _value(row.get("device"))
    if device is not None:
        line["device"] = int(device)
    for name, column in (
        ("fairness", "fairness_jain"),
        ("slowest_over_fastest", "slowest_over_fastest_ratio"),
    ):
        value = _value(row.get(column))
        if value is not None:
            line[name] = value
    if row.get("additive") in ("0", "1", "true", "false"):
        line["additivity"] = {"additive": row["additive"] in ("1", "true")}
    return line


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
        with source.open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise Unusable(f"{source}: cannot be read ({error})") from error
    if not rows or not {"backend", "op", "lanes", "status", "cost_ns"} <= set(rows[0]):
        raise Unusable(f"{source} is not a table of `syncmeter show --csv`")
    lines = []
    for number, row in enumerate(rows, 2):
        try:
            lines.append(_line(row, number))
        except Unusable as error:
            raise Unusable(f"{source}, {error}") from None
    machine = {
        "cpu_model": cpu or source.stem,
        "host": "",
        "pus": pus,
        "cores": cores,
        "smt": None if cores is None or pus is None else pus > cores,
    }
    gpus = {"cuda": {"name": gpu}} if gpu else {}
    write_import(output, campaign_line("a table of syncmeter", machine, gpus), lines)
    return [f"{len(lines)} points"]
