"""Which ops belong together: those that do the same job, among which a developer chooses, and those of
a level of the GPU's synchronization."""

from __future__ import annotations


def _groups(of: dict[str, str]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple((name, tuple(ops.split())) for name, ops in of.items())


alternatives = _groups(
    {
        "update": "atomic_add atomic_fetch_add critical_add critical_named_add lock_add nest_lock_add "
        "spin_lock_add ticket_lock_add shared_mutex_add",
        "barrier": "barrier block_barrier named_barrier mbarrier_sync block_latch",
        "write": "atomic_write plain_write",
        "read": "atomic_read plain_read",
        "handoff": "handoff handoff_cas handoff_wait",
    }
)


def job_of(op: str, otherwise: str) -> str:
    """The job that an op does; `otherwise` where it has no alternative."""
    return next((name for name, ops in alternatives if op in ops), otherwise)


#: Level, and what the names of its ops begin with.
levels = _groups(
    {
        "warp": "warp_sync shuffle_ vote_ match_ tile_ coalesced_ active_mask reduce_",
        "block": "barrier block_ named_barrier mbarrier_ syncthreads_",
        "cluster": "cluster_",
        "grid": "grid_ software_barrier_",
        "several GPUs": "multi_gpu_barrier_ multi_gpu_host_ multi_gpu_graph_ multi_gpu_allreduce_",
        "launch": "launch additional_ cooperative_launch graph_ programmatic_ kernel_",
    }
)


#: What a program has to write itself; all else comes with its API.
_own_code = (
    *("spin_lock_", "ticket_lock_", "ticket_backoff_lock_", "mcs_lock_", "clh_lock_"),
    *("software_barrier_", "reduce_max_global_atomic", "reduce_max_warp_atomic"),
    *("reduce_max_block_atomic", "reduce_max_warp_reduce", "reduce_max_persistent"),
    *("pool_submit_wait", "seqlock_", "snapshot_"),
    *("accumulate_cas", "accumulate_exchange", "accumulate_warp_", "accumulate_block"),
    "accumulate_fixed",
)


def is_own_code(op: str) -> bool:
    return op.startswith(_own_code)


#: Locks whose waiting threads keep their processing unit.
_spinning = (
    *("spin_lock_", "ticket_", "mcs_lock_", "clh_lock_", "pthread_spin_"),
    *("tbb_spin_mutex_", "tbb_queuing_mutex_", "ck_"),
)


def spins(op: str) -> bool:
    return op.startswith(_spinning)


#: What a program has that has not looked for another: its API's own lock, the grid's own barrier, the
#: library's reduction, atomicAdd.
_default_locks = ("mutex", "critical", "lock")
_defaults = {
    *(f"{lock}_{use}" for lock in _default_locks for use in ("add", "held", "read_mostly")),
    *("grid_sync", "reduce_max_cub", "accumulate_atomic", "accumulate_atomic_double"),
}


def is_default(op: str) -> bool:
    return op in _defaults


#: The mutex of POSIX threads without attributes, which std::mutex is on Linux: the same lock by
#: std::lock_guard, by its own members, and by functions of C. By backend, its name there and its ops.
_mutexes = {
    "std": ("std::mutex", ("critical_add", "lock_add", "mutex_held")),
    "posix": ("pthread_mutex", ("lock_add",)),
}

#: What CUDA calls its barriers of a block and of a warp.
_in_cuda = {
    "barrier": "__syncthreads",
    "warp_sync": "__syncwarp",
    "warp_sync_partial": "__syncwarp of half",
}


def called(backend: str, op: str) -> str:
    """What the API calls an op of another name; '' of others."""
    if backend == "cuda":
        return _in_cuda.get(op, "")
    name, ops = _mutexes.get(backend, ("", ()))
    return name if op in ops else ""


def level_of(op: str) -> str:
    """The level that an op belongs to, '' for none."""
    if op.endswith("_handoff"):
        return ""
    return next((name for name, starts in levels if op.startswith(starts)), "")
