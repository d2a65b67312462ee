"""`scripts/atlas`: what known ops are on each machine that a compiler is here for, and every row accounted for."""

import csv
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import driver_path

ATLAS = Path(__file__).resolve().parents[2] / "scripts/atlas"
# (op, order) -> kind, and what its instructions must hold. Seen in the manuals of the machines, not in our table.
KNOWN = {
    "x86-64": {
        ("atomic_add", "relaxed"): ("one instruction", "lock add"),
        ("atomic_read", "seq_cst"): ("one instruction", "mov"),
        ("atomic_max_raise", "relaxed"): ("CAS loop", "lock cmpxchg"),
        ("fence", "acquire"): ("nothing", ""),
        ("critical_add", "unordered"): ("lock", "pthread_mutex_lock"),
    },
    "aarch64-llsc": {("atomic_add", "seq_cst"): ("LL/SC loop", "ldaxr"), ("fence", "acquire"): ("one instruction", "dmb ishld")},
    "aarch64-lse": {("atomic_add", "acq_rel"): ("one instruction", "lda"), ("atomic_max_hold", "relaxed"): ("CAS loop", "cas")},
    "aarch64-outline": {("atomic_fetch_add", "relaxed"): ("call", "__aarch64_ldadd4_relax")},
    "riscv64": {
        ("atomic_add", "relaxed"): ("one instruction", "amoadd.w"),
        ("atomic_cas_pass", "relaxed"): ("LL/SC loop", "lr.w"),
        ("fence", "acquire"): ("one instruction", "fence"),
    },
}
COMPILER = {"x86-64": "x86_64-linux-gnu-g++", "riscv64": "riscv64-linux-gnu-g++"}


def atlas(*words):
    return subprocess.run([sys.executable, ATLAS, "--bin", driver_path().parent, *words], capture_output=True, text=True,
                          timeout=280, check=False)


# A whole worker is compiled for each target: CI does so for one target for every commit.
@pytest.mark.parametrize("target", ["x86-64", *(pytest.param(target, marks=pytest.mark.whole) for target in KNOWN if target != "x86-64")])
def test_known_ops_are_what_the_machine_has_for_them(target, tmp_path):
    worker = driver_path().with_name("syncmeter-std")
    compiler = COMPILER.get(target, "aarch64-linux-gnu-g++")
    for needed in (worker, compiler):
        if not shutil.which(needed):
            pytest.skip(f"there is no {needed}")
    done = atlas("--targets", target, "--compilers", "g++", "--backends", "std", "--types", "int32", "--output", tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    with (tmp_path / "atlas.csv").open() as file:
        rows = list(csv.DictReader(file))
    printed = re.search(r"^(\d+) rows in", done.stdout, re.MULTILINE)
    assert printed, done.stdout
    assert int(printed[1]) == len(rows) > 60
    assert [row for row in rows if row["kind"] == "unknown"] == []
    assert {row["target"] for row in rows} == {target}
    page = (tmp_path / "atlas.md").read_text()
    for (op, order), (kind, instruction) in KNOWN[target].items():
        [row] = [r for r in rows[: len(rows)] if r["op"] == op and r["order"] == order and r["type"] in ("int32", "")
                 and r["compiler"] == rows[0]["compiler"]]
        assert (row["kind"], instruction in row["instructions"]) == (kind, True), row
        assert f"| `{op}` |" in page


def test_wrong_options_are_refused(tmp_path):
    done = atlas("--targets", "vax", "--output", tmp_path)
    assert done.returncode == 2
    assert "'vax' is not one of x86-64, aarch64-llsc" in done.stderr


def test_a_compiler_that_is_not_here_leaves_nothing(tmp_path):
    done = atlas("--targets", "x86-64", "--compilers", "icc", "--output", tmp_path)
    assert done.returncode == 1
    assert "0 rows" in done.stdout
