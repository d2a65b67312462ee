"""Workers of one's own, built from the installation after it was moved: the examples, and one of built-in ops."""

import json
import os
import platform
import re
import shutil
import subprocess

import pytest

from conftest import driver_path
from test_install import SOURCE, cached, build, moved  # noqa: F401 (fixtures)

MEASURED = {"ok", "busy", "not_resolved", "noisy"}

# Built-in ops, as a user's worker has them. No loop of theirs calls a function: such a call holds its distance.
BUILT_IN = """
#include <atomic>

#include <syncmeter/primitive.hpp>

#include "core/ops/atomic.hpp"
#include "core/ops/control.hpp"
#include "core/ops/fence.hpp"
#include "core/ops/handoff.hpp"
#include "core/ops/host.hpp"

struct kept_promise {
  using object = std::atomic<int>;
  static constexpr auto info = syncmeter::promising("lock_add 1", syncmeter::pair_info("kept_promise"));
  SM_FN static void common(auto& lane) {
    lane.object().fetch_add(1, std::memory_order_relaxed);
    lane.object().fetch_add(2, std::memory_order_relaxed);
  }
  SM_FN static void measured(auto& lane) { common(lane); }
};
struct broken_promise : kept_promise {
  static constexpr auto info = syncmeter::promising("lock_xadd 1", syncmeter::pair_info("broken_promise"));
};
using syncmeter_ops =
    syncmeter::user_ops<syncmeter::ops::atomic_add, syncmeter::ops::atomic_exchange, syncmeter::ops::plain_add,
                        syncmeter::ops::spin_lock_add, syncmeter::ops::ticket_lock_add, syncmeter::ops::fence,
                        syncmeter::ops::fence_between_stores, syncmeter::ops::handoff, syncmeter::ops::control_multiply<2>,
                        kept_promise, broken_promise>;
"""

def has(worker):
    return (driver_path().parent / f"syncmeter-{worker}").exists()

#: The worker that each example needs, and examples that are built together. CI builds the first group for every commit.
NEEDS = {"spin-lock": "std", "queue": "std", "barrier": "omp", "cuda-barrier": "cuda"}
GROUPS = [("spin-lock", "barrier"), pytest.param(("spin-lock", "queue", "cuda-barrier"), marks=pytest.mark.whole)]

@pytest.fixture(scope="module", params=GROUPS, ids="+".join)
def workers(request, build, moved, tmp_path_factory):  # noqa: F811
    """The folder of the workers, built side by side. No build type is given: what is measured does not depend on it."""
    if not has("std") or cached(build, "SM_SANITIZE"):
        pytest.skip("no syncmeter-std was built here without sanitizers")
    examples = [name for name in request.param if has(NEEDS[name])]
    with_cuda = "cuda-barrier" in examples
    home = tmp_path_factory.mktemp("own")
    (home / "built_in.hpp").write_text(BUILT_IN, encoding="utf-8")
    (home / "CMakeLists.txt").write_text("\n".join([
        "cmake_minimum_required(VERSION 3.25)", f"project(all LANGUAGES CXX {'CUDA' if with_cuda else ''})",
        "set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)", "find_package(syncmeter 1 REQUIRED)",
        *(f'add_subdirectory("{SOURCE}/examples/{name}" {name})' for name in examples),
        "syncmeter_add_worker(built-in BACKEND std OPS built_in.hpp)", ""]), encoding="utf-8")
    words = [f"-DCMAKE_PREFIX_PATH={moved}", f"-DCMAKE_CXX_COMPILER={cached(build, 'CMAKE_CXX_COMPILER')}"]
    if with_cuda:
        words += [f"-DCMAKE_CUDA_COMPILER={cached(build, 'CMAKE_CUDA_COMPILER')}", "-DCMAKE_CUDA_ARCHITECTURES=90-real"]
    # Each run has folders of other names: relative to their parent they are the same.
    environment = {**os.environ, "CCACHE_BASEDIR": str(tmp_path_factory.getbasetemp()), "CCACHE_NOHASHDIR": "1"}
    if shutil.which("ccache"):
        words += ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache", "-DCMAKE_CUDA_COMPILER_LAUNCHER=ccache"]
    made = home / "made"
    cmake = cached(build, "CMAKE_COMMAND")
    for command in ([cmake, "-S", home, "-B", made, "-G", "Ninja", *words], [cmake, "--build", made, "-j", "2"]):
        done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=540, check=False, env=environment)
        assert done.returncode == 0, done.stdout + done.stderr
    return made / "bin"

def run(moved, workers, *words):  # noqa: F811
    """The installed driver, with the workers on PATH."""
    environment = {"PATH": f"{workers}:/usr/bin:/bin", "HOME": str(moved.parent), "SYNCMETER_REPORT": "off"}
    return subprocess.run([moved / "bin/syncmeter", *words], env=environment, cwd=workers, stdin=subprocess.DEVNULL,
                          capture_output=True, encoding="utf-8", timeout=60, check=False)

def loops(program):
    done = subprocess.run([program, "--capabilities"], stdin=subprocess.DEVNULL, capture_output=True, timeout=30, check=True)
    return {(o["op"], o.get("type"), o["order"]): o["code"] for o in json.loads(done.stdout)["ops"] if "code" in o}

def test_a_loop_of_a_worker_of_ones_own_is_that_of_the_built_in_worker(workers):
    own, built_in = loops(workers / "syncmeter-built-in"), loops(driver_path().parent / "syncmeter-std")
    shared = own.keys() & built_in.keys()
    assert len({op for op, _, _ in shared}) == 9 and {op for op, _, _ in own.keys() - shared} == {"kept_promise", "broken_promise"}
    assert {key: own[key] for key in shared} == {key: built_in[key] for key in shared}

def test_no_example_has_a_fault(moved, workers):  # noqa: F811
    names = {program.name.removeprefix("syncmeter-") for program in workers.glob("syncmeter-my*")}
    assert "mylocks" in names
    for name in names:
        done = run(moved, workers, "check-worker", name)
        assert done.returncode == 0, done.stdout

def test_the_examples_stand_beside_std(moved, workers):  # noqa: F811
    ops = {"mylocks": "backoff_lock_add", "myqueues": "queue_push_pop", "mybarriers": "phase_barrier"}
    ops = {name: op for name, op in ops.items() if (workers / f"syncmeter-{name}").exists()}
    backends = ["std", *ops]
    done = run(moved, workers, "run", "--study", "quick", "--backend", ",".join(backends), "--op",
               ",".join(["lock_add", "barrier", *ops.values()]), "--threads", "1", "--repetitions", "1",
               "--max-time", "4ms", "--output", "own.jsonl")
    assert done.returncode == 0, done.stdout + done.stderr
    lines = [json.loads(line) for line in (workers / "own.jsonl").read_text(encoding="utf-8").splitlines()]
    visits = {v["point"]["op"]: v for v in lines if v["kind"] == "visit"}
    assert visits["backoff_lock_add"]["family"] == visits["lock_add"]["family"] == "critical"
    assert "myqueues" not in ops or visits["queue_push_pop"]["family"] == "structure"
    assert {v["status"] for v in visits.values()} <= MEASURED and all(f"== {name}" in done.stdout for name in backends)

def test_the_census_says_what_an_op_is_and_holds_it_to_its_own_promise_alone(moved, workers):  # noqa: F811
    if platform.machine() != "x86_64":
        pytest.skip("not x86-64")
    if shutil.which("objdump") is None:
        pytest.skip("no objdump here")
    table = run(moved, workers, "census", "--backend", "mylocks,built-in")
    verdicts = {line.split()[0]: re.split(r" {2,}", line)[-2:] for line in table.stdout.splitlines() if " int32  " in line}
    assert verdicts["kept_promise"] == ["lock_add 1", "proven"], table.stdout
    assert verdicts["broken_promise"][1] == "wrong" and table.returncode == 1
    assert verdicts["atomic_add"][1] == "not declared", "nothing is promised of what a user builds"
    assert "xchg_mem 1" in verdicts["backoff_lock_add"][0] and verdicts["backoff_lock_add"][1] == "not declared"

@pytest.mark.parametrize("words, sentence", [
    ("std BACKEND std OPS my_locks.hpp", "syncmeter-std is a program of syncmeter; choose another name"),
    ("posix BACKEND std OPS my_locks.hpp", "syncmeter-posix is a program of syncmeter; choose another name"),
    ("mpi BACKEND std OPS my_locks.hpp", "syncmeter-mpi is a program of syncmeter; choose another name"),
    ("'my locks' BACKEND std OPS my_locks.hpp", "the name of a worker must be of a-z, 0-9, _ and -"),
    ("mine BACKEND tbb OPS my_locks.hpp", "BACKEND is 'tbb'; allowed: std, omp, cuda"),
    ("mine BACKEND std OPS nothing.hpp", "there is no file"),
    ("mine BACKEND std OPS my_locks.hpp TYPES int8", "TYPES has 'int8'; allowed: int32, uint64"),
    ("mine BACKEND cuda OPS my_locks.hpp", "BACKEND cuda needs the language CUDA")])
def test_a_wrong_call_is_one_sentence(build, moved, tmp_path, words, sentence):  # noqa: F811
    shutil.copy(SOURCE / "examples/spin-lock/my_locks.hpp", tmp_path)
    # Without a language: what is wrong is said before any compiler is asked.
    (tmp_path / "call.cmake").write_text("\n".join([
        "cmake_minimum_required(VERSION 3.25)", f'set(SM_WORKER_SOURCES "{moved}/share/syncmeter/worker")',
        f'include("{moved}/lib/cmake/syncmeter/add_worker.cmake")', f"syncmeter_add_worker({words})".replace("'", '"')]), encoding="utf-8")
    done = subprocess.run([cached(build, "CMAKE_COMMAND"), "-P", tmp_path / "call.cmake"], cwd=tmp_path, capture_output=True,
                          encoding="utf-8", timeout=60, check=False)
    assert done.returncode != 0 and sentence in re.sub(r"\s+", " ", done.stderr), done.stderr


def test_a_typed_op_without_types_is_refused_by_the_compiler(build, moved, tmp_path):  # noqa: F811
    shutil.copy(SOURCE / "examples/spin-lock/my_locks.hpp", tmp_path)
    call = (SOURCE / "examples/spin-lock/CMakeLists.txt").read_text(encoding="utf-8").replace("my_locks.hpp)", "my_locks.hpp TYPES none)")
    (tmp_path / "CMakeLists.txt").write_text(call, encoding="utf-8")
    cmake = cached(build, "CMAKE_COMMAND")
    subprocess.run([cmake, "-S", tmp_path, "-B", tmp_path / "made", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={moved}"],
                   capture_output=True, timeout=120, check=True)
    done = subprocess.run([cmake, "--build", tmp_path / "made", "--target",
                           "CMakeFiles/syncmeter-mylocks.dir/syncmeter-mylocks_tables/untyped_0.cpp.o"],
                          capture_output=True, encoding="utf-8", timeout=120, check=False)
    assert done.returncode != 0 and "an op has a type: syncmeter_add_worker() must name it in TYPES" in done.stdout, done.stdout
