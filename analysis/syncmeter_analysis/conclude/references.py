"""The defaults by API and situation: what the reader has now, which each advice is compared with."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from syncmeter_analysis.relate.op_groups import is_own_code
from syncmeter_analysis.relate.summary import Measured


@dataclass(frozen=True, slots=True)
class Default:
    """The (backend, op) pairs that a reader has now in one situation, the first measured one counts. A
    backend of '' is any."""

    names: tuple[tuple[str, str], ...]

    def among(self, points: Iterable[Measured]) -> Measured | None:
        """Returns the default among the points, or None."""
        found = [s for s in points if s.usable]
        for backend, op in self.names:
            for s in found:
                if op == s.point.op and backend in ("", s.point.backend):
                    return s
        return None


@dataclass(frozen=True, slots=True)
class Reference(Default):
    """The default of an API. The first measured name counts, unless all are one lock (`is_one_lock`).
    `rivals` are the backends whose primitives the reader could use as well. `api` names a situation."""

    rivals: frozenset[str]
    api: str = ""
    is_one_lock: bool = False

    def may_use(self, s: Measured) -> bool:
        """Returns whether a program of this API can use the primitive. Another OpenMP runtime, a
        portable API and processes are out of reach."""
        backend = s.point.backend
        is_reached = backend in self.rivals or not backend.startswith(_of_others)
        return is_reached or is_own_code(s.point.op)

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
        (("std", "lock"), ("std", "critical"), ("std", "mutex"), ("posix", "lock")),
        frozenset({"std", "posix"}),
        is_one_lock=True,
    ),
    Reference((("omp", "critical"), ("omp", "lock")), frozenset({"omp"})),
    Reference((("omp-llvm", "critical"), ("omp-llvm", "lock")), frozenset({"omp-llvm"})),
)


#: By default a waiting thread sleeps after this number of looks (libgomp) or this time (libomp).
spin_looks, blocktime_ns = 300_000, 2e8

#: The usual time for one look in libgomp, if not measured.
_usual_look_ns = 13.0


def typical_spin_ns(backend: str) -> float:
    """Returns how long a thread of this OpenMP runtime spins by default, about."""
    return blocktime_ns if "llvm" in backend else spin_looks * _usual_look_ns


def openmp(op: str) -> Default:
    """Returns the default for a construct of OpenMP: the runtime of GCC."""
    return Default((("omp", op), ("omp-llvm", op)))


#: To start and join threads.
forks = Default(
    (
        ("std", "thread_create_join"),
        ("std", "jthread_create_join"),
        ("omp", "parallel_region"),
        ("omp-llvm", "parallel_region"),
        ("omp", "reduction_sum"),
        ("omp-llvm", "reduction_sum"),
    )
)

#: To start and join threads by a portable API.
portable_forks = Default((("", "launch_team"), ("", "launch_team_reduce")))

#: For read-mostly data.
read_mostly = Default((("std", "mutex_read_mostly"),))

#: For adding to an address on a GPU that many threads share.
accumulate = Default((("", "accumulate_atomic"), ("", "accumulate_atomic_double")))
#: For a GPU: a block, a grid, the next kernel, and a host that needs the end of a kernel.
block_barrier = Default((("", "barrier"),))
grid_barrier = Default((("", "grid_sync"),))
next_kernel = Default((("", "additional_launch"),))
wait_for_kernel = Default((("", "launch"),))

#: For several GPUs: one kernel on each, then a barrier of the host.
device_barrier = Default(
    (
        ("", "multi_gpu_host_barrier"),
        ("", "multi_gpu_host_barrier_one_thread"),
        ("", "multi_gpu_barrier_counter"),
    )
)

#: For one value from a whole array on a GPU.
reduction = Default((("", "reduce_max_cub"), ("", "reduce_max_global_atomic")))

#: The barriers by API. std::barrier and pthread_barrier also work in a parallel region of OpenMP.
barriers = (
    Reference((("omp", "barrier"),), frozenset({"omp"}), "openmp"),
    Reference((("omp-llvm", "barrier"),), frozenset({"omp-llvm"}), "openmp_llvm"),
    Reference((("std", "barrier"),), frozenset({"std", "omp", "omp-llvm"}), "cxx"),
    Reference((("posix", "barrier"),), frozenset({"posix", "omp", "omp-llvm"}), "posix"),
)

#: Calls between processes: MPI's own calls and the POSIX condition variable.
process_calls = Default(
    (
        ("mpi", "rma_accumulate"),
        ("mpi", "rma_fetch_add"),
        ("mpi", "rma_cas_pass"),
        ("mpi", "rma_put"),
        ("mpi", "barrier"),
        ("mpi", "message_handoff"),
        ("mpi", "window_sync"),
        ("posix-shared", "condition_handoff"),
    )
)
