"""The package as a wheel: made, installed where nothing else is, and used without a driver."""

import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

import syncmeter_analysis
from syncmeter_analysis.record.driver import point_lines
from syncmeter_analysis.record.text_file import opened, text_of

PACKAGE = Path(__file__).parents[1]
MEASURED = Path(__file__).parent / "data" / "2-vcpu-contention.jsonl.xz"


# Without what this process was told of: a package on PYTHONPATH would count as installed.
CLEAN = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "SYNCMETER"))}


def pip(*words):
    """Without the network: each call says where from."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q", *words]
    done = subprocess.run(command, env=CLEAN, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    try:
        import pip as _  # noqa: F401

        found = importlib.metadata.version("setuptools")
    except (ImportError, importlib.metadata.PackageNotFoundError) as error:
        pytest.skip(f"no wheel can be made here: {error}")
    if tuple(int(n) for n in found.split(".")[:2]) < (70, 1):
        pytest.skip(f"setuptools {found} makes no wheel by itself; 70.1 does")
    home = tmp_path_factory.mktemp("wheel")
    # A build leaves files behind; not in the sources.
    left_out = shutil.ignore_patterns("tests", "build", "*.egg-info", ".*", "__pycache__")
    shutil.copytree(PACKAGE, home / "sources", ignore=left_out)
    (home / "sources" / "tests").mkdir()
    (home / "sources" / "tests" / "test_nothing.py").touch()
    pip("wheel", "--no-deps", "--no-build-isolation", "-w", home, home / "sources")
    (made,) = home.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def environment(wheel):
    """The bin folder of a fresh environment with the wheel and nothing else."""
    folder = wheel.parent / "environment"
    venv.create(folder, with_pip=False)
    pip("--python", folder / "bin" / "python", "install", "--no-index", wheel)
    return folder / "bin"


def call(environment, *words):
    return subprocess.run(
        [environment / "syncmeter-report", *words],
        env={**CLEAN, "PATH": "/nonexistent"},
        cwd=environment.parent,
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_it_is_pure_python_and_holds_the_package_alone(wheel):
    version = syncmeter_analysis.__version__.replace("-", "")
    assert wheel.name == f"syncmeter_report-{version}-py3-none-any.whl"
    names = zipfile.ZipFile(wheel).namelist()
    assert {n.split("/")[0] for n in names} == {
        "syncmeter_analysis",
        f"syncmeter_report-{version}.dist-info",
    }
    made = {n.removeprefix("syncmeter_analysis/") for n in names if "dist-info" not in n}
    sources = PACKAGE / "syncmeter_analysis"
    there = [p for p in sources.rglob("*") if p.is_file() and "__pycache__" not in p.parts]
    there += (sources / "record" / "tables").glob("*.def")  # behind a link
    assert made == {str(p.relative_to(sources)) for p in there}


def test_it_needs_nothing_but_for_figures(wheel):
    with zipfile.ZipFile(wheel) as packed:
        (name,) = [n for n in packed.namelist() if n.endswith("/METADATA")]
        metadata = packed.read(name).decode()
    needed = re.findall(r"^Requires-Dist: ([\w-]+).*?(; extra.*)?$", metadata, re.M)
    assert all(extra for _, extra in needed)
    figures = {name for name, extra in needed if "figures" in extra}
    assert {"vl-convert-python", "jinja2"} <= figures


def test_it_reads_a_results_file_where_nothing_else_is(environment, tmp_path):
    assert (
        call(environment, "--version").stdout
        == f"syncmeter-report {syncmeter_analysis.__version__}\n"
    )
    data = tmp_path / "estimated.jsonl"
    with opened(MEASURED) as file:
        lines, _ = point_lines(str(MEASURED), file)
    data.write_bytes(text_of(MEASURED) + b"".join(line + b"\n" for line in lines))
    printed = call(environment, "text", data)
    assert printed.returncode == 0 and "Contention" in printed.stdout, printed.stderr
    assert call(environment, "compare", data, data).returncode == 0
    page = call(environment, "html", data, "-o", "page.html")
    assert page.returncode == 2 and "install it, or let scripts/run set it up" in page.stderr
