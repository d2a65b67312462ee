"""JSON Schema (draft 2020-12) for the lines of results files and `syncmeter advise`, and for
conclusions, made from the tables in record/. Readers ignore unknown members and lines."""

from __future__ import annotations

import math
from typing import Any

from syncmeter_analysis.record import tables

Schema = dict[str, Any]

_point: Schema = {"$ref": "#/$defs/axes"}
_number: Schema = {"type": ["number", "null"]}
_interval: Schema = {
    "type": "object",
    "required": ["value"],
    "properties": {"value": {"type": "number"}, "low": _number, "high": _number},
}
#: The schema of a member by its kind, before its bounds; `index` and `verdict` may be none.
_kinds: dict[str, Schema] = {
    "number": _number,
    "whole": {"type": "integer"},
    "index": {"type": ["integer", "null"]},
    "flag": {"type": "boolean"},
    "verdict": {"type": ["boolean", "null"]},
    "text": {"type": "string"},
    "status": {"enum": list(tables.statuses)},
    "point": _point,
    "interval": _interval,
}
#: The kinds that hold several numbers, each with the keyword for their schema and the kind of each.
_several = {
    "wholes": ("array", "items", "whole"),
    "numbers": ("array", "items", "number"),
    "texts": ("array", "items", "text"),
    "counts": ("object", "additionalProperties", "whole"),
}
_axis_types = {int: "integer", bool: "boolean", tuple: "array"}


def results_schema() -> Schema:
    """The schema of one line: in `$defs` each kind of line that a table describes."""
    lines = {
        "visit": _line(_object(tables.visit_members)),
        "point": _line(_object(tables.point_members)),
        "same": _line({"properties": {"measured_as": _point}}, "measured_as"),
        "refused": _line({"properties": {"status": _kinds["status"]}}),
        "end": _object(tables.end_members),
    }
    of_points = {
        "axes": {
            "type": "object",
            "required": ["backend", "op"],
            "properties": {axis.name: _axis(axis) for axis in tables.axes},
        }
    }
    return _one_of(lines, "kind", "A line of a results file of syncmeter", of_points)


def advise_schema() -> Schema:
    """The schema of one line of a file of `syncmeter advise`."""
    lines = {name: _object(table) for name, table in tables.advise_records.items()}
    return _one_of(lines, "record", "A line of a file of syncmeter advise", {})


def conclusions_schema() -> Schema:
    """Returns the schema for `syncmeter-report text --format json`."""
    conclusion = _object(tables.conclusion_members)
    for name, values in (("kind", tables.conclusion_kinds), ("grade", tables.conclusion_grades)):
        conclusion["properties"][name] |= {"enum": list(values)}
    study = {
        "type": "object",
        "required": ["study", "reliability", "conclusions"],
        "properties": {
            "study": _kinds["text"],
            "arm": _kinds["text"],
            "reliability": {"$ref": "#/$defs/reliability"},
            "conclusions": {"type": "array", "items": {"$ref": "#/$defs/conclusion"}},
        },
    }
    recommendation = {
        "type": "object",
        "required": ["study", "conclusion"],
        "properties": {
            "study": _kinds["text"],
            "conclusion": {"$ref": "#/$defs/conclusion"},
        },
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "What studies of syncmeter conclude",
        "type": "object",
        "required": ["schema", "version", "machine", "files", "studies", "recommendations"],
        "properties": {
            "schema": {"const": 1},
            "version": _kinds["text"],
            "machine": _kinds["text"],
            "files": {"type": "array", "items": _kinds["text"]},
            "studies": {"type": "array", "items": study},
            "recommendations": {"type": "array", "items": recommendation},
            "further": _kinds["whole"],
            "undecided": _kinds["whole"],
        },
        "$defs": {"conclusion": conclusion, "reliability": _object(tables.reliability_members)},
    }


def _one_of(lines: dict[str, Schema], member: str, title: str, definitions: Schema) -> Schema:
    """Of a line whose `member` says which of `lines` it is."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        "type": "object",
        "required": [member],
        "properties": {member: {"type": "string"}},
        "allOf": [
            {"if": {"properties": {member: {"const": each}}}, "then": {"$ref": f"#/$defs/{each}"}}
            for each in lines
        ],
        "$defs": {**lines, **definitions},
    }


def _line(found: Schema, *required: str) -> Schema:
    """A line that is about a point."""
    members = {"point": _point, **found["properties"]}
    return {**found, "required": ["point", *required], "properties": members}


def _axis(axis: tables.Axis) -> Schema:
    found: Schema = {"type": _axis_types.get(axis.kind, "string"), "description": axis.words}
    if axis.kind is int:
        found["minimum"] = axis.least
    if axis.kind is tuple:
        found["items"] = {"type": "integer"}
    return found


def _object(table: tables.Table) -> Schema:
    members = {
        name: {**_or_null(_member(member.kind, member), member), "description": member.words}
        for name, member in table.items()
    }
    required = {"required": list(table.required)} if table.required else {}
    return {"type": "object", **required, "properties": members}


def _or_null(found: Schema, member: tables.Member) -> Schema:
    """Null is for what may be null, and for numbers that a line may lack as well."""
    if not member.required and not member.may_be_null:
        return found
    types = found["type"] if isinstance(found["type"], list) else [found["type"]]
    kept = [each for each in types if each != "null"]
    return {**found, "type": kept if member.required else [*kept, "null"]}


def _member(kind: str, member: tables.Member) -> Schema:
    if kind in _several:
        of_all, keyword, of_each = _several[kind]
        return {"type": of_all, keyword: _member(of_each, member)}
    if kind in ("object", "objects"):
        each = _object(member.of) if member.of else {}
        return {"type": "object", **each} if kind == "object" else {"type": "array", "items": each}
    found = dict(_kinds[kind])
    if kind in ("number", "whole", "index"):
        bounds = {"minimum": member.least, "maximum": member.most}
        found |= {name: bound for name, bound in bounds.items() if math.isfinite(bound)}
    return found
