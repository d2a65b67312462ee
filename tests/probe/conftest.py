"""Programs of these tests, built once, and run under the probe."""

import pathlib
import shutil
import subprocess

import pytest
import tables

HERE = pathlib.Path(__file__).parent


@pytest.fixture(scope="session")
def build(tmp_path_factory):
    """Builds a source of this folder by a compiler, each once: the path of the program."""
    folder = tmp_path_factory.mktemp("programs")
    built = {}

    def program(source, compiler="g++", *options):
        key = (source, compiler, options)
        if key not in built:
            if not shutil.which(compiler):
                pytest.skip(f"{compiler} is not installed")
            built[key] = folder / f"{pathlib.Path(source).name}-{len(built)}"
            subprocess.run([compiler, "-std=c++20", "-g", *(options or ["-O2"]), "-pthread", HERE / f"{source}.cpp", "-o", built[key]],
                           check=True, timeout=120)
        return built[key]

    return program


@pytest.fixture
def count(tmp_path):
    """Runs a command under the probe."""
    numbers = iter(range(1000))
    return lambda *arguments, **how: tables.Counted(arguments, tmp_path / f"counts{next(numbers)}", **how)
