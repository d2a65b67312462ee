"""What a barrier of each level orders, and what one in divergent code does: a process and a deadline for each case."""

import json
import os
import pathlib
import subprocess

import pytest

CANNOT = 77
ORDERED = {"warp_orders_warp", "block_orders_block", "cluster_orders_cluster", "cluster_orders_shared_memory",
           "grid_orders_grid"}
# What hardware may do with a barrier that not every lane of a warp passes alike: undefined by the guide unless all
# lanes take the same branch, so that it is named in the output, and is never more than a hang. Before compute
# capability 7.0 a warp's first lane arrived for all; since then no lane may pass before all have come.
DIVERGENT = {
    "divergent_branches": {"works", "hangs"},
    "divergent_late_half": {"waits for every lane", "hangs"},
    "divergent_half_ends": {"lanes that ended are not waited for", "hangs"},
    "divergent_one_fewer": {"lanes that ended are not waited for", "hangs"},
}
PROGRAM = pathlib.Path(os.environ.get("SYNCMETER_BIN", ".")) / "barrier-semantics"

pytestmark = pytest.mark.skipif(not PROGRAM.exists(), reason="built without CUDA")


def outcome_of(case):
    done = subprocess.run([PROGRAM, case], capture_output=True, text=True, timeout=60)
    if done.returncode == CANNOT:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    print(f"{found['device']}: {case}: {found['outcome']} ({found['seen']} of {found['of']})")
    return found


def test_every_case_is_looked_at():
    done = subprocess.run([PROGRAM], capture_output=True, text=True, timeout=60, check=True)
    assert set(done.stdout.split()) == ORDERED | set(DIVERGENT) | {"block_does_not_order_grid"}


def test_an_unknown_case_is_refused():
    done = subprocess.run([PROGRAM, "barier"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and "'barier' is not a case" in done.stderr


@pytest.mark.parametrize("case", sorted(ORDERED))
def test_what_was_written_before_a_barrier_is_seen_after_it(case):
    found = outcome_of(case)
    assert found["outcome"] == "ordered" and found["of"] > 0


def test_a_barrier_of_a_block_does_not_order_other_blocks():
    found = outcome_of("block_does_not_order_grid")
    assert found["outcome"] == "not ordered" and found["seen"] > 0


@pytest.mark.parametrize("case", sorted(DIVERGENT))
def test_a_barrier_in_divergent_code_does_what_is_known(case):
    found = outcome_of(case)
    assert found["outcome"] in DIVERGENT[case]
    if found["outcome"] == "waits for every lane":
        assert found["of"] == 1  # the half that waited had come
