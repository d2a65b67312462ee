"""Kernels and fences of Kokkos are counted by label and by the program's call, and OpenMP's calls below them have the label."""

import collections
import json
import os
import shutil
import subprocess

import pytest
import tables

#: By (label, kind), of the functions of the program that call.
CALLS = {("step_twice", "first", "kokkos_for"): 101, ("step_twice", "second", "kokkos_for"): 101, ("by_label", "rare", "kokkos_for"): 20,
         ("by_label", "often", "kokkos_for"): 40, ("by_label", "inner", "kokkos_for"): 20, ("nest", "outer", "kokkos_for"): 10,
         ("nest", "innermost", "kokkos_scan"): 10, ("sum_up", "sum", "kokkos_reduce"): 20, ("wait", "wait", "kokkos_fence"): 5,
         ("nest_deeply", "deep", "kokkos_for"): 20, ("by_label", "l" * 1000, "kokkos_for"): 1}
BELOW = {("first", "region"): 101, ("second", "region"): 101, ("rare", "region"): 20, ("often", "region"): 40, ("inner", "region"): 20,
         ("sum", "region"): 20, ("", "region"): 1, ("l" * 1000, "region"): 1}
TOOL = tables.PROBE.with_name("libsyncmeter-kokkos-tool.so")
BUILDS = [("g++", "-O2", "-fopenmp"), ("g++", "-O0", "-fopenmp"), ("clang++", "-O2", "-fopenmp")]


@pytest.fixture
def tools(monkeypatch):
    monkeypatch.setenv("KOKKOS_TOOLS_LIBS", str(TOOL))


@pytest.fixture(autouse=True)
def without_tools_of_the_caller(monkeypatch):
    for name in ("KOKKOS_TOOLS_LIBS", "KOKKOS_PROFILE_LIBRARY"):
        monkeypatch.delenv(name, raising=False)


def callers(program, run):
    """Calls of Kokkos by (function, label, kind)."""
    rows = collections.defaultdict(list)
    for row in run.rows:
        if row.kind.startswith("kokkos_"):
            rows[row.label].append(row)
    found = collections.Counter()
    for label, of_label in rows.items():
        # A lambda of the function is of it.
        for (function, kind), calls in tables.by_caller(program, of_label).items():
            found[function.partition("::")[0], label, kind] += calls
    return found


def below(run, kinds=("region",)):
    found = collections.Counter()
    for row in run.rows:
        if row.kind in kinds and not row.runtime:
            found[row.label, row.kind] += row.count
    return found


@pytest.mark.parametrize("how", BUILDS, ids=" ".join)
def test_counts(how, build, count, tools):
    program = build("kokkos_calls", *how)
    run = count(program)
    assert run.done.stdout == f"{TOOL}\nas it is\n"
    assert callers(program, run) == CALLS
    assert below(run) == BELOW
    assert below(run, ["barrier"])["sum", "barrier"] >= 20
    assert below(run, ["chunk"])["first", "chunk"] == 2 * 101
    # It has the object of its lock.
    assert below(run, ["critical"]) == {("", "critical"): 40}
    assert run.lost == 0


def test_an_aborted_program_has_all(build, count, tools):
    program = build("kokkos_calls", *BUILDS[0])
    assert callers(program, count(program, "abort", check=False)) == CALLS


def test_a_child_has_labels_of_its_own(build, count, tools):
    program = build("kokkos_calls", *BUILDS[0])
    run = count(program, "fork")
    child = [row for header, rows in run.files if header["by_fork"] for row in rows]
    assert {(row.label, row.count) for row in child if row.kind == "kokkos_for"} == {("second", 3), ("deep", 1)}


def test_kernels_and_regions_are_timed(build, count, tools, monkeypatch):
    monkeypatch.setenv("SYNCMETER_PROBE_EVERY", "1,1")
    run = count(build("kokkos_calls", *BUILDS[0]))
    timed = collections.Counter()
    for times in run.times:
        timed[times.kind] += times.timed
    # Of calls inside of eight others the end is not known.
    assert timed["kokkos_for"] == sum(calls for (*_, kind), calls in CALLS.items() if kind == "kokkos_for") - 12
    assert timed["region"] == sum(BELOW.values()) and timed["chunk"] >= 2 * 101
    assert sum(times.call_ns for times in run.times if times.kind == "kokkos_fence") >= 5 * 1_000_000


def test_an_exception_ends_kernels(build, count, tools, monkeypatch):
    monkeypatch.setenv("SYNCMETER_PROBE_EVERY", "1,1")
    program = build("kokkos_calls", *BUILDS[0])
    run = count(program, "throw")
    assert below(run)["good", "region"] == 1 and below(run)["", "region"] == BELOW["", "region"] + 1
    assert ("thrower", "region") not in below(run)
    timed = sum(times.timed for times in run.times if times.kind == "kokkos_for")
    # As without the word, and of what was thrown through none.
    assert timed == sum(calls for (*_, kind), calls in CALLS.items() if kind == "kokkos_for") - 12 + 1


def test_kernels_of_another_thread_are_not_open(build, count, tools):
    run = count(build("kokkos_calls", *BUILDS[0]), "thread")
    assert below(run)["far down", "region"] == 1


def test_labels_that_differ_from_call_to_call_are_left_out(build, count, tools):
    run = count(build("kokkos_calls", *BUILDS[0]), "labels")
    found = collections.Counter()
    for row in run.rows:
        if row.kind == "kokkos_for" and (row.label.startswith("step") or not row.label):
            found[row.label] += row.count
    # The place has four others, and room for 16.
    assert found == {"": 100 - 12} | {f"step {i}": 1 for i in range(12)}


def test_a_tool_whose_callbacks_call_each_other_has_its_own(build, count, monkeypatch):
    tool = build("kokkos_user_tool", "g++", "-shared", "-fPIC", "-O2")
    monkeypatch.setenv("KOKKOS_TOOLS_LIBS", str(tool))
    program = build("kokkos_calls", *BUILDS[0])
    kernels = sum(calls for (*_, kind), calls in CALLS.items() if kind in ("kokkos_for", "kokkos_reduce"))
    alone = subprocess.run([program], capture_output=True, text=True, timeout=60, check=True).stdout
    assert f"{kernels} begun, {kernels} ended" in alone
    assert count(program).done.stdout == alone


def advise(program, folder, *words):
    """By a driver without workers, which measure for longer than the program runs: the lines of the file, and what the program printed."""
    driver = folder / "syncmeter"
    for path in (tables.PROBE.parent / "syncmeter", tables.PROBE, TOOL):
        shutil.copy(path, folder)
    done = subprocess.run([driver, "advise", "--budget", "1ms", "--json", folder / "advice.jsonl", "--", program, *words],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=True)
    return [json.loads(line) for line in (folder / "advice.jsonl").read_text(encoding="utf-8").splitlines()], done.stdout.splitlines()


def line_of(text, source="kokkos_calls.cpp"):
    lines = (tables.ROOT / "tests" / "probe" / source).read_text(encoding="utf-8").splitlines()
    return 1 + next(number for number, line in enumerate(lines) if text in line)


def test_advise_names_labels_and_the_lines_of_calls(build, tmp_path):
    lines, printed = advise(build("kokkos_calls", *BUILDS[0]), tmp_path)
    sites = {(line["kind"], line.get("label"), line["where"]): line["count"] for line in lines if line["record"] == "call_site"}
    for label in ("first", "second"):
        place = f"step_twice() kokkos_calls.cpp:{line_of(f'Kokkos::parallel_for({chr(34)}{label}')}"
        assert {sites[kind, label, f'"{label}" at {place}'] for kind in ("kokkos_for", "region")} == {101}
    assert sites["mutex_lock", None, f"wait() kokkos_calls.cpp:{line_of('Kokkos::fence(')} (of Kokkos)"] == 5
    # Counted, and timed; as it is, and sampled where samples are permitted.
    tools = collections.Counter(printed[::2])
    assert tools[str(tmp_path / TOOL.name)] == 2 and tools["no tools"] >= 1 and len(tools) == 2
    assert set(printed[1::2]) <= {"fences around kernels", "as it is"}


@pytest.fixture
def by_kokkos(tmp_path):
    """The program that calls Kokkos itself, where CMake finds that."""
    if not tables.PROBE.with_name("syncmeter-kokkos").exists():
        pytest.skip("syncmeter-kokkos was not built")
    (tmp_path / "CMakeLists.txt").write_text(f"""
        cmake_minimum_required(VERSION 3.25)
        project(real_kokkos CXX)
        include("{tables.ROOT}/backends/kokkos/debian_kokkos.cmake")
        find_package(Kokkos REQUIRED)
        if(Kokkos_ENABLE_OPENMP AND NOT Kokkos_ENABLE_CUDA)
          add_executable(real_kokkos "{tables.ROOT}/tests/probe/real_kokkos.cpp")
          target_link_libraries(real_kokkos PRIVATE Kokkos::kokkos)
        endif()
        """, encoding="utf-8")
    folder = tmp_path / "build"
    subprocess.run(["cmake", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=RelWithDebInfo", "-S", tmp_path, "-B", folder], check=True, timeout=120)
    subprocess.run(["cmake", "--build", folder], check=True, timeout=240)
    if not (folder / "real_kokkos").exists():
        pytest.skip("a kokkos with OpenMP and without CUDA was not found")
    return folder / "real_kokkos"


def test_kernels_of_kokkos_itself(by_kokkos, tmp_path, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    lines, _ = advise(by_kokkos, tmp_path)
    found = {(line["kind"], line["label"]): (line["where"], line["count"]) for line in lines if line["record"] == "call_site" and line.get("label")}
    expected = {}
    for kind, label, function, calls in (("for", "scale", "scale(int*)", 40), ("reduce", "sum up", "sum_up(int const*)", 30),
                                         ("scan", "accumulate", "accumulate(int*)", 20), ("fence", "wait", "wait()", 10)):
        call = "OpenMP().fence(" if kind == "fence" else f"parallel_{kind}("
        place = f'"{label}" at {function} real_kokkos.cpp:{line_of(call, "real_kokkos.cpp")}'
        expected |= {(each, label): (place, calls) for each in (f"kokkos_{kind}", *["region"] * (kind != "fence"))}
    assert {key: value for key, value in found.items() if key in expected} == expected
    locks = [line["where"] for line in lines if line["record"] == "call_site" and line["kind"] == "mutex_lock" and "real_kokkos.cpp" in line["where"]]
    assert len(locks) >= 3 and all(where.endswith(" (of Kokkos)") for where in locks)


def test_advice_has_one_site_of_labels_that_differ(build, tmp_path):
    lines, _ = advise(build("kokkos_calls", *BUILDS[0]), tmp_path, "labels")
    place = f"by_label(char const*) kokkos_calls.cpp:{line_of('Kokkos::parallel_for(label')}"
    sites = [line for line in lines if line["record"] == "call_site" and place in line["where"] and line["kind"] == "kokkos_for"]
    assert [(line["where"], line.get("label"), line["count"]) for line in sites] == [(place, None, 181)]


def test_an_empty_variable_is_none(build, tmp_path, monkeypatch):
    monkeypatch.setenv("KOKKOS_TOOLS_LIBS", "")
    lines, printed = advise(build("kokkos_calls", *BUILDS[0]), tmp_path)
    assert str(tmp_path / TOOL.name) in printed
    assert not [note for note in lines[0]["notes"] if "is set already" in note]


@pytest.mark.parametrize("name", ["KOKKOS_TOOLS_LIBS", "KOKKOS_PROFILE_LIBRARY"])
def test_a_library_of_the_user_stays(name, build, tmp_path, monkeypatch):
    monkeypatch.setenv(name, "/nowhere/mine.so")
    lines, printed = advise(build("kokkos_calls", *BUILDS[0]), tmp_path)
    assert set(printed[::2]) == {os.environ.get("KOKKOS_TOOLS_LIBS", "no tools")}
    assert [note for note in lines[0]["notes"] if f"{name} is set already, to /nowhere/mine.so" in note]
