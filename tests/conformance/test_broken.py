"""A worker that is wrong is seen to be: a lock that locks nothing fails nearly every visit."""

import os

import pytest
from conftest import Worker, capabilities_of, pus_for, worker_paths


def test_a_lock_that_locks_nothing_fails_nearly_every_visit():
    path = next((path for path in worker_paths() if path.name == "syncmeter-std"), None)
    library = os.environ.get("OPEN_LOCKS_LIBRARY", "")
    if path is None or not os.path.exists(library):
        pytest.skip("syncmeter-std or the library that opens its locks was not built")
    if pus_for(2) == [-1, -1]:
        pytest.skip("only one PU is allowed here: two lanes of it seldom meet")
    capabilities = capabilities_of(path)
    lock = next(c for c in capabilities["ops"] if c["op"] == "shared_mutex_add")
    broken = Worker(path, capabilities, preload=library)
    visits = [broken.measure(lock, "shared", 2) for _ in range(20)]
    broken.close()
    assert sum(v["status"] == "failed" and "oracle" in v["reason"] for v in visits) >= 18, visits
