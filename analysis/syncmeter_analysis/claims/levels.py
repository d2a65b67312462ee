"""What was published of the GPU's levels of synchronization and of handing on a flag, and is taught."""

from __future__ import annotations

from dataclasses import replace

from syncmeter_analysis.claims.claim import (
    Finding,
    above,
    at_least,
    cannot_tell,
    claim,
    holds,
    missing,
    on_cuda,
    row,
    within,
)
from syncmeter_analysis.claims.sources import lecture, levels, origin, potato
from syncmeter_analysis.relate import text
from syncmeter_analysis.relate.evidence import Evidence, Pair
from syncmeter_analysis.studies.grid_barriers import largest_graphs

levels_block_warps = row(
    on_cuda("barrier block_barrier", blocks=1).ends("lanes", 32).above(1.5, "most warps over one"),
    origin(f"{levels}, Table 10 and 4.4", "paper --backend cuda", "levels"),
    statement="Synchronizing a block gets slower with the number of active warps on its "
    "multiprocessor.",
    needs="cuda barrier at 32 threads and at more",
    # Of one block: where several share a multiprocessor, more warps synchronize in the same time.
    advice="",
    otherwise="The number of warps hardly matters to block barriers here.",
)

levels_grid_blocks = row(
    on_cuda("grid_sync", lanes=lambda threads: threads <= 256)
    .ends("blocks", 1)
    .above(1.5, "most blocks over fewest"),
    origin(f"{levels}, Table 10 and Figure 8", "levels", "levels"),
    statement="Synchronizing a grid gets slower with the number of blocks per multiprocessor.",
    needs="cuda grid_sync over blocks",
    advice="Launch fewer blocks per multiprocessor where the grid synchronizes.",
    otherwise="Blocks per multiprocessor hardly matter to grid barriers here.",
)

levels_tile_size = row(
    on_cuda("tile_sync").ends("size", 1).within(0.9, 1.1, "largest over smallest tile"),
    origin(f"{levels}, Table 10", "levels", "levels"),
    statement="The size of a tile does not matter to its synchronization.",
    needs="cuda tile_sync over sizes of the group",
    advice="Choose tile sizes by the algorithm.",
    otherwise="Tile size matters here.",
)

levels_coalesced_size = row(
    on_cuda("coalesced_sync").ends("size", 1).above(1.1, "largest over smallest coalesced group"),
    origin(f"{levels}, Table 10", "levels", "levels"),
    statement="The size of a coalesced group matters to its synchronization.",
    needs="cuda coalesced_sync over sizes of the group",
    advice="Prefer tiles of fixed size to coalesced groups.",
    otherwise="Large coalesced groups cost no more than small ones here.",
)


@claim(
    origin(f"{levels}, 4.4", "paper --backend cuda", "levels"),
    statement="Blocks of 1024 threads synchronize more slowly than two of 512 in their place.",
    needs="cuda barrier of 512 threads in twice as many blocks as of 1024",
    advice="Use blocks of 512 threads or fewer where barriers dominate.",
    otherwise="One block of 1024 threads costs no more than two of 512 here.",
)
def levels_1024_degrade(data: Evidence) -> Finding:
    """Cost per warp of a barrier of 1024 threads against of 512."""
    points = data.measured("barrier", backend="cuda", lanes=(512, 1024))
    # As many threads on every multiprocessor: half as many blocks, of twice the size.
    most = max((s.point.blocks for s in points if s.point.lanes == 512), default=0)
    large = [s for s in points if s.point.lanes == 1024 and 2 * s.point.blocks == most]
    small = [s for s in points if s.point.lanes == 512 and s.point.blocks == most]
    pairs = data.pairs(large, small, ("lanes", "blocks"))
    return above(pairs, 1.05, "one block of 1024 threads over two of 512")


levels_one_warp_block = row(
    on_cuda("barrier", lanes=32)
    .over(on_cuda("tile_sync coalesced_sync", lanes=32, size=32), "op", "size")
    .below(1.1, "__syncthreads of one warp over warp synchronization"),
    origin(f"{levels}, Table 10", "quick --backend cuda", "levels"),
    statement="A block of one warp synchronizes no slower than a warp does.",
    needs="cuda barrier, and tile_sync or coalesced_sync of a whole warp",
    advice="__syncthreads is good enough in kernels of one warp per block.",
    otherwise="Synchronize the warp where a block is one warp: __syncwarp(), or a group of 32 threads.",
)


@claim(
    origin(f"{levels}, Table 9", "levels", "levels"),
    statement="Grid barriers are limited to as many blocks as fit at once.",
    needs="cuda grid_sync with as many blocks as are resident at once, and with more",
    advice="Ask the occupancy API for the grid's size before a cooperative launch.",
    otherwise="No limit was met here.",
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


_barriers = "multi_gpu_barrier_counter multi_gpu_barrier_flags multi_gpu_barrier_dissemination"

levels_multi_gpu = row(
    on_cuda(_barriers).ends("size", 2).above(1.1, "most GPUs over two"),
    origin(f"{levels}, Table 10 and Figures 9 to 11", "multi-gpu", "levels"),
    statement="A barrier over several GPUs adds a step for each level of their connection.",
    needs="cuda multi_gpu_barrier_* over two GPUs and over more",
    advice="Let more than two GPUs meet in another barrier: this one gets slower with their number.",
    otherwise="Let all GPUs meet in one barrier: more of them than two do not make it slower here.",
)


_handoffs = "warp_handoff cluster_handoff handoff_chain handoff"

potato_scope = row(
    on_cuda(_handoffs)
    .between("scope", ("device", "block"), ("system", "device"))
    .above(1.1, "wider over narrower scope"),
    origin(potato, "handoff", "handoff"),
    statement="Handing a flag on is faster at a narrower scope.",
    needs="cuda warp handoffs at two scopes",
    advice="Use the narrowest scope that contains both sides: block, then device.",
    otherwise="A wider scope costs a handoff no more here.",
)

potato_order = row(
    on_cuda(_handoffs, flavour=("ptx", "atomic_ref"))
    .between("order", (("acq_rel", "acquire", "release"), "relaxed"))
    .above(1.1, "acquire and release over relaxed"),
    origin(potato, "handoff", "handoff"),
    statement="Acquire and release cost more than relaxed accesses in a handoff.",
    needs="cuda warp handoffs relaxed and with acquire and release",
    advice="Use relaxed order for flags that guard no data.",
    otherwise="Acquire and release cost no more here: use them.",
)

potato_volatile = row(
    on_cuda(_handoffs, order="acq_rel")
    .between("flavour", ("volatile", "ptx"))
    .above(1.1, "volatile with a fence over the scoped form"),
    origin(potato, "handoff", "handoff"),
    statement="A volatile flag with a fence is slower than a scoped acquire and release.",
    needs="cuda warp handoffs by volatile with a fence and by PTX",
    advice="Replace volatile and __threadfence by scoped atomics.",
    otherwise="A volatile flag with __threadfence costs no more here.",
)


@claim(
    origin(potato, "handoff, or syncmeter run --study atomics", "handoff"),
    statement="cuda::atomic_ref costs what the device-scope form costs.",
    needs="cuda handoffs (or atomics) by atomic_ref and by PTX or functions",
    advice="Write cuda::atomic_ref: it costs nothing over PTX.",
    otherwise="Write PTX where it counts: cuda::atomic_ref is not free here.",
)
def potato_atomic_ref(data: Evidence) -> Finding:
    """cuda::atomic_ref against the device-scope form of the same op."""
    handoffs = on_cuda(_handoffs, scope="device").of(data)
    atomics = "atomic_add atomic_fetch_add atomic_exchange atomic_cas_pass"
    points = handoffs or on_cuda(atomics, scope="device", order="relaxed").of(data)
    pairs = data.between(points, "flavour", ("atomic_ref", ("ptx", "function")))
    note = "" if handoffs else "judged on atomics: no handoff was measured"
    return within(pairs, 0.95, 1.05, "atomic_ref over the device-scope form", note)


lecture_divergence_inside = row(
    on_cuda("branch_in_warp")
    .between("size", (at_least(2), 1))
    .above(1.2, "paths inside a warp over one path"),
    origin(lecture, "divergence", "divergence"),
    statement="Divergence inside a warp costs time.",
    needs="cuda branch_in_warp with one path and with more",
    advice="Let the lanes of a warp take one path.",
    otherwise="Divergence inside a warp costs nothing here.",
)

lecture_divergence_across = row(
    on_cuda("branch_across_warps")
    .between("size", (at_least(2), 1))
    .within(0.9, 1.1, "paths across warps over one path"),
    origin(lecture, "divergence", "divergence"),
    statement="Divergence across warps costs no time.",
    needs="cuda branch_across_warps with one path and with more",
    advice="Split work by warps freely.",
    otherwise="Warps on different paths take longer here.",
)


@claim(
    origin(lecture, "coalescing", "coalescing"),
    statement="Loads of a warp that fall into few lines are faster than scattered ones.",
    needs="cuda load_coalesced and load_strided",
    advice="Let neighbouring lanes read neighbouring addresses.",
    otherwise="Scattered loads cost no more here.",
)
def lecture_coalescing(data: Evidence) -> Finding:
    """Loads of a warp that are strided against coalesced."""
    levels = [
        data.pairs(
            data.measured(f"load_strided{level}", backend="cuda", size=at_least(2)),
            data.measured(f"load_coalesced{level}", backend="cuda"),
            ("op", "size"),
        )
        for level in ("", "_l2")
    ]
    return above(levels[0] + levels[1], 1.2, "strided over coalesced loads")


@claim(
    origin(lecture, "levels", "levels"),
    statement="The end of a kernel is a barrier, and slower than one inside it.",
    needs="cuda grid_sync, and kernel_split or additional_graph_launch in the same grid",
    advice="Synchronize the grid inside a kernel where it fits on the device.",
    otherwise="A second kernel is the faster barrier here.",
)
def lecture_kernel_boundary(data: Evidence) -> Finding:
    """The end of a kernel against a grid barrier: of a graph, whose kernels follow each other faster,
    where one was measured, else of one that is cut in two."""
    own = on_cuda("grid_sync")
    split = on_cuda("kernel_split").over(own, "op", "home").pairs(data)
    largest = largest_graphs(on_cuda("additional_graph_launch").of(data))
    graphs = data.pairs(largest, own.of(data), ("op", "size", "home"))
    if not graphs:
        return above(split, 1.1, "a kernel cut in two over a grid barrier")
    graphs.found = [_of_each_kernel(p) for p in graphs.found]
    cut = [text.ratio_interval(p.ratio) for p in split.found]
    note = f"one that is cut in two, without a graph: {', '.join(cut)}" if cut else ""
    return above(graphs, 1.1, "a kernel of a graph over a grid barrier", note)


def _of_each_kernel(pair: Pair) -> Pair:
    """The cost of a graph is of all its kernels."""
    r, part = pair.ratio, 1 / pair.over.point.size
    return replace(pair, ratio=replace(r.times(part), over_ns=r.over_ns * part), each=True)
