"""What was published of the GPU's levels of synchronization."""

from __future__ import annotations

from syncmeter_analysis.claims.claim import (
    Finding,
    above,
    below,
    cannot_tell,
    claim,
    ends,
    holds,
    missing,
    points,
    row,
    versus,
    within,
)
from syncmeter_analysis.claims.sources import levels, run_levels, run_multi_gpu, run_paper
from syncmeter_analysis.relate.evidence import Evidence, Pairs


def _by_size(data: Evidence, op: str) -> Pairs:
    """The largest group over the smallest, for points that differ in its size only."""
    return data.ends(data.measured(op, backend="cuda"), "size", lambda n: n >= 1)


levels_block_warps = row(
    ends(points(("barrier", "block_barrier"), backend="cuda", blocks=1), "lanes", 32),
    (above, 1.5, "most warps over one"),
    statement="Synchronizing a block gets slower with the number of active warps on its "
    "multiprocessor.",
    source=f"{levels}, Table 10 and 4.4",
    needs="cuda barrier at 32 threads and at more",
    command=f"{run_paper} --backend cuda",
    advice="Fewer warps per multiprocessor make block barriers faster.",
    otherwise="The number of warps hardly matters to block barriers here.",
    figure="levels",
)

levels_grid_blocks = row(
    ends(points("grid_sync", backend="cuda", lanes=lambda threads: threads <= 256), "blocks", 1),
    (above, 1.5, "most blocks over fewest"),
    statement="Synchronizing a grid gets slower with the number of blocks per multiprocessor.",
    source=f"{levels}, Table 10 and Figure 8",
    needs="cuda grid_sync over blocks",
    command=run_levels,
    advice="Use one large block per multiprocessor where the grid synchronizes.",
    otherwise="Blocks per multiprocessor hardly matter to grid barriers here.",
    figure="levels",
)


@claim(
    statement="The size of a tile does not matter to its synchronization.",
    source=f"{levels}, Table 10",
    needs="cuda tile_sync over sizes of the group",
    command=run_levels,
    advice="Choose tile sizes by the algorithm.",
    otherwise="Tile size matters here.",
    figure="levels",
)
def levels_tile_size(data: Evidence) -> Finding:
    """A tile of any size against one of the whole warp."""
    pairs = _by_size(data, "tile_sync")
    return within(pairs, 0.9, 1.1, "largest over smallest tile")


@claim(
    statement="The size of a coalesced group matters to its synchronization.",
    source=f"{levels}, Table 10",
    needs="cuda coalesced_sync over sizes of the group",
    command=run_levels,
    advice="Prefer tiles of fixed size to coalesced groups.",
    otherwise="Large coalesced groups cost no more than small ones here.",
    figure="levels",
)
def levels_coalesced_size(data: Evidence) -> Finding:
    """A coalesced group of many lanes against one of few."""
    return above(_by_size(data, "coalesced_sync"), 1.1, "largest over smallest coalesced group")


@claim(
    statement="Blocks of 1024 threads synchronize more slowly than two of 512 in their place.",
    source=f"{levels}, 4.4",
    needs="cuda barrier of 512 threads in twice as many blocks as of 1024",
    command=f"{run_paper} --backend cuda",
    advice="Use blocks of 512 threads or fewer where barriers dominate.",
    otherwise="One block of 1024 threads costs no more than two of 512 here.",
    figure="levels",
)
def levels_1024_degrade(data: Evidence) -> Finding:
    """Cost per warp of a barrier of 1024 threads against of 512."""
    points = data.measured("barrier", backend="cuda", lanes=(512, 1024))
    # As many threads on every multiprocessor: half as many blocks, of twice the size.
    most = max((s.point.blocks for s in points if s.point.lanes == 512), default=0)
    large = [s for s in points if s.point.lanes == 1024 and 2 * s.point.blocks == most]
    small = [s for s in points if s.point.lanes == 512 and s.point.blocks == most]
    return above(
        data.pairs(large, small, ("lanes", "blocks")),
        1.05,
        "one block of 1024 threads over two of 512",
    )


levels_one_warp_block = row(
    versus(
        points("barrier", backend="cuda", lanes=32),
        points(
            ("tile_sync", "warp_sync_partial", "warp_sync"), backend="cuda", lanes=32, size=(0, 32)
        ),
        "op",
        "size",
    ),
    (below, 1.1, "__syncthreads of one warp over warp synchronization"),
    statement="A block of one warp synchronizes no slower than a warp does.",
    source=f"{levels}, Table 10",
    needs="cuda barrier and a synchronization of a whole warp at 32 threads",
    command="syncmeter run --study quick --backend cuda",
    advice="__syncthreads is good enough in kernels of one warp per block.",
    otherwise="Use __syncwarp where a block is one warp.",
    figure="levels",
)


@claim(
    statement="Grid barriers are limited to as many blocks as fit at once.",
    source=f"{levels}, Table 9",
    needs="cuda grid_sync with as many blocks as are resident at once, and with more",
    command=run_levels,
    advice="Ask the occupancy API for the grid's size before a cooperative launch.",
    otherwise="No limit was met here.",
    figure="levels",
)
def levels_coresident(data: Evidence) -> Finding:
    """A grid larger than what co-resides is refused."""
    points = data.select("grid_sync", backend="cuda")
    if not points:
        return missing()
    refused = [s for s in points if s.status == "unsupported"]
    ran = [s for s in points if s.usable]
    if not (refused and ran):
        return Finding(cannot_tell, note="every grid that was requested ran, or none did")
    return Finding(
        holds,
        points=[s.id for s in refused],
        note=f"{len(ran)} grids ran, {len(refused)} were refused: {refused[0].reason}",
    )


barriers = tuple(f"multi_gpu_barrier_{kind}" for kind in ("counter", "flags", "dissemination"))

levels_multi_gpu = row(
    ends(points(barriers, backend="cuda"), "size", 2),
    (above, 1.1, "most GPUs over two"),
    statement="A barrier over several GPUs adds a step for each level of their connection.",
    source=f"{levels}, Table 10 and Figures 9 to 11",
    needs="cuda multi_gpu_barrier_* over two GPUs and over more",
    command=run_multi_gpu,
    advice="Let more than two GPUs meet in another barrier: this one gets slower with their number.",
    otherwise="Let all GPUs meet in one barrier: more of them than two do not make it slower here.",
    figure="levels",
)
