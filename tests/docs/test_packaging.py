"""The recipes of packaging/: one version in all, options that CMakeLists.txt has, and what a recipe says of what it installs.

Their own tools are not here; what they were checked with is in packaging/README.md.
"""

import ast
import csv
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
EASYBUILD = next((PACKAGING / "easybuild").glob("*.eb"))
CONDA = PACKAGING / "conda/recipe.yaml"
DOCKER = PACKAGING / "docker/Dockerfile"
APPTAINER = PACKAGING / "apptainer/syncmeter.def"
RAMBLE = PACKAGING / "ramble/application.py"
BENCHPARK = PACKAGING / "benchpark/experiment.py"
REFRAME = PACKAGING / "reframe/syncmeter_checks.py"
RECIPES = [SPACK, EASYBUILD, CONDA, DOCKER, APPTAINER, BENCHPARK]


def read(path):
    return path.read_text(encoding="utf-8")


VERSION = re.search(r"^set\(SM_VERSION (\S+)\)$", read(ROOT / "CMakeLists.txt"), re.M)[1]


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda path: path.name)
def test_a_recipe_has_the_version_and_no_other(recipe):
    found = set(re.findall(r"(?<!')\b(?:version|tar\.gz|syncmeter)\W{1,4}(\d+\.\d+\.\d+(?:-rc\d+)?)\b", read(recipe)))
    assert found == {VERSION}


def test_the_easyconfig_is_named_as_easybuild_wants_it():
    declared = eval_assignments(read(EASYBUILD))
    assert EASYBUILD.name == f"syncmeter-{VERSION}-{declared['toolchain']['name']}-{declared['toolchain']['version']}.eb"


def eval_assignments(text):
    """The assignments of constants in a file of Python."""
    found = {}
    for line in ast.parse(text).body:
        if isinstance(line, ast.Assign):
            try:
                found[line.targets[0].id] = ast.literal_eval(line.value)
            except ValueError:
                pass  # a name of EasyBuild's
    return found


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
    for recipe in (SPACK, EASYBUILD, CONDA):
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


def stubbed(path, **names):
    """What a recipe defines, with the words that it imports from its tool replaced by `names`."""
    tree = ast.parse(read(path))
    tree.body = [line for line in tree.body
                 if not (isinstance(line, ast.ImportFrom) and line.module.partition(".")[0] in ("ramble", "benchpark"))]
    exec(compile(tree, path, "exec"), names)
    return names


def ramble_application():
    """(the class of the application, what it said: word -> [(positional, named)])"""
    declared = {}

    def word(name):
        return lambda *what, **how: declared.setdefault(name, []).append((what, how))

    words = ("tags", "software_spec", "required_package", "executable", "workload", "workload_variable", "environment_variable",
             "figure_of_merit", "success_criteria")
    found = stubbed(RAMBLE, ExecutableApplication=object, OUTPUT_CAPTURE=type("capture", (), {"ALL": "all"}),
                    **{name: word(name) for name in words})
    return found, declared


def test_the_columns_that_ramble_reads_are_those_of_the_table():
    header = read(ROOT / "tests/golden/expected/csv_header.txt").strip().split(",")
    found, _ = ramble_application()
    assert found["COLUMNS"] == header[:len(found["COLUMNS"])]


def test_a_figure_of_merit_is_named_by_every_axis():
    """But by the family, which the op has, and the stride in bytes, which the type and the stride have."""
    found, _ = ramble_application()
    axes = found["COLUMNS"][:found["COLUMNS"].index("status")]
    assert {name for name in axes if f"{{{name}}}" not in found["POINT"]} == {"family", "stride_bytes"}


def test_a_figure_of_merit_is_a_row_that_is_shown_first(programs, tmp_path):
    results = ROOT / "tests/docs/data/two_ops.jsonl"
    status, text = programs.call(["syncmeter", "show", str(results), "--csv", str(tmp_path / "t.csv")])
    assert status == 0, text
    lines = read(tmp_path / "t.csv").splitlines()
    first = [row for row in csv.DictReader(lines) if row["status"] == "ok" and row["headline"] == "true"]
    assert first and len(first) < len(lines) - 1
    _, declared = ramble_application()
    figures = {how["group_name"]: (what[0], how["fom_regex"]) for what, how in declared["figure_of_merit"]}
    name, cost = figures["cost_ns"]
    hits = [hit for hit in (re.match(cost, line) for line in lines) if hit]
    assert [hit["cost_ns"] for hit in hits] == [row["cost_ns"] for row in first]
    assert len({name.format(**hit.groupdict()) for hit in hits}) == len(first), "one name for each point"
    for column in ("cost_low_ns", "cost_high_ns"):
        assert [hit[column] for hit in (re.match(figures[column][1], line) for line in lines) if hit] == \
            [row[column] for row in first if row[column]]
    failed = figures["status"][1]
    assert not any(re.match(failed, line) for line in lines)
    assert re.match(failed, next(line for line in lines if ",ok," in line).replace(",ok,", ",failed,"))["status"] == "failed"


def test_ramble_calls_a_campaign_complete_by_its_last_line():
    _, declared = ramble_application()
    (_, how), = declared["success_criteria"]
    ends = [line for line in read(ROOT / "tests/docs/data/two_ops.jsonl").splitlines() if '"kind":"end"' in line]
    assert re.match(how["match"], ends[-1])
    assert not re.match(how["match"], ends[-1].replace('"complete"', '"interrupted"'))
    assert not re.match(how["match"], ends[-1].replace('"failed":0', '"failed":1'))


def test_the_commands_of_ramble_are_known(programs):
    _, declared = ramble_application()
    defaults = {"study": "quick", "selection": "", "seed": "0", "census_backend": "std", "syncmeter_path": "/x"}
    commands = [what[1].format(**defaults).strip("()").partition(" && ")[0] for what, _ in declared["executable"]]
    commands = [command for command in commands if "syncmeter" in command]
    assert len(commands) == 3
    for command in commands:
        assert programs.faults(command) == []


def benchpark_sections(**chosen):
    variants = {}

    class Experiment:
        spec = type("Spec", (), {"satisfies": staticmethod(lambda asked: asked in [f"{k}={v}" for k, v in chosen.items()])})

    found = stubbed(BENCHPARK, variant=lambda name, **how: variants.update({name: how}), Experiment=Experiment)["Syncmeter"]()
    for name, how in variants.items():
        chosen.setdefault(name, how["default"])
        assert chosen[name] in how["values"]
    return found.compute_applications_section(), found.compute_spack_section()


@pytest.mark.parametrize("chosen", [{}, {"workload": "paper"}, {"programming_model": "cuda"},
                                    {"programming_model": "cuda", "workload": "multi-gpu"}])
def test_benchpark_asks_for_workloads_and_variables_that_ramble_has(chosen):
    applications, spack = benchpark_sections(**chosen)
    (workload, experiments), = applications["syncmeter"]["workloads"].items()
    _, declared = ramble_application()
    assert workload in [what[0] for what, _ in declared["workload"]]
    (experiment,) = experiments["experiments"].values()
    own = {name for name in experiment["variables"] if not re.match(r"n_\w+$", name)}
    assert own <= {what[0] for what, how in declared["workload_variable"] if workload in how.get("workloads", [how.get("workload")])}
    assert ("+cuda" in spack["packages"]["syncmeter"]["pkg_spec"]) == ("programming_model" in chosen)


def test_benchpark_refuses_several_gpus_without_cuda():
    with pytest.raises(ValueError, match="multi-gpu needs"):
        benchpark_sections(workload="multi-gpu")


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
