"""Writes results files of tables that others published: what all imports have in common.

An imported visit has a cost and no scatter (null bounds, no rounds), `"imported":true`, and where it
is known that the table measured something else than its name says, a `doubt`.
"""

from __future__ import annotations

import gzip
import io
import json
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from syncmeter_analysis.record.errors import Unusable
from syncmeter_analysis.record.output import write_whole
from syncmeter_analysis.record.point import Point, point_from
from syncmeter_analysis.record.text_file import compressed

# Published tables have a MiB; what never ends is none.
_longest_table = 64 << 20


def name_of(path: Path) -> str:
    """The name of a published table without what tells its format."""
    name = path.name.removesuffix(".gz")
    return name.removesuffix(".csv").removesuffix(".txt")


def text_of(path: Path, encoding: str, errors: str = "strict") -> io.StringIO:
    """The text of a table, which gzip may have packed, with its line ends. Raises Unusable."""
    opened = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rt", newline="", encoding=encoding, errors=errors) as file:
            text = file.read(_longest_table)
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise Unusable(f"{path}: cannot be read ({error})") from error
    if len(text) == _longest_table:
        raise Unusable(f"{path}: longer than {_longest_table >> 20} MiB")
    return io.StringIO(text, newline="")


def campaign_line(
    source: str, cpu: str, gpu: str | None, *, host: str, cores: int | None, pus: int | None
) -> dict[str, Any]:
    """The first line of an imported file; `source` names where its figures come from."""
    smt = None if cores is None or pus is None else pus > cores
    return {
        "kind": "campaign",
        "schema": {"major": 1, "minor": 0},
        "version": "import",
        "imported": {"from": source},
        "machine": {"cpu_model": cpu, "host": host, "pus": pus, "cores": cores, "smt": smt},
        "gpus": {"cuda": {"name": gpu}} if gpu else {},
        "quota_cpus": None,
        "states": [],
        "states_note": "imported: placement is not known",
    }


def visit_line(
    members: dict[str, Any],
    family: str,
    cost_ns: float,
    *,
    inserted: bool = False,
    **more: str | bool | None,
) -> dict[str, Any]:
    """One imported cell: `cost_ns` per op. What is not positive is `not_resolved`. Of `more` members
    those are written that are not empty."""
    line: dict[str, Any] = {
        "kind": "visit",
        "point": members,
        "visit": 1,
        "imported": True,
        "family": family,
        "pairing": "insert" if inserted else "self",
        "backend": members["backend"],
        "build": "imported",
        "cost_per_lane": False,
        "status": "ok",
        "reason": "",
        "estimates": [
            {
                "state": 0,
                "busy": False,
                "rounds": 0,
                "cost_ns": {"value": cost_ns, "low": None, "high": None},
            }
        ],
    }
    if cost_ns <= 0:
        line.update(
            status="not_resolved",
            reason=f"published as {cost_ns:.3g} ns: the test was not slower than the baseline",
        )
    return line | {name: value for name, value in more.items() if value}


# What a line of a point has of its one visit as it stands there.
_copied_members = (
    *("point", "status", "reason", "family", "pairing", "cost_per_lane", "participants", "build"),
    *("device", "pus", "fairness", "slowest_over_fastest", "rounds_kept", "imported"),
    *("oversubscribed", "doubt"),
)


def point_line(visit: dict[str, Any]) -> dict[str, Any]:
    """The line of the point of an imported visit: the published figure is the estimate."""
    line = {"kind": "point", **{name: visit[name] for name in _copied_members if name in visit}}
    if "additivity" in visit:
        line["additive"] = visit["additivity"]["additive"]
    line["visits"] = len(visit["estimates"])
    line["states"] = [
        {
            **estimate,
            "visits": 1,
            "status": visit["status"],
            "reason": visit.get("reason", ""),
            "by_visit": [[1, estimate["cost_ns"]["value"], estimate["rounds"]]],
        }
        for estimate in visit["estimates"]
    ]
    return line


def members_of(**axes: Any) -> dict[str, Any]:
    """A point's members with the axes that every point has."""
    members = {"order": "relaxed", "affinity": "none", "wait": "active", "stride_bytes": 0, **axes}
    return {name: value for name, value in members.items() if value is not None}


def with_repeats(lines: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The lines with `repeat` counting those whose points are otherwise the same."""
    repeats: dict[str, int] = {}
    result = []
    for line in lines:
        point: Point = point_from(line["point"])
        repeat = repeats.get(point.key, 0)
        repeats[point.key] = repeat + 1
        if repeat:
            line = {**line, "point": {**line["point"], "repeat": repeat}}
        result.append(line)
    return result


def write_import(path: Path, campaign: dict[str, Any], lines: list[dict[str, Any]]) -> None:
    """Writes the file, with a line for the point of each visit, or nothing. Raises NotWritten."""
    points = [point_line(line) for line in lines if line["kind"] == "visit"]
    end = {"kind": "end", "reason": "complete", "visits": len(lines)}
    lines = [campaign, *lines, *points, end]
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    write_whole(path, compressed(path, text))
