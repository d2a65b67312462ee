"""What commands write: nothing is written over that someone may need, and a full disk costs nothing."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from syncmeter_analysis.command import main
from syncmeter_analysis.record.output import write_whole
from tests.made import around, campaign, point, visits, write

folder = Path(__file__).parents[1]


def call(command, output="", *more):
    return main([*command.format(output).split(), *more])


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Two results files, a table of one, and the folder of a published one."""
    monkeypatch.chdir(tmp_path)
    shared = [point(type="int32", placement="shared", lanes=n) for n in (1, 2, 4)]
    for name in ("f.jsonl", "old.jsonl"):
        write(Path(name), *(visits(around(5.0), each) for each in shared))
    assert call("export f.jsonl -o t.csv") == 0
    Path("e.txt").write_text("\t2 thread(s)\nFOR overhead = 1.5 microseconds +/- 1.0\n")
    table = Path("published/omp_barrier/runtimes.csv")
    table.parent.mkdir(parents=True)
    table.write_text("omp_barrier\ntype mode,aggregate,2\nint,max,1e-7\n")
    return tmp_path


#: Every way to name a file that is written, and an input of that command.
ways = [
    ("html f.jsonl -o {}", "f.jsonl"),
    ("md f.jsonl -o {}", "f.jsonl"),
    ("export f.jsonl -o {}", "f.jsonl"),
    ("export --format google-benchmark f.jsonl -o {}", "f.jsonl"),
    ("share f.jsonl -o {}", "f.jsonl"),
    ("compare old.jsonl f.jsonl --html {}", "f.jsonl"),
    ("compare f.jsonl old.jsonl --figure {}", "f.jsonl"),
    ("fleet old.jsonl f.jsonl --html {}", "f.jsonl"),
    ("import table t.csv -o {}", "t.csv"),
    ("import epcc e.txt -o {}", "e.txt"),
    ("import syncperformance published -o {}", "published/omp_barrier/runtimes.csv"),
]
commands_without_drawing = [
    command for command, _ in ways[1:] if not command.startswith(("compare", "fleet"))
]
every_way = pytest.mark.parametrize(("command", "source"), ways, ids=[w[0] for w in ways])


@every_way
@pytest.mark.parametrize("link", ["", "symbolic", "hard"])
def test_no_command_writes_over_its_input_not_even_when_forced(
    files, capsys, command, source, link
):
    before = Path(source).read_bytes()
    name = source
    if link:
        name = "link.svg"
        (os.symlink if link == "symbolic" else os.link)(source, name)
    assert call(command, name, "--force") == 2
    assert "is the input file itself" in capsys.readouterr().err
    assert Path(source).read_bytes() == before


@every_way
def test_no_command_writes_over_measured_figures_not_even_when_forced(
    files, capsys, command, source
):
    precious = write(files / "precious.svg", visits([9.0], point()))
    before = precious.read_bytes()
    assert call(command, "precious.svg", "--force") == 2
    assert "precious.svg is a results file, and is not written over" in capsys.readouterr().err
    assert precious.read_bytes() == before


@pytest.mark.parametrize("command", ["html f.jsonl -o {}", *commands_without_drawing])
def test_a_file_that_exists_is_replaced_by_force_only(files, capsys, command):
    Path("kept.svg").write_text("mine")
    assert call(command, "kept.svg") == 2
    assert "kept.svg exists; give another name, or --force to replace it" in capsys.readouterr().err
    assert Path("kept.svg").read_text() == "mine"
    assert call(command, "kept.svg", "--force") == 0
    assert Path("kept.svg").read_bytes() != b"mine"


def test_a_default_name_is_looked_at_too(files):
    before = write(files / "t.jsonl", visits([9.0], point())).read_bytes()
    Path("report.html").write_text("mine")
    Path("f-shared.jsonl").write_text("mine")
    for command in ("import table t.csv", "html f.jsonl", "share f.jsonl"):
        assert call(command) == 2
    assert Path("t.jsonl").read_bytes() == before
    assert Path("report.html").read_text() == Path("f-shared.jsonl").read_text() == "mine"


def test_a_page_is_replaced_by_a_page_and_by_nothing_else(files):
    assert call("html f.jsonl") == 0
    assert call("html f.jsonl") == 0
    assert call("compare f.jsonl old.jsonl --html report.html") == 0
    assert call("html old.jsonl -o report.html") == 0
    page = Path("report.html").read_bytes()
    assert call("export f.jsonl -o report.html") == 2
    assert Path("report.html").read_bytes() == page


@pytest.mark.parametrize("made", ["import table t.csv -o {}", "share f.jsonl -o {}"])
def test_what_can_be_made_again_is_replaced_by_force(files, made):
    assert call(made, "made.jsonl") == 0
    assert call(made, "made.jsonl") == 2
    assert call(made, "made.jsonl", "--force") == 0


def test_figures_that_exist_are_replaced_by_force_only(files):
    Path("figures").mkdir()
    assert call("md f.jsonl --static figures -o report.md") == 0
    drawn = sorted(Path("figures").iterdir())
    assert drawn
    drawn[0].write_text("mine")
    assert call("html f.jsonl --static figures -o other.html") == 2
    assert drawn[0].read_text() == "mine"
    assert not Path("other.html").exists()
    assert call("html f.jsonl --static figures -o other.html --force") == 0
    assert drawn[0].read_bytes() != b"mine"


def test_two_outputs_of_one_name_are_refused(files, capsys):
    assert call("compare f.jsonl old.jsonl --figure x.html --html x.html") == 2
    assert "x.html is asked for twice" in capsys.readouterr().err


def test_a_missing_folder_is_named_before_anything_is_read(files, capsys):
    assert call("html missing.jsonl -o no/r.html") == 2
    assert f"there is no folder {files}/no" in capsys.readouterr().err
    assert call("html f.jsonl -o published") == 2
    assert "published is a folder" in capsys.readouterr().err


def run(command, **how):
    return subprocess.run(
        [sys.executable, "-m", "syncmeter_analysis.command", *command.split()],
        env={**os.environ, "PYTHONPATH": str(folder)},
        stderr=subprocess.PIPE,
        text=True,
        **how,
    )


def test_standard_output_is_not_appended_to_the_input(files):
    before = Path("f.jsonl").read_bytes()
    with Path("f.jsonl").open("ab") as out:
        done = run("export f.jsonl", stdout=out)
    assert (done.returncode, Path("f.jsonl").read_bytes()) == (2, before)
    assert "standard output is the input file itself" in done.stderr


@every_way
def test_a_full_disk_leaves_the_old_file_whole(files, capsys, monkeypatch, command, source):
    """The file may not grow beyond 100 bytes: so ends a write on a full disk, but for its number."""
    Path("old.svg").write_text("before")
    there = sorted(files.iterdir())
    was = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, was[1]))
    try:
        status = call(command, "old.svg", "--force")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, was)
    assert status == 1
    assert capsys.readouterr().err == "syncmeter: old.svg: File too large\n"
    assert Path("old.svg").read_text() == "before"
    assert sorted(files.iterdir()) == there


@pytest.mark.parametrize("command", ["text f.jsonl", "share f.jsonl", "claims --help"])
def test_a_full_disk_behind_standard_output_is_a_sentence_and_status_1(files, command):
    with open("/dev/full", "w") as full:
        done = run(command, stdout=full)
    assert done.returncode == 1
    assert done.stderr == "syncmeter: standard output: No space left on device\n"


@pytest.mark.parametrize(
    "command",
    ["export f.jsonl", "text f.jsonl", "claims f.jsonl", "compare f.jsonl f.jsonl", "md f.jsonl"],
)
def test_a_closed_standard_output_is_a_sentence_and_status_1(files, command):
    done = run(command, preexec_fn=lambda: os.close(1))
    assert (done.returncode, done.stderr) == (1, "syncmeter: standard output is closed\n")


def test_a_device_is_written_to_and_stays_one(files):
    assert call("export f.jsonl -o /dev/null") == 0
    assert Path("/dev/null").is_char_device()
    assert call("export f.jsonl -o /dev/full") == 1


def test_a_link_stays_one_and_permissions_stay_as_they_were(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    link.symlink_to(target)
    umask = os.umask(0o027)
    try:
        write_whole(link, "one")
        assert target.stat().st_mode & 0o777 == 0o640
        target.chmod(0o604)
        write_whole(link, b"two")
    finally:
        os.umask(umask)
    assert link.is_symlink()
    assert (target.read_text(), target.stat().st_mode & 0o777) == ("two", 0o604)


def test_an_imported_campaign_is_no_measured_one(files):
    first = campaign(imported={"from": "elsewhere"})
    write(files / "imported.jsonl", visits([1.0], point()), first=first)
    assert call("export f.jsonl -o imported.jsonl --force") == 0


def test_a_results_file_with_a_torn_first_line_is_not_written_over(files, capsys):
    torn = '{"kind":"campaign","schema":{"maj'
    Path("torn.csv").write_text(torn)
    assert call("export f.jsonl -o torn.csv", "", "--force") == 2
    assert "torn.csv is a results file" in capsys.readouterr().err
    assert Path("torn.csv").read_text() == torn
