"""Conclusions of every stored campaign with locks: consistent figures, no contradiction, equal
formats."""

import json
import math
import re
from dataclasses import fields
from functools import cache
from itertools import combinations
from pathlib import Path

import jsonschema
import pytest

from syncmeter_analysis.command import main
from syncmeter_analysis.conclude import conclusion as types
from syncmeter_analysis.conclude.conclusion import Conclusion, Grade, Kind
from syncmeter_analysis.conclude.reliability import Reliability
from syncmeter_analysis.formats.schema import conclusions_schema
from syncmeter_analysis.record import tables
from syncmeter_analysis.record.text_file import text_of, without_suffixes
from syncmeter_analysis.relate.campaign import read_campaign
from syncmeter_analysis.relate.contest import contest
from syncmeter_analysis.relate.lock_tables import situations, tables_of
from syncmeter_analysis.relate.op_groups import spins
from syncmeter_analysis.studies import sections
from tests.made import point, visits, write

ROOT = Path(__file__).parents[2]
FILES = [
    *(ROOT / "docs/measurements").glob("*.jsonl.xz"),
    *(ROOT / "analysis/tests/data").glob("*.xz"),
]
WITH_LOCKS = [path for path in sorted(FILES) if re.search(rb'"op":"\w*lock_add"', text_of(path))]

stored = pytest.mark.parametrize("path", WITH_LOCKS, ids=without_suffixes)


@cache
def campaign_of(path):
    return read_campaign([str(path)])


@cache
def section_of(path):
    found = sections(campaign_of(path), ["locks"])
    return found[0] if found else None


def concluded(path):
    section = section_of(path)
    return list(section.conclusions) if section else []


def test_files_with_locks_are_stored():
    assert sum(bool(concluded(path)) for path in WITH_LOCKS) >= 8
    assert {"use", "keep", "any", "avoid", "undecided"} == {
        str(c.kind) for path in WITH_LOCKS for c in concluded(path)
    }


# The type and its description


@pytest.mark.parametrize(
    "kind, table",
    [
        (Conclusion, "conclusion_members"),
        (Reliability, "reliability_members"),
    ],
)
def test_a_type_has_the_members_of_its_table(kind, table):
    found = getattr(tables, table)
    assert {f.name for f in fields(kind)} == set(found)
    inner = {"situation": "Situation", "subjects": "Subject", "reference": "Subject"}
    inner |= {"effect": "Effect", "costs": "Cost", "conditions": "Condition", "reason": "Condition"}
    for name, member in found.items():
        if member.of:
            of = getattr(types, inner[name])
            assert {f.name for f in fields(of)} == set(member.of), name


def test_kinds_and_grades_are_those_of_the_record():
    assert tuple(map(str, Kind)) == tables.conclusion_kinds
    assert tuple(map(str, Grade)) == tables.conclusion_grades


# Decisions


@stored
def test_a_kept_lock_is_not_shown_to_be_slower_and_another_is_used_only_if_it_is(path):
    """relate/ names the leaders: locks without a shown difference to the fastest. In a virtual machine
    a default that sleeps is kept if only spinning locks are faster."""
    campaign = campaign_of(path)
    contests = list(situations(campaign))
    for _, points, source in campaign.parts():
        for table in tables_of(points, source):
            contests += [one for one in (table.alone, table.shared) if one]
    known = {s.id: one for one in contests for s in one.points}
    for c in concluded(path):
        if c.question != "lock" or c.reference is None or c.kind is Kind.undecided:
            continue
        one = known[c.reference.point]
        if c.condition("reserved_cpus"):
            one = contest(s for s in one.points if not spins(s.point.op))
        leaders = {s.id for s in one.leaders}
        if c.kind is Kind.use:
            assert c.reference.point not in leaders
        elif leaders & {s.id for s in one.points if s.point.backend == c.reference.backend}:
            assert c.reference.point in leaders


@stored
def test_a_virtual_machine_uses_no_spinning_lock_if_another_lock_was_measured(path):
    if not campaign_of(path).machine.hypervisor:
        return
    ops = {s.id: s.point.op for s in campaign_of(path).points.values()}
    for c in concluded(path):
        if c.kind in (Kind.use, Kind.keep, Kind.any) and c.reference and c.costs:
            assert not spins(ops[c.subjects[0].point]), c


@stored
def test_no_two_conclusions_of_a_file_contradict_each_other(path):
    found = concluded(path)
    for a, b in combinations(found, 2):
        if a.situation != b.situation and Kind.avoid not in (a.kind, b.kind):
            continue
        advised = [{s.name for s in c.subjects} for c in (a, b)]
        if Kind.avoid in (a.kind, b.kind) and Kind.undecided not in (a.kind, b.kind):
            assert not advised[0] & advised[1], (a, b)
        elif a.question == b.question and a.reference == b.reference:
            pytest.fail(f"two answers to one question: {a} {b}")
        elif a.question == b.question == "lock":
            # A lock for one reader to use is a lock for another reader to keep.
            for x, y in ((a, b), (b, a)):
                if x.kind is Kind.use and y.reference and x.subjects[0].name == y.reference.name:
                    assert y.kind in (Kind.keep, Kind.any, Kind.undecided), (a, b)


# Screens


def number(text):
    found = re.search(r"[\d,]+\.?\d*", text)
    return float(found[0].replace(",", "")) if found else math.nan


@stored
def test_printed_ratios_follow_from_the_printed_costs(path):
    section = section_of(path)
    checked = 0
    for grid in section.screen.grids if section else ():
        columns = [c.replace("\u200b", "") for c in grid.columns]
        for row in grid.rows:
            texts = dict(zip(columns, (f.text for f in row), strict=True))
            gain = texts["gain, x"]
            if "now" in texts:
                mine, chosen = (number(row[i].text) for i in (2, 4))
            else:
                marked = [f for f in row if f.chosen and f.text.strip("* ")]
                if not marked or not gain[:1].isdigit():
                    continue
                chosen = number(marked[0].text)
                default = next(n for n in columns if n in ("std::mutex", "omp critical"))
                mine = number(texts[default])
            if not gain[:1].isdigit():
                continue
            checked += 1
            low, _, high = gain.partition("-")
            if high:
                assert number(low) * 0.96 <= mine / chosen <= number(high) * 1.04
            else:
                assert number(low) == pytest.approx(mine / chosen, rel=0.05)
    assert checked or not section or section.reliability.grade == "poor"


@stored
def test_each_conclusion_has_a_row_and_a_sentence(path):
    section = section_of(path)
    if section is None:
        return
    screen = section.screen
    rows = sum(len(g.rows) for g in screen.grids)
    kept = [c for c in section.conclusions if c.kind in (Kind.keep, Kind.any) and c.reference]
    others = [c for c in section.conclusions if c not in kept and c.kind is not Kind.avoid]
    others = [c for c in others if c.question != "lock_unknown"]
    assert len(others) <= rows <= len(others) + len(kept)
    for grid in screen.grids:
        if "now" in grid.columns:
            assert all(row[1].text != row[3].text for row in grid.rows)
    assert len(screen.answers) == len(section.conclusions)


def test_the_command_prints_the_conclusions_as_json(tmp_path, capsys):
    path = ROOT / "docs/measurements/xeon-2-vcpu-locks.jsonl.xz"
    assert main(["text", str(path), "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    jsonschema.validate(found, conclusions_schema())
    assert [study["study"] for study in found["studies"]] == ["locks"]
    without = write(tmp_path / "f.jsonl", visits([5.0], point("fence")))
    assert main(["text", str(without), "--format", "json"]) == 2
    assert "--format json" in capsys.readouterr().err
