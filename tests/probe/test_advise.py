"""`syncmeter advise`: what it found is in the file and in the status."""

import json
import re
import shutil
import subprocess

import pytest
import tables

DRIVER = tables.PROBE.parent / "syncmeter"


class Advice:
    def __init__(self, command, folder, *options, budget="1ms", driver=DRIVER, **how):
        self.path = folder / "advice.jsonl"
        self.path.unlink(missing_ok=True)
        how = {"stdin": subprocess.DEVNULL, "timeout": 120, **how}
        self.done = subprocess.run([driver, "advise", "--budget", budget, *options, "--json", self.path, "--", *command],
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
def advise_without_prices(advise, tmp_path):
    """By a driver without workers, which measure for longer than these programs run."""
    for path in (DRIVER, tables.PROBE):
        shutil.copy(path, tmp_path)
    return lambda *command, **how: advise(*command, driver=tmp_path / DRIVER.name, **how)


def hazard(build, name, *options, compiler="g++"):
    return build(f"../../examples/hazards/{name}", compiler, "-O2", "-fopenmp", *options)


def test_a_change_that_may_save_much_is_a_status(advise, build):
    program = hazard(build, "contended_counter")
    assert advise(program, options=["--fail-above", "3%"]).done.returncode == 1
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
