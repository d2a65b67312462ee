"""Exports that keep their meaning."""

import csv
import io
import json
import lzma
import subprocess
from pathlib import Path

import pytest

from syncmeter_analysis.formats.columns import columns
from syncmeter_analysis.formats.export import export, google_benchmark
from syncmeter_analysis.formats.table_import import import_table
from syncmeter_analysis.record.driver import find_driver
from syncmeter_analysis.record.errors import Unusable
from tests.made import around, point, read, visits, write

MEASUREMENTS = Path(__file__).parents[2] / "docs" / "measurements"


def test_csv_holds_every_point_with_units(tmp_path):
    c = read(
        write(
            tmp_path / "f.jsonl",
            visits(around(5.0), point(type="int32")),
            visits([1.0], point(lanes=2), status="failed", reason='a "b", c', estimates=[]),
        )
    )
    rows = list(csv.DictReader(io.StringIO(export(c, "csv", None))))
    assert [r["cost_ns"] for r in rows] == ["5.0", ""]
    assert rows[1]["reason"] == 'a "b", c'
    assert {"cost_low_ns", "stride_bytes", "fairness_jain"} <= set(rows[0])


def test_google_benchmarks_json_keeps_name_unit_and_aggregates(tmp_path):
    c = read(
        write(
            tmp_path / "f.jsonl",
            visits([4.0, 5.0, 6.0], point(type="int32", lanes=2)),
            visits([1.0], point(), status="failed", reason="no", estimates=[]),
        )
    )
    document = json.loads(json.dumps(google_benchmark(c)))
    runs = [b for b in document["benchmarks"] if b["run_name"].startswith("omp/atomic_add/int32")]
    assert {b["run_name"] for b in runs} == {
        "omp/atomic_add/int32/lanes:2/order:relaxed/affinity:close"
    }
    assert [b["real_time"] for b in runs if b["run_type"] == "iteration"] == [4.0, 5.0, 6.0]
    aggregates = {b["aggregate_name"]: b["real_time"] for b in runs if b["run_type"] == "aggregate"}
    assert aggregates == pytest.approx({"mean": 5.0, "median": 5.0, "stddev": 1.0, "cv": 0.2})
    assert {b["time_unit"] for b in document["benchmarks"]} == {"ns"}
    (failed,) = [b for b in document["benchmarks"] if b.get("error_occurred")]
    assert failed["error_message"] == "failed: no"


def test_an_exported_table_comes_back_with_its_intervals(tmp_path):
    c = read(
        write(
            tmp_path / "f.jsonl",
            visits(around(5.0), point(type="int32", placement="shared")),
            visits(
                around(2.0), point("fence_between_adds", lanes=2), family="fence", pairing="insert"
            ),
        )
    )
    table = tmp_path / "t.csv"
    export(c, "csv", table)
    import_table(table, tmp_path / "back.jsonl")
    back = read(tmp_path / "back.jsonl")
    for before, after in zip(c.points.values(), back.points.values(), strict=True):
        assert before.point == after.point
        assert after.cost.low == pytest.approx(before.cost.low)
        assert after.inserted == before.inserted


def through_csv(tmp_path, *lines):
    """The points of these lines, and what comes back of their table."""
    c = read(write(tmp_path / "f.jsonl", *lines))
    export(c, "csv", tmp_path / "t.csv")
    import_table(tmp_path / "t.csv", tmp_path / "back.jsonl")
    return c, read(tmp_path / "back.jsonl")


def test_points_that_differ_in_one_axis_stay_apart_in_a_table(tmp_path):
    on = {"lanes": 2, "affinity": "none"}
    points = [
        point("barrier_late", lanes=2),
        point("barrier_late", lanes=2, late_us=5),
        point("barrier_late", lanes=2, late_us=50, repeat=1),
        point("atomic_add", backend="cuda", affinity="none", lanes=64, blocks=9, size=8),
        point("atomic_add", backend="cuda", affinity="none", lanes=64, blocks=9, waves=True),
        point("handoff", pus=[0, 1], **on),
        point("handoff", pus=[0, 3], **on),
        point("handoff", pus=[0, 3], home="first", **on),
        point(placement="strided", type="double", stride=8, base_offset=32, cells=2, lanes=4),
        point("warp_sync", backend="cuda", affinity="none", lanes=32, active=4, scope="block"),
    ]
    lines = [visits(around(5.0 + i), p, pus=p.get("pus", [])) for i, p in enumerate(points)]
    before, after = through_csv(tmp_path, *lines)
    assert len(before.points) == len(points)
    assert [s.point for s in after.points.values()] == [s.point for s in before.points.values()]
    rows = list(csv.reader((tmp_path / "t.csv").open()))
    axes = rows[0].index("status")
    pus = rows[0].index("pus")
    assert len({(*row[:axes], row[pus]) for row in rows[1:]}) == len(points)


def test_what_shares_a_measurement_still_does_behind_a_table(tmp_path):
    one, other = point(lanes=2), point(lanes=2, affinity="spread")
    same = {"kind": "same", "point": other, "measured_as": one, "why": "equal placement"}
    _, after = through_csv(tmp_path, visits(around(5.0), one), same)
    assert len({s.measured_at for s in after.points.values()}) == 1
    assert len(after.points) == 2


def test_a_ring_keeps_its_rate_behind_a_table(tmp_path):
    what = point("handoff", backend="cuda", affinity="none", lanes=32, blocks=132)
    ring = visits(around(500.0, 3), what, device=0, cost_per_lane=True, participants=264)
    before, after = through_csv(tmp_path, ring)
    rates = [next(iter(c.points.values())).ops_per_s_per_lane for c in (before, after)]
    assert rates == pytest.approx([1e9 / 500 / 264] * 2)


@pytest.mark.skipif(not find_driver(), reason="SYNCMETER_BIN is not set, no syncmeter on PATH")
def test_columns_are_the_drivers_and_then_ours(tmp_path):
    path = write(tmp_path / "f.jsonl", visits(around(5.0), point()))
    show = [find_driver(), "show", str(path), "--csv", str(tmp_path / "t.csv")]
    subprocess.run(show, capture_output=True, check=True)
    named = (tmp_path / "t.csv").read_text().splitlines()[0].split(",")
    assert len(named) > 40
    assert [column.name for column in columns[: len(named)]] == named


@pytest.mark.skipif(not find_driver(), reason="SYNCMETER_BIN is not set, no syncmeter on PATH")
@pytest.mark.parametrize(
    "campaign", ["2-vcpu-quick", "h200-quick", "h200-x4-multi-gpu", "xeon-16-vcpu-barrier"]
)
def test_the_drivers_table_of_a_measured_campaign_is_a_results_file_again(tmp_path, campaign):
    with lzma.open(MEASUREMENTS / f"{campaign}.jsonl.xz") as packed:
        (tmp_path / "f.jsonl").write_bytes(packed.read())
    table = tmp_path / "t.csv"
    show = [find_driver(), "show", str(tmp_path / "f.jsonl"), "--csv", str(table)]
    subprocess.run(show, capture_output=True, check=False)
    (report,) = import_table(table, tmp_path / "back.jsonl")
    back = read(tmp_path / "back.jsonl")
    with table.open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row.get("headline") != "false"]
    assert report == f"{len(rows)} points"
    assert len(back.points) == len(rows) > 70
    assert not back.notes
    with_cost = [row for row in rows if row["status"] == "ok" and not row.get("measured_as")]
    assert sum(s.status == "ok" and not s.measured_as for s in back.points.values()) == len(
        with_cost
    )


def test_a_table_without_rates_does_not_say_which_costs_are_marginal(tmp_path):
    (tmp_path / "t.csv").write_text("backend,op,lanes,status,cost_ns\nomp,x,1,ok,2\n")
    import_table(tmp_path / "t.csv", tmp_path / "back.jsonl")
    assert not read(tmp_path / "back.jsonl").measured[0].inserted


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "is not a table"),
        ("a,b\n1,2\n", "is not a table"),
        ("op,lanes,status,cost_ns\nx,1,ok,2\n", "no column backend"),
        ("\x00", "is not a table"),
        (
            "backend,op,lanes,status,cost_ns\nomp,x,1,great,2\n",
            "line 2, column status: 'great' is none of",
        ),
        (
            "backend,op,lanes,status,cost_ns\nomp,x,two,ok,2\n",
            "line 2, column lanes: 'two' is not a whole",
        ),
        (
            "backend,op,lanes,status,cost_ns\nomp,x,-2,ok,2\n",
            "column lanes: '-2' is not a whole number",
        ),
    ],
)
def test_what_is_no_table_is_one_sentence(tmp_path, content, says):
    (tmp_path / "t.csv").write_text(content)
    with pytest.raises(Unusable, match=says):
        import_table(tmp_path / "t.csv", tmp_path / "o.jsonl")
