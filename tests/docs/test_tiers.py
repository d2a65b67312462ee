"""Which presets and tests scripts/test chooses, with cmake and ctest that only note what they are called with."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from documents import ROOT

STUB = """#!/bin/sh
echo "$(basename "$0") $*${SM_DRAWN_BY:+ drawn-by=$SM_DRAWN_BY}" >>"$CALLS"
case $1 in --fresh) mkdir -p "build/$3" && : >"build/$3/build.ninja" ;; esac
echo "Total Tests: 1"
"""


@pytest.fixture
def tree(tmp_path):
    """What the script reads of the sources, and the two programs."""
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts")
    shutil.copy(ROOT / "CMakePresets.json", tmp_path)
    for manifest in (ROOT / "backends").glob("*/backend.cmake"):
        (tmp_path / "backends" / manifest.parent.name).mkdir(parents=True)
        shutil.copy(manifest, tmp_path / "backends" / manifest.parent.name)
    shutil.copy(ROOT / "backends/cuda/CMakeLists.txt", tmp_path / "backends/cuda")
    (tmp_path / "bin").mkdir()
    # clang++: that a second compiler is here, which makes nothing.
    for name, text in (("cmake", STUB), ("ctest", STUB), ("clang++", "#!/bin/sh\nexit 1\n")):
        (tmp_path / "bin" / name).write_text(text, encoding="utf-8")
        (tmp_path / "bin" / name).chmod(0o755)
    return tmp_path


def calls(tree, *options, **environment):
    """(status, the calls of cmake and ctest that configure and test)"""
    noted = tree / "calls"
    noted.write_text("", encoding="utf-8")
    clean = {name: value for name, value in os.environ.items() if not name.startswith("SM_")}
    done = subprocess.run([tree / "scripts/test", *options], capture_output=True, text=True, timeout=60, check=False,
                          env=clean | {"SM_SETUP": "off", "CALLS": str(noted), "PATH": f"{tree / 'bin'}:{clean['PATH']}"} | environment)
    lines = noted.read_text(encoding="utf-8").splitlines()
    assert "waiting for another build" not in done.stdout + done.stderr, "nobody else builds here"
    return done.returncode, [line for line in lines if line.startswith(("cmake --fresh", "ctest")) and " -N" not in line]


def in_tree(tree, *words):
    subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=e", *words], cwd=tree, check=True, capture_output=True, timeout=60)


def presets(lines, program):
    return [re.search(r"--preset (\w+)", line)[1] for line in lines if line.startswith(program)]


@pytest.mark.parametrize("options, expected", [
    ([], ["quick"]),
    (["-R", "golden"], ["quick"]),
    (["--all"], ["asan", "release", "clang"]),
    (["--programs"], ["asan", "release", "clang"]),
    (["--preset", "release", "-R", "golden"], ["release"]),
    (["--preset=clang", "--programs"], ["clang"]),
    (["--worker", "omp"], ["release"]),
])
def test_the_first_tier_is_one_preset_and_all_are_three(tree, options, expected):
    status, lines = calls(tree, *options)
    assert status == 0
    assert presets(lines, "cmake") == presets(lines, "ctest") == expected


def test_types_rooms_and_headers_are_drawn_where_a_commit_is_named_and_nowhere_else(tree):
    _, lines = calls(tree, "--all")
    assert not any(re.search(r"SM_(TYPES|CUDA_TYPES|CUDA_ROOMS|HEADERS_DRAWN)=\w", line) for line in lines)
    drawn = {"SM_TYPES": set(), "SM_CUDA_TYPES": set(), "SM_CUDA_ROOMS": set()}
    for commit in "abcdefghij":
        _, lines = calls(tree, "--preset", "release", SM_DRAWN_BY=commit)
        assert f"-DSM_HEADERS_DRAWN={commit}" in lines[0].split()
        for option, found in drawn.items():
            found.add(re.search(rf"-D{option}=(\S+)", lines[0])[1])
    assert drawn["SM_TYPES"] == {f"int32;{other}" for other in ("uint64", "float", "double")}
    assert len(drawn["SM_CUDA_TYPES"]) > 1 and drawn["SM_CUDA_TYPES"] <= {"int32", "uint32", "uint64", "float", "double"}
    rooms = [found.split(";") for found in drawn["SM_CUDA_ROOMS"]]
    assert all(of[0] == "launch" and len(set(of)) == len(of) in (2, 3) for of in rooms) and len({room for of in rooms for room in of}) > 6


def test_more_sources_are_compiled_at_a_time_where_a_commit_is_named_and_few_processors_are(tree):
    def times(processors, **environment):
        (tree / "bin/nproc").write_text(f"#!/bin/sh\necho {processors}\n", encoding="utf-8")
        (tree / "bin/nproc").chmod(0o755)
        shutil.rmtree(tree / "build", ignore_errors=True)
        found = [re.search(r"-DSM_UNITY_TIMES=(\d)", line) for line in calls(tree, "--all", **environment)[1] if line.startswith("cmake")]
        return {int(of[1]) for of in found}

    memory_gib = int(re.search(r"MemTotal: *(\d+)", Path("/proc/meminfo").read_text(encoding="utf-8"))[1]) // 2**20
    assert times(2) == times(16, SM_DRAWN_BY="a") == {1}
    assert times(2, SM_DRAWN_BY="a") == {1 if memory_gib < 15 else 3}


def test_ci_compiles_the_rooms_of_cuda_that_the_change_touched_beside_those_that_are_drawn(tree):
    def rooms(**environment):
        shutil.rmtree(tree / "build", ignore_errors=True)
        _, lines = calls(tree, "--preset", "release", SM_DRAWN_BY="a", **environment)
        return re.search(r"-DSM_CUDA_ROOMS=(\S+)", lines[0])[1].split(";")

    every = re.search(r"set\(all_rooms (.*)\)", (ROOT / "backends/cuda/CMakeLists.txt").read_text(encoding="utf-8"))[1].split()
    for room in every:
        (tree / "backends/cuda" / room).mkdir()
        (tree / "backends/cuda" / room / "a.cu").write_text("", encoding="utf-8")
    (tree / ".gitignore").write_text("build\n__pycache__\ncalls\n", encoding="utf-8")
    in_tree(tree, "init", "--quiet", "--initial-branch=main")
    in_tree(tree, "add", ".")
    in_tree(tree, "commit", "--quiet", "-m", "all")
    assert sorted(rooms()) == sorted(every), "of a first commit nothing is known"
    in_tree(tree, "commit", "--quiet", "--allow-empty", "-m", "none")
    drawn = rooms()
    assert 2 <= len(drawn) <= 3
    touched = next(room for room in every if room not in drawn)
    (tree / "backends/cuda" / touched / "a.cu").write_text("int changed;\n", encoding="utf-8")
    in_tree(tree, "commit", "--quiet", "-a", "-m", "a room")
    assert rooms() == [*drawn, touched]
    in_tree(tree, "commit", "--quiet", "--allow-empty", "-m", "none")
    assert rooms() == drawn and rooms(SM_SINCE="HEAD~2") == [*drawn, touched]
    assert sorted(rooms(SM_SINCE="0" * 40)) == sorted(every)


def test_the_driver_is_compiled_once_by_clang(tree):
    """Under sanitizers; without those by clang++ the preset clang has its own."""
    own = "-DSM_DRIVER="
    _, lines = calls(tree, "--all")
    assert not any(own in line for line in lines)
    (tree / "build/asan/CMakeCache.txt").write_text("CMAKE_CXX_COMPILER:FILEPATH=/usr/bin/clang++\n", encoding="utf-8")
    (tree / "build/clang/build.ninja").unlink()
    _, lines = calls(tree, "--all")
    assert [own in line for line in lines if line.startswith("cmake")][-1:] == [True]
    (tree / "build/clang/build.ninja").unlink()
    _, lines = calls(tree, "--preset", "clang")
    assert own not in lines[0], "there may be no other driver"


def test_the_first_tier_draws_unless_tests_are_named(tree):
    def drawn(*options, **environment):
        return [re.search("drawn-by=.*", line) for line in calls(tree, *options, **environment)[1] if line.startswith("ctest")]

    assert drawn() == [None], "no repository, no commit"
    subprocess.run("git init -q && git -c user.name=n -c user.email=e commit -q --allow-empty -m all", shell=True, cwd=tree, check=True)
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=tree, check=True, capture_output=True, text=True).stdout.strip()
    assert [found[0] for found in drawn()] == [f"drawn-by={head}"]
    assert drawn("-R", "golden") == [None] and drawn("--all") == [None] * 3
    assert [found[0] for found in drawn("--all", SM_DRAWN_BY="abc")] == ["drawn-by=abc"] * 3


def test_unit_tests_of_the_first_tier_are_by_clang_where_it_takes_the_library(tree):
    assert "-DSM_TEST_COMPILER=" in calls(tree)[1][0].split()
    (tree / "bin/clang++").write_text("#!/bin/sh\n", encoding="utf-8")
    assert "-DSM_TEST_COMPILER=clang++" in calls(tree, CXX="g++")[1][0].split()
    assert "-DSM_TEST_COMPILER=" in calls(tree, CXX="clang++")[1][0].split(), "the compiler of the build"


def test_unit_tests_with_sanitizers_and_planted_bugs_are_linked_by_lld_where_clang_takes_it(tree):
    lld = "-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld"
    for refuses, expected in (("-fuse-ld=lld", False), ("-fno-such-option", True)):
        (tree / "bin/clang++").write_text(f"#!/bin/sh\ncat >/dev/null\ncase $* in *{refuses}*) exit 1 ;; esac\n", encoding="utf-8")
        _, lines = calls(tree, "--preset", "asan")
        assert "-DSM_SANITIZE=address,undefined,fuzzer-no-link" in lines[0].split() and (lld in lines[0].split()) == expected
        assert f"-DSM_COVERED={tree}/tests/fuzz/covered.txt" in lines[0].split()


def test_sanitizers_have_lines_but_for_what_is_drawn_by_a_commit(tree):
    lines_are_left_out = "-DCMAKE_CXX_FLAGS_DEBUG=-g0"
    assert lines_are_left_out not in calls(tree, "--preset", "asan")[1][0].split()
    assert lines_are_left_out in calls(tree, "--preset", "asan", SM_DRAWN_BY="a")[1][0].split()
    configured, *_ = calls(tree, "--preset", "asan")[1]
    assert configured.startswith("cmake --fresh") and lines_are_left_out not in configured.split(), "as after .ci/run"


def test_of_rooms_of_cuda_the_first_tier_has_a_cheap_one_and_those_that_were_changed(tree, tmp_path_factory):
    def rooms():
        shutil.rmtree(tree / "build", ignore_errors=True)  # what is configured already is not configured again
        _, lines = calls(tree)
        return next(word for word in lines[0].split() if "SM_CUDA_ROOMS" in word)

    assert rooms() == "-DSM_CUDA_ROOMS=launch", "no repository"
    (tree / ".gitignore").write_text("build\n__pycache__\ncalls\n", encoding="utf-8")
    for room in ("levels", "lane"):
        (tree / "backends/cuda" / room).mkdir()
        (tree / "backends/cuda" / room / "a.cu").write_text("", encoding="utf-8")
    in_tree(tree, "init", "--quiet", "--initial-branch=main")
    in_tree(tree, "add", ".")
    in_tree(tree, "commit", "--quiet", "-m", "all")
    assert rooms() == "-DSM_CUDA_ROOMS=launch"
    (tree / "backends/cuda/multi").mkdir()
    for changed in ("lane/a.cu", "levels/a.cu", "multi/new.cu"):
        (tree / "backends/cuda" / changed).write_text("int changed;\n", encoding="utf-8")
    assert rooms() == "-DSM_CUDA_ROOMS=launch;levels;multi"
    upstream = tmp_path_factory.mktemp("upstream")
    in_tree(tree, "clone", "--quiet", "--bare", ".", upstream)
    in_tree(tree, "remote", "add", "origin", upstream)
    in_tree(tree, "fetch", "--quiet", "origin")
    in_tree(tree, "branch", "--quiet", "--set-upstream-to=origin/main")
    in_tree(tree, "add", ".")
    in_tree(tree, "commit", "--quiet", "-m", "levels and multi, which are not pushed")
    assert rooms() == "-DSM_CUDA_ROOMS=launch;levels;multi"
    in_tree(tree, "push", "--quiet", "origin", "main")
    assert rooms() == "-DSM_CUDA_ROOMS=launch"


def test_the_first_tier_has_every_kind_of_test_without_sanitizers_and_what_is_slow():
    file = json.loads((ROOT / "CMakePresets.json").read_text(encoding="utf-8"))
    configured = next(p for p in file["configurePresets"] if p["name"] == "quick")["cacheVariables"]
    assert configured["SM_TESTS"] == "ON" and "SM_SANITIZE" not in configured
    tested = next(p for p in file["testPresets"] if p["name"] == "quick")
    assert tested["filter"] == {"exclude": {"label": "^slow$"}}
    assert tested["environment"] == {"PYTEST_ADDOPTS": "-m 'not slow'"}


def test_no_file_of_the_first_tier_has_slow_tests_alone():
    """pytest fails where it has deselected all."""
    labelled = (ROOT / "analysis/CMakeLists.txt").read_text(encoding="utf-8").partition("# Not of the first tier.")[2]
    files = [*(ROOT / "tests").rglob("test_*.py"), *(ROOT / "analysis/tests").glob("test_*.py")]
    slow = {path: text for path in files if (text := path.read_text(encoding="utf-8")).count("\n@pytest.mark.slow\n")}
    assert len(slow) > 2
    for path, text in slow.items():
        assert text.count("\n@pytest.mark.slow\n") < text.count("\ndef test_") or f"analysis.{path.stem} " in labelled, path
