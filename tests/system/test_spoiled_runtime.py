"""A runtime that loses an iteration, or does a task twice, fails the visit: nothing is measured of it."""

import os
import pathlib
import tempfile

import pytest

from conftest import driver_path

LIBRARY = os.environ.get("SPOIL_RUNTIME_LIBRARY")
BACKENDS = [name for name in ("omp", "omp-llvm") if (driver_path().parent / f"syncmeter-{name}").exists()]
# LD_PRELOAD holds a list: a name ends at a blank, and the library's own path may have one.
LINKS = tempfile.TemporaryDirectory(prefix="spoil-runtime-")

pytestmark = [
    pytest.mark.skipif(not LIBRARY, reason="SPOIL_RUNTIME_LIBRARY is not set"),
    pytest.mark.skipif(not BACKENDS, reason="no OpenMP worker was built"),
]


@pytest.fixture(params=BACKENDS)
def visits(campaign, request):
    """The visit of an op by lane 0 alone, with a defect of the runtime or without, and those that a busy machine adds."""
    def measure(op, defect):
        assert pathlib.Path(LIBRARY).exists(), "the loader passes over what it cannot preload"
        link = pathlib.Path(LINKS.name, "library.so")
        if not link.exists():
            link.symlink_to(LIBRARY)
        campaign.environment.update({"LD_PRELOAD": str(link), "SPOIL_RUNTIME": defect,
                                     "ASAN_OPTIONS": "verify_asan_link_order=0"})
        campaign.call_again("run", "--backend", request.param, "--op", op, "--size", "1", "--threads", "1", "--repetitions", "1",
                            "--max-time", "20ms", "--output", str(campaign.file))
        return campaign.visits()
    return measure


# The first sample is of a test loop, which has the op twice.
@pytest.mark.parametrize("op, defect, reason", [
    ("for_dynamic", "iteration", "check of for_dynamic: object 0: oracle: 255 of 256 pieces of work were done"),
    ("task_by_one", "task", "check of task_by_one: object 0: oracle: 3 of 2 pieces of work were done"),
])
def test_a_piece_of_work_lost_or_doubled_fails_the_visit(visits, op, defect, reason):
    found = visits(op, defect)
    assert {(visit["status"], visit["reason"]) for visit in found} == {("failed", reason)}
    assert not any(visit.get("estimates") for visit in found)


@pytest.mark.parametrize("op", ["for_dynamic", "task_by_one"])
def test_the_same_runtime_without_a_defect_is_measured(visits, op):
    found = visits(op, "nothing")
    assert found and all(visit["status"] != "failed" for visit in found)
