"""A worker that is wrong is seen to be: a lock that locks nothing fails nearly every visit, a runtime that loses
iterations or does a task twice each."""

import os
import re
import shutil
import time

import pytest
from conftest import Worker, capabilities_of, pus_for, worker_paths

PATIENCE_S = 60


@pytest.mark.parametrize(("name", "op"), [("syncmeter-std", "shared_mutex_add"), ("syncmeter-posix", "rwlock_add")])
def test_a_lock_that_locks_nothing_fails_nearly_every_visit(name, op, tmp_path):
    path = next((path for path in worker_paths() if path.name == name), None)
    library = os.environ.get("BROKEN_CALLS_LIBRARY", "")
    if path is None or not os.path.exists(library):
        pytest.skip(f"{name} or the library of broken calls was not built")
    if pus_for(2) == [-1, -1]:
        pytest.skip("only one PU is allowed here: two lanes of it seldom meet")
    capabilities = capabilities_of(path)
    lock = next(c for c in capabilities["ops"] if c["op"] == op)
    # LD_PRELOAD holds several names with blanks between, and a build folder's name may have one.
    broken = Worker(path, capabilities, preload=shutil.copy(library, tmp_path))
    # Two lanes meet only while both PUs are ours: another tenant of the machine may have one of them for
    # seconds. Without binding, or with short samples, no twenty visits in a row would do.
    deadline = time.monotonic() + PATIENCE_S
    caught = []
    while not caught or (max(caught) < 18 and time.monotonic() < deadline):
        visits = [broken.measure(lock, "shared", 2) for _ in range(20)]
        caught.append(sum(v["status"] == "failed" and "oracle" in v["reason"] for v in visits))
    broken.close()
    assert max(caught) >= 18, caught


@pytest.mark.parametrize(("op", "pieces"),
                         [("for_dynamic", "lost"), ("task_by_one", "doubled"), ("task_by_all", "doubled")])
def test_lost_iterations_and_doubled_tasks_are_seen(op, pieces, tmp_path):
    paths = [path for path in worker_paths() if path.name in ("syncmeter-omp", "syncmeter-omp-llvm")]
    library = os.environ.get("BROKEN_CALLS_LIBRARY", "")
    if not paths:
        pytest.skip("no worker of OpenMP's threads is asked for")
    if not os.path.exists(library):
        pytest.skip("the library of broken calls was not built")
    for path in paths:
        capabilities = capabilities_of(path)
        construct = next(c for c in capabilities["ops"] if c["op"] == op)
        broken = Worker(path, capabilities, preload=shutil.copy(library, tmp_path))
        visit = broken.measure(construct | {"size": 1}, "none", 2)
        broken.close()
        assert visit["status"] == "failed", (path.name, visit)
        done, wanted = map(int, re.search(r"oracle: (\d+) of (\d+) pieces of work were done", visit["reason"]).groups())
        assert done < wanted if pieces == "lost" else done > wanted, (path.name, visit["reason"])
