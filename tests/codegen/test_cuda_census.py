"""Every CUDA kernel against what its op declares, in SASS: the census that the build kept beside the worker.

It needs cuobjdump, and no GPU. `syncmeter census --backend cuda` shows the same as a table.
"""

import json
import os
import pathlib
import re
import subprocess

import pytest

WORKER = pathlib.Path(os.environ["SYNCMETER_BIN"]) / "syncmeter-cuda"
KEPT = WORKER.with_name("syncmeter-cuda.census.json")


@pytest.fixture(scope="module")
def census():
    assert KEPT.exists(), "no census was taken: cuobjdump is missing (PyPI: nvidia-cuda-cuobjdump, nvidia-cuda-nvdisasm)"
    return json.loads(KEPT.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def capabilities():
    done = subprocess.run([WORKER, "--capabilities"], capture_output=True, text=True, timeout=60, check=True)
    return json.loads(done.stdout)


def least(of_all, of_one_type, of_few_rooms):
    """The bound for what the build holds: all, CUDA's tables of some types (SM_CUDA_TYPES), or those and few rooms of other
    ops (SM_CUDA_ROOMS), as the first tier of tests has."""
    cache = (WORKER.parents[1] / "CMakeCache.txt").read_text(encoding="utf-8")
    if re.search(r"^SM_CUDA_ROOMS:STRING=.", cache, re.MULTILINE):
        return of_few_rooms
    return of_one_type if re.search(r"^SM_CUDA_TYPES:STRING=.", cache, re.MULTILINE) else of_all


def name(capability):
    axes = ("op", "type", "order", "scope", "flavour", "space", "some_lanes")
    return " ".join([str(capability[axis]) for axis in axes if axis in capability] + capability["placements"])


def has_sides_of_its_own(capability):
    """The sides of the chain are one kernel, launched with two lengths: there is nothing to subtract."""
    return capability["supported"] and capability["op"] != "handoff_chain"


def test_it_is_of_this_build(census, capabilities):
    assert census["build"] == capabilities["build"]


def test_every_supported_row_is_proven_or_elided(census, capabilities):
    wrong, proven = [], 0
    for capability in capabilities["ops"]:
        if not has_sides_of_its_own(capability):
            continue
        assert len(capability["symbols"]) >= 2, name(capability)
        entry = census["entries"][capability["symbols"][-1]]
        proven += entry["verdict"] == "proven"
        if entry["verdict"] not in ("proven", "elided"):
            wrong.append(f"{name(capability)}: {entry['verdict']}: {entry['reason']}")
    assert wrong == []
    # 187 rows have no type, 45 the float; without the rooms 55 have none.
    assert proven > least(500, 230, 90)


def test_what_the_compiler_elides_is_known(census, capabilities):
    elided = {c["op"] for c in capabilities["ops"]
              if has_sides_of_its_own(c) and census["entries"][c["symbols"][-1]]["verdict"] == "elided"}
    assert elided <= {"warp_sync", "warp_sync_partial", "tile_sync", "active_mask", "control_aa"}


def test_no_more_kernels_than_a_build_can_bear(capabilities):
    symbols = {symbol for capability in capabilities["ops"] for symbol in capability.get("symbols", [])}
    assert least(1000, 500, 250) < len(symbols) <= 2200
