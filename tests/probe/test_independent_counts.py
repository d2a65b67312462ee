"""What the probe counts beside what others count of the same run: OpenMP's own interface for tools, which LLVM's runtime
has and GNU's has not, and an auditor of the dynamic loader, which sees each call from file to file."""

import bisect
import collections
import subprocess

import pytest
import tables
from test_hazards import SPINNING
from test_names import LIBOMP

HAZARDS = tables.ROOT / "examples" / "hazards"
SLOW_AND_FIXED = [[], ["-DFIXED"]]
#: Programs of OpenMP, and how they are built and called.
OPENMP = [*((HAZARDS / name, options, []) for name in ("inner_region", "barrier_storm", "imbalance", "dynamic_chunk", "small_tasks", "oversubscription")
            for options in SLOW_AND_FIXED),
          ("openmp_names", [], []), ("region_calls", [], []), ("team_size", [], []), ("nested_regions", [], []), ("turns", [], ["ordered"]),
          *(("nothing_to_gain", [], [name]) for name in ("one_region", "reduction", "balanced_loops", "long_chunks", "guided", "long_tasks"))]
POSIX = [*((HAZARDS / name, options, []) for name in ("contended_counter", "false_sharing", "notify_under_lock", "oversized_section",
                                                     "rwlock_short_reads", "sleeping_barrier") for options in SLOW_AND_FIXED),
         ("posix_names", [], []), ("turns", [], ["handoffs"]), ("turns", [], ["yields"]),
         *(("nothing_to_gain", [], [name]) for name in ("rare_locks", "sharded", "long_reads", "big_items"))]


def name_of(case):
    return getattr(case[0], "stem", case[0]), *case[1], *case[2]


def cases(programs, *more):
    """Returns a parameter set for each program; CI runs every second one for every commit, .ci/run --whole all."""
    return [pytest.param(*case, *more, id=" ".join(name_of(case)), marks=() if number % 2 == 0 else pytest.mark.whole)
            for number, case in enumerate(programs)]


def built_tool(source, compiler, folder):
    tool = folder / f"{source}.so"
    subprocess.run([compiler, "-std=c++20", "-O2", "-shared", "-fPIC", tables.ROOT / "tests" / "probe" / f"{source}.cpp", "-o", tool],
                   check=True, timeout=120)
    return tool


@pytest.fixture(scope="module")
def ompt_tool(tmp_path_factory):
    if not LIBOMP:
        pytest.skip("clang++ is not installed, or has no libomp")
    return built_tool("ompt_counts", "clang++", tmp_path_factory.mktemp("tool"))


@pytest.fixture(scope="module")
def auditor(tmp_path_factory):
    return built_tool("loader_counts", "g++", tmp_path_factory.mktemp("auditor"))


def events_in(path):
    """By kind and address, as (module, offset)."""
    lines = [line.split() for line in path.read_text().splitlines()]
    assert lines.pop(0) == ["lost", "-", "0", "0"]
    return collections.Counter({(kind, module, int(offset)): int(count) for kind, module, offset, count in lines})


def by_kind(events):
    sums = collections.Counter()
    for (kind, *_), count in events.items():
        sums[kind] += count
    return sums


def barriers_in(events, inside_calls):
    """Those of a team that are calls: not the one at the end of a region, and not those inside other calls."""
    ends = sum(count for (kind, *place), count in events.items() if kind == "end_barrier" and ("region", *place) not in events)
    sums = by_kind(events)
    return sums["barrier"] + ends + sums["inner_barrier"] - inside_calls


@pytest.mark.parametrize(("source", "options", "arguments", "compiler"),
                         cases([case for case in OPENMP if (name_of(case)[0], "clang++") != SPINNING], "clang++")
                         + [pytest.param(name, [], [], "g++", id=f"{name} g++")
                            for name in ("openmp_names", "region_calls", "team_size", "nested_regions", HAZARDS / "barrier_storm")])
def test_counts_are_those_of_ompt(source, options, arguments, compiler, build, count, ompt_tool, tmp_path, monkeypatch):
    on_llvm = f":{LIBOMP}" if compiler == "g++" else ""
    program = build(source, compiler, "-O2", "-fopenmp", *options)
    if source == "openmp_names" and on_llvm:
        arguments = ["libomp"]
    monkeypatch.setenv("OMP_TOOL_LIBRARIES", str(ompt_tool))
    monkeypatch.setenv("SYNCMETER_OMPT_COUNTS", str(tmp_path / "alone"))
    monkeypatch.setenv("OMP_DYNAMIC", "false")
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    with monkeypatch.context() as alone:
        if on_llvm:
            alone.setenv("LD_PRELOAD", LIBOMP)
        subprocess.run([program, *arguments], check=True, capture_output=True, timeout=120)
    monkeypatch.setenv("SYNCMETER_OMPT_COUNTS", str(tmp_path / "with"))
    run = count(program, *arguments, preload=on_llvm)
    events = events_in(tmp_path / "alone")
    sums = by_kind(events)
    assert by_kind(events_in(tmp_path / "with")) == sums, "the probe changes no event"
    printed = {line.split()[0]: int(line.split()[1]) for line in run.done.stdout.splitlines() if source == "openmp_names"}
    # A reduction of a team meets in the call that is counted as it, and GOMP's single that copies in both of its calls.
    inside = printed.get("__kmpc_reduce", 0) // 2 if compiler == "clang++" else printed.get("GOMP_single_copy_start", 0)
    # OMPT has no event for a single construct that copies.
    copies = printed.get("GOMP_single_copy_start", 0)
    kinds = ("region", "critical", "omp_lock", "ordered", "task", "taskwait")
    assert {kind: run.total(kind) for kind in kinds} == {kind: sums[kind] for kind in kinds}
    assert (run.total("single") - copies, run.total("barrier")) == (sums["single"], barriers_in(events, inside))


def test_a_task_behind_a_region_is_of_that_region(build, count):
    program = build("region_calls", "g++", "-O2", "-fopenmp")
    starts, _ = tables.functions(program)
    # Either thread of the team runs a task, so that those of a site may stand in two rows.
    sums = collections.Counter()
    for row in count(program).rows:
        sums[row.kind, bisect.bisect_right(starts, row.offset)] += row.count
    # Other regions came before: what their threads ran last is not what these tasks are of.
    creator, waiter = ([function for (kind, function), total in sums.items() if (kind, total) == (which, 20)] for which in ("task", "taskwait"))
    assert creator == waiter, sums
    assert len(creator) == 1


@pytest.mark.parametrize(("source", "options", "arguments"), cases(OPENMP + POSIX))
def test_counts_are_calls_that_the_loader_sees(source, options, arguments, build, count, auditor, tmp_path, monkeypatch):
    program = build(source, "g++", "-O2", "-fopenmp", "-Wl,-z,lazy", *options)
    monkeypatch.setenv("SYNCMETER_LOADER_COUNTS", str(tmp_path / "calls"))
    monkeypatch.setenv("LD_AUDIT", str(auditor))
    run = count(program, *arguments)
    kinds, calls = tables.wrapped(), collections.Counter()
    for line in (tmp_path / "calls").read_text().splitlines():
        name, number = line.split()
        if name in kinds:
            calls[kinds[name]] += int(number)
    # All threads call a barrier.
    of_one = {"barrier_wait": 1 if source == "posix_names" else 2}
    counted = collections.Counter()
    for row in run.rows:
        if not row.runtime:
            counted[row.kind] += row.count * (row.team if row.kind == "barrier" else of_one.get(row.kind, 1))
    # Calls that fetch no chunk are not counted, nor tries to join a thread that runs on.
    for kind in ["chunk"] + ["join"] * (source == "posix_names"):
        calls.pop(kind, None)
        counted.pop(kind, None)
    assert +counted == +calls
