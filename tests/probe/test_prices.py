"""Prices of a program's regions and barriers: measured in turn with its runs, or taken from a results file."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from tables import TRIES
from test_advise import DRIVER, advise, advise_without_prices, hazard  # noqa: F401 (fixtures)


def prices_of(advice, of_equal_work=False):
    """Those of ops; or what ops take around equal work, timed by the probe."""
    return [line for line in advice.lines if line["record"] == "price" and line["op"].startswith("timed_") == of_equal_work]


@pytest.fixture
def priced(advise):  # noqa: F811
    """Advice with prices: where other programs have the processors no round of them may count, and it is asked again."""
    def run(*command, has=lambda advice: prices_of(advice), **how):
        for _ in range(TRIES):
            advice = advise(*command, **how)
            if has(advice):
                break
        return advice

    return run


@pytest.mark.parametrize(("name", "op"), [("barrier_storm", "barrier_after_work"), ("inner_region", "region_around_work")])
def test_prices_are_measured_behind_runs(name, op, priced, build):
    advice = priced(hazard(build, name), has=lambda found: prices_of(found) and prices_of(found, of_equal_work=True))
    prices = prices_of(advice)
    # Where other programs leave a visit no round, there is one less.
    assert 1 <= len(prices) <= 5 and {(price["op"], price["lanes"], price["backend"]) for price in prices} == {(op, 2, "omp")}
    assert all(price["low"] <= price["estimate"] <= price["high"] for price in prices)
    # The budget had room for no further run, however short it is beside a measurement.
    arms = [run["arm"] for run in advice.header["runs"]]
    assert arms[-1] == "time"
    assert {price["when"] for price in prices} == {len(arms)}
    assert "syncmeter: prices of " in advice.text
    # Of each measurement a worker's own calls were timed: the op's, in a team as large.
    around_equal_work = prices_of(advice, of_equal_work=True)
    assert 1 <= len(around_equal_work) <= 5, advice.text
    assert {(each["op"], each["lanes"], each["backend"]) for each in around_equal_work} == {("timed_" + op, 2, "omp")}
    assert all(0 < each["estimate"] < 1e9 for each in around_equal_work)


def test_runs_and_prices_take_turns(priced, build):
    advice = priced(hazard(build, "barrier_storm"), budget="7s")
    arms = [run["arm"] for run in advice.header["runs"]]
    assert arms[:2] == ["plain", "count"] and arms.count("plain") >= arms.count("count") >= 1
    behind = {price["when"] for price in prices_of(advice)}
    assert min(behind) > arms.index("time")


def test_libomp_has_prices_of_its_own(priced, build):
    if not Path(DRIVER).with_name("syncmeter-omp-llvm").exists():
        pytest.skip("no worker omp-llvm, which the first tier does without")
    prices = prices_of(priced(hazard(build, "barrier_storm", compiler="clang++")))
    assert {price["backend"] for price in prices} == {"omp-llvm"}


@pytest.mark.parametrize(("setting", "words"), [({"GOMP_CPU_AFFINITY": "0-1"}, "GOMP_CPU_AFFINITY=0-1"),
                                                ({"OMP_PLACES": "{0},{1}"}, "OMP_PLACES={0},{1}")])
def test_another_placement_has_no_price(setting, words, advise, build, monkeypatch):  # noqa: F811
    for name, value in setting.items():
        monkeypatch.setenv(name, value)
    advice = advise(hazard(build, "barrier_storm"))
    assert prices_of(advice) == [] and f"no worker places threads as {words} does" in " ".join(advice.text.split())
    assert {line["kind"] for line in advice.advice} <= {"bound"}


def test_other_programs_withhold_what_is_saved(advise, build):  # noqa: F811
    program = hazard(build, "contended_counter")
    busy = [subprocess.Popen(["/bin/sh", "-c", "while :; do :; done"]) for _ in range(os.cpu_count() or 1)]
    try:
        advice = advise(program, options=["--fail-above", "0.02"])
    finally:
        for each in busy:
            each.kill()
            each.wait()
    causes = advice.concluded()["conclusions"]
    assert causes and all((cause["effect"], cause["grade"]) == (None, "rough") for cause in causes)
    words = " ".join(advice.text.split())
    # The place and the change are printed in any case.
    assert "rough: " in words and " -> " not in words and "contended_counter.cpp:" in words
    assert advice.done.returncode == 3 and "--fail-above" in words


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """A results file with barriers of two threads after work of many lengths."""
    file = tmp_path_factory.mktemp("results") / "prices.jsonl"
    for _ in range(TRIES):  # where other programs have the processors no round of a point may count
        file.unlink(missing_ok=True)
        subprocess.run([DRIVER, "run", "--study", "regions", "--backend", "omp", "--op", "barrier_after_work", "--threads", "2", "--section",
                        "0,32,128,512,2048,8192,32768", "--affinity", "none", "--wait", "active", "--repetitions", "2", "--max-time", "20ms",
                        "--output", file], check=True, capture_output=True, timeout=120)
        lines = map(json.loads, file.read_text(encoding="utf-8").splitlines())
        estimates = [(json.dumps(line["point"]), line["estimates"]) for line in lines if line["kind"] == "visit"]
        if {point for point, found in estimates if found} == {point for point, _ in estimates}:
            break
    return file


def test_prices_of_a_results_file(results, advise, build):  # noqa: F811
    advice = advise(hazard(build, "barrier_storm"), options=["--results", results])
    assert [(price["when"], price["op"]) for price in prices_of(advice)] == [(None, "barrier_after_work")]


def test_a_price_that_a_results_file_lacks_is_named(results, advise, build):  # noqa: F811
    advice = advise(hazard(build, "inner_region"), options=["--results", results])
    assert prices_of(advice) == []
    assert "has no price of region_around_work of 2 threads" in " ".join(advice.text.split())


def test_a_results_file_of_another_machine_is_refused(results, advise, tmp_path):  # noqa: F811
    other = tmp_path / "other.jsonl"
    text = results.read_text(encoding="utf-8")
    other.write_text(text.replace('"allowed_pus":[0', '"allowed_pus":[77', 1), encoding="utf-8")
    advice = advise("/usr/bin/true", options=["--results", other])
    words = " ".join(advice.text.split())
    assert advice.done.returncode == 2 and "was measured with the allowed CPUs '" in words and "77', but here it is" in words
