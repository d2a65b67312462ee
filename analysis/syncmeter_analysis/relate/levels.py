"""The GPU's levels of synchronization, and which of them an op is of."""

from __future__ import annotations

#: Level, and what the names of its ops begin with.
levels = tuple(
    (level, tuple(starts.split()))
    for level, starts in (
        ("warp", "warp_sync shuffle_ vote_ match_ tile_ coalesced_ active_mask reduce_"),
        ("block", "barrier block_barrier named_barrier syncthreads_"),
        ("cluster", "cluster_"),
        ("grid", "grid_ software_barrier_"),
        (
            "several GPUs",
            "multi_gpu_barrier_ multi_gpu_host_ multi_gpu_graph_ multi_gpu_allreduce_",
        ),
        ("launch", "launch additional_ cooperative_launch graph_ programmatic_ kernel_"),
    )
)


def level_of(op: str) -> str:
    """The level that an op belongs to, '' for none."""
    if op.endswith("_handoff"):
        return ""
    return next((name for name, starts in levels if op.startswith(starts)), "")
