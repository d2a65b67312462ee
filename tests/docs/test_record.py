"""Compares the reference pages and the protocol schema with record/ and the rules for advise."""

import json
import re

import pytest
from documents import REFERENCE, ROOT

ROW = re.compile(r'^SM_(AXIS|MEMBER)\((.*), "([^"]*)"\)$', re.M)


def rows(table):
    """(name, the fields between name and words, words) of each row."""
    for _, fields, words in ROW.findall((ROOT / "record" / f"{table}.def").read_text(encoding="utf-8")):
        name, *rest = fields.split(", ")
        yield name, rest, words.replace(".def", "")


def test_the_page_of_causes_has_each_rule_of_the_driver():
    rules = re.findall(r'^SM_RULE\((\w+), .*, "([\w-]*)"\)$', (ROOT / "driver/advise/rules.def").read_text(encoding="utf-8"), re.M)
    assert len(rules) > 20
    rows_of_page = [line for line in (REFERENCE / "advise-causes.md").read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    for rule, study in rules:
        (row,) = (line for line in rows_of_page if f"(`{rule}`)" in line)
        assert not study or f"(studies/{study}.md)" in row


def test_each_table_of_a_file_is_in_the_reference():
    shown = " ".join(path.read_text(encoding="utf-8") for path in REFERENCE.glob("*.md"))
    shown_tables = set(re.findall(r"<!-- begin: (?:record|kinds) (\w+)", shown))
    tables = {path.stem for path in (ROOT / "record").rglob("*.def")}
    assert tables - {"experiments"} == shown_tables


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
