"""How long threads that meet had no processor is what the kernel counts, however their threads end."""

import pathlib

import pytest
from test_advise import advise  # noqa: F401 (a fixture)

pytestmark = pytest.mark.skipif(not pathlib.Path("/proc/self/schedstat").exists(), reason="this system does not tell")


@pytest.mark.parametrize("how", ["team", "threads"])
def test_threads_that_share_a_unit_wait_for_it(how, build, count, monkeypatch):
    monkeypatch.setenv("SYNCMETER_PROBE_EVERY", "1,0")
    monkeypatch.setenv("OMP_WAIT_POLICY", "passive")
    run = count(build("run_delay", "g++", "-O2", "-fopenmp"), how)
    cpu_ns, wall_ns = map(int, run.done.stdout.split())
    ((header, _),) = run.files
    # Of four threads on one unit the second waits for one, and so on, even if none is ever preempted: 1.5 times what
    # all work.
    assert 1.2 * cpu_ns < header["run_delay_ns"] < 4.1 * wall_ns


def test_of_a_program_that_leaves_without_its_end_it_is_not_known(build, count, monkeypatch):
    monkeypatch.setenv("SYNCMETER_PROBE_EVERY", "1,0")
    run = count(build("run_delay", "g++", "-O2", "-fopenmp"), "_exit")
    assert [header["run_delay_ns"] for header, _ in run.files] == [None]


def test_it_stands_with_the_timed_run(advise, build):  # noqa: F811
    runs = {run["arm"]: run for run in advise(build("run_delay", "g++", "-O2", "-fopenmp"), "threads").header["runs"]}
    assert 0.1 < runs["time"]["run_delay_s"] < 4.1 * runs["time"]["wall_s"]
    assert "run_delay_s" not in runs["plain"] and "run_delay_s" not in runs["count"]
