"""The Debian package that cpack makes: what it is called, what it depends on, what is in it, and that it runs unpacked."""

import re
import shutil
import subprocess

import pytest

from conftest import driver_path
from test_install import SOURCE, cached

# How the names of Debian's packages begin, where not as the shared object's.
NEEDED = {"libfmt": "libfmt", "libhwloc": "libhwloc", "libboost_program_options": "libboost-program-options", "libzstd": "libzstd",
          "libstdc++": "libstdc", "libgcc_s": "libgcc-s1", "libkokkoscore": "libkokkos",
          "libmpi": "libopenmpi", "libabsl_synchronization": "libabsl", "liburcu-memb": "liburcu",
          **dict.fromkeys(("libc", "libm", "libdl", "librt", "libpthread", "ld-linux-x86-64", "ld-linux-aarch64"), "libc6")}


def call(*words, **how):
    return subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", timeout=240, check=True, **how).stdout


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    build = driver_path().parent.parent
    for tool in ("dpkg-deb", "dpkg-shlibdeps", "file", "cpack"):
        if shutil.which(tool) is None:
            pytest.skip(f"no {tool} here")
    if not (build / "CPackConfig.cmake").exists():
        pytest.skip(f"{build} is not a build folder of CMake")
    home = tmp_path_factory.mktemp("package")
    # Packed in a moment; what is inside is the same.
    call("cpack", "--config", build / "CPackConfig.cmake", "-G", "DEB", "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=none", "-B", home, cwd=build)
    (found,) = home.glob("*.deb")
    call("dpkg-deb", "-x", found, home / "root")
    return found, home / "root"


def version():
    return re.search(r"^set\(SM_VERSION (\S+)\)$", (SOURCE / "CMakeLists.txt").read_text(encoding="utf-8"), re.M)[1]


def test_what_it_says_of_itself(package):
    file, _ = package
    control = dict(re.findall(r"^([\w-]+): (.*)$", call("dpkg-deb", "-f", file), re.M))
    assert control["Package"] == "syncmeter" and control["Maintainer"] == "The syncmeter authors"
    assert control["Version"] == version().replace("-", "~") + "-1"
    # A candidate comes before its release.
    call("dpkg", "--compare-versions", control["Version"], "le", version().split("-")[0] + "-1")
    assert file.name == f"syncmeter_{control['Version']}_{control['Architecture']}.deb"


def test_it_depends_on_the_library_of_every_shared_object(package):
    file, root = package
    depends = call("dpkg-deb", "-f", file, "Depends")
    programs = [root / "usr/bin/syncmeter", *(p for p in (root / "usr/libexec/syncmeter").iterdir() if p.suffix not in (".json", ".fatbin"))]
    for program in programs:
        needed = re.findall(r"\(NEEDED\).*\[(.*?)\.so", call("readelf", "-d", program, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"}))
        for name in needed:
            assert NEEDED.get(name, name) in depends, f"{program.name} needs {name}, and the package depends on {depends}"
        # That calls the probe's functions alone, where these are.
        assert "libc" in needed or program.name == "libsyncmeter-kokkos-tool.so"


def test_debian_finds_its_copyright_changelog_and_manual(package):
    _, root = package
    share = root / "usr/share"
    assert (share / "doc/syncmeter/copyright").read_bytes() == (SOURCE / "LICENSE").read_bytes()
    for name in ("doc/syncmeter/changelog.gz", "man/man1/syncmeter.1.gz", "zsh/vendor-completions/_syncmeter"):
        assert (share / name).stat().st_size > 0
    assert not (share / "man/man1/syncmeter.1").exists()


def test_unpacked_it_finds_its_workers(package):
    _, root = package
    done = call(root / "usr/bin/syncmeter", "run", "--backend", "omp", "--op", "atomic_add", "--dry-run",
                env={"PATH": "/usr/bin:/bin", "HOME": str(root)})
    assert "atomic_add" in done


def test_unpacked_it_is_found_by_cmake(package, tmp_path):
    _, root = package
    build = driver_path().parent.parent
    call(cached(build, "CMAKE_COMMAND"), "-S", SOURCE / "examples/spin-lock", "-B", tmp_path, f"-DCMAKE_PREFIX_PATH={root}/usr",
         f"-DCMAKE_CXX_COMPILER={cached(build, 'CMAKE_CXX_COMPILER')}")
    found = re.search(r"^syncmeter_DIR:PATH=(.*)$", (tmp_path / "CMakeCache.txt").read_text(encoding="utf-8"), re.M)[1]
    assert found.startswith(str(root)), "not one that is installed on this machine"
