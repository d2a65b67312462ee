"""What was published of the GPU's levels of synchronization and of handing on a flag, and is taught."""

from __future__ import annotations

from dataclasses import replace

from syncmeter_analysis.claims.claim import (
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
from syncmeter_analysis.claims.sources import lecture, levels, on_gpu, on_gpus, potato
from syncmeter_analysis.conclude.conclusion import Kind
from syncmeter_analysis.conclude.finding import Finding, Note
from syncmeter_analysis.relate.evidence import Evidence, Pairs
from syncmeter_analysis.relate.grid_barriers import largest_graphs

levels_block_warps = row(
    on_cuda("barrier block_barrier", blocks=1).ends("lanes", 32).above(1.5),
    on_gpu(f"{levels}, Table 10 and 4.4", "paper --backend cuda", "levels"),
    # If several blocks share a multiprocessor, more warps synchronize in the same time.
    if_true=None,
)

levels_grid_blocks = row(
    on_cuda("grid_sync", lanes=lambda threads: threads <= 256).ends("blocks", 1).above(1.5),
    on_gpu(f"{levels}, Table 10 and Figure 8", "levels", "levels"),
)

levels_tile_size = row(
    on_cuda("tile_sync").ends("size", 1).within(0.9, 1.1),
    on_gpu(f"{levels}, Table 10", "levels", "levels"),
    if_true=Kind.any,
    if_false=Kind.use,
)

levels_coalesced_size = row(
    on_cuda("coalesced_sync").ends("size", 1).above(1.1),
    on_gpu(f"{levels}, Table 10", "levels", "levels"),
    if_true=Kind.avoid,
)


@claim(
    on_gpu(f"{levels}, 4.4", "paper --backend cuda", "levels"),
)
def levels_1024_degrade(data: Evidence) -> Finding:
    """Cost per warp of a barrier of 1024 threads against of 512."""
    points = data.measured("barrier", backend="cuda", lanes=(512, 1024))
    # As many threads on every multiprocessor: half as many blocks, of twice the size.
    most = max((s.point.blocks for s in points if s.point.lanes == 512), default=0)
    large = [s for s in points if s.point.lanes == 1024 and 2 * s.point.blocks == most]
    small = [s for s in points if s.point.lanes == 512 and s.point.blocks == most]
    pairs = data.pairs(large, small, ("lanes", "blocks"))
    return above(pairs, 1.05)


levels_one_warp_block = row(
    on_cuda("barrier", lanes=32)
    .over(on_cuda("tile_sync coalesced_sync", lanes=32, size=32), "op", "size")
    .below(1.1),
    on_gpu(f"{levels}, Table 10", "quick --backend cuda", "levels"),
    if_true=Kind.keep,
    if_false=Kind.use,
)


@claim(
    on_gpu(f"{levels}, Table 9", "levels", "levels"),
    if_true=Kind.keep,
    if_false=None,
)
def levels_coresident(data: Evidence) -> Finding:
    """A grid larger than what co-resides is refused."""
    points = data.select("grid_sync", backend="cuda")
    if not points:
        return missing()
    refused = [s for s in points if s.status == "unsupported"]
    ran = [s for s in points if s.usable]
    if not (refused and ran):
        return Finding(cannot_tell, notes=[Note("none_refused")])
    return Finding(
        holds,
        points=[s.id for s in refused],
        notes=[Note("refused", len(ran), len(refused), why=refused[0].reason)],
    )


_barriers = "multi_gpu_barrier_counter multi_gpu_barrier_flags multi_gpu_barrier_dissemination"

levels_multi_gpu = row(
    on_cuda(_barriers).ends("size", 2).above(1.1),
    on_gpus(f"{levels}, Table 10 and Figures 9 to 11", "multi-gpu", "levels"),
    if_true=Kind.avoid,
)


_handoffs = "warp_handoff cluster_handoff handoff_chain handoff"

potato_scope = row(
    on_cuda(_handoffs).between("scope", ("device", "block"), ("system", "device")).above(1.1),
    on_gpu(potato, "handoff", "handoff"),
    conditions=("inside_scope",),
)

potato_order = row(
    on_cuda(_handoffs, flavour=("ptx", "atomic_ref"))
    .between("order", (("acq_rel", "acquire", "release"), "relaxed"))
    .above(1.1),
    on_gpu(potato, "handoff", "handoff"),
)

potato_volatile = row(
    on_cuda(_handoffs, order="acq_rel").between("flavour", ("volatile", "ptx")).above(1.1),
    on_gpu(potato, "handoff", "handoff"),
)


@claim(
    on_gpu(potato, "handoff, or syncmeter run --study atomics", "handoff"),
    if_true=Kind.any,
    if_false=Kind.use,
)
def potato_atomic_ref(data: Evidence) -> Finding:
    """cuda::atomic_ref against the device-scope form of the same op."""
    handoffs = on_cuda(_handoffs, scope="device").of(data)
    atomics = "atomic_add atomic_fetch_add atomic_exchange atomic_cas_pass"
    points = handoffs or on_cuda(atomics, scope="device", order="relaxed").of(data)
    pairs = data.between(points, "flavour", ("atomic_ref", ("ptx", "function")))
    notes = [] if handoffs else [Note("on_atomics")]
    return within(pairs, 0.95, 1.05, *notes)


lecture_divergence_inside = row(
    on_cuda("branch_in_warp").between("size", (at_least(2), 1)).above(1.2),
    on_gpu(lecture, "divergence", "divergence"),
    if_true=Kind.avoid,
)

lecture_divergence_across = row(
    on_cuda("branch_across_warps").between("size", (at_least(2), 1)).within(0.9, 1.1),
    on_gpu(lecture, "divergence", "divergence"),
    if_true=Kind.any,
    if_false=Kind.use,
)


@claim(
    on_gpu(lecture, "coalescing", "coalescing"),
)
def lecture_coalescing(data: Evidence) -> Finding:
    """Loads of a warp that are strided against coalesced."""

    def found(level: str) -> Pairs:
        strided = on_cuda(f"load_strided{level}", size=at_least(2))
        return strided.over(on_cuda(f"load_coalesced{level}"), "op", "size").pairs(data)

    return above(found("") + found("_l2"), 1.2)


@claim(
    on_gpu(lecture, "levels", "levels"),
    conditions=("resident",),
)
def lecture_kernel_boundary(data: Evidence) -> Finding:
    """The end of a kernel against a grid barrier: of a graph, whose kernels follow each other faster,
    where one was measured, else of one that is cut in two."""
    own = on_cuda("grid_sync")
    split = on_cuda("kernel_split").over(own, "op", "home").pairs(data)
    largest = largest_graphs(on_cuda("additional_graph_launch").of(data))
    graphs = data.pairs(largest, own.of(data), ("op", "size", "home"))
    if not graphs:
        return above(split, 1.1)
    # The cost of a graph is of all its kernels.
    graphs.found = [
        replace(p, ratio=p.ratio.times(1 / p.over.point.size), each=True) for p in graphs.found
    ]
    cut = tuple(p.ratio.interval for p in split.found)
    notes = [Note("split", ratios=cut)] if cut else []
    return above(graphs, 1.1, *notes)
