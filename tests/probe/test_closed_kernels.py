"""Kernels whose counts are known by formulas: what patched kernels count is equal to them."""

import collections
import json
import pathlib
import re
import shutil
import subprocess
import sys

import pytest
from test_advise import DRIVER

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "benchmarks"))
import closed_kernels  # noqa: E402


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    if not shutil.which("nvcc"):
        pytest.skip("no nvcc of the CUDA Toolkit")
    has_gpu = shutil.which("nvidia-smi") and subprocess.run(["nvidia-smi", "-L"], capture_output=True, check=False).returncode == 0
    if not has_gpu:
        pytest.skip("no GPU")
    path = tmp_path_factory.mktemp("closed") / "closed_kernels"
    subprocess.run(["nvcc", "-O2", "-g", "-lineinfo", "-std=c++20", "-arch=native", pathlib.Path(__file__).with_name("closed_kernels.cu"), "-o", path],
                   check=True, timeout=200)
    return path


@pytest.mark.parametrize("way", closed_kernels.WAYS)
def test_counts_of_all_cases_are_equal_to_their_formulas(way, program):
    cases = closed_kernels.cases_of(program, "--way", way, "--launches", "1", "--counts")
    lines = closed_kernels.advised(DRIVER, "20s", [program, "--way", way, "--launches", "1"])
    assert sorted(closed_kernels.kernels_of_cases(cases, lines)) == sorted(cases)


@pytest.mark.parametrize("source", ["probe/closed_kernels.cu", "benchmarks/launch_savings.cu"])
def test_they_compile_without_a_warning(source, tmp_path):
    if not shutil.which("nvcc"):
        pytest.skip("no nvcc of the CUDA Toolkit")
    subprocess.run(["nvcc", "-O0", "-std=c++20", "-arch=sm_90", "-Werror=all-warnings", ROOT / "tests" / source, "-o", tmp_path / "program"], check=True,
                   timeout=200)


def case_and_kernel():
    """Of a histogram by copies in shared memory, whose updates of these come again, and what was counted."""
    case = {"case": "h", "kernel": "histogram_block", "launches": 2, "updates": 8, "addresses": 4, "hottest": 2, "hottest_warps": 2, "warp_addresses": 8,
            "shared": 64, "barriers": 4}
    instructions = [{"updates": 70, "warp_addresses": 70, "shared_memory": True}, {"updates": 8, "warp_addresses": 8}]
    kernel = {"record": "kernel", "name": "(anonymous namespace)::histogram_block", "launches": 2, "updates": 8, "addresses": 4, "hottest": 2, "hottest_warps": 2,
              "barriers": 3.99999, "instructions": instructions}
    return case, kernel


def test_a_case_is_found_by_all_of_its_counts():
    case, kernel = case_and_kernel()
    assert closed_kernels.kernels_of_cases({"h": case}, [kernel]) == {"h": kernel}
    for name in ("launches", "updates", "addresses", "hottest", "hottest_warps", "warp_addresses", "barriers"):
        assert closed_kernels.kernels_of_cases({"h": {**case, name: case[name] + 1}}, [kernel]) == {}, name
    assert closed_kernels.kernels_of_cases({"h": case}, [{**kernel, "at_least": True}]) == {}


def test_sentences_name_the_ways_as_the_driver_has_them():
    rules = (ROOT / "driver" / "advise" / "kernel_ways.cpp").read_text(encoding="utf-8")
    words = " ".join(re.sub(r'"\s*"', "", rules).split())
    for way, sentence in closed_kernels.SENTENCES.items():
        assert sentence in words, way
    both = "Let one thread of a warp add for all that update its address, to a copy of its block's in shared memory (privatize)."
    assert [closed_kernels.way_of(text) for text in (both, both.split(",")[0], "Spread the address")] == ["both", "warp", "no other way"]


def test_lines_of_the_program_are_by_case(tmp_path):
    script = tmp_path / "program"
    script.write_text("#!/bin/sh\n" + "".join(f"echo '{json.dumps({'case': name})}'\n" for name in ("a", "b")), encoding="utf-8")
    script.chmod(0o755)
    assert list(closed_kernels.cases_of(script)) == ["a", "b"]


def test_there_are_thirty_cases_and_ten_with_nothing_to_gain():
    table = pathlib.Path(__file__).with_name("closed_kernels.cu").read_text(encoding="utf-8")
    assert collections.Counter(re.findall(r'closed_case\{"[^}]*?(true|false)\}', table)) == {"true": 30, "false": 10}
