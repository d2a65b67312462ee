"""Imports the table that `syncmeter show --csv` and `syncmeter-report export` write.

Older tables lack some columns, and gzip may have packed them. Rounds and visits are not in a table, so
that nothing can be resolved anew; estimates keep their intervals.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from syncmeter_analysis.formats.columns import Value, columns
from syncmeter_analysis.formats.importing import (
    campaign_line,
    name_of,
    point_line,
    text_of,
    write_import,
)
from syncmeter_analysis.record.errors import BadLine, Unusable, quoted
from syncmeter_analysis.record.members import check, most_counted
from syncmeter_analysis.record.point import point_from
from syncmeter_analysis.record.tables import point_members, statuses
from syncmeter_analysis.record.visit import point_of

Row = Mapping[str, Any]

_needed = ("backend", "op", "lanes", "status", "cost_ns")
_rounding = 1e-6  # tables have at least seven digits


class _Bad(Exception):
    """A field that cannot be used: its column, and what is wrong."""

    def __init__(self, column: str, why: str) -> None:
        super().__init__(f"column {column}: {why}")


def _values(row: dict[str, str]) -> dict[str, Value]:
    """The value of every column that is known, None where it is empty or not there."""
    found: dict[str, Value] = {}
    for column in columns:
        text = row.get(column.name)
        try:
            found[column.name] = column.read(text)
        except ValueError as allowed:
            raise _Bad(column.name, f"{quoted(text)} is not {allowed}") from None
    return found


def _interval(values: Row, name: str, unit: str) -> dict[str, Any] | None:
    value, low, high = (values[f"{name}_{end}{unit}"] for end in ("", "low_", "high_"))
    if value is None:
        return None
    for end, bound, wrong in (("low", low, -1), ("high", high, 1)):
        if bound is not None and (value - bound) * wrong > abs(value) * _rounding:
            raise _Bad(f"{name}_{end}_{unit}", f"{bound:g} leaves out the {name} of {value:g}")
    return {"value": value, "low": low, "high": high}


def _pus(text: Value) -> list[int]:
    pus = str(text or "").split()
    if not all(re.fullmatch("-1|[0-9]{1,9}", pu) for pu in pus):
        raise _Bad("pus", f"{quoted(text)} is not a list of PUs")
    return [int(pu) for pu in pus]


def _members(values: Row) -> tuple[dict[str, Any], dict[str, Any]]:
    """Of the point and of its visit what the table has."""
    point: dict[str, Any] = {"stride_bytes": 0}
    visit: dict[str, Any] = {}
    for column in columns:
        if column.member and (value := values[column.name]) is not None:
            (point if column.of_point else visit)[column.member] = value
    pus = _pus(values["pus"])
    # Of an affinity the PUs are what it chose; without one the point names them.
    if point.get("affinity") == "none" and len(pus) == point["lanes"]:
        point["pus"] = pus
    visit["pus"] = pus
    return point, visit


def _line(row: dict[str, str]) -> dict[str, Any]:
    """The visit that a row is of. Raises _Bad, BadLine."""
    values = _values(row)
    for name in ("backend", "op", "lanes", "status"):
        if values[name] is None:
            raise _Bad(name, "it is empty")
    status = values["status"]
    if status not in statuses:
        raise _Bad("status", f"{quoted(status)} is none of {', '.join(statuses)}")
    cost = _interval(values, "cost", "ns")
    if cost is None and status in ("ok", "busy"):
        raise _Bad("cost_ns", f"it is empty, and the status is {status}")
    point, visit = _members(values)
    line: dict[str, Any] = {
        "kind": "visit",
        "point": point,
        "visit": 1,
        "imported": True,
        "build": "imported",
        "backend": point["backend"],
        "estimates": [],
        **visit,
    }
    if cost is not None:
        estimate = {
            "state": 0,
            "busy": status == "busy",
            "rounds": 0,
            "cost_ns": cost,
            "baseline_ns": values["baseline_ns_per_step"] or 0.0,
            "test_ns": values["test_ns_per_step"] or 0.0,
        }
        for name, kind, unit in (
            ("host_cost_ns", "host_cost", "ns"),
            ("cost_cycles", "cost", "cycles"),
        ):
            found = _interval(values, kind, unit)
            if found is not None:
                estimate[name] = found
        line["estimates"] = [estimate]
        if "ops_per_s_per_lane" in row:
            _add_rates(line, values["ops_per_s_per_lane"], cost["value"])
    if values["additive"] is not None:
        line["additivity"] = {"additive": values["additive"]}
    point_of(point, {})
    check(point_line(line), point_members)
    return line


def _add_rates(line: dict[str, Any], each: Value, cost: float) -> None:
    """What the rate of one lane says of the op: a marginal cost has none, and of a ring only one lane
    at a time has the token."""
    if not isinstance(each, float) or each == 0:
        line["pairing"] = "insert"
        return
    ring = 1e9 / cost / each if cost > 0 else 1.0
    if ring > most_counted:
        raise _Bad("ops_per_s_per_lane", f"{each:g} does not go with a cost of {cost:g} ns")
    if round(ring) > 1:
        line["cost_per_lane"] = True
        line["participants"] = round(ring)


def _rows(source: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """Each row with the number of its last line. Raises Unusable."""
    reader = csv.reader(text_of(source, "utf-8-sig"))
    try:
        header = next(reader, [])
        if lacking := [name for name in _needed if name not in header]:
            raise Unusable(
                f"{source} is not a table of `syncmeter show --csv`: no column {', '.join(lacking)}"
            )
        if twice := [name for name, n in Counter(header).items() if n > 1]:
            raise Unusable(f"{source}, line 1: column {quoted(twice[0])} is there twice")
        for row in filter(None, reader):
            if len(row) != len(header):
                raise Unusable(
                    f"{source}, line {reader.line_num}: {len(row)} fields, and the header has "
                    f"{len(header)}"
                )
            yield reader.line_num, dict(zip(header, row, strict=True))
    except csv.Error as error:
        raise Unusable(f"{source}: cannot be read ({error})") from error


def import_table(
    source: Path,
    output: Path,
    *,
    cpu: str = "",
    gpu: str = "",
    cores: int | None = None,
    pus: int | None = None,
) -> list[str]:
    """Writes `output` of the table in `source`; returns what there is to say of it. Raises Unusable."""
    lines: list[dict[str, Any]] = []
    points: dict[str, dict[str, Any]] = {}
    for number, row in _rows(source):
        if row.get("headline") == "false":
            continue  # a published point is known in one state
        try:
            line = _line(row)
            key = point_from(line["point"]).key
        except (_Bad, BadLine) as error:
            raise Unusable(f"{source}, line {number}, {error}") from None
        points[key] = line["point"]
        if (first := points.get(row.get("measured_as") or "")) is not None:
            line = {
                "kind": "same",
                "point": line["point"],
                "measured_as": first,
                "why": "as the table has it",
            }
        lines.append(line)
    if not lines:
        raise Unusable(f"{source} is a table without points")
    cpu = cpu or name_of(source)
    first = campaign_line("a table of syncmeter", cpu, gpu, host="", cores=cores, pus=pus)
    write_import(output, first, lines)
    return [f"{len(lines)} points"]
