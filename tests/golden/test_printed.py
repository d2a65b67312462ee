"""--help, list, --dry-run and show as their readers see them, then the numbers in them read again."""

import contextlib
import csv
import fcntl
import importlib.util
import io
import json
import os
import re
import struct
import subprocess
import termios
from pathlib import Path

import made_by_hand
import pytest
from conftest import assert_matches

ROOT = Path(__file__).resolve().parents[2]
UNITS = {"k": 1e3, "M": 1e6, "G": 1e9}
ROW = re.compile(
    r"\s+(?P<op>\w+)\s+(?:(?P<type>int32|double)\s+)?(?:(?P<placement>shared|strided \d+ B)\s+)?(?P<lanes>\d+)"
    r"\s+(?:(?P<affinity>close|spread|close, spread)\s+)?(?P<bound>< )?(?P<cost>[\d.e+-]+)"
    r"(?:\s+(?P<low>[\d.]+)\.\.(?P<high>[\d.]+))?"
    r"(?:\s+(?P<lane>[\d.]+) ?(?P<lane_unit>[kMG])\s+(?P<all>[\d.]+) ?(?P<all_unit>[kMG]))?(?:\s+(?P<fair>[01]\.\d\d))?"
    r"(?:\s+(?P<notes>\S.*))?"
)


def rows_of(text):
    """The rows of a point table, by op and lanes."""
    rows = {}
    for line in text.split("\nNotes\n")[0].splitlines()[1:]:
        if line.startswith("  "):
            found = ROW.fullmatch(line)
            assert found, f"a row that cannot be read again: {line!r}"
            rows[found["op"], int(found["lanes"])] = found
    return rows


@pytest.mark.parametrize("arguments, name", [
    (["--help"], "help.txt"),
    (["run", "--help"], "run_help.txt"),
    (["show", "--help"], "show_help.txt"),
    (["list", "--help"], "list_help.txt"),
    (["ab", "--help"], "ab_help.txt"),
    (["--version"], "version.txt"),
])
def test_help(driver, arguments, name):
    assert_matches(driver(*arguments), name)


def test_the_word_help_is_the_option(driver):
    assert driver("help") == driver("--help")
    assert driver("help", "run") == driver("run", "--help")
    assert "unknown command 'rnu'; did you mean 'run'?" in driver.mistake("help", "rnu")


@pytest.mark.parametrize("command", [[], ["run"], ["ab"], ["advise"], ["list"], ["topology"], ["show"], ["explain"], ["census"], ["check-worker"], ["completion"], ["manual"]])
def test_help_keeps_to_80_columns(driver, command):
    lines = driver(*command, "--help").splitlines()
    assert [line for line in lines if len(line) > 80 or line != line.rstrip()] == []


def test_every_option_of_run_says_its_default(driver):
    text = driver("run", "--help").split("Options:\n")[1]
    for option in re.split(r"\n  (?=--)", text)[1:]:
        words = " ".join(option.split())
        assert "(default:" in words, words


@pytest.mark.parametrize("arguments, name", [(["list"], "list.txt"), (["list", "--wide"], "list_wide.txt")])
def test_list_with_a_worker(driver, arguments, name):
    driver.add_worker("omp", made_by_hand.capabilities())
    assert_matches(driver(*arguments), name)


def test_list_leaves_out_gpu_ops_where_there_is_no_gpu(driver):
    driver.add_worker("omp", made_by_hand.capabilities())
    without = driver("list")
    cuda = made_by_hand.capabilities(backend="cuda")
    cuda["backends"][0]["problem"] = "no CUDA driver"
    driver.add_worker("cuda", cuda)
    here, everything = driver("list"), driver("list", "--wide")
    assert "\n  cuda: no CUDA driver\n" in here and "atomic_add" in here
    assert here.partition("\nNot usable\n")[0] == without.partition("\nNot usable\n")[0]
    assert re.search(r"^  atomic_add +cuda ", everything, re.M)
    assert re.search(r"^  atomic_add +cuda$", driver("list", "--backend", "cuda"), re.M), "asked for by name"


def test_list_says_a_reason_once_and_keeps_to_80_columns(driver):
    driver.add_worker("omp", made_by_hand.capabilities())
    driver.add_worker("std", made_by_hand.capabilities(backend="std"))
    text = driver("list")
    assert text.count("no `flush seq_cst`") == 1 and "\n  omp, std: this compiler has no `flush seq_cst`: fence (seq_cst)\n" in text
    assert re.search(r"^  atomic_add +omp std$", text, re.M)
    assert max(map(len, text.splitlines())) <= 80


def test_list_tells_sizes_of_one_family_apart(driver):
    said = made_by_hand.capabilities()
    of_family = [op for op in said["ops"] if op["family"] == said["ops"][0]["family"] and op["supported"]]
    of_family[0]["size_of"], of_family[-1]["size_of"] = "iterations of a chunk", "tasks of each thread"
    driver.add_worker("omp", said)
    assert "iterations of a chunk or tasks of each thread" in " ".join(driver("list").split())


def test_list_says_how_to_build_what_its_build_can_build(driver):
    (driver.home / "workers.txt").write_text("omp\nposix\n", encoding="utf-8")
    driver.add_worker("omp", made_by_hand.capabilities())
    for text in (driver("list"), driver("list", "--wide")):
        assert "\n  posix: not built; `scripts/run --backend posix` builds it\n" in text
        assert "install syncmeter anew" in text.partition("  posix-shared: ")[2], "not in this build"
    assert "'posix' cannot be used: no worker for backend 'posix': not built; `scripts/run --backend posix` builds it" in driver.mistake("run", "--backend", "posix")


def module_at(path):
    spec = importlib.util.spec_from_file_location(Path(path).stem, ROOT / path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_what_pip_installed_says_how_to_build_what_it_has_sources_of_and_finds_it(driver, monkeypatch):
    for name in ("cuda", "kokkos"):
        manifest = driver.home / "share/syncmeter/sources/backends" / name / "backend.cmake"
        manifest.parent.mkdir(parents=True)
        manifest.touch()
    driver.environment["XDG_CACHE_HOME"] = str(driver.home / "cache")
    driver.add_worker("omp", made_by_hand.capabilities())
    text = driver("list")
    assert "\n  cuda: not built; `syncmeter build cuda` builds it\n" in text
    assert "\n  kokkos: not built; `syncmeter build kokkos` builds it\n" in text
    assert "install syncmeter anew" in text.partition("  posix-shared: ")[2]
    assert "not built; `syncmeter build kokkos` builds it" in driver.mistake("run", "--backend", "kokkos-serial")
    driver.add_worker("kokkos", made_by_hand.capabilities(backend="kokkos-openmp"))
    assert "no worker for backend 'kokkos-serial': looked for" in driver.mistake("run", "--backend", "kokkos-serial"), "built without it"
    # Where packaging/wheel/__init__.py has it put.
    monkeypatch.syspath_prepend(ROOT / "scripts/lib")
    packed, installed_by_pip = module_at("scripts/lib/wheel.py"), module_at("packaging/wheel/__init__.py")
    monkeypatch.setattr(installed_by_pip, "PREFIX", driver.home)
    monkeypatch.setenv("XDG_CACHE_HOME", driver.environment["XDG_CACHE_HOME"])
    packed.write_cache_key(driver.home, "1.0.0-rc1")
    driver.add_worker("cuda", made_by_hand.capabilities(backend="cuda"))
    folder = installed_by_pip.build_folder("cuda")
    (folder / "bin").mkdir(parents=True)
    (driver.bin / "syncmeter-cuda").rename(folder / "bin/syncmeter-cuda")
    text = driver("list")
    assert "  cuda: " not in text and re.search(r"^  atomic_add +cuda kokkos-openmp omp$", text, re.M)
    # A wheel of the same version with other sources does not go on with that worker, and the first wheel again does.
    key = folder.parent.name
    manifest.write_text("# changed\n", encoding="utf-8")
    packed.write_cache_key(driver.home, "1.0.0-rc1")
    assert "\n  cuda: not built; `syncmeter build cuda` builds it\n" in driver("list")
    other = installed_by_pip.build_folder("cuda").parent.name
    assert key != other and key.startswith("1.0.0rc1-") and other.startswith("1.0.0rc1-")
    manifest.write_text("", encoding="utf-8")
    packed.write_cache_key(driver.home, "1.0.0-rc1")
    assert installed_by_pip.build_folder("cuda") == folder


def test_a_study_names_the_backends_that_it_lacks(driver):
    (driver.home / "workers.txt").write_text("omp\nstd\nposix\n", encoding="utf-8")
    driver.add_worker("omp", made_by_hand.capabilities())
    text = driver("run", "--study", "locks", "--dry-run")
    wanted = "Not in this study: backends without a worker (omp-llvm, std, posix, libraries); types other than int32;"
    assert wanted in " ".join(text.split())


def on_terminal(driver, *arguments, columns=80):
    """What a terminal of so many columns shows, both outputs, without what it deletes again."""
    here, there = os.openpty()
    fcntl.ioctl(there, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with subprocess.Popen([driver.bin / "syncmeter", *arguments], cwd=driver.home, env=driver.environment,
                          stdin=subprocess.DEVNULL, stdout=there, stderr=there) as process:
        os.close(there)
        text = b""
        with contextlib.suppress(OSError):  # the end of a terminal
            while part := os.read(here, 4096):
                text += part
        os.close(here)
        process.wait(60)
    return [line.rpartition("\x1b[K")[2] for line in text.decode().replace("\r\n", "\n").split("\n")]


@pytest.mark.parametrize("arguments", [
    ["list"], ["topology"], ["topology", "--synthetic", "foo"], ["explain", "atomic_add"], ["run", "--op", "barier"],
    ["run", "--backend", "cuda"], ["run", "--study", "levels"], ["census"], ["ab"], ["rnu"],
])
def test_lines_fit_a_terminal(driver, arguments):
    driver.add_worker("omp", made_by_hand.capabilities())
    cuda = made_by_hand.capabilities(backend="cuda")
    cuda["backends"][0]["problem"] = "no CUDA driver (libcuda.so.1): install NVIDIA's driver"
    driver.add_worker("cuda", cuda)
    # A name of a folder, as long as it is, has a line of its own.
    lines = [line for line in on_terminal(driver, *arguments) if str(driver.home) not in line]
    assert len(lines) > 1
    assert [line for line in lines if len(line) > 80] == []


def test_list_without_a_worker(driver):
    assert_matches(driver("list"), "list_nothing.txt")


def test_dry_run(driver):
    driver.add_worker("omp", made_by_hand.capabilities())
    text = driver("run", "--dry-run", "--threads", "1", "--op", "atomic_add,atomic_cas_pass,barrier", "--affinity", "close,spread",
                  "--additivity", "--repetitions", "2")
    assert_matches(text, "dry_run.txt")
    assert list(driver.home.iterdir()) == [driver.bin], "a dry run leaves no file"
    points, merged, refused = (int(n) for n in re.search(r"Configurations to measure: (\d+), which also cover (\d+) equal ones; not supported: (\d+)", text).groups())
    assert text.count("on CPUs") == points
    assert text.count("    = backend=") == merged
    assert text.count("    unsupported: ") == refused
    assert float(re.search(r"about ([\d.]+) s", text)[1]) == pytest.approx(points * 2 * 0.022 + 2 * 0.3, rel=0.01), "visits, and a worker started for each pass"


def test_show(driver):
    file = made_by_hand.write(driver.home / "results.jsonl", made_by_hand.results())
    text = driver("show", file, "--wide", "--verbose")
    assert_matches(text, "show.txt")
    assert text.splitlines()[0].index("notes") < 124, "all figures are within 124 columns"

    rows = rows_of(text)
    assert [op for (op, _), row in rows.items() if row["cost"] == "-"] == ["plain_read"]
    for row in rows.values():
        if row["cost"] == "-":
            continue
        if row["low"]:
            assert float(row["low"]) <= float(row["cost"]) <= float(row["high"]), row[0]
        assert float(row["cost"]) >= 0, row[0]
        if row["lane"]:
            per_lane = float(row["lane"]) * UNITS[row["lane_unit"]]
            total = float(row["all"]) * UNITS[row["all_unit"]]
            together = {"barrier": 1, "handoff": int(row["lanes"])}.get(row["op"], int(row["lanes"]))
            assert total == pytest.approx(per_lane * together, rel=0.01), row[0]
            cost = float(row["cost"])
            assert (total if row["op"] == "handoff" else per_lane) == pytest.approx(1e9 / cost, rel=0.01), row[0]
    both = re.search(r"([\d.]+) -> ([\d.]+) ns/step", rows["fence_between_adds", 2]["notes"])
    assert float(both[2]) - float(both[1]) == pytest.approx(float(rows["fence_between_adds", 2]["cost"]), abs=0.002)
    assert rows["control_aa", 1]["bound"] and float(rows["control_aa", 1]["cost"]) > 0
    assert rows["atomic_add", 1]["affinity"] == "close, spread"


def test_show_fits_80_columns_and_folds_its_notes(driver):
    file = made_by_hand.write(driver.home / "results.jsonl", made_by_hand.results())
    text = driver("show", file)
    assert_matches(text, "show_narrow.txt")
    table = text.split("\nNotes\n")[0].split("\nResults: ")[0]
    assert max(map(len, table.splitlines())) <= 80


def test_show_chooses_and_sorts_points_and_writes_them_as_json(driver):
    file = made_by_hand.write(driver.home / "results.jsonl", made_by_hand.results())
    points = json.loads(driver("show", file, "--op", "atomic_a*", "--threads", "1", "--json"))
    assert {point["op"] for point in points} == {"atomic_add"}
    assert {point["lanes"] for point in points} == {1}
    assert all(isinstance(point["cost_ns"], float) and point["headline"] is True for point in points)
    by_cost = [row["cost"] for row in rows_of(driver("show", file, "--sort", "cost", "--wide")).values() if row["cost"] != "-" and not row["bound"]]
    assert len(by_cost) > 3 and list(map(float, by_cost)) == sorted(map(float, by_cost))
    assert max(map(len, driver("show", file, "--sort", "cost").split("\nNotes\n")[0].splitlines())) <= 80
    assert "no configuration is chosen by --op, --type and --threads" in driver.mistake("show", file, "--op", "barrier_late")
    assert "--sort: unknown key 'name'" in driver.mistake("show", file, "--sort", "name")


REPORT = """import sys
print(f"one section of {' '.join(sys.argv[1:])}")
print("a remark", file=sys.stderr)
sys.exit(%d)
"""
HOW_TO_GET_IT = "For ratios, sizes and verdicts run `syncmeter text"


def test_the_answers_of_the_report_come_first_where_it_is_beside_the_driver(driver):
    file = made_by_hand.write(driver.home / "results.jsonl", made_by_hand.results())
    points, results = driver("show", file).split("\nResults: ")
    assert results == f"{file}\n"
    del driver.environment["SYNCMETER_REPORT"]
    hint = f"{HOW_TO_GET_IT} {file}`; scripts/run installs the report, or `pip install ./analysis` in a checkout."
    assert driver("show", file) == f"{points}\n{hint}\n\nResults: {file}\n"
    driver.add_program("syncmeter-report", REPORT % 0)
    page = f"Results: {file}\nAs a page: syncmeter html {file} -o {file.removesuffix('.jsonl')}.html\n"
    assert driver("show", file) == f"one section of text {file}\n\n{points}\n{page}"
    wide = driver("show", file, "--wide")
    assert wide.startswith(f"one section of text {file} --wide\n\n") and wide.endswith(f"\n{page}")


def test_a_terminal_shows_the_beginning_of_the_points_below_the_answers(driver):
    lines = made_by_hand.results()
    visits = [line for line in lines if line["kind"] == "visit"]
    more = [json.loads(json.dumps(v).replace(v["point"]["op"], f"{v['point']['op']}_{i}")) for i in range(8) for v in visits]
    file = made_by_hand.write(driver.home / "results.jsonl", [lines[0], *visits, *more])
    driver.add_program("syncmeter-report", "print('answers')\n")
    del driver.environment["SYNCMETER_REPORT"]
    whole = driver("show", file).splitlines()
    shown = on_terminal(driver, "show", file)
    left = next(i for i, line in enumerate(shown) if " more lines: syncmeter show " in line)
    assert shown[0] == "answers" and left == 42, "answers, an empty line, 40 lines of the table"
    assert re.match(r"\.\.\. \d+ more lines: ", shown[left]) and len(whole) > len(shown)


@pytest.mark.parametrize("program, said", [
    (REPORT % 3, "syncmeter-report ended with status 3: 'a remark'"),
    ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n", "syncmeter-report was ended by signal 9"),
])
def test_a_report_that_fails_is_one_sentence_and_no_failure(driver, program, said):
    file = made_by_hand.write(driver.home / "results.jsonl", made_by_hand.results())
    driver.add_program("syncmeter-report", program)
    driver.environment["SYNCMETER_REPORT"] = str(driver.bin / "syncmeter-report")
    assert said in driver.complaint("show", file)
    driver.environment["SYNCMETER_REPORT"] = "syncmeter-nothing"
    (driver.home / "syncmeter-nothing").touch(0o755)  # in the current folder
    complaint = driver.complaint("show", file)
    assert "syncmeter-nothing'" in complaint and "No such file or directory (SYNCMETER_REPORT names it)" in complaint


def test_show_exports_csv_that_agrees_with_the_table(driver):
    file = made_by_hand.write(driver.home / "results.jsonl", made_by_hand.results())
    text = driver("show", file, "--csv", "points.csv", "--wide")
    exported = (driver.home / "points.csv").read_bytes().decode()
    assert exported.count("\r\n") == exported.count("\n"), "RFC 4180 ends lines with CR LF"
    points = list(csv.DictReader(io.StringIO(exported, newline="")))
    assert len(points) == 8 + 1 + 2, "measured, merged and refused ones"
    assert_matches(exported.splitlines()[0], "csv_header.txt")
    rows = rows_of(text)
    for point in points:
        if not point["cost_ns"]:
            assert point["status"] in ("not_resolved", "interferes", "unsupported", "elided")
            continue
        row = rows[point["op"], int(point["lanes"])]
        assert float(row["cost"]) == pytest.approx(float(point["cost_ns"]), rel=0.001)
        assert float(point["cost_low_ns"]) <= float(point["cost_ns"]) <= float(point["cost_high_ns"])
        if point["ops_per_s_total"] and point["op"] == "atomic_add":
            assert float(point["ops_per_s_total"]) == pytest.approx(1e9 / float(point["cost_ns"]) * int(point["lanes"]), rel=1e-6)
        step = float(point["test_ns_per_step"]) - float(point["baseline_ns_per_step"])
        assert step == pytest.approx(float(point["cost_ns"]), rel=1e-6)
        assert int(point["stride_bytes"] or 0) == 4 * int(point["stride_elements"] or 0)


def test_show_of_a_failed_point_leads_with_it_and_ends_with_1(driver):
    file = made_by_hand.write(driver.home / "results.jsonl", made_by_hand.failing_results())
    text = driver("show", file, status=1)
    first_note = text.split("\nNotes\n")[1].splitlines()[0]
    assert first_note == "- failed: lock_add int32 shared, 2 threads close: the cell holds 41, not 42"
    assert re.search(r"lock_add\s+2\s+-\s+failed", text)


def test_show_of_a_campaign_that_was_cut_off_says_how_to_go_on(driver):
    path = driver.home / "results.jsonl"
    made_by_hand.write(path, made_by_hand.results()[:-1])
    with path.open("a", encoding="utf-8") as file:
        file.write('{"kind":"visit","poi')
    text = driver("show", str(path))
    assert f"- not complete (cut off, incomplete last line): continue with `syncmeter run --resume {path}`" in text


@pytest.mark.parametrize("arguments, said", [
    ([], "syncmeter run, ab, advise, show, compare"),
    (["rnu"], "syncmeter: command line: unknown command 'rnu'; did you mean 'run'?"),
    (["run", "--threads", "4x"], "--threads: '4x' is not a number, a range such as 4-8, or max"),
    (["run", "--max-time", "1"], "'1' has no unit; write it as 1s, 1ms or 1min"),
    (["run", "--op", "barier"], "--op: unknown op 'barier'; did you mean 'barrier'?"),
    (["run", "--threads", "4000"], "--threads: 4000 is more than the"),
    (["run", "--backend", "cuda"], "--backend: 'cuda' cannot be used"),
    (["run", "--csv", "no/such/folder.csv"], "--csv: 'no/such/folder.csv' cannot be written: No such file"),
    (["run", "--op", "bar\nrier"], r"unknown op 'bar\x0arier'"),
    (["run", "--resume", "none.jsonl"], "none.jsonl: cannot be read: No such file"),
    (["show"], "syncmeter show FILE"),
    (["show", "none.jsonl"], "none.jsonl: cannot be read: No such file"),
    (["list", "--all"], "unknown option '--all'"),
    (["run", "--study", "nothing"], "unknown study 'nothing'; `--help` lists all"),
])
def test_a_mistake_is_one_sentence_and_status_2(driver, arguments, said):
    driver.add_worker("omp", made_by_hand.capabilities())
    assert said in driver.mistake(*arguments)
    assert list(driver.home.iterdir()) == [driver.bin], "a mistake leaves no file"
