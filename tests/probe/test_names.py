"""Every function that the probe stands in for is counted as often as the program calls it, and nothing twice."""

import shutil
import subprocess

import pytest
import tables

def libomp():
    """LLVM's runtime, as clang++ finds it; empty where there is none."""
    if not shutil.which("clang++"):
        return ""
    found = subprocess.run(["clang++", "-print-file-name=libomp.so.5"], check=True, capture_output=True, text=True).stdout.strip()
    return found if found.startswith("/") else ""


LIBOMP = libomp()
#: Program, compiler, what is preloaded beside the probe, argument.
BUILDS = {"posix": ("posix_names", "g++", "", []), "posix by clang": ("posix_names", "clang++", "", []),
          "g++": ("openmp_names", "g++", "", []), "clang++": ("openmp_names", "clang++", "", []),
          "g++ on libomp": ("openmp_names", "g++", f":{LIBOMP}", ["libomp"])}


@pytest.fixture(scope="module")
def counts(build, tmp_path_factory):
    """The run of each build: what it printed, and what was counted."""
    runs = {}

    def of(name):
        if name not in runs:
            source, compiler, preload, arguments = BUILDS[name]
            if preload == ":":
                pytest.skip("clang++ is not installed, or has no libomp")
            options = ["-O2"] + ["-fopenmp"] * source.startswith("openmp")
            program = build(source, compiler, *options)
            run = tables.Counted([program, *arguments], tmp_path_factory.mktemp("counts") / "files", preload=preload)
            printed = {line.split()[0]: int(line.split()[1]) for line in run.done.stdout.splitlines()}
            runs[name] = program, printed, run
        return runs[name]

    return of


@pytest.mark.parametrize("name", BUILDS)
def test_counts_are_those_of_the_program(name, counts):
    program, printed, run = counts(name)
    assert run.lost == 0
    found = tables.by_caller(program, run.rows)
    kinds = tables.wrapped()
    assert {each: found[f"call_{each}", kinds[each]] for each in printed} == printed


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_what_waits_is_timed_also_up_to_a_time(compiler, build, count, monkeypatch):
    """And a lock that is taken without a wait is not."""
    monkeypatch.setenv("SYNCMETER_PROBE_EVERY", "0,1")
    run = count(build("posix_names", compiler, "-O2"))
    printed = {line.split()[0]: int(line.split()[1]) for line in run.done.stdout.splitlines()}
    for kind in ("rwlock_read", "rwlock_write", "sem_wait"):
        expected = sum(printed[name] for name, of in tables.wrapped().items() if of == kind and "try" not in name)
        assert (kind, sum(times.timed for times in run.times if times.kind == kind)) == (kind, expected)


def test_every_name_is_called(counts):
    called = set()
    for name in BUILDS:
        called |= set(counts(name)[1])
    assert called == set(tables.wrapped())


@pytest.mark.parametrize("name", ["g++", "clang++", "g++ on libomp"])
def test_tasks_of_loops(name, build, tmp_path):
    _, compiler, preload, arguments = BUILDS[name]
    if name != "g++" and not LIBOMP:
        pytest.skip("clang++ is not installed, or has no libomp")
    run = tables.Counted([build("task_loops", compiler, "-O2", "-fopenmp"), *arguments], tmp_path / "files", preload=preload)
    assert sum(row.count for row in run.rows if row.kind == "task" and not row.runtime) == int(run.done.stdout)


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_waits_for_iterations_are_counted_timed_and_passed_on(compiler, build, count, monkeypatch):
    if compiler != "g++" and not LIBOMP:
        pytest.skip("clang++ is not installed, or has no libomp")
    monkeypatch.setenv("SYNCMETER_PROBE_EVERY", "0,1")
    program = build("doacross", compiler, "-O2", "-fopenmp")
    run = count(program)
    alone = subprocess.run([program], capture_output=True, text=True, check=True, timeout=60).stdout
    waits = int(alone.split()[0])
    assert (run.done.stdout, run.total("doacross")) == (alone, waits)
    assert sum(times.timed for times in run.times if times.kind == "doacross") == waits


def test_teams(counts):
    _, _, run = counts("g++")
    assert {row.team for row in run.rows if row.kind in ("region", "barrier") and not row.runtime} == {2}
    assert {row.thread for row in run.rows if row.kind == "barrier" and not row.runtime} == {0, 1}


def test_output_is_untouched(counts, build):
    program, printed, run = counts("posix")
    alone = subprocess.run([program], capture_output=True, text=True, check=True, timeout=60).stdout
    without = [line for line in alone.splitlines() if "cond_wait" not in line and "cnd_wait" not in line]
    assert [line for line in run.done.stdout.splitlines() if line in without] == without
