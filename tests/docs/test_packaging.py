"""The recipes of packaging/: one version in all, options that CMakeLists.txt has, and what a recipe says of what it installs.

Their own tools are not here; what they were checked with is in packaging/README.md.
"""

import ast
import importlib
import json
import math
import re
import shutil
import subprocess
import tomllib

import pytest
from documents import ROOT

PACKAGING = ROOT / "packaging"
SPACK = PACKAGING / "spack/package.py"
CONDA = PACKAGING / "conda/recipe.yaml"
DOCKER = PACKAGING / "docker/Dockerfile"
APPTAINER = PACKAGING / "apptainer/syncmeter.def"
REFRAME = PACKAGING / "reframe/syncmeter_checks.py"
RECIPES = [SPACK, CONDA, DOCKER, APPTAINER]


def read(path):
    return path.read_text(encoding="utf-8")


VERSION = re.search(r"^set\(SM_VERSION (\S+)\)$", read(ROOT / "CMakeLists.txt"), re.M)[1]


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda path: path.name)
def test_a_recipe_has_the_version_and_no_other(recipe):
    found = set(re.findall(r"(?<!')\b(?:version|tar\.gz|syncmeter)\W{1,4}(\d+\.\d+\.\d+(?:-rc\d+)?)\b", read(recipe)))
    assert found == {VERSION}


def test_the_wheel_takes_the_version_of_the_package():
    project = tomllib.loads(read(ROOT / "analysis/pyproject.toml"))
    assert project["project"]["dynamic"] == ["version"]
    assert project["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "syncmeter_analysis.__version__"}


@pytest.mark.parametrize("recipe", [*RECIPES, REFRAME], ids=lambda path: path.name)
def test_a_recipe_sets_options_that_there_are(recipe):
    files = [ROOT / "CMakeLists.txt", *(ROOT / "cmake").glob("*.cmake"), *(ROOT / "backends").glob("*/*.cmake")]
    cmake = "\n".join(map(read, files))
    there = set(re.findall(r"^(?:option|set)\((SM_\w+)", cmake, re.M))
    assert set(re.findall(r"\bSM_[A-Z_]+\b", read(recipe))) <= there


def test_no_recipe_makes_up_a_checksum():
    for recipe in (SPACK, CONDA):
        assert set(re.findall(r"\b[0-9a-f]{64}\b", read(recipe))) == {"0" * 64}, "a release's checksum: change packaging/README.md too"
        assert "There is no release yet" in read(recipe)
    assert "zeros" in read(PACKAGING / "README.md")


def test_both_containers_hold_the_same_commands():
    def commands(text):
        joined = " ".join(text.replace("\\\n", " ").split())
        return re.findall(r"apt-get install.*?libboost-dev|cmake -S.*?--target package|apt-get update && apt-get install -y /tmp.*?lists/\*",
                          joined)

    assert len(commands(read(DOCKER))) == 3
    assert commands(read(DOCKER)) == commands(read(APPTAINER))


class Spec:
    """As much of Spack's spec as the recipe asks."""

    def __init__(self, *variants):
        self.given = variants
        self.variants = {"cuda_arch": type("variant", (), {"value": ("90",)})}

    def __contains__(self, wanted):
        return wanted in self.given if wanted[0] == "+" else "+" + wanted[1:] not in self.given


def spack_recipe():
    """The class of the recipe, with Spack's words replaced: (class, variants)."""
    variants = {}
    tree = ast.parse(read(SPACK))
    tree.body = [line for line in tree.body if not isinstance(line, ast.ImportFrom)]

    class CMakePackage:
        def define(self, name, value):
            return f"-D{name}={value}"

        def define_from_variant(self, name, variant):
            assert variant in variants or variant == "cuda", variant
            return self.define(name, "+" + variant in self.spec)

    names = {name: lambda *_, **__: None for name in ("license", "version", "depends_on", "conflicts")}
    names |= {"variant": lambda name, **how: variants.update({name: how}), "CMakePackage": CMakePackage, "CudaPackage": object}
    exec(compile(tree, SPACK, "exec"), names)
    return names["Syncmeter"], variants


def test_the_variants_of_spack_reach_cmake():
    recipe, variants = spack_recipe()
    assert set(variants) == {"openmp", "kokkos", "report"}
    package = recipe()
    package.spec = Spec("+openmp", "+cuda")
    args = package.cmake_args()
    assert {"-DSM_CUDA=True", "-DSM_KOKKOS=False", "-DSM_INSTALL_REPORT=False",
            "-DCMAKE_DISABLE_FIND_PACKAGE_OpenMP=False", "-DCMAKE_CUDA_ARCHITECTURES=('90',)"} <= set(args)
    package.spec = Spec("+report")
    assert {"-DSM_INSTALL_REPORT=True", "-DCMAKE_DISABLE_FIND_PACKAGE_OpenMP=True"} <= set(package.cmake_args())


@pytest.fixture
def reframe_figures(monkeypatch):
    monkeypatch.syspath_prepend(str(REFRAME.parent))
    return importlib.import_module("figures")


def test_reframe_takes_a_good_file_and_names_what_is_wrong_in_others(reframe_figures, tmp_path):
    good = read(ROOT / "tests/docs/data/two_ops.jsonl")
    end = good.splitlines()[-1]
    bad = {
        "cut off": good.replace(end, ""),
        "did not end: interrupted": good.replace('"complete"', '"interrupted"'),
        "timed loop is not what it declares": good.replace('"verdict":"proven"', '"verdict":"wrong"', 1),
        "timeout": good.replace('"status":"ok"', '"status":"timeout"', 1),
        "no point was measured": good.splitlines()[0] + "\n" + end,
    }
    path = tmp_path / "f.jsonl"
    path.write_text(good, encoding="utf-8")
    assert reframe_figures.problems(path) == []
    for wanted, text in bad.items():
        assert text != good
        path.write_text(text, encoding="utf-8")
        assert any(wanted in problem for problem in reframe_figures.problems(path)), wanted


def test_a_new_axis_is_in_the_names_of_reframe(reframe_figures, monkeypatch, tmp_path):
    row = next(line for line in read(reframe_figures.AXES).splitlines() if line.startswith("SM_AXIS(gap_us"))
    table = tmp_path / "axes.def"
    table.write_text(read(reframe_figures.AXES) + row.replace("gap_us", "colour").replace('"us"', '""') + "\n", encoding="utf-8")
    monkeypatch.setattr(reframe_figures, "AXES", table)
    point = {"backend": "omp", "op": "barrier", "lanes": 2, "headline": True, "cost_ns": 1.0}
    found = reframe_figures.costs([{**point, "colour": colour} for colour in ("red", "blue")])
    assert set(found) == {"omp_barrier_2_colour_red", "omp_barrier_2_colour_blue"}


def test_the_columns_of_reframe_are_those_of_the_table(reframe_figures):
    header = read(ROOT / "tests/golden/expected/csv_header.txt").strip().split(",")
    assert {*reframe_figures.NAMED, *reframe_figures.others()} <= set(header)


def test_figures_of_reframe_have_names_of_their_own_and_ratios(programs, reframe_figures):
    rows = json.loads(programs.call(["syncmeter", "show", str(ROOT / "tests/docs/data/two_ops.jsonl"), "--json"])[1])
    costs = reframe_figures.costs(rows)
    assert len(costs) == sum(1 for row in rows if row["headline"] and row.get("cost_ns") is not None) >= 5
    assert all(re.fullmatch(r"\w+", name) for name in costs)
    slower = [{**row, "cost_ns": row["cost_ns"] * 1.5} if "cost_ns" in row else row for row in rows]
    ratios = reframe_figures.ratios(reframe_figures.costs(slower), costs)
    assert ratios == {name: pytest.approx(1.5) for name in costs}
    twice = [{**rows[0], "order": order, "headline": True, "cost_ns": 1.0} for order in ("relaxed", "seq_cst")]
    assert len(reframe_figures.costs(twice)) == 2
    controls = [{"op": f"control_multiply_{n}", "headline": True, "status": "ok", "cost_ns": cost} for n, cost in ((1, 0.75), (8, 4.5))]
    assert reframe_figures.control_ratio(controls) == pytest.approx(6)
    assert math.isnan(reframe_figures.control_ratio(controls[:1]))


@pytest.mark.skipif(shutil.which("reframe") is None, reason="no reframe on PATH (PyPI: reframe-hpc)")
def test_reframe_runs_a_check(programs, tmp_path):
    done = subprocess.run(["reframe", "--nocolor", "-C", str(REFRAME.parent / "settings.py"), "-c", str(REFRAME),
                           "--prefix", str(tmp_path), "-n", "syncmeter_run_check%backend=std", "-S", f"bin_dir={programs.bin}",
                           "-S", "ops=atomic_add", "-S", "visits=1", "-r"], cwd=tmp_path, env=programs.environment,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", timeout=110, check=False)
    assert done.returncode == 0 and "Ran 1/1 test case(s)" in done.stdout, done.stdout[-3000:]
    assert re.search(r"P: std_atomic_add_int32_shared_1: [\d.]+ ns", done.stdout)
