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


def test_both_instructions_of_a_dependent_launch_have_a_class(tmp_path):
    """PREEXIT lets the next kernel start, ACQBULK waits for the kernel before."""
    compiler = re.search(r"^CMAKE_CUDA_COMPILER:\w+=(.*)$", (WORKER.parents[1] / "CMakeCache.txt").read_text(encoding="utf-8"), re.MULTILINE)[1]
    calls = {"PREEXIT": "cudaTriggerProgrammaticLaunchCompletion();", "ACQBULK": "cudaGridDependencySynchronize();"}
    ops = [{"backend": "x", "op": name.lower(), "family": "launch", "pairing": "plain", "order": "unordered", "placements": [],
            "unroll": 1, "ops_per_step": 1, "supported": True, "symbols": ["nothing", name.lower()],
            "declares": {"sass": f"{name} 1"}} for name in calls]
    capabilities = {"kind": "capabilities", "protocol": 1, "worker": "x", "build": {"id": "b"}, "ops": ops,
                    "backends": [{"name": "x", "clock": "device", "device": {"architectures": ["sm_90"], "devices": []}}]}
    worker = tmp_path / "syncmeter-x"
    worker.write_text(f"#!/bin/sh\ncat <<'END'\n{json.dumps(capabilities)}\nEND\n", encoding="utf-8")
    worker.chmod(0o755)
    kernel = "extern \"C\" __global__ void %s(volatile long long* out, unsigned n) {\n  out[0] = clock64();\n#pragma unroll 1\n" \
             "  for (unsigned i = 0; i != n; ++i) { %s out[2] = i; }\n  out[1] = clock64();\n}\n"
    kernels = [kernel % (name.lower(), call) for name, call in {"nothing": "", **calls}.items()]
    (tmp_path / "k.cu").write_text("".join(kernels), encoding="utf-8")
    subprocess.run([compiler, "-arch=sm_90", "-cubin", "-o", tmp_path / "k.cubin", tmp_path / "k.cu"], timeout=120, check=True)
    read = subprocess.run([WORKER.with_name("syncmeter"), "census", "read", worker, tmp_path / "k.cubin", "--json"],
                          capture_output=True, text=True, timeout=60, check=True)
    entries = json.loads(read.stdout)["entries"]
    assert [(entry["verdict"], entry["per_op"]) for entry in entries] == [("proven", {name: 1}) for name in calls]
