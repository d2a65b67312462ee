"""GPUs that are not here: what each op compiles to for them is what it declares for that architecture.

The ops without a type and those of one type. CI compiles them for one architecture, .ci/run --whole for all.
"""

import csv
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import driver_path

ATLAS = Path(__file__).resolve().parents[2] / "scripts/atlas"
#: sm_90 is the one that workers are built for where no GPU is: codegen.cuda_census holds it to the same.
ARCHITECTURES = ("sm_80", "sm_86", "sm_89", "sm_100", "sm_120")

#: What is something else there, and why: architecture, op, type.
DIFFERS = {
    ("sm_100", "atomic_exchange", "double"): "the addend that makes the next operand is made again in each trip",
}


def type_of_build():
    """One that the worker was built with (SM_CUDA_TYPES)."""
    cache = (driver_path().parents[1] / "CMakeCache.txt").read_text(encoding="utf-8")
    chosen = re.search(r"^SM_CUDA_TYPES:\w+=(\w+)", cache, re.MULTILINE)
    return chosen[1] if chosen else "int32"


@pytest.mark.parametrize("architecture", [*(pytest.param(name, marks=pytest.mark.whole) for name in ARCHITECTURES[:-1]), ARCHITECTURES[-1]])
def test_every_op_is_what_it_declares_there(architecture, tmp_path):
    if not driver_path().with_name("syncmeter-cuda").exists():
        pytest.skip("there is no worker syncmeter-cuda: this build has no CUDA")
    of_type = type_of_build()
    command = [sys.executable, ATLAS, "--check", "--bin", driver_path().parent, "--backends", "cuda", "--types", of_type]
    done = subprocess.run([*command, "--targets", architecture, "--output", tmp_path], capture_output=True, text=True,
                          check=False)
    with (tmp_path / "atlas.csv").open() as file:
        rows = list(csv.DictReader(file))
    wrong = [row for row in rows if row["verdict"] not in ("proven", "elided")]
    unknown = [row for row in wrong if (architecture, row["op"], row["type"]) not in DIFFERS]
    assert unknown == [], done.stdout + done.stderr
    assert done.returncode == (1 if wrong else 0), done.stdout + done.stderr
    assert {row["target"] for row in rows} == {architecture}
    assert {row["type"] for row in rows} >= {of_type}
    assert len(rows) > 40


def test_an_op_that_is_something_else_than_declared_is_refused():
    as_declared = runpy.run_path(str(ATLAS))["as_declared"]
    assert as_declared({"backend": "cuda", "verdict": "proven"})
    assert as_declared({"backend": "std", "verdict": "wrong"})
    for verdict in ("wrong", "not proven", "not declared"):
        assert not as_declared({"backend": "cuda", "verdict": verdict})
