"""Calls of CUDA are counted by the program's own function that made them, by a library in CUPTI's and the driver's place."""

import collections
import json
import pathlib
import shutil
import subprocess

import pytest
import tables

EXPECTED = {("launch_both", "kernel_launch"): 3000, ("launch_both", "device_sync"): 1500,
            ("launch_one", "kernel_launch"): 30, ("launch_one", "stream_sync"): 2,
            ("launch_without_stub", "kernel_launch"): 60, ("copy", "blocking_copy"): 30, ("launch_graphs", "graph_launch"): 40,
            ("launch_as_driver", "kernel_launch"): 50}
KINDS = {kind for _, kind in EXPECTED}


@pytest.fixture
def cupti(build, tmp_path, monkeypatch):
    library = tmp_path / "libcupti.so.1"
    shutil.copy(build("fake_cupti", "g++", "-O2", "-shared", "-fPIC"), library)
    monkeypatch.setenv("FAKE_CUPTI", str(library))
    monkeypatch.setenv("SYNCMETER_CUPTI", str(library))
    monkeypatch.setenv("CUDA_INJECTION64_PATH", str(tables.PROBE))
    return library


def calls(program, run):
    counts = tables.by_caller(program, run.rows)
    return {key: count for key, count in counts.items() if key[1] in KINDS}


@pytest.mark.parametrize("options", [["-O2"], ["-O0"], ["-O2", "-fno-omit-frame-pointer", "-static-libgcc"]], ids=" ".join)
@pytest.mark.parametrize(("how", "status"), [("", 0), ("_exit", 3), ("abort", -6)])
def test_counts(how, status, options, build, cupti, count):
    program = build("cuda_calls", "g++", *options)
    run = count(program, *([how] if how else []), check=False)
    assert (run.done.returncode, run.done.stdout, run.done.stderr) == (status, "", "")
    assert calls(program, run) == EXPECTED
    assert all(not row.module for row in run.rows if row.kind in KINDS)


def test_each_call_of_a_kernel_is_a_site(build, cupti, count):
    run = count(build("cuda_calls", "g++", "-O2"))
    sites = collections.Counter((row.kind, row.offset) for row in run.rows if row.kind == "kernel_launch")
    # Two kernels in launch_both, by two threads; one in launch_one, one without a stub, and the driver's.
    assert sorted(sites.values()) == [1, 1, 1, 2, 2]


def test_a_stripped_program_has_a_site_for_each_kernel(build, cupti, count):
    program = build("cuda_calls", "g++", "-O2", "-s")
    launches = [row for row in count(program).rows if row.kind == "kernel_launch"]
    by_site = collections.Counter()
    for row in launches:
        by_site[row.offset] += row.count
    assert sorted(by_site.values()) == [50, 60, 1500, 1530]


def test_calls_are_timed(build, cupti, count, monkeypatch):
    monkeypatch.setenv("SYNCMETER_PROBE_EVERY", "0,1")
    run = count(build("cuda_calls", "g++", "-O2"))
    waits = [times for times in run.times if times.kind == "stream_sync"]
    assert sum(times.timed for times in waits) == 2
    assert sum(times.call_ns for times in waits) >= 2 * 100_000
    assert sum(times.timed for times in run.times if times.kind == "kernel_launch") == 3140


@pytest.mark.parametrize("how", ["", "fork"])
def test_what_the_gpu_does_is_of_the_site_that_called(how, build, cupti, count, monkeypatch):
    monkeypatch.setenv("SYNCMETER_PROBE_EVERY", "0,1000")
    run = count(build("cuda_calls", "g++", "-O2"), *([how] if how else []))
    of = {kind: [times for times in run.device if times.kind == kind] for kind in ("kernel_launch", "graph_launch")}
    kernels, graphs = of["kernel_launch"], of["graph_launch"]
    # Five sites that launch kernels, two of them by two threads.
    assert sorted(times.works for times in kernels) == [30, 50, 60, 1500, 1500]
    assert sum(times.busy_ns for times in kernels) == 3140 * 2000
    assert (sum(times.works for times in graphs), sum(times.busy_ns for times in graphs)) == (40, 40 * 30_000)
    # Before the first one nothing is known.
    assert sum(times.idle_ns for times in kernels + graphs) == (3140 + 40 - 1) * 500
    assert max(times.last_end for times in run.device) - min(times.first_start for times in run.device) == \
        3140 * 2000 + 40 * 30_000 + (3140 + 40 - 1) * 500


def test_a_gpu_is_idle_before_asynchronous_copies_too(build, cupti, count, monkeypatch):
    monkeypatch.setenv("SYNCMETER_PROBE_EVERY", "0,1000")
    monkeypatch.setenv("FAKE_CUPTI_COPIES", "1")
    device = count(build("cuda_calls", "g++", "-O2")).device
    assert sum(times.works for times in device) == 3140 + 40
    # Not before the first of these, from whose begin on all of it is.
    idle_ns, copies_ns = (3140 + 40 - 1) * 500, (3140 + 40 - 1) * 1000
    assert sum(times.idle_ns for times in device) == idle_ns
    assert max(times.last_end for times in device) - min(times.first_start for times in device) == \
        3140 * 2000 + 40 * 30_000 + idle_ns + copies_ns


def test_kernels_have_their_grid_and_their_time(build, cupti, count, monkeypatch):
    monkeypatch.setenv("SYNCMETER_PROBE_EVERY", "0,1000")
    found = count(build("cuda_calls", "g++", "-O2")).kernels
    assert sorted(found, key=lambda each: each.launches) == [
        tables.KernelTimes("_Z4copyPf", (132, 1, 1), (128, 1, 1), 50, 50 * 2000),
        tables.KernelTimes("_Z4stepPf", (132, 1, 1), (256, 1, 1), 3090, 3090 * 2000)]


def test_locks_of_cuda_s_libraries_are_not_the_program_s(build, cupti, count, monkeypatch):
    monkeypatch.setenv("SYNCMETER_PROBE_EVERY", "0,1000")
    rows = [row for row in count(build("cuda_calls", "g++", "-O2")).rows if row.module.endswith("libcupti.so.1")]
    assert {row.kind for row in rows} == {"mutex_lock"} and all(row.runtime for row in rows)


def test_a_counted_run_asks_for_no_times_of_the_gpu(build, cupti, count, monkeypatch):
    monkeypatch.setenv("SYNCMETER_PROBE_EVERY", "0")
    assert count(build("cuda_calls", "g++", "-O2")).device == []


@pytest.mark.parametrize(("named", "problem"), [("nothing.so", "no libcupti.so was found"), (None, "lacks functions of CUPTI")])
def test_without_cupti_the_file_says_why(named, problem, build, cupti, count, monkeypatch, tmp_path):
    monkeypatch.setenv("SYNCMETER_CUPTI", str(tmp_path / named) if named else "libm.so.6")
    run = count(build("cuda_calls", "g++", "-O2"))
    assert (run.done.stdout, run.done.stderr) == ("", "")
    assert not calls(build("cuda_calls", "g++", "-O2"), run)
    assert [text for text in run.problems if problem in text] == run.problems != []


def test_a_tool_that_is_there_already_keeps_cupti(build, cupti, count, monkeypatch):
    monkeypatch.setenv("FAKE_CUPTI_IS_TAKEN", "1")
    run = count(build("cuda_calls", "g++", "-O2"))
    assert run.problems == ["another tool or the program itself uses CUPTI, which serves one at a time"]


@pytest.mark.parametrize("every", ["0,1000", "0"])
def test_a_timed_run_has_its_time_from_the_first_call_on(every, build, cupti, count, monkeypatch):
    monkeypatch.setenv("SYNCMETER_PROBE_EVERY", every)
    program = build("cuda_calls", "g++", "-O2")
    run = count(program)
    assert calls(program, run) == EXPECTED
    assert len(run.cuda_spans) == (1 if every != "0" else 0) and all(span >= 2 * 100_000 for span in run.cuda_spans)


@pytest.mark.parametrize(("how", "spans"), [("", 1), ("fork", 1), ("_exit", 0)])
def test_of_a_run_for_that_time_nothing_else_is_looked_at(how, spans, build, cupti, count, monkeypatch):
    monkeypatch.setenv("SYNCMETER_CUDA_SPAN", "1")
    program = build("cuda_calls", "g++", "-O2")
    run = count(program, *([how] if how else []), check=False)
    assert not calls(program, run) and not run.device and not run.problems
    assert len(run.cuda_spans) == spans and all(span >= 2 * 100_000 for span in run.cuda_spans)


def test_in_such_a_run_one_call_is_reported(build, cupti, count, monkeypatch, tmp_path):
    """Of a single thread, since others go on while calls are disabled one by one."""
    monkeypatch.setenv("SYNCMETER_CUDA_SPAN", "1")
    monkeypatch.setenv("FAKE_CUPTI_CALLBACKS", str(tmp_path / "callbacks"))
    assert len(count(build("cuda_calls", "g++", "-O2"), "alone").cuda_spans) == 1
    # The runtime's launch begins, and that of the driver in it, which returns.
    assert int((tmp_path / "callbacks").read_text(encoding="utf-8")) == 3


def test_where_cupti_stays_there_is_no_such_time(build, cupti, count, monkeypatch):
    monkeypatch.setenv("SYNCMETER_CUDA_SPAN", "1")
    monkeypatch.setenv("FAKE_CUPTI_FINALIZE", "fails")
    run = count(build("cuda_calls", "g++", "-O2"))
    assert (run.cuda_spans, run.problems) == ([], ["cuptiFinalize of the libcupti.so that was found failed"])


def thread_local_bytes(library):
    lines = subprocess.run(["readelf", "-lW", library], check=True, capture_output=True, text=True).stdout.splitlines()
    return sum(int(line.split()[5], 16) for line in lines if line.split()[:1] == ["TLS"])


def use_thread_local_storage(libraries, build, folder, monkeypatch):
    """So many libraries with 64 bytes each are loaded before the probe, as far as there is room for them."""
    library = build("static_storage", "g++", "-O2", "-shared", "-fPIC")
    (folder / "storage").mkdir()
    for number in range(libraries):
        shutil.copy(library, folder / "storage" / f"{number}.so")
    monkeypatch.setenv("FAKE_STORAGE", str(folder / "storage"))
    monkeypatch.delenv("GLIBC_TUNABLES", raising=False)


def test_the_probe_is_loaded_into_a_running_program(build, cupti, tmp_path, monkeypatch):
    """As CUDA's driver does, where other libraries have most of the static thread-local storage that glibc keeps for such."""
    assert 0 < thread_local_bytes(tables.PROBE) <= 256
    use_thread_local_storage(16, build, tmp_path, monkeypatch)
    monkeypatch.setenv("SYNCMETER_PROBE_FOLDER", str(tmp_path))
    monkeypatch.setenv("SYNCMETER_CUDA_SPAN", "1")
    subprocess.run([build("cuda_calls", "g++", "-O2")], check=True, timeout=120)
    (counts,) = tmp_path.glob("*.counts")
    assert (len(tables.read_cuda_spans(counts)), tables.read_problems(counts)) == (1, [])


def advise(program, folder, budget="1ms"):
    """The file of `syncmeter advise` on the program, as lines."""
    subprocess.run([tables.PROBE.parent / "syncmeter", "advise", "--budget", budget, "--json", folder / "advice.jsonl", "--", program],
                   stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=True)
    return [json.loads(line) for line in (folder / "advice.jsonl").read_text(encoding="utf-8").splitlines()]


def test_advise_has_them(build, cupti, tmp_path, monkeypatch):
    monkeypatch.delenv("CUDA_INJECTION64_PATH")
    lines = advise(build("cuda_calls", "g++", "-O2"), tmp_path)
    found = collections.Counter()
    for line in lines:
        if line["record"] == "call_site" and line["kind"] in KINDS:
            found[line["frames"][0]["function"].partition("(")[0], line["kind"]] += line["count"]
    assert found == EXPECTED
    assert not [note for note in lines[0]["notes"] if note.startswith("Calls of CUDA")]


@pytest.mark.parametrize(("idle_ns", "budget", "some"), [("100000", "10s", True), ("100000", "1ms", False), ("0", "10s", False)])
def test_advise_takes_spans_where_the_gpu_waits_and_the_budget_has_room(idle_ns, budget, some, build, cupti, tmp_path, monkeypatch):
    monkeypatch.delenv("CUDA_INJECTION64_PATH")
    monkeypatch.setenv("FAKE_CUPTI_IDLE_NS", idle_ns)
    header = advise(build("cuda_calls", "g++", "-O2"), tmp_path, budget)[0]
    spans = [run for run in header["runs"] if run["arm"] == "span"]
    assert (spans != []) == some and all(0 < run["cuda_span_s"] < run["wall_s"] for run in spans)
    assert not [note for note in header["notes"] if note.startswith("How long CUDA is in use")]


@pytest.mark.parametrize(("end", "why"), [("fails", "cuptiFinalize"), *((end, "ended otherwise than the plain one") for end in ("abort", "early"))])
def test_advise_says_why_there_are_no_spans_and_goes_on(end, why, build, cupti, tmp_path, monkeypatch):
    monkeypatch.delenv("CUDA_INJECTION64_PATH")
    monkeypatch.setenv("FAKE_CUPTI_IDLE_NS", "100000")
    monkeypatch.setenv("FAKE_CUPTI_FINALIZE", end)
    header = advise(build("cuda_calls", "g++", "-O2"), tmp_path, "10s")[0]
    assert len([note for note in header["notes"] if why in note]) == 1
    assert [run["arm"] for run in header["runs"]].count("plain") >= 2


def test_advise_says_that_the_probe_was_not_loaded(build, cupti, tmp_path, monkeypatch):
    monkeypatch.delenv("CUDA_INJECTION64_PATH")
    monkeypatch.setenv("FAKE_CUPTI_IDLE_NS", "100000")
    use_thread_local_storage(200, build, tmp_path, monkeypatch)
    header = advise(build("cuda_calls", "g++", "-O2"), tmp_path, "10s")[0]
    assert len([note for note in header["notes"] if "could not be loaded into the CUDA program" in note]) == 1
    assert "span" not in [run["arm"] for run in header["runs"]]


def test_advise_says_why_they_are_not_counted(build, cupti, tmp_path, monkeypatch):
    monkeypatch.setenv("SYNCMETER_CUPTI", "/nowhere/libcupti.so")
    monkeypatch.delenv("CUDA_INJECTION64_PATH")
    header = advise(build("cuda_calls", "g++", "-O2"), tmp_path)[0]
    assert [note for note in header["notes"] if note.startswith("Calls of CUDA are not counted: no libcupti.so was found")]


def test_a_library_that_the_user_injects_stays(build, cupti, tmp_path):
    header = advise(build("cuda_calls", "g++", "-O2"), tmp_path)[0]
    assert [note for note in header["notes"] if "CUDA_INJECTION64_PATH" in note]


LAYOUTS = """
#include <cstddef>
#include <cupti.h>
#include "probe/cupti.hpp"
namespace own = syncmeter::probe::cupti;
#define SM_SAME(record, layout) \\
  static_assert(offsetof(record, start) == own::layout.start && offsetof(record, end) == own::layout.start + 8); \\
  static_assert(offsetof(record, correlationId) == own::layout.correlation)
SM_SAME(CUpti_ActivityKernel9, kernel_record);
SM_SAME(CUpti_ActivityMemcpy5, memcpy_record);
SM_SAME(CUpti_ActivityMemset4, memset_record);
SM_SAME(CUpti_ActivityGraphTrace, graph_record);
static_assert(offsetof(CUpti_ActivityKernel9, gridX) == own::kernel_grid);
static_assert(offsetof(CUpti_ActivityKernel9, blockX) == own::kernel_grid + 12);
static_assert(offsetof(CUpti_ActivityKernel9, name) == own::kernel_name);
static_assert(own::kernel_record.type == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
static_assert(own::memcpy_record.type == CUPTI_ACTIVITY_KIND_MEMCPY && own::memset_record.type == CUPTI_ACTIVITY_KIND_MEMSET);
static_assert(own::graph_record.type == CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
static_assert(own::multiple_subscribers == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
static_assert(own::driver_api == CUPTI_CB_DOMAIN_DRIVER_API && own::runtime_api == CUPTI_CB_DOMAIN_RUNTIME_API);
static_assert(offsetof(own::callback_data, function_name) == offsetof(CUpti_CallbackData, functionName));
static_assert(offsetof(own::callback_data, parameters) == offsetof(CUpti_CallbackData, functionParams));
static_assert(offsetof(own::callback_data, correlation) == offsetof(CUpti_CallbackData, correlationId));
"""


def test_declarations_are_those_of_the_headers(tmp_path):
    nvcc = shutil.which("nvcc")
    folders = [pathlib.Path(nvcc).resolve().parents[1] / part for part in ("include", "extras/CUPTI/include")] if nvcc else []
    if not any((folder / "cupti.h").exists() for folder in folders):
        pytest.skip("no headers of CUPTI, which the CUDA Toolkit has")
    (tmp_path / "layouts.cpp").write_text(LAYOUTS, encoding="utf-8")
    subprocess.run(["g++", "-std=c++20", "-fsyntax-only", "-Wno-deprecated-declarations", f"-I{tables.ROOT}",
                    *[f"-isystem{folder}" for folder in folders], tmp_path / "layouts.cpp"], check=True, timeout=120)


HAZARDS = sorted((tables.ROOT / "examples" / "hazards").glob("*.cu"))


#: CI compiles these for every commit; nvcc compiles each program twice.
IN_CI = HAZARDS[::4]


@pytest.mark.parametrize("source", [pytest.param(source, id=source.stem, marks=() if source in IN_CI else pytest.mark.whole)
                                    for source in HAZARDS])
def test_hazards_end_alike(source, tmp_path):
    """Slow and fixed: the same result with a GPU, and the same words without one."""
    if not shutil.which("nvcc"):
        pytest.skip("no nvcc of CUDA")
    ends = []
    for options in ([], ["-DFIXED"]):
        subprocess.run(["nvcc", "-O2", "-std=c++20", "-arch=sm_90", "-Werror=all-warnings", *options, source, "-o", tmp_path / "hazard"],
                       check=True, timeout=280)
        done = subprocess.run([tmp_path / "hazard"], capture_output=True, text=True, timeout=60, check=False)
        ends.append((done.returncode, done.stdout, done.stderr))
    assert ends[0] == ends[1]
    assert ends[0][2] if ends[0][0] else ends[0][1]
