"""`syncmeter advise`: what it found is in the file and in the status."""

import json
import lzma
import os
import re
import shutil
import subprocess
import sys

import pytest
import tables

DRIVER = tables.PROBE.parent / "syncmeter"


sys.path.insert(0, str(tables.ROOT / "tests" / "benchmarks"))
from hazards import ranked  # noqa: E402, F401 (for other tests)

INTERVALS = ("call_ns", "held_ns", "work_ns", "lateness_ns", "mechanism_ns")


def check_sums(lines):
    """Checks figures of a file against each other, for any machine."""
    if not lines or not lines[0]["runs"]:
        return
    counts = {line["id"]: line["count"] for line in lines if line["record"] == "call_site"}
    for site in (line for line in lines if line["record"] == "call_site" and "timed" in line):
        whole = lines[0]["lost_calls"] == 0
        # Each thread times a meeting, and one count stands for all threads.
        each = max(1, site["team"] or 1, site["threads"] if "same_processor_share" in site else 1)
        assert not whole or site["timed"] <= site["count"] * each, site
        for name in INTERVALS:
            part = site.get(name)
            if not part:
                continue
            assert 0 <= part["long"] <= part["sum"], (name, site)
            if "same_processor_share" in site:
                continue  # threads meet: the median leaves out the last of them
            mean = part["sum"] * site["threads"] / site["timed"]
            # Half the calls take the median or longer. A bucket spans a quarter interval. Clock reads are
            # subtracted from both figures.
            assert part["median"] <= 2 * mean + max(0.25 * part["median"], 200), (name, site)
    for lock in (line for line in lines if line["record"] == "lock"):
        assert lock["contended"] <= lock["timed"] <= lock["acquisitions"], lock
        assert sum(use["timed"] for use in lock.get("uses", ())) in (0, lock["timed"]), lock
        waits = sum(site["count"] for site in lines if site.get("kind") == "cond_wait")
        if lines[0]["lost_calls"] == 0:
            assert lock["acquisitions"] <= sum(counts[number] for number in lock["call_sites"]) + waits, lock


class Advice:
    def __init__(self, command, folder, *options, budget="1ms", driver=DRIVER, **how):
        self.path = folder / "advice.jsonl"
        self.path.unlink(missing_ok=True)
        how = {"stdin": subprocess.DEVNULL, "timeout": 120, **how}
        self.done = subprocess.run([driver, "advise", "--budget", budget, "--sites", "--verbose", *options, "--json", self.path, "--", *command],
                                   capture_output=True, check=False, **how)
        self.text = self.done.stderr.decode(errors="replace")
        self.lines = [json.loads(line) for line in self.path.read_text(encoding="utf-8").splitlines()] if self.path.exists() else []
        check_sums(self.lines)
        self.header = self.lines[0] if self.lines else None
        self.sites = [line for line in self.lines if line["record"] == "call_site"]
        self.advice = [line for line in self.lines if line["record"] == "advice"]

    def concluded(self):
        """Returns what the package concludes from the file, as JSON."""
        done = subprocess.run([DRIVER.with_name("syncmeter-report"), "advise", "--format", "json", self.path], capture_output=True,
                              check=True, timeout=60)
        return json.loads(done.stdout)

    def counts(self, kind):
        return sum(site["count"] for site in self.sites if site["kind"] == kind)


@pytest.fixture
def advise(tmp_path):
    return lambda *command, options=(), **how: Advice(command, tmp_path, *options, **how)


@pytest.fixture
def advise_without_prices(advise, tmp_path):
    """By a driver without workers, which measure for longer than these programs run."""
    for path in (DRIVER, tables.PROBE):
        shutil.copy(path, tmp_path)
    return lambda *command, **how: advise(*command, driver=tmp_path / DRIVER.name, **how)


def hazard(build, name, *options, compiler="g++"):
    return build(f"../../examples/hazards/{name}", compiler, "-O2", "-fopenmp", *options)


def test_a_change_that_may_save_much_is_a_status(advise, build):
    program = hazard(build, "contended_counter")
    for _ in range(5):
        advice = advise(program, options=["--fail-above", "3%"])
        if grades := {each["grade"] for each in advice.concluded()["conclusions"]}:
            break
    # Other programs may use the CPUs all the time.
    assert grades or advice.header["withheld"] is not None, advice.text
    assert advice.done.returncode == (1 if grades & {"predicted", "bound"} else 3)
    assert advise("/usr/bin/true", options=["--fail-above", "0.03"]).done.returncode == 0


STORED = sorted((tables.ROOT / "analysis/tests/data/advise").glob("*.jsonl.xz"))


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.name)
def test_figures_of_stored_files_agree(path):
    check_sums([json.loads(line) for line in lzma.decompress(path.read_bytes()).splitlines()])


@pytest.mark.parametrize(("how", "runs"), [("kill", 2), ("crash", 2)])
def test_what_a_signal_ended_before_it_was_timed_is_not_judged(how, runs, advise, build):
    advice = advise(build("endings", "g++", "-O1"), how, options=["--fail-above", "10%"])
    assert len(advice.header["runs"]) == runs
    assert advice.done.returncode == 3 and "--fail-above" in advice.text


def test_an_end_by_timeout_is_judged(advise):
    advice = advise("timeout", "-s", "INT", "0.2", "/usr/bin/sleep", "60", options=["--fail-above", "90%"])
    assert {run["exit"] for run in advice.header["runs"]} == {124}
    # Another program may have the processors, which withholds all savings.
    assert advice.done.returncode == (3 if advice.sites and advice.header["withheld"] else 0)


def test_what_is_not_counted_is_not_judged(advise, build):
    advice = advise("/bin/sh", "-c", "test -z \"$LD_PRELOAD\" || exit 7", options=["--fail-above", "10%"])
    assert advice.done.returncode == 3, "under the probe the program was another one"
    advice = advise(build("own_runtime", "g++", "-O1"), options=["--fail-above", "90%"])
    assert advice.done.returncode == 3 and "OpenMP" in advice.text


def test_without_the_report_locks_are_not_judged(advise_without_prices, build, monkeypatch):
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    advice = advise_without_prices(hazard(build, "contended_counter"), options=["--fail-above", "99%"])
    assert advice.done.returncode == 3 and "--fail-above cannot be judged" in advice.text
    assert "syncmeter-report" in advice.text and "contended_counter.cpp:" in advice.text


def test_a_program_that_ran_once_is_not_judged(advise, build):
    advice = advise(build("endings", "g++", "-O1"), "", options=["--fail-above", "90%"], stdin=None, input=b"")
    assert advice.done.returncode == 3


@pytest.mark.skipif(os.geteuid() != 0, reason="no other user to run as")
def test_a_set_user_id_program_is_refused(advise, tmp_path):
    program = tmp_path / "program"
    shutil.copy("/usr/bin/true", program)
    os.chown(program, 65534, 65534)
    program.chmod(0o4755)
    for options in ([], ["--fail-above", "10%"]):
        advice = advise(program, options=options)
        assert (advice.done.returncode, advice.done.stdout) == (2, b"") and "set-user-id" in advice.text


def test_each_lock_has_a_line(advise, build):
    advice = advise(build("objects"), "alternate")
    locks = [line for line in advice.lines if line["record"] == "lock"]
    assert {(each["kind"], each["acquisitions"], len(each["call_sites"])) for each in locks} == \
        {("mutex", 1000, 2), ("spin", 1000, 1), ("rwlock", 550, 2)}
    for each in locks:
        assert {advice.sites[number - 1]["kind"].split("_")[0] for number in each["call_sites"]} == {each["kind"]}
        # Where not every call is timed the run may end before a release is noted.
        assert (each["owner_changes"] or 0) < each["acquisitions"]
        assert each["contended"] <= each["timed"] <= each["acquisitions"]
        assert 0 <= each["utilization"] < 1 and each["held_ns"] > 0 and each["call_ns"] > 0
        assert sum(use["calls"] for use in each["uses"]) == each["acquisitions"]


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
    """The tables in record/ describe each member of the file."""
    known = {name: {**record(name), "record": None} for name in ("advise", "call_site", "kernel", "lock", "model", "price", "advice", "trial")}
    for program in (hazard(build, "inner_region"), hazard(build, "contended_counter")):
        lines = advise(program, options=["--try"]).lines
        assert lines[0]["record"] == "advise"
        for line in lines:
            check_members(line, known[line["record"]])


def test_a_timed_run_that_a_signal_ended_tells_nothing_of_imbalance(advise_without_prices, build, tmp_path):
    program = build("late_threads", "g++", "-O2", "-fopenmp")
    for attempt in range(3):  # threads that others keep waiting may leave no time for a second run
        found = advise_without_prices(program, tmp_path / f"runs{attempt}", budget="10s")
        timed = [run["exit"] for run in found.header["runs"] if run["arm"] == "time"]
        if len(timed) > 1:
            break
    assert timed == [0, -9], found.text
    judged = [found.header["runs"][run["run"] - 1] for site in found.sites for run in site.get("timed_runs") or ()]
    assert judged and {(run["arm"], run["exit"]) for run in judged} == {("time", 0)}, found.text
