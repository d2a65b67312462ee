# Copyright: the syncmeter authors. SPDX-License-Identifier: BSD-3-Clause
from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage

from spack.package import *


class Syncmeter(CMakePackage, CudaPackage):
    """Measures what synchronization primitives cost on a machine, with intervals and advice."""

    # There is no release yet: address and sha256 are to be filled in when there is one.
    homepage = "https://syncmeter.invalid/"
    url = "https://syncmeter.invalid/syncmeter-1.0.0-rc1.tar.gz"

    license("BSD-3-Clause")

    version("1.0.0-rc1", sha256="0000000000000000000000000000000000000000000000000000000000000000")

    variant("openmp", default=True, description="Build the OpenMP worker")
    variant("kokkos", default=False, description="Build the Kokkos worker")
    variant("report", default=True, description="Install syncmeter-report")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("binutils", type=("build", "run"))  # objdump, for the census
    depends_on("hwloc@2.9:")
    depends_on("zstd@1.4:")
    depends_on("fmt@8:")
    depends_on("nlohmann-json@3.10:")
    depends_on("boost@1.74:+program_options+math")
    depends_on("python@3.11:", type="run", when="+report")
    depends_on("cuda@12:", when="+cuda")
    depends_on("kokkos@4.6:", when="+kokkos")
    depends_on("kokkos+cuda", when="+kokkos+cuda")

    conflicts("%gcc@:10", msg="syncmeter needs C++20")
    conflicts("%clang@:13", msg="syncmeter needs C++20")
    conflicts("cuda_arch=none", when="+cuda", msg="choose cuda_arch, for example 90")

    def cmake_args(self):
        args = [
            self.define("SM_TESTS", False),
            self.define("SM_OMP_LLVM", False),
            self.define("CMAKE_DISABLE_FIND_PACKAGE_OpenMP", "~openmp" in self.spec),
            self.define_from_variant("SM_CUDA", "cuda"),
            self.define_from_variant("SM_KOKKOS", "kokkos"),
            self.define_from_variant("SM_INSTALL_REPORT", "report"),
        ]
        if "+cuda" in self.spec:
            args.append(self.define("CMAKE_CUDA_ARCHITECTURES", self.spec.variants["cuda_arch"].value))
        return args

    def test_list(self):
        """the driver finds its workers"""
        syncmeter = which(self.prefix.bin.syncmeter)
        out = syncmeter("list", "--backend", "std", output=str.split, error=str.split)
        assert "atomic_add" in out

    def test_measure(self):
        """a point is measured"""
        syncmeter = which(self.prefix.bin.syncmeter)
        syncmeter("run", "--backend", "std", "--op", "atomic_add", "--threads", "1", "--repetitions", "1", "--output", "results.jsonl")
