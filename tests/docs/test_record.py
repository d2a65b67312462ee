"""What the documents and the schema say of lines is what record/ says."""

import json
import re

import pytest
from documents import ROOT

ROW = re.compile(r'^SM_(AXIS|MEMBER)\((.*), "([^"]*)"\)$', re.M)
#: Each table of record/ that docs/results-file.md shows.
TABLES = ("axes", "visit", "estimate", "lane_waits", "point_line", "state", "cpu_use", "programs")


def rows(table):
    """(name, the fields between name and words, words) of each row."""
    for _, fields, words in ROW.findall((ROOT / "record" / f"{table}.def").read_text(encoding="utf-8")):
        name, *rest = fields.split(", ")
        yield name, rest, words.replace(".def", "")


def kind_of(fields):
    return re.sub(r"^std::|^enum |^optional<|<int>|>$", "", fields[0]).replace("optional<value_type", "type")


def markdown(table):
    lines = [f"### {table.replace('_', ' ').capitalize()}", "| member | kind | |", "| --- | --- | --- |"]
    return "\n".join(lines + [f"| `{name}` | {kind_of(fields)} | {words} |" for name, fields, words in rows(table)])


@pytest.mark.parametrize("table", TABLES)
def test_the_table_in_the_document_is_the_one_of_the_record(table):
    shown = (ROOT / "docs/results-file.md").read_text(encoding="utf-8")
    assert markdown(table) in shown, f"docs/results-file.md should have:\n{markdown(table)}"


def test_the_studies_behind_advice_are_those_of_its_rules():
    rules = re.findall(r'^SM_RULE\((\w+), .*, "([\w-]*)"\)$', (ROOT / "driver/advise/rules.def").read_text(encoding="utf-8"), re.M)
    behind = {}
    for rule, study in rules:
        behind.setdefault(study, []).append(rule)
    without = behind.pop("")
    shown = (ROOT / "docs/advise.md").read_text(encoding="utf-8")
    table = "\n".join(f"| [{study}](studies/{study}.md) | {', '.join(of)} |" for study, of in behind.items())
    assert table in shown, f"docs/advise.md should have:\n{table}"
    assert f"None is behind {', '.join(without[:-1])} and {without[-1]}." in " ".join(shown.split())
    assert all(f"**{rule}**" in shown for rule, _ in rules)


@pytest.mark.parametrize("table, definition", [("visit", "visit"), ("estimate", "estimate"), ("op", "op")])
def test_the_schema_of_the_protocol_has_the_bounds_of_the_record(table, definition):
    schema = json.loads((ROOT / "docs/schema/worker-protocol.schema.json").read_text(encoding="utf-8"))["$defs"]
    known = {name: fields for name, fields, _ in rows(table)}
    kinds = {"whole": "integer", "count": "integer", "index": "integer", "number": "number", "flag": "boolean", "text": "string"}
    members = {name: value for name, value in schema[definition]["properties"].items() if name not in ("kind", "id")}
    assert set(members) <= set(known)
    for name, value in members.items():
        found = schema[value["$ref"].rpartition("/")[2]] if "$ref" in value else value
        kind, _, least, most = known[name][:4]
        types = found.get("type", [])
        if kind in kinds and types:
            assert kinds[kind] in ([types] if isinstance(types, str) else types), name
            assert "minimum" not in found or found["minimum"] == float(least), name
            assert "maximum" not in found or found["maximum"] == float(most), name
