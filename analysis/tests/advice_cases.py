"""Stored files of `syncmeter advise`, and the report of one."""

import json
from pathlib import Path

import pytest

from syncmeter_analysis.record.advice_file import read_advice
from syncmeter_analysis.render.advice import advice_report, as_text
from tests.test_results_schema import lines_of

DATA = Path(__file__).parent / "data" / "advise"
STORED = sorted(DATA.glob("*.jsonl.xz"))
stored = pytest.mark.parametrize("path", STORED, ids=lambda path: path.name)


def named(name):
    return lines_of(DATA / f"{name}.jsonl.xz")


def written(path, lines):
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def report_of(path):
    return advice_report(read_advice(path))


def text_of(path):
    return " ".join(as_text(report_of(path)).split())
