"""How long threads that meet had no processor is what the kernel counts, however their threads end."""

import pathlib

import pytest
from test_advise import advise  # noqa: F401 (a fixture)
from test_names import LIBOMP

pytestmark = pytest.mark.skipif(not pathlib.Path("/proc/self/schedstat").exists(), reason="this system does not tell")


@pytest.mark.parametrize(("how", "compiler"), [("team", "g++"), ("team", "clang++"), ("threads", "g++")])
def test_threads_wait_as_long_as_they_say_themselves(how, compiler, build, count, monkeypatch):
    """LLVM's runtime ends its threads when the probe has read them already."""
    if compiler == "clang++" and not LIBOMP:
        pytest.skip("clang++ is not installed, or has no libomp")
    monkeypatch.setenv("SYNCMETER_PROBE_EVERY", "1,0")
    monkeypatch.setenv("OMP_WAIT_POLICY", "passive")
    run = count(build("run_delay", compiler, "-O2", "-fopenmp"), how)
    own_ns, wall_ns = map(int, run.done.stdout.split())
    ((header, _),) = run.files
    # The main thread waits too, and has not met the threads that it made.
    others = 1.2 if how == "threads" else 0.3
    assert wall_ns < own_ns <= header["run_delay_ns"] < own_ns + others * wall_ns


def test_of_a_program_that_leaves_without_its_end_it_is_not_known(build, count, monkeypatch):
    monkeypatch.setenv("SYNCMETER_PROBE_EVERY", "1,0")
    run = count(build("run_delay", "g++", "-O2", "-fopenmp"), "_exit")
    assert [header["run_delay_ns"] for header, _ in run.files] == [None]


def test_it_stands_with_the_timed_run(advise, build):  # noqa: F811
    runs = {run["arm"]: run for run in advise(build("run_delay", "g++", "-O2", "-fopenmp"), "threads").header["runs"]}
    assert 0.1 < runs["time"]["run_delay_s"] < 4.1 * runs["time"]["wall_s"]
    assert "run_delay_s" not in runs["plain"] and "run_delay_s" not in runs["count"]
