"""Atomic operations of a program: sampled while it runs, and found in its machine code without a run."""

import json
import pathlib
import shutil
import subprocess

import pytest
import tables
from refused_calls import refusing
from tables import TRIES
from test_advise import Advice

DRIVER = tables.PROBE.parent / "syncmeter"
SOURCE = pathlib.Path(__file__).with_name("sampled.cpp").read_text(encoding="utf-8").splitlines()


def line_of(text):
    return next(number for number, line in enumerate(SOURCE, 1) if text in line)


@pytest.fixture
def sampled(build, tmp_path):
    def run(what, **how):
        advice = Advice([build("sampled"), what], tmp_path, **how)
        if advice.header["sampling"] is None:
            assert "The system refuses perf_event_open" in " ".join(advice.text.split())
            pytest.skip("this system refuses perf_event_open")
        return advice

    return run


def sites(advice, kind):
    """Their lines, of those of the program's source."""
    return [(frame["line"], site) for site in advice.sites if site["kind"] == kind
            for frame in site["frames"] if frame["file"] and frame["file"].endswith("sampled.cpp")]


#: What was found of a program: another test looks there first.
FOUND = {}


@pytest.mark.parametrize("what", ["contended", "child"])
def test_a_contended_atomic_is_found(what, sampled):
    # Where other programs have the processing units it is not there for a quarter of the wall time.
    for _ in range(TRIES):
        advice = sampled(what)
        FOUND[what] = advice
        found = sites(advice, "atomic")
        if found and found[0][1]["path_share"] > 0.25:
            break
    assert found, advice.text
    line, site = found[0]
    assert line == line_of("sum.fetch_add")
    assert site["operation"].startswith("lock_") and site["threads"] == 2 and site["count"] is None
    assert 0.6 < site["share"] <= 1 and 0 < site["path_share"] <= 1
    assert site["path_share"] > 0.25 or advice.header["withheld"]
    on_atomics = next(each for each in advice.advice if each["rule"] == "atomics")
    assert (on_atomics["kind"], on_atomics["proof"], on_atomics["sites"]) == ("bound", "samples", [site["id"]])
    assert "at a locked instruction" in on_atomics["text"]
    if advice.header["withheld"]:  # other programs were busy meanwhile
        assert on_atomics["saves_s"] is None and f"sampled.cpp:{line}: CPU time is spent" in on_atomics["text"]
    else:
        assert on_atomics["saves_s"]["low"] == 0 < on_atomics["saves_s"]["high"] <= advice.header["runs"][-1]["wall_s"]
        assert f"sampled.cpp:{line}: up to" in on_atomics["text"]


def test_an_atomic_of_one_thread_is_no_advice(sampled):
    advice = sampled("alone")
    assert [line for line, _ in sites(advice, "atomic")] == [line_of("sum.fetch_add")]
    assert advice.advice == []


def test_no_atomic_no_advice(sampled):
    advice = sampled("nothing")
    assert not [site for site in advice.sites if site["kind"] in ("atomic", "memory")]
    assert not [each for each in advice.advice if each["rule"] == "atomics"]


def test_memory_is_a_sentence_and_no_advice(sampled):
    # Where its two threads have one processing unit between them nothing is shared at a time.
    for _ in range(TRIES):
        advice = sampled("neighbours")
        if found := sites(advice, "memory"):
            break
    assert found, advice.text
    line, site = found[0]
    assert line == line_of("own = own + 1") and site["share"] > 0.5
    assert not [each for each in advice.advice if each["rule"] == "atomics"]
    note = next(note for note in advice.header["notes"] if f"sampled.cpp:{line}, a load or store of memory, in 2 threads" in note)
    assert "No call explains it" in note
    assert ("that saves between nothing and" in note) == (not advice.header.get("withheld")) and "false sharing" not in advice.text


def test_samples_are_of_the_run_alone(sampled):
    for _ in range(TRIES):  # a hypervisor that takes a processing unit away takes samples and leaves the time
        advice = FOUND.pop("contended", None) or sampled("contended")
        sampling, runs = advice.header["sampling"], advice.header["runs"]
        assert [run["arm"] for run in runs] == ["plain", "count", "sample", "time"]
        assert sampling["period_ns"] == 1_000_000
        # A sample for each millisecond of the program's own CPU time.
        if sampling["lost"] == 0 and 0.8 < sampling["samples"] / (runs[2]["user_s"] * 1000) < 1.2:
            break
    else:
        pytest.fail(f"{sampling} of {runs}")


def test_where_the_system_refuses_it_there_are_no_samples(build, tmp_path):
    advice = Advice([build("sampled"), "contended"], tmp_path, preexec_fn=refusing("perf_event_open"))
    if advice.done.returncode == 99:
        pytest.skip("no filter of system calls can be set here")
    text = " ".join(advice.text.split())
    assert advice.done.returncode == 0 and advice.header["sampling"] is None
    assert [run["arm"] for run in advice.header["runs"]] == ["plain", "count", "time"]
    assert "CPU time was not sampled" in text and "refuses perf_event_open (Operation not permitted;" in text
    assert not sites(advice, "atomic") and not [each for each in advice.advice if each["rule"] == "atomics"]


class Static:
    def __init__(self, program, folder):
        path = folder / "static.jsonl"
        path.unlink(missing_ok=True)
        self.done = subprocess.run([DRIVER, "advise", "--static", program, "--json", path], capture_output=True, text=True,
                                   timeout=120, check=False)
        self.text = " ".join(self.done.stdout.split())
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else [{}]
        self.header, self.sites = lines[0], lines[1:]

    def found(self, source):
        """Kind, operation and line of the sites in a source file, each once."""
        return sorted({(site["kind"], site["operation"], frame["line"]) for site in self.sites
                       for frame in site["frames"] if frame["file"] and frame["file"].endswith(source)})


@pytest.fixture
def static(tmp_path):
    return lambda program: Static(program, tmp_path)


def test_static_names_the_line(static, build):
    found = static(build("sampled"))
    assert found.done.returncode == 0 and found.done.stderr == ""
    atomics = [(kind, line) for kind, _, line in found.found("sampled.cpp") if kind == "atomic"]
    assert ("atomic", line_of("sum.fetch_add")) in atomics
    assert found.header["runs"] == [] and {site["count"] for site in found.sites} == {None}
    assert f"sampled.cpp:{line_of('sum.fetch_add')}" in found.text
    assert "How often they run, in how many threads and at what cost is not in the code" in found.text


def test_static_finds_calls(static, build):
    calls = {operation for kind, operation, _ in static(build("endings", "g++", "-O1")).found("endings.cpp")}
    assert {"pthread_mutex_lock", "pthread_create", "pthread_join", "sem_post"} <= calls
    assert "syscall" not in calls and "pthread_mutex_unlock" not in calls


def test_static_finds_calls_of_openmp(static, build):
    program = build("../../examples/hazards/barrier_storm", "g++", "-O2", "-fopenmp")
    found = static(program).found("barrier_storm.cpp")
    assert {(kind, operation) for kind, operation, _ in found} == {("region", "GOMP_parallel"), ("barrier", "GOMP_barrier")}


def test_static_finds_what_a_static_program_has(static, build):
    found = static(build("endings", "g++", "-O1", "-static"))
    assert ("mutex_lock", "pthread_mutex_lock") in {(kind, operation) for kind, operation, _ in found.found("endings.cpp")}
    assert len([site for site in found.sites if site["kind"] == "atomic"]) > 20


@pytest.fixture(scope="module")
def kernels(tmp_path_factory):
    if not shutil.which("nvcc"):
        pytest.skip("no nvcc here: CUDA code cannot be compiled")
    program = tmp_path_factory.mktemp("cuda") / "kernels"
    source = pathlib.Path(__file__).with_name("kernels.cu")
    subprocess.run(["nvcc", "-arch=sm_90", "-lineinfo", "-cudart", "static", source, "-o", program], check=True, timeout=120)
    return program


def test_static_without_cudas_tools_shows_the_rest(kernels, static, monkeypatch):
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setenv("CUDA_HOME", "/nonexistent")
    found = static(kernels)
    assert found.done.returncode == 0 and [site for site in found.sites if site["kind"] == "mutex_lock"]
    if not pathlib.Path("/usr/local/cuda/bin/cuobjdump").exists():
        assert "It has code for GPUs, which cannot be shown: cuobjdump not found, install" in found.text


def test_static_finds_what_a_gpu_does(kernels, static):
    if not shutil.which("nvdisasm") or not shutil.which("cuobjdump"):
        pytest.skip("no cuobjdump and nvdisasm here: CUDA code cannot be shown")
    source = pathlib.Path(__file__).with_name("kernels.cu")
    lines = source.read_text(encoding="utf-8").splitlines()
    at = {mark: next(i for i, line in enumerate(lines, 1) if f"// {mark}" in line)
          for mark in ("on one cell", "cleared", "shared", "filled", "global", "again", "without order and scope")}
    found = static(kernels)
    places = {(kind, operation.split(".")[0], line) for kind, operation, line in found.found("kernels.cu")}
    assert {("barrier", "BAR", at["cleared"]), ("barrier", "BAR", at["filled"]), ("atomic", "ATOMS", at["shared"]),
            ("atomic", "ATOMG", at["again"]), ("fence", "MEMBAR", at["without order and scope"])} <= places
    assert {line for kind, _, line in places if kind == "atomic"} == {
        at[mark] for mark in ("on one cell", "shared", "global", "again", "without order and scope")}
    assert {site["architecture"] for site in found.sites if site["frames"] and site.get("architecture")} == {"sm_90"}
    assert "Its code for GPUs is of sm_90." in found.text
    for words in ("at system scope (SYS), by_default kernels.cu:", "with a fence before it, by_default kernels.cu:",
                  f"compare-and-swap of the GPU in a loop, maximum kernels.cu:{at['again']}"):
        assert words in found.text, found.done.stdout
    of_system = next(site for site in found.sites if ".SYS" in site["operation"] and site["kind"] == "atomic")
    assert of_system["operation"].startswith("ATOM") and not of_system["in_loop"]


def test_static_of_a_stripped_program(static, build, tmp_path):
    stripped = tmp_path / "stripped"
    subprocess.run(["strip", "-o", stripped, build("sampled")], check=True, timeout=60)
    found = static(stripped)
    with_lines = static(build("sampled"))
    assert sorted(site["offset"] for site in found.sites) and found.done.returncode == 0
    assert sum(site["copies"] for site in found.sites) == sum(site["copies"] for site in with_lines.sites)
    assert "stripped+0x" in found.text


def test_a_stripped_library_has_the_names_of_exported_functions_alone(static, tmp_path):
    source, library = tmp_path / "log.c", tmp_path / "liblog.so"
    source.write_text("""int exported(int* count) { return __atomic_fetch_add(count, 1, __ATOMIC_SEQ_CST); }
__attribute__((noinline)) static int hidden(int* count) { return __atomic_exchange_n(count, 1, __ATOMIC_SEQ_CST); }
int (*kept)(int*) = hidden;
""", encoding="utf-8")
    subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-fno-toplevel-reorder", "-s", source, "-o", library], check=True, timeout=60)
    found = static(library)
    names = sorted((site["operation"], [frame["function"] for frame in site["frames"]]) for site in found.sites if site["kind"] == "atomic")
    assert [functions for _, functions in names] == [["exported"], [None]], names
    assert "exported liblog.so+0x" in found.text


def test_static_of_a_program_of_rust(static, tmp_path):
    if not shutil.which("rustc"):
        pytest.skip("no rustc here")
    source = tmp_path / "counter.rs"
    source.write_text("""use std::sync::atomic::{AtomicU64, Ordering};
static SUM: AtomicU64 = AtomicU64::new(0);
#[inline(never)]
fn add() {
    SUM.fetch_add(std::env::args().count() as u64, Ordering::Relaxed);
}
fn main() {
    std::thread::spawn(add).join().unwrap();
    println!("{}", SUM.load(Ordering::Relaxed));
}
""", encoding="utf-8")
    subprocess.run(["rustc", "-O", "-g", source, "-o", tmp_path / "counter"], check=True, timeout=120)
    found = static(tmp_path / "counter")
    assert 5 in {line for kind, _, line in found.found("counter.rs") if kind == "atomic"}
    assert "counter.rs:5" in found.text


@pytest.mark.parametrize(("arguments", "words"), [
    (["--static", "no-such-file"], "'no-such-file' cannot be looked into"),
    (["--static", "/etc/passwd"], "not an ELF program"),
    (["--static", "/usr/bin/true", "--", "/usr/bin/true"], "--static runs no program"),
    (["--static", "/usr/bin/true", "--fail-above", "0.1"], "--fail-above needs a run"),
])
def test_static_of_what_it_cannot_read(arguments, words):
    done = subprocess.run([DRIVER, "advise", *arguments], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in " ".join(done.stderr.split())
