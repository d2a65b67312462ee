"""CONTRIBUTING.md lists the parts of CI as `.ci/run` has them."""

import subprocess

from documents import ROOT


def rows(text):
    """Returns the cells of each table row except the seconds."""
    cells = [[cell.strip() for cell in line.split("|")] for line in text.splitlines() if line.startswith("| ")]
    return [row[1:3] + row[4:5] for row in cells if len(row) == 6]


def test_the_page_lists_each_part_and_the_command_that_repeats_it():
    parts = rows(subprocess.run([ROOT / ".ci/run", "--list"], capture_output=True, text=True, timeout=60, check=True).stdout)
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## What CI checks")[2].partition("\n## ")[0]
    assert len(parts) > 8
    assert [row for row in rows(page) if row[0] != "all"] == parts
