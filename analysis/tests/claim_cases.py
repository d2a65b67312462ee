"""For each claim the points that it compares, and ratios at which it holds and does not."""

from tests.made import point


def cuda(op, **axes):
    return point(op, backend="cuda", **{"affinity": "none", "lanes": 32, **axes})


def strided(op="atomic_add", stride=1, **axes):
    return point(
        op, **{"placement": "strided", "stride": stride, "type": "int32", "lanes": 8, **axes}
    )


def team(op, **axes):
    return point(op, **{"lanes": 2, "order": "unordered", **axes})


# Claim: the dear and the cheap side as points, then a ratio at which it holds and one at which not.
cases = {
    "omp-barrier-lanes": (point("barrier", lanes=16), point("barrier", lanes=4), 1.2, 5),
    "omp-atomic-contention": (
        point(placement="shared", type="int32", lanes=16),
        point(placement="shared", type="int32"),
        20,
        1.1,
    ),
    "omp-integer-add": (
        point(placement="shared", type="float", lanes=4),
        point(placement="shared", type="int32", lanes=4),
        2,
        1,
    ),
    "omp-padding": (strided(), strided(stride=64), 4, 1),
    "omp-atomic-over-critical": (
        point("critical_add", placement="shared", order="unordered"),
        point(placement="shared"),
        3,
        1,
    ),
    "omp-atomic-read-free": (
        point("atomic_read", placement="shared", type="int32"),
        point("plain_read", placement="shared", type="int32", order="unordered"),
        1,
        3,
    ),
    "omp-flush-padding": (strided("fence_between_adds"), strided("fence_between_adds", 64), 5, 1),
    "omp-affinity": (point("barrier", lanes=4, affinity="spread"), point("barrier", lanes=4), 1, 2),
    "omp-small-types": (strided(), strided(type="uint64"), 1.5, 1),
    "smt-no-false-sharing": (
        strided(lanes=2, affinity="smt"),
        strided(lanes=2, affinity="smt", stride=64),
        1,
        3,
    ),
    "omp-word-size": (
        point(placement="shared", type="uint64"),
        point(placement="shared", type="int32"),
        1,
        2,
    ),
    "omp-capture": (point("atomic_fetch_add", placement="shared"), point(placement="shared"), 1, 2),
    "cuda-syncthreads-warps": (cuda("barrier", lanes=1024), cuda("barrier"), 4, 1),
    "cuda-warp-over-block": (cuda("barrier", lanes=1024), cuda("shuffle_idx", lanes=1024), 2, 1),
    "cuda-int-atomics": (
        cuda("atomic_add", placement="shared", type="float"),
        cuda("atomic_add", placement="shared", type="int32"),
        9,
        1,
    ),
    "cuda-atomic-contention": (
        cuda("atomic_add", placement="shared", type="int32"),
        cuda("atomic_add", placement="strided", stride=1, type="int32"),
        9,
        1,
    ),
    "cuda-cas-cost": (
        cuda("atomic_cas_pass", placement="shared", type="int32"),
        cuda("atomic_add", placement="shared", type="int32"),
        9,
        1,
    ),
    "cuda-fence-scope": (cuda("fence", scope="system"), cuda("fence", scope="device"), 3, 1),
    "cuda-atomic-stride": (
        cuda("atomic_add", placement="strided", stride=32, type="int32"),
        cuda("atomic_add", placement="strided", stride=1, type="int32"),
        4,
        1,
    ),
    "cuda-fewer-lanes": (
        cuda("atomic_add", placement="strided", stride=1, type="int32"),
        cuda("atomic_add", placement="strided", stride=1, type="int32", active=1),
        2,
        1,
    ),
    "cuda-cas-pass-fail": (
        cuda("atomic_cas_fail", placement="shared"),
        cuda("atomic_cas_pass", placement="shared"),
        1,
        2,
    ),
    "cuda-default-order": (
        cuda(
            "atomic_add",
            **{"placement": "strided", "stride": 1, "type": "int32", "flavour": "atomic_ref"},
            order="seq_cst",
            scope="system",
        ),
        cuda(
            "atomic_add",
            **{"placement": "strided", "stride": 1, "type": "int32", "flavour": "atomic_ref"},
            order="relaxed",
            scope="device",
        ),
        3,
        1,
    ),
    "cuda-shuffle-alike": (cuda("shuffle_xor"), cuda("shuffle_idx"), 1, 2),
    "cuda-shuffle-64": (
        cuda("shuffle_idx", type="uint64", lanes=1024),
        cuda("shuffle_idx", type="int32", lanes=1024),
        2,
        1,
    ),
    "cuda-syncthreads-grid": (cuda("barrier", blocks=132), cuda("barrier"), 1, 2),
    "cuda-fence-threads": (
        cuda("fence", scope="device", lanes=1024),
        cuda("fence", scope="device"),
        1,
        3,
    ),
    "reductions-persistent": (
        cuda("reduce_max_block_atomic", type="int32", size=1 << 22, lanes=256),
        cuda("reduce_max_persistent", type="int32", size=1 << 22, lanes=256),
        2,
        0.5,
    ),
    "reductions-library": (
        cuda("reduce_max_persistent", type="int32", size=1 << 14, lanes=256),
        cuda("reduce_max_cub", type="int32", size=1 << 14, lanes=256),
        2,
        0.5,
    ),
    "levels-block-warps": (cuda("barrier", lanes=1024), cuda("barrier"), 4, 1),
    "levels-grid-blocks": (cuda("grid_sync", blocks=264), cuda("grid_sync", blocks=132), 2, 1),
    "levels-tile-size": (cuda("tile_sync", size=32), cuda("tile_sync", size=2), 1, 2),
    "levels-coalesced-size": (
        cuda("coalesced_sync", size=32),
        cuda("coalesced_sync", size=2),
        2,
        1,
    ),
    "levels-1024-degrade": (
        cuda("barrier", lanes=1024, blocks=132),
        cuda("barrier", lanes=512, blocks=264),
        1.3,
        1,
    ),
    "levels-one-warp-block": (cuda("barrier"), cuda("tile_sync", size=32), 1, 2),
    "levels-multi-gpu": (
        cuda("multi_gpu_barrier_flags", size=4),
        cuda("multi_gpu_barrier_flags", size=2),
        2,
        1,
    ),
    "multi-gpu-remote-add": (
        cuda("remote_atomic_add_dependent", home="second"),
        cuda("remote_atomic_add_dependent", home="first"),
        3,
        1,
    ),
    "multi-gpu-order": (
        cuda("gpu_handoff", order="acq_rel", scope="system", flavour="ptx"),
        cuda("gpu_handoff", order="relaxed", scope="system", flavour="ptx"),
        2,
        1,
    ),
    "potato-scope": (
        cuda("warp_handoff", scope="system", flavour="ptx"),
        cuda("warp_handoff", scope="device", flavour="ptx"),
        2,
        1,
    ),
    "potato-order": (
        cuda("warp_handoff", order="acq_rel", scope="device", flavour="ptx"),
        cuda("warp_handoff", scope="device", flavour="ptx"),
        2,
        1,
    ),
    "potato-volatile": (
        cuda("handoff_chain", order="acq_rel", scope="device", flavour="volatile"),
        cuda("handoff_chain", order="acq_rel", scope="device", flavour="ptx"),
        2,
        1,
    ),
    "potato-atomic-ref": (
        cuda("warp_handoff", scope="device", flavour="atomic_ref"),
        cuda("warp_handoff", scope="device", flavour="ptx"),
        1,
        1.5,
    ),
    "lecture-divergence-inside": (
        cuda("branch_in_warp", size=8),
        cuda("branch_in_warp", size=1),
        4,
        1,
    ),
    "lecture-divergence-across": (
        cuda("branch_across_warps", size=8, lanes=1024),
        cuda("branch_across_warps", size=1, lanes=1024),
        1,
        2,
    ),
    "lecture-coalescing": (cuda("load_strided", size=8), cuda("load_coalesced"), 4, 1),
    "lecture-kernel-boundary": (cuda("kernel_split"), cuda("grid_sync"), 4, 1),
    "belief-padding-64": (strided(stride=16), strided(stride=1024), 1, 2),
    "belief-critical-never": (
        point("critical_add", placement="shared", order="unordered"),
        point(placement="shared"),
        3,
        0.5,
    ),
    "belief-relaxed": (
        point("atomic_write", placement="shared", order="seq_cst"),
        point("atomic_write", placement="shared"),
        5,
        1,
    ),
    "belief-spin-cas": (
        point("handoff_cas", lanes=2, order="unordered"),
        point("handoff", lanes=2, order="unordered"),
        1.5,
        1,
    ),
    "belief-spin-lock": (
        point("lock_add", placement="shared", lanes=4, order="unordered"),
        point("spin_lock_add", placement="shared", lanes=4, order="unordered"),
        2,
        0.5,
    ),
    "belief-ticket-lock": (
        point("ticket_lock_add", placement="shared", lanes=4, order="unordered"),
        point("spin_lock_add", placement="shared", lanes=4, order="unordered"),
        2,
        1,
    ),
    "belief-mcs": (
        point("spin_lock_add", backend="std", placement="shared", lanes=4, order="unordered"),
        point("mcs_lock_add", backend="std", placement="shared", lanes=4, order="unordered"),
        2,
        0.5,
    ),
    "belief-reader-writer-lock": (
        point("mutex_read_mostly", backend="std", lanes=2, size=64, reads_per_write=1000),
        point("shared_mutex_read_mostly", backend="std", lanes=2, size=64, reads_per_write=1000),
        2,
        0.5,
    ),
    "belief-futex-wake": (
        point("wait_futex", backend="posix", lanes=2, order="unordered", late_us=100),
        point("wait_pause", backend="posix", lanes=2, order="unordered", late_us=100),
        100,
        2,
    ),
    "belief-yield": (
        point("wait_yield", backend="posix", lanes=2, order="unordered", late_us=10),
        point("wait_pause", backend="posix", lanes=2, order="unordered", late_us=10),
        3,
        1,
    ),
    "belief-pause-spares": (
        point("work_beside_spin", backend="posix", lanes=2, order="unordered", affinity="smt"),
        point("work_beside_pause", backend="posix", lanes=2, order="unordered", affinity="smt"),
        1.5,
        1,
    ),
    "belief-adaptive-mutex": (
        point(
            "mutex_adaptive_add", backend="posix", placement="shared", lanes=2, order="unordered"
        ),
        point("lock_add", backend="posix", placement="shared", lanes=2, order="unordered"),
        1,
        2,
    ),
    "belief-split-counter": (
        strided(stride=1024, cells=1),
        strided(stride=1024, cells=2),
        2,
        1,
    ),
    "belief-kokkos": (
        point(backend="kokkos-openmp", placement="shared"),
        point(placement="shared"),
        1,
        2,
    ),
    "epcc-implementations": (
        team("parallel_region", backend="omp-llvm"),
        team("parallel_region"),
        1,
        2,
    ),
    "epcc-region-threads": (team("parallel_region", lanes=8), team("parallel_region"), 3, 1),
    "belief-static-schedule": (
        team("for_dynamic", size=8),
        team("for_static_chunk", size=8),
        3,
        1,
    ),
    "belief-guided-schedule": (team("for_guided", size=8), team("for_dynamic", size=8), 0.5, 1),
    "book-merge-regions": (team("parallel_for"), team("for_static", size=1), 3, 1),
    "book-nowait": (team("for_static", size=1), team("for_nowait"), 3, 1),
    "book-ordered": (team("ordered"), team("for_static"), 3, 1),
    "belief-passive-regions": (
        team("parallel_region", wait="passive"),
        team("parallel_region"),
        9,
        1.2,
    ),
    "belief-nested": (team("nested_region", affinity="none"), team("parallel_region"), 9, 1.2),
    "belief-thread-per-loop": (
        team("thread_create_join", backend="std", affinity="none"),
        team("parallel_region"),
        20,
        2,
    ),
    "belief-tasks-by-all": (team("task_by_one", size=4), team("task_by_all", size=4), 3, 1),
}
