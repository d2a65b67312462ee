"""`syncmeter advise`: the program runs as without it, and its sites are in the text and in the file."""

import json
import os
import pathlib
import re
import subprocess

import pytest
import tables

DRIVER = tables.PROBE.parent / "syncmeter"


class Advice:
    def __init__(self, command, folder, *options, budget="1ms", **how):
        self.path = folder / "advice.jsonl"
        self.path.unlink(missing_ok=True)
        how = {"stdin": subprocess.DEVNULL, "timeout": 120, **how}
        self.done = subprocess.run([DRIVER, "advise", "--budget", budget, *options, "--json", self.path, "--", *command],
                                   capture_output=True, check=False, **how)
        self.text = self.done.stderr.decode(errors="replace")
        self.lines = [json.loads(line) for line in self.path.read_text(encoding="utf-8").splitlines()] if self.path.exists() else []
        self.header = self.lines[0] if self.lines else None
        self.sites = [line for line in self.lines if line["record"] == "site"]
        self.advice = [line for line in self.lines if line["record"] == "advice"]

    def counts(self, kind):
        return sum(site["count"] for site in self.sites if site["kind"] == kind)


@pytest.fixture
def advise(tmp_path):
    return lambda *command, options=(), **how: Advice(command, tmp_path, *options, **how)


@pytest.fixture
def endings(build):
    return build("endings", "g++", "-O1")


def hazard(build, name, *options, compiler="g++"):
    return build(f"../../examples/hazards/{name}", compiler, "-O2", "-fopenmp", *options)


def test_a_change_that_may_save_much_is_a_status(advise, build):
    program = hazard(build, "contended_counter")
    assert advise(program, options=["--fail-above", "0.03"]).done.returncode == 1
    assert advise("/usr/bin/true", options=["--fail-above", "0.03"]).done.returncode == 0


def test_each_lock_has_a_line(advise, build):
    advice = advise(build("objects"), "alternate")
    objects = [line for line in advice.lines if line["record"] == "object"]
    assert {(each["kind"], each["acquisitions"], len(each["sites"])) for each in objects} == \
        {("mutex", 1000, 2), ("spin", 1000, 1), ("rwlock", 550, 2)}
    for each in objects:
        assert {advice.sites[number - 1]["kind"].split("_")[0] for number in each["sites"]} == {each["kind"]}
        # Where not every call is timed the run may end before a release is noted.
        assert (each["owner_changes"] or 0) < each["acquisitions"]
        assert each["waited"] <= each["timed"] <= each["acquisitions"]
        assert 0 <= each["utilisation"] < 1 and each["held_ns"] > 0 and each["wait_ns"] > 0


def test_nothing_to_gain(advise, endings):
    advice = advise(endings, "")
    assert (advice.advice, advice.counts("mutex_lock")) == ([], 1000)
    words = " ".join(advice.text.split())
    disturbed = advice.header["withheld"] is not None
    assert ("Nothing to gain: no site takes 2 % of the time." in words) is not disturbed
    assert ("something to gain is not known, as" in words) is disturbed


def test_streams_are_the_program_s(advise, tmp_path):
    given = tmp_path / "given"
    given.write_bytes(bytes(range(256)) * 1000)
    with given.open("rb") as stdin:
        advice = advise("/usr/bin/tee", "/dev/stderr", stdin=stdin)
    sampled = ["sample"] if advice.header["sampling"] else []
    assert [run["arm"] for run in advice.header["runs"]] == ["plain", "count", *sampled, "time"]
    assert advice.done.stdout == given.read_bytes() * (3 + len(sampled))
    assert advice.done.stderr.startswith(given.read_bytes() * (3 + len(sampled)))


def test_a_pipe_is_read_once(advise):
    advice = advise("/usr/bin/cat", stdin=None, input=b"once")
    assert advice.done.stdout == b"once"
    assert [run["arm"] for run in advice.header["runs"]] == ["time"]
    assert advice.header["counting_cost"] is None and "Standard input is a pipe" in advice.text


def test_shares_of_a_program_that_ran_once_are_not_known(advise, endings):
    advice = advise(endings, "", stdin=None, input=b"")
    assert advice.advice == [] and advice.header["counting_cost"] is None
    assert "something to gain is not known, as " in advice.header["conclusion"]
    assert "Give it a file as standard input" in advice.header["conclusion"]


@pytest.mark.parametrize(("how", "exit_status", "words"), [("_exit", 3, "exit status 3"), ("kill", -9, "signal 9 (Killed)"),
                                                           ("crash", -11, "signal 11")])
def test_however_it_ends(how, exit_status, words, advise, endings):
    advice = advise(endings, how)
    assert (advice.done.returncode, advice.counts("mutex_lock")) == (0, 1000)
    assert {run["exit"] for run in advice.header["runs"]} == {exit_status}
    assert words in advice.text


def test_all_processes_are_counted(advise, endings):
    advice = advise(endings, "fork")
    assert (advice.header["processes"], advice.counts("mutex_lock")) == (101, 1000 + sum(100 + i for i in range(100)))


def test_a_script_s_programs_are_counted(advise, endings, tmp_path):
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\n{endings}\n{endings}\n", encoding="utf-8")
    script.chmod(0o755)
    assert advise(script).counts("mutex_lock") == 2000


def test_another_preloaded_library_stays(advise, endings, monkeypatch):
    other = str(pathlib.Path("/usr/lib/x86_64-linux-gnu/libz.so.1"))
    if not os.path.exists(other):
        pytest.skip("not x86-64")
    monkeypatch.setenv("LD_PRELOAD", other)
    advice = advise("/usr/bin/env")
    assert f":{other}\n".encode() in advice.done.stdout


def test_nothing_to_count(advise):
    assert "calls nothing that synchronizes" in advise("/usr/bin/true").text


@pytest.mark.parametrize(("options", "words"), [
    (["-static"], "is a static program: no library can be preloaded"),
    (["-fsanitize=address"], "needs libasan.so"),
])
def test_what_cannot_be_counted_is_refused_before_it_runs(options, words, advise, build, tmp_path):
    advice = advise(build("endings", "g++", "-O1", *options))
    assert (advice.done.returncode, advice.done.stdout) == (2, b"")
    assert words in " ".join(advice.text.split())


def test_a_static_runtime_is_named_before_the_run(advise, build):
    advice = advise(build("own_runtime", "g++", "-O1"))
    assert advice.done.returncode == 0
    assert "GOMP_parallel is defined in the file" in " ".join(advice.text.split())
    assert any("GOMP_parallel" in note for note in advice.header["notes"])


@pytest.mark.parametrize(("command", "words"), [
    ([], "no program given, as in syncmeter advise -- ./app"),
    (["no-such-program"], "'no-such-program' is not on PATH"),
    (["./no-such-program"], "is not a program that can be run"),
    (["/etc/passwd"], "is not a program that can be run"),
])
def test_commands_that_cannot_run(command, words, advise):
    advice = advise(*command)
    assert advice.done.returncode == 2
    assert words in " ".join(advice.text.split())


def test_a_file_that_exists_is_kept(tmp_path):
    file = tmp_path / "advice.jsonl"
    file.write_text("mine", encoding="utf-8")
    done = subprocess.run([DRIVER, "advise", "--json", file, "--", "/usr/bin/true"], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, file.read_text(encoding="utf-8")) == (2, "mine")
    assert f"--json: '{file}' exists; name another file\n" in done.stderr


def test_no_folder_is_left_behind(advise, endings):
    def left():
        return {path for parent in ("/dev/shm", "/tmp") for path in pathlib.Path(parent).glob("syncmeter-advise-*")}

    before = left()
    advise(endings, "kill")
    assert left() <= before


def record(table):
    """The members of a table of record/, each with the table of what it holds, where there is one."""
    text = (tables.ROOT / "record" / f"{table}.def").read_text(encoding="utf-8")
    rows = re.findall(r'^SM_MEMBER\((\w+), .*, "(?:(\w+)\.def)?', text, re.MULTILINE)
    return {name: record(inner) if inner else None for name, inner in rows}


def check_members(line, known):
    for name, value in line.items():
        assert name in known, f"{name} has no row in record/"
        for each in value if isinstance(value, list) else [value]:
            if known[name] and isinstance(each, dict):
                check_members(each, known[name])


@pytest.mark.slow
def test_what_is_written_has_its_rows_in_the_record(advise, build):
    """As syncmeter-report reads it by them."""
    known = {name: {**record(name), "record": None} for name in ("advise", "site", "kernel", "object", "price", "advice", "trial")}
    for program in (hazard(build, "inner_region"), hazard(build, "contended_counter")):
        lines = advise(program, options=["--try"]).lines
        assert lines[0]["record"] == "advise"
        for line in lines:
            check_members(line, known[line["record"]])


def test_a_timed_run_that_a_signal_ended_tells_nothing_of_imbalance(advise, build, tmp_path):
    for attempt, budget in enumerate(("10s", "30s", "30s")):  # where other programs disturb each one no imbalance is named
        found = advise(build("late_threads", "g++", "-O2", "-fopenmp"), tmp_path / f"runs{attempt}", budget=budget)
        endings = [run["exit"] for run in found.header["runs"] if run["arm"] == "time"]
        assert [end for end in endings if end != 0] in ([], [-9]), found.text
        told = re.findall(r"(\d+) timed runs[, ] ?in ", " ".join(found.text.split()))
        if told:
            assert [int(runs) for runs in told] == [endings.count(0)], found.text
            if -9 in endings:
                return


@pytest.mark.slow
def test_a_site_has_its_place_and_its_time_in_words_of_the_text(advise, build):
    for _ in range(5):  # other programs may make counting seem slow, or take the processing units
        found = advise(hazard(build, "imbalance", "-g"), budget="1s")
        (site,) = [s for s in found.sites if s["kind"] == "barrier"]
        assert re.fullmatch(r"main\S* imbalance\.cpp:\d+", site["where"])
        if found.header["withheld"] is None:
            break
    else:
        assert "takes_s" not in site
        return
    wall = next(run["wall_s"] for run in found.header["runs"] if run["arm"] == "time")
    share = f"{100 * site['takes_s']['lateness'] / wall:.1f} %"
    assert re.search(rf"barrier +100 +2 +2 +{share}", found.text)
