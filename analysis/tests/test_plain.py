"""Text for a terminal: nothing is wider than it, nothing is lost, colours can be read."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from syncmeter_analysis.record.text_file import without_suffixes
from syncmeter_analysis.relate.campaign import read_campaign
from syncmeter_analysis.render.terminal import as_plain, table_plain
from syncmeter_analysis.studies import sections
from syncmeter_analysis.studies.blocks import Bullets, Cell, Table, Text

DATA = sorted((Path(__file__).parent / "data").glob("*.jsonl.xz"))


def table(columns, *rows, caption="", **more):
    return Table(caption, columns, [[Cell(text) for text in row] for row in rows], **more)


@pytest.mark.parametrize("file", DATA, ids=without_suffixes)
def test_measured_studies_fit_80_columns_and_lose_no_figure(file):
    for shown in sections(read_campaign([file])):
        lines = as_plain(shown.title, shown.blocks, width=80).splitlines()
        assert max(map(len, lines)) <= 80, max(lines, key=len)
        printed = {word.strip(",;") for word in " ".join(lines).split()}
        for block in shown.blocks:
            if isinstance(block, Table):
                kept = [i for i in range(len(block.columns)) if i not in block.spare]
                words = {w for row in block.rows for i in kept for w in row[i].whole.split()}
                assert {w.strip(",;") for w in words} <= printed


def test_a_table_that_fits_is_printed_as_it_is():
    narrow = table(["op", "ns"], ["a", "1"], ["b", "1"], right=[1])
    assert table_plain(narrow, width=80) == table_plain(narrow) == "op  ns\na    1\nb    1"


def test_what_all_rows_share_goes_to_the_heading_of_a_table_that_is_too_wide():
    wide = table(["backend", "op", "ns"], ["omp", "a", "1"], ["omp", "b", "2"], caption="Costs")
    assert table_plain(wide, width=10) == "Costs; all\nrows:\nbackend\nomp\nop  ns\na   1\nb   2"


def test_long_remarks_stand_below_their_table():
    wide = table(["op", ""], ["add", "not comparable: other placement"], ["sub", "busy"])
    lines = table_plain(wide, width=20).splitlines()
    assert lines == [
        "op",
        "add  [1]",
        "sub  [2]",
        "[1] not comparable:",
        "other placement",
        "[2] busy",
    ]


def test_names_of_columns_break_before_anything_is_left_out():
    wide = table(["warps synchronized", "ns"], ["1", "2"], ["3", "4"], right=[0, 1], spare=[1])
    assert table_plain(wide, width=18).splitlines()[:2] == ["       warps", "synchronized  ns"]


def test_a_spare_column_goes_only_where_the_rest_fits_without_it():
    rows = [["first", "10000", "fair"], ["second", "20000", "unfair"]]
    wide = table(["op", "ns", "how"], *rows, right=[1], spare=[2])
    assert table_plain(wide, width=14).splitlines() == [
        *("op         ns", "first   10000", "second  20000"),
        *("Left out for", "the width: how", "(--wide shows", "all)"),
    ]
    assert "unfair" in table_plain(wide, width=9)


def test_what_is_still_too_wide_goes_on_below_with_the_names_of_its_rows():
    columns = ["op", "1 lane", "95 % CI", "2 lanes", "95 % CI"]
    rows = ["add", "1", "0..2", "3", "2..4"], ["sub", "5", "4..6", "7", "6..8"]
    wide = table(columns, *rows, right=range(1, 5))
    assert table_plain(wide, width=24).splitlines() == [
        *("op   1 lane  95 % CI", "add       1     0..2", "sub       5     4..6"),
        "",
        *(
            "op   2 lanes  95 % CI",
            "add        3     2..4",
            "sub        7     6..8",
        ),
    ]


def test_columns_that_name_a_row_come_again_with_what_stands_below():
    columns = ["lanes", "late us", "omp active", "std active"]
    wide = table(
        columns, ["2", "0", "345.1", "623.7"], ["64", "1", "266.7", "4362"], right=range(4), keys=2
    )
    assert table_plain(wide, width=22).splitlines()[5:] == [
        *(
            "       late     std",
            "lanes    us  active",
            "    2     0   623.7",
            "   64     1    4362",
        ),
    ]


def test_texts_break_inside_their_column():
    wide = table(
        ["op", "compiled to"], ["add", "branch 1, load 1, lock_cmpxchg 1"], ["b", "load 1"]
    )
    assert table_plain(wide, width=30).splitlines() == [
        *("op   compiled to", "add  branch 1, load 1,", "       lock_cmpxchg 1", "b    load 1"),
    ]


def test_prose_is_wrapped_and_bullets_are_indented():
    blocks = [Text("one two three four"), Bullets(["five six seven eight"])]
    assert (
        as_plain("T", blocks, width=12)
        == "T\n\none two\nthree four\n\n- five six\n  seven\n  eight"
    )
    assert as_plain("T", blocks) == "T\n\none two three four\n\n- five six seven eight"


def test_titles_and_names_are_bold_where_there_are_colours():
    printed = as_plain("Locks", [table(["op"], ["add"])], coloured=True)
    assert printed == "\x1b[1mLocks\x1b[0m\n\n\x1b[1mop\x1b[0m\nadd"


def report(*words):
    return subprocess.run(
        [sys.executable, "-m", "syncmeter_analysis.command", *map(str, words)],
        capture_output=True,
        text=True,
        env={**os.environ, "COLUMNS": "200"},
        timeout=60,
        check=True,
    ).stdout


def test_what_is_not_for_a_terminal_has_80_columns_and_no_colours_unless_wide_is_asked_for():
    file = Path(__file__).parent / "data" / "xeon-64-vcpu-locks.jsonl.xz"
    narrow, wide = (report("text", file, *more) for more in ([], ["--wide"]))
    assert max(map(len, narrow.splitlines())) <= 80
    assert "\x1b" not in narrow
    assert max(map(len, report("claims", "--all", file).splitlines())) <= 80
    assert re.search(r"^backend +lock .* slow/fast +over fastest \(95 % CI\)", wide, re.M)
