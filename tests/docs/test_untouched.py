"""The parts of CI that a change cannot have touched: no list of what a part never reads has a file that it reads."""

import pathlib
import re
import subprocess
import sys

import pytest
from documents import ROOT

sys.path.insert(0, str(ROOT / "scripts/lib"))
from untouched import UNREAD, cannot_be_touched, changed, is_unread  # noqa: E402

FUZZING, SITE, BARE_ROOT = UNREAD
#: Whose objects the part compiles, in any preset's build.
COMPILED = {FUZZING: ("core/", "driver/", "tests/fuzz/", "tests/unit/"), BARE_ROOT: ("core/", "driver/", "backends/", "tests/compile/")}


def read_by_compilers(build, folders):
    """The files of the sources that the objects of these folders were made of."""
    done = subprocess.run(["ninja", "-C", build, "-t", "deps"], capture_output=True, text=True, timeout=60, check=True)
    files = set()
    for block in done.stdout.split("\n\n"):
        if block.startswith(folders):
            paths = (pathlib.Path(build, line.strip()).resolve() for line in block.splitlines()[1:])
            files |= {str(path.relative_to(ROOT)) for path in paths if path.is_relative_to(ROOT) and not path.is_relative_to(ROOT / "build")}
    return files


@pytest.mark.parametrize("part", COMPILED)
def test_no_file_that_a_compiler_reads_is_on_the_list(programs, part):
    build = programs.bin.parent
    if not (build / "build.ninja").exists():
        pytest.skip("there is no GPU, nor a build by Ninja")
    files = read_by_compilers(build, COMPILED[part])
    assert len(files) > 100
    assert [file for file in sorted(files) if is_unread(part, file)] == []


def test_no_folder_that_a_part_reads_by_itself_is_on_its_list():
    tracked = subprocess.run(["git", "-c", "safe.directory=*", "-C", ROOT, "ls-files"], capture_output=True, text=True, check=False).stdout.split()
    if not tracked:
        pytest.skip("the sources are no clone of the repository")
    read = {FUZZING: r"(cmake|scripts|record|tests/fuzz)/|CMake|\.ci/",
            SITE: r"(docs|scripts|record|analysis/syncmeter_analysis)/|mkdocs|README|CONTRIBUTING|CHANGELOG|\.ci/",
            BARE_ROOT: r"(cmake|scripts|record|examples|tests/(golden|conformance|codegen|compile))/|CMake|README|LICENSE|\.ci/"}
    for part, pattern in read.items():
        assert [file for file in tracked if re.match(pattern, file) and is_unread(part, file)] == [], part
        # What configures a build is read by every part that has one; CMake goes into analysis/ for the report's tests alone.
        configures = [file for file in tracked if re.match(r"(?!analysis/|examples/|packaging/).*(CMakeLists\.txt|\.cmake)$", file)]
        assert part == SITE or not any(is_unread(part, file) for file in configures), part
    # What the tests that the bare root runs read of the documents.
    named = "".join(path.read_text(encoding="utf-8") for kind in ("golden", "conformance", "codegen", "compile")
                    for path in (ROOT / "tests" / kind).rglob("*") if path.suffix in (".py", ".cmake"))
    for page in [file for file in tracked if file.startswith("docs/") and pathlib.Path(file).name in named]:
        assert not is_unread(BARE_ROOT, page), page


@pytest.mark.parametrize("part, changes, skipped", [
    (SITE, [("M", "core/op.hpp"), ("A", "tests/unit/new_test.cpp")], True),
    (SITE, [("M", "core/op.hpp"), ("M", "docs/faq.md")], False),
    (SITE, [("D", "core/op.hpp")], False),
    (FUZZING, [("M", "docs/faq.md")], True),
    (FUZZING, [("M", "driver/text/words.cpp")], False),
    (BARE_ROOT, [("M", "docs/studies/locks.md")], True),
    (BARE_ROOT, [("M", "docs/worker-protocol.md")], False),
    (BARE_ROOT, [("M", "a file that nobody knows")], False),
    ("tests on this machine", [("M", "docs/faq.md")], False),
    (SITE, [], True),
    (SITE, None, False),
])
def test_a_part_is_left_out_only_where_it_reads_nothing_of_the_change(part, changes, skipped):
    assert cannot_be_touched(part, changes) == skipped


@pytest.mark.parametrize("since", ["", "0" * 40, "no-such-branch"])
def test_of_an_unknown_commit_nothing_is_known(since):
    assert changed(since) is None


def test_each_part_is_one_of_ci():
    run = (ROOT / ".ci/run").read_text(encoding="utf-8")
    parts = re.findall(r'^part_or_skip "([^"$]+)"', run, re.MULTILINE) + re.findall(r'^readonly bare="(.*)"$', run, re.MULTILINE)
    assert set(UNREAD) == set(parts)
