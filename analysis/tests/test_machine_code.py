"""What an op compiled to is told without what is around it."""

import re
from pathlib import Path

from syncmeter_analysis.relate.summary import bookkeeping, code_of


def test_bookkeeping_is_left_out():
    per_op = {"lock_add": 1.0, "cas": 0.5, "ret": 0, **dict.fromkeys(bookkeeping, 2)}
    assert code_of({"per_op": per_op}) == "cas 0.5, lock_add 1"
    assert code_of(None) == code_of({}) == code_of({"per_op": 3}) == ""


def test_it_is_what_the_driver_takes_for_bookkeeping():
    source = (Path(__file__).parents[2] / "driver" / "census" / "rule" / "census.cpp").read_text()
    functions = re.findall(r"bool is_(?:bookkeeping|ignored)\(.*?\}", source, re.S)
    assert {n for f in functions for n in re.findall(r'name == "(\w+)"', f)} == bookkeeping
