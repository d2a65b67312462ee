"""The command: exit statuses, one sentence for a mistake, and never a traceback."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from syncmeter_analysis.command import main
from syncmeter_analysis.record.text_file import text_of
from tests.made import around, campaign, point, visits, write


@pytest.fixture
def file(tmp_path):
    return str(write(tmp_path / "f.jsonl", visits(around(5.0), point(type="int32"))))


@pytest.mark.parametrize("command", ["html", "md", "claims", "share", "export"])
@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "is empty"),
        ("x", "no line of JSON"),
        ('{"kind":"campaign","schema":{"major":9}}\n', "schema '9' is not supported"),
    ],
)
def test_bad_files_are_one_sentence_and_status_2(
    tmp_path, capsys, monkeypatch, command, content, says
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f.jsonl").write_text(content)
    assert main([command, "f.jsonl"]) == 2
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1


def test_compare_ends_with_what_it_found(tmp_path, capsys, file):
    slower = str(write(tmp_path / "g.jsonl", visits(around(9.0), point(type="int32"))))
    other = campaign()
    other["machine"] = {**other["machine"], "cpu_model": "Other"}
    foreign = str(
        write(tmp_path / "h.jsonl", visits(around(9.0), point(type="int32")), first=other)
    )
    assert main(["compare", file, file]) == 0
    assert main(["compare", file, slower]) == 1
    assert main(["compare", slower, file]) == 0
    assert main(["compare", file, slower, "--threshold", "90%"]) == 0
    assert main(["compare", file, foreign]) == 2
    assert main(["compare", file]) == 2
    assert main(["compare", file, slower, "--across", "colour"]) == 2
    assert "'colour' is not an axis" in capsys.readouterr().err


def test_a_figure_is_drawn_by_its_ending(tmp_path, capsys, file):
    slower = str(write(tmp_path / "g.jsonl", visits(around(9.0), point(type="int32"))))
    assert main(["compare", file, slower, "--figure", str(tmp_path / "x.svg")]) == 1
    assert (tmp_path / "x.svg").read_text().startswith("<svg")
    assert main(["compare", file, slower, "--figure", str(tmp_path / "x.gif")]) == 2


def test_html_writes_a_page_and_says_where(tmp_path, capsys, file):
    out = tmp_path / "r.html"
    assert main(["html", file, "-o", str(out)]) == 0
    assert f"written: {out}" in capsys.readouterr().out
    assert main(["html", file, "-o", str(tmp_path / "no" / "r.html")]) == 2


def test_wrong_usage_is_status_2(capsys):
    for arguments in ([], ["paint"], ["compare"], ["compare", "a", "b", "--threshold", "x"]):
        with pytest.raises(SystemExit) as end:
            main(arguments)
        assert end.value.code == 2


def test_a_closed_pipe_is_no_traceback(tmp_path, file):
    command = [sys.executable, "-m", "syncmeter_analysis.command", "claims", "--all", file]
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    run.stdout.close()
    assert b"Traceback" not in run.stderr.read()
    run.wait()


def test_without_its_packages_a_page_says_which_one_it_needs(file):
    folder = Path(__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-S", "-m", "syncmeter_analysis.command", "html", file],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert "'html' needs the Python package" in done.stderr
    assert "Traceback" not in done.stderr


_without_packages = """
import sys
sys.modules.update(dict.fromkeys(("jinja2", "vl_convert")))
from syncmeter_analysis.command import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize(
    "words",
    [
        ["text", "a.jsonl"],
        ["md", "a.jsonl"],
        ["claims", "a.jsonl"],
        ["share", "a.jsonl"],
        ["export", "a.jsonl"],
        ["compare", "a.jsonl", "a.jsonl"],
        ["compare", "--by", "backend", "a.jsonl"],
        ["fleet", "a.jsonl", "a.jsonl", "a.jsonl"],
    ],
    ids=" ".join,
)
def test_what_prints_text_needs_python_only(tmp_path, words):
    measured = Path(__file__).parent / "data" / "portability.jsonl.xz"
    (tmp_path / "a.jsonl").write_bytes(text_of(measured))
    done = subprocess.run(
        [sys.executable, "-c", _without_packages, *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
        timeout=60,
    )
    assert done.returncode in (0, 1), done.stderr
    assert not done.stderr


@pytest.mark.parametrize(
    "command",
    [
        [],
        ["html"],
        ["md"],
        ["text"],
        ["claims"],
        ["compare"],
        ["fleet"],
        ["share"],
        ["export"],
        ["import"],
    ],
)
def test_help_keeps_to_80_columns(capsys, monkeypatch, command):
    monkeypatch.delenv("COLUMNS", raising=False)
    with pytest.raises(SystemExit) as end:
        main([*command, "--help"])
    lines = capsys.readouterr().out.splitlines()
    assert end.value.code == 0 and lines
    assert [line for line in lines if len(line) > 80] == []
