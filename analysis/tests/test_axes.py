"""The axes of a point are those of the driver's table, here and in every table of columns."""

import re
from dataclasses import fields
from pathlib import Path

from syncmeter_analysis.formats.columns import columns
from syncmeter_analysis.record.point import Point

table = Path(__file__).parents[2] / "record" / "axes.def"
axes = re.findall(r'SM_AXIS\((\w+),', table.read_text())


def test_a_point_has_the_axes_of_the_table_in_its_order():
    ours = [field.name for field in fields(Point)]
    assert len(axes) > 20
    assert [name for name in ours if name not in ("stride_bytes", "others")] == axes


def test_every_axis_has_a_column():
    names = {column.name for column in columns}
    units = {"stride": "stride_elements", "base_offset": "base_offset_bytes"}
    assert [axis for axis in axes if units.get(axis, axis) not in names] == []
