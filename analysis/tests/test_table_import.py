"""A table that is read as a results file: what it cannot mean is refused by line and column."""

import csv
import io
import subprocess
from pathlib import Path

import pytest

from syncmeter_analysis.command import main
from syncmeter_analysis.formats.export import export
from syncmeter_analysis.formats.table_import import import_table
from syncmeter_analysis.record.driver import find_driver
from syncmeter_analysis.record.errors import Unusable
from syncmeter_analysis.record.tables import statuses
from tests.made import around, point, read, visits, write


@pytest.fixture
def table(tmp_path):
    """Writes the export of two points with some fields of the second changed; its file."""
    lines = [visits(around(5.0), point(type="int32", lanes=n)) for n in (2, 4)]
    text = export(read(write(tmp_path / "f.jsonl", *lines)), "csv", None)

    def changed(**fields):
        rows = list(csv.DictReader(io.StringIO(text)))
        rows[1].update(fields)
        with (tmp_path / "t.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]), extrasaction="ignore")
            writer.writeheader()
            writer.writerows(rows)
        return tmp_path / "t.csv"

    return changed


whole, from_1 = "is not a whole number from 0", "is not a whole number from 1"


@pytest.mark.parametrize(
    ("column", "text", "says"),
    [
        ("lanes", "2.7", from_1),
        ("lanes", "-3", from_1),
        ("lanes", "1e300", from_1),
        ("lanes", "0", from_1),
        ("lanes", "²", from_1),
        ("lanes", "1_0", from_1),
        ("lanes", " 2", from_1),
        ("lanes", "9" * 400, from_1),
        ("blocks", "x", from_1),
        ("blocks", "0", from_1),
        ("stride_bytes", "-4", whole),
        ("device", "0.0", whole),
        ("rounds_kept", "10e3", whole),
        ("cost_ns", "1,5", "is not a number"),
        ("cost_ns", "nan", "is not a number"),
        ("cost_ns", "1.2.3", "is not a number"),
        ("cost_ns", "-e", "is not a number"),
        ("cost_ns", "inf", "is not a number"),
        ("cost_ns", "1e999", "is not a number"),
        ("cost_ns", "5 ns", "is not a number"),
        ("cost_low_ns", "x", "is not a number"),
        ("baseline_ns_per_step", "-1", "is not a number from 0"),
        ("fairness_jain", "most", "is not a number from 0"),
        ("waves", "perhaps", "is not true or false"),
        ("additive", "2", "is not true or false"),
        ("pus", "0 x", "is not a list of PUs"),
        ("pus", "0;1", "is not a list of PUs"),
        ("status", "great", "is none of ok, not_resolved"),
    ],
)
def test_a_field_that_cannot_be_is_refused_by_line_and_column(tmp_path, table, column, text, says):
    with pytest.raises(Unusable) as error:
        import_table(table(**{column: text}), tmp_path / "out.jsonl")
    shown = text if len(text) <= 60 else f"{text[:60]}..."
    prefix = f"{tmp_path}/t.csv, line 3, column {column}: {shown!r} {says}"
    assert str(error.value).startswith(prefix)
    assert not (tmp_path / "out.jsonl").exists()


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"cost_ns": ""}, "line 3, column cost_ns: it is empty, and the status is ok"),
        ({"op": ""}, "line 3, column op: it is empty"),
        ({"cost_low_ns": "6"}, "line 3, column cost_low_ns: 6 leaves out the cost of 5"),
        ({"cost_high_ns": "4"}, "line 3, column cost_high_ns: 4 leaves out the cost of 5"),
        ({"cost_ns": "1e200", "cost_high_ns": ""}, "line 3, a cost_ns of 1e.200 is not possible"),
        ({"ops_per_s_per_lane": "1e-300"}, "line 3, column ops_per_s_per_lane: 1e-300 does not go"),
        ({"op": "a\x1bb"}, r"line 3, op 'a\\x1bb' is not a text of at most 200 printable"),
        ({"backend": "x" * 201}, "line 3, backend 'x.*' is not a text of at most 200"),
    ],
)
def test_what_contradicts_itself_is_refused_by_line(tmp_path, table, fields, says):
    with pytest.raises(Unusable, match=says):
        import_table(table(**fields), tmp_path / "out.jsonl")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda t: t + "omp,x\n", "line 4: 2 fields, and the header has [56][0-9]"),
        (
            lambda t: t.replace("\n", ",7\n", 3).replace(",7", "", 1),
            "line 2: [0-9]+ fields, and the header has [0-9]+",
        ),
        (lambda t: t.replace("family", "op", 1), "line 1: column 'op' is there twice"),
        (lambda t: t.splitlines()[0] + "\n", "is a table without points"),
        (lambda t: t.replace(",", ";"), "is not a table of"),
        (lambda t: t.replace("int32", '"' + "x" * 200_000 + '"'), "cannot be read"),
    ],
)
def test_a_table_of_another_shape_is_refused(tmp_path, table, change, says):
    path = table()
    path.write_text(change(path.read_text()))
    with pytest.raises(Unusable, match=says):
        import_table(path, tmp_path / "out.jsonl")


def test_a_table_without_an_end_is_refused_before_it_fills_the_memory(tmp_path, monkeypatch):
    monkeypatch.setattr("syncmeter_analysis.formats.importing._longest_table", 1 << 20)
    with pytest.raises(Unusable, match="/dev/zero: longer than 1 MiB"):
        import_table(Path("/dev/zero"), tmp_path / "out.jsonl")


def test_a_line_is_counted_as_an_editor_does(tmp_path, table):
    path = table(reason="two\nlines", lanes="x")
    with pytest.raises(Unusable, match="line 4, column lanes"):
        import_table(path, tmp_path / "out.jsonl")


def test_what_a_spreadsheet_puts_in_front_is_no_part_of_the_header(tmp_path, table):
    path = table()
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert import_table(path, tmp_path / "out.jsonl") == ["2 points"]


formulas = ["=1+1", "+cmd|'/C calc'!A0", "-2+3", "@SUM(A1)"]
#: Some spreadsheets also read the full-width signs.
formulas += ["\uff1d1+1", "\uff0b1", "\uff0d2+3", "\uff20SUM(A1)"]


@pytest.mark.parametrize("formula", formulas)
def test_a_text_that_is_a_formula_is_harmless_in_csv_and_comes_back(tmp_path, formula):
    lines = visits(around(5.0), point(formula), family=formula, doubt=formula, imported=True)
    path = write(tmp_path / "f.jsonl", lines, visits([1.0], point("x-1", lanes=3)))
    text = export(read(path), "csv", None)
    (row, other) = csv.DictReader(io.StringIO(text))
    assert [row[name] for name in ("op", "family", "doubt")] == [f"'{formula}"] * 3
    assert not any(v.startswith(("=", "+", "-", "@")) for v in row.values())
    assert other["op"] == "x-1"
    (tmp_path / "t.csv").write_text(text)
    import_table(tmp_path / "t.csv", tmp_path / "back.jsonl")
    (back, _) = read(tmp_path / "back.jsonl").points.values()
    assert (back.point.op, back.family, back.doubt) == (formula,) * 3


def test_pus_that_are_not_bound_are_numbers_in_csv(tmp_path):
    path = write(tmp_path / "f.jsonl", visits(around(5.0), point(lanes=2), pus=[-1, -1]))
    (row,) = csv.DictReader(io.StringIO(export(read(path), "csv", None)))
    assert row["pus"] == "-1 -1"


@pytest.mark.skipif(not find_driver(), reason="SYNCMETER_BIN is not set, no syncmeter on PATH")
def test_the_drivers_table_of_every_status_is_read(tmp_path):
    lines = [
        visits([5.0, 5.1, 4.9], point(f"op_{status}"), status=status)
        for status in statuses
        if status not in ("busy", "interferes", "not_resolved")
    ]
    lines.append(visits([-2.0, -2.1, -1.9], point("interferes")))
    lines.append(visits([-2.0, 2.1, 1.9], point("not_resolved")))
    path = write(tmp_path / "f.jsonl", *lines)
    show = [find_driver(), "show", str(path), "--csv", str(tmp_path / "t.csv")]
    subprocess.run(show, capture_output=True, check=False)
    assert main(["import", "table", str(tmp_path / "t.csv"), "-o", str(tmp_path / "o.jsonl")]) == 0
    assert len({s.status for s in read(tmp_path / "o.jsonl").points.values()}) == 9


def test_of_a_point_in_several_states_the_first_is_imported(tmp_path, table):
    assert import_table(table(headline="false"), tmp_path / "out.jsonl") == ["1 points"]


@pytest.mark.parametrize("status", ["ok", "busy"])
def test_a_measured_point_has_a_cost(tmp_path, table, status):
    with pytest.raises(Unusable, match=f"column cost_ns: it is empty, and the status is {status}"):
        import_table(table(cost_ns="", status=status), tmp_path / "out.jsonl")


def test_points_of_one_measurement_stay_one(tmp_path, table):
    first = next(iter(read(table(lanes="2").with_name("f.jsonl")).points))
    import_table(table(measured_as=first), tmp_path / "out.jsonl")
    points = read(tmp_path / "out.jsonl").points
    assert [s.measured_as for s in points.values()] == ["", first]
