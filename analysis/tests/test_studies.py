"""The frame of the studies: its registry, its tables, and `text` on bare Python."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from syncmeter_analysis import studies
from syncmeter_analysis.command import main
from syncmeter_analysis.record.errors import Unusable
from syncmeter_analysis.render.terminal import as_plain
from syncmeter_analysis.studies import sections
from syncmeter_analysis.studies.blocks import Bullets, Cell, Table, Text, as_markdown
from tests.made import around, campaign, point, read, visits, write
from tests.test_false_sharing import line_of_64, visits_at

PACKAGE = Path(studies.__file__).parent


def test_every_study_is_found_has_a_place_of_its_own_and_offers_what_is_asked_of_it():
    helpers = {
        "__init__",
        "blocks",
        "cells",
        "constructs",
        "figures",
        "forks",
    }
    helpers |= {
        "block_barriers",
        "both_clocks",
        "decisions",
        "device_barriers",
        "grid_barriers",
        "pairs",
        "screen",
        "spin_settings",
        "strides",
        "work_that_pays",
    }
    files = {p.stem for p in PACKAGE.glob("*.py")} - helpers
    assert files == {name.replace("-", "_") for name in studies.names()}
    assert len({studies.study(name).order for name in studies.names()}) == len(studies.names())
    for name in studies.names():
        module = studies.study(name)
        assert module.title
        assert callable(module.rows)
        assert callable(module.text)


def test_another_study_is_refused_by_name():
    with pytest.raises(Unusable, match="--study: 'nonsense' is not a study; there are: "):
        studies.study("nonsense")


def cells(*rows):
    return [[Cell(text) for text in row] for row in rows]


def test_a_table_on_a_terminal_is_aligned_and_leaves_empty_columns_out():
    table = Table(
        "", ["op", "none", "ns"], cells(["a", "", "1.5"], ["long", "", "10.25"]), right=[2]
    )
    assert as_plain("T", [table]) == "T\n\nop       ns\na       1.5\nlong  10.25"


def test_a_long_table_repeats_its_header():
    table = Table("", ["n"], cells(*[[str(i)] for i in range(5)]), repeat=2)
    assert as_plain("T", [table]).split() == ["T", *["n", "0", "1", "n", "2", "3", "n", "4"]]


def test_blocks_in_markdown_take_nothing_of_theirs_for_markup():
    blocks = [
        Text("run `a|b` *now*"),
        Bullets(["x < y"]),
        Table("", ["a|b"], cells(["1"]), right=[0]),
    ]
    assert as_markdown("T", blocks).splitlines() == [
        "## T",
        "",
        "run `a|b` \\*now\\*",
        "",
        "- x \\< y",
        "",
        "| a\\|b |",
        "| ---: |",
        "| 1 |",
    ]


def test_text_needs_python_only(tmp_path):
    path = write(tmp_path / "f.jsonl", visits_at(line_of_64))
    done = subprocess.run(
        # -S: without site-packages.
        [sys.executable, "-S", "-m", "syncmeter_analysis.command", "text", str(path)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(PACKAGE.parents[1])},
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("False sharing: Test CPU, 16 CPUs, Debian 12\n")
    assert "64 bytes apart" in done.stdout


@pytest.mark.parametrize("study", ["false-sharing", "quick"])
def test_what_a_study_left_out_is_told_of_its_own_campaign(tmp_path, study):
    first = campaign(options={"study": study}, left_out="uint32; other types")
    path = write(tmp_path / "f.jsonl", visits_at(line_of_64), first=first)
    (section,) = sections(read(path))
    text = as_plain(section.title, section.blocks)
    assert text.endswith("- left out by the study: uint32; other types") == (study != "quick")


def test_text_of_one_study_in_markdown(tmp_path, capsys):
    path = write(tmp_path / "f.jsonl", visits_at(line_of_64))
    assert main(["text", str(path), "--study", "false-sharing", "--format", "markdown"]) == 0
    assert capsys.readouterr().out.startswith("## False sharing\n")


def test_text_of_other_points_says_what_there_is(tmp_path, capsys):
    failed = visits(around(5.0), point(), status="failed", reason="wrong value 3")
    path = write(tmp_path / "f.jsonl", failed)
    assert main(["text", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "No recommendation: the measurements decide nothing." in shown
    assert "1 configuration failed (wrong value 3)." in " ".join(shown.split())
    assert main(["text", str(path), "--study", "false-sharing"]) == 2
    assert "f.jsonl: no points of the study false-sharing" in capsys.readouterr().err
