"""The defaults by API: the lock that the reader has now, which each advice is compared with."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reference:
    """A default. `names` are its (backend, op) pairs, the first of them that was measured counts,
    unless all are one lock (`is_one_lock`). `rivals` are the backends whose primitives the reader
    could use as well."""

    api: str
    names: tuple[tuple[str, str], ...]
    rivals: frozenset[str]
    is_one_lock: bool = False

    def may_use(self, backend: str, is_own_code: bool) -> bool:
        """Returns whether a program of this API can use the primitive. Another OpenMP runtime, a
        portable API and processes are out of reach."""
        return is_own_code or backend in self.rivals or not backend.startswith(_of_others)

    def is_same(self, name: tuple[str, str]) -> bool:
        """Returns whether the default has this name."""
        return self.is_one_lock and name in self.names


#: The backend for locks in libraries to link.
libraries = "libraries"

#: Backends (by first letters) with primitives for own programs only.
_of_others = ("omp", "kokkos", "mpi", "posix-shared")

#: The default locks by API. C++ and POSIX threads share a mutex on Linux.
locks = (
    Reference(
        "c++",
        (("std", "lock"), ("std", "critical"), ("std", "mutex"), ("posix", "lock")),
        frozenset({"std", "posix"}),
        is_one_lock=True,
    ),
    Reference("openmp", (("omp", "critical"), ("omp", "lock")), frozenset({"omp"})),
    Reference(
        "openmp-llvm", (("omp-llvm", "critical"), ("omp-llvm", "lock")), frozenset({"omp-llvm"})
    ),
)
