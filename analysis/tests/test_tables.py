"""The description of a results file in record/, as the package reads it."""

from dataclasses import fields

import pytest

from syncmeter_analysis.formats.columns import columns
from syncmeter_analysis.formats.share import rules
from syncmeter_analysis.record import tables
from syncmeter_analysis.record.point import Point


def test_a_point_has_the_axes_of_the_table_in_its_order():
    assert [f.name for f in fields(Point)] == [*(axis.name for axis in tables.axes), "others"]


def test_every_axis_with_a_column_has_one():
    names = {column.name for column in columns}
    assert {axis.column for axis in tables.axes if axis.column} <= names


def test_every_member_that_may_be_shared_has_a_rule():
    by_kind = rules(str)
    for kind, table in (("visit", tables.visit_members), ("point", tables.point_members)):
        assert {name for name, member in table.items() if member.shared} <= set(by_kind[kind])


def test_a_row_of_another_shape_is_an_error(tmp_path, monkeypatch):
    (tmp_path / "x.def").write_text("// words\nSM_MEMBER(a, whole)\n#undef SM_MEMBER\n")
    monkeypatch.setattr(tables, "_folder", tmp_path)
    with pytest.raises(ValueError, match=r"x\.def: no row of a table: SM_MEMBER\(a, whole\)"):
        list(tables._rows("x"))
