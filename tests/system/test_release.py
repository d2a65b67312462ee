"""The files of a release are the same whoever makes them, and the build and the programs need no network."""

import hashlib
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import tarfile

import pytest

from conftest import driver_path

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = driver_path().parent.parent
#: A GPU's runtime is part of its worker, and its vendor's.
CPU_PROGRAMS = ("syncmeter", "syncmeter-omp", "syncmeter-omp-llvm", "syncmeter-std", "syncmeter-posix",
                "syncmeter-posix-shared")
in_a_clone = pytest.mark.skipif(
    not (ROOT / ".git").exists() or not shutil.which("git"), reason="the sources are no clone of the repository")
needs_tools = pytest.mark.skipif(not shutil.which("ninja") or not shutil.which("ldd"), reason="needs ninja and ldd")


def release(folder, umask=0o022, **environment):
    """The files by name."""
    done = subprocess.run([ROOT / "scripts/release", "--build", BUILD, "--output", folder], cwd=folder, umask=umask, timeout=120,
                          capture_output=True, text=True, env={**os.environ, **environment})
    assert done.returncode == 0, done.stderr
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return release(tmp_path_factory.mktemp("release"))


@in_a_clone
@needs_tools
def test_two_releases_are_equal_byte_for_byte_and_fit_their_sums(files, tmp_path):
    others = release(tmp_path, umask=0o077, TZ="Asia/Tokyo", LC_ALL="C", PYTHONHASHSEED="1")
    assert files == others
    assert len(files) == 3
    sums = dict(reversed(line.split("  ")) for line in files["SHA256SUMS"].decode().splitlines())
    assert sums == {name: hashlib.sha256(data).hexdigest() for name, data in files.items() if name != "SHA256SUMS"}


@in_a_clone
@needs_tools
def test_a_release_holds_the_sources_and_names_what_is_linked(files):
    name = next(name for name in files if name.endswith(".tar.gz")).removesuffix(".tar.gz")
    with tarfile.open(fileobj=io.BytesIO(files[f"{name}.tar.gz"])) as sources:
        members = sources.getmembers()
    assert f"{name}/driver/main.cpp" in {member.name for member in members}
    assert len({member.mtime for member in members}) == 1 and {member.uname for member in members} == {"root"}
    bill = json.loads(files[f"{name}.cdx.json"])
    parts = {part["bom-ref"]: part for part in bill["components"]}
    linked = {whole["ref"]: whole["dependsOn"] for whole in bill["dependencies"]}
    assert len(linked["syncmeter"]) >= 5, "libc, libstdc++, fmt, hwloc, zstd at the least"
    assert {part for each in linked.values() for part in each} <= set(parts)
    if shutil.which("dpkg"):
        assert all(parts[part].get("version") for part in linked["syncmeter"])
        assert {"nlohmann-json3-dev"} <= set(parts), "headers are part of the programs"


def test_no_part_of_the_build_downloads():
    files = [ROOT / "CMakeLists.txt", *(ROOT / "cmake").glob("*.cmake"),
             *(path for folder in ("core", "driver", "backends", "analysis", "tests") for path in (ROOT / folder).rglob("CMakeLists.txt"))]
    assert len(files) > 20
    words = re.compile(r"FetchContent|file\(DOWNLOAD|\b(?:curl|wget)\b|\bpip3? |(?:GIT_REPOSITORY|\bURL) |https?://\S+\.(?:git|zip|tar)")
    found = [f"{path}: {match[0]}" for path in files for match in words.finditer(path.read_text(encoding="utf-8"))]
    assert not found
    for path in files:
        text = path.read_text(encoding="utf-8")
        assert text.count("ExternalProject_Add(") == text.count('DOWNLOAD_COMMAND ""'), path


@pytest.mark.skipif(not shutil.which("nm"), reason="needs nm (binutils)")
def test_neither_the_driver_nor_a_worker_of_the_cpu_calls_a_function_of_sockets():
    for program in filter(pathlib.Path.exists, (driver_path().with_name(name) for name in CPU_PROGRAMS)):
        called = subprocess.run(["nm", "-D", "--undefined-only", program], capture_output=True, text=True, timeout=60, check=True).stdout
        assert " write" in called, "nm lists what it calls"
        assert not re.findall(r" (?:socket|connect|bind|listen|getaddrinfo|sendto|recvfrom)\b", called), program
