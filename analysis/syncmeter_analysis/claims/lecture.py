"""What is taught of GPUs."""

from __future__ import annotations

from syncmeter_analysis.claims.claim import (
    Finding,
    above,
    against,
    claim,
    points,
    row,
    versus,
    within,
)
from syncmeter_analysis.claims.sources import lecture, run_levels
from syncmeter_analysis.relate.evidence import Evidence

lecture_divergence_inside = row(
    versus(
        points("branch_in_warp", backend="cuda", size=lambda paths: paths > 1),
        points("branch_in_warp", backend="cuda", size=1),
        "size",
    ),
    (above, 1.2, "paths inside a warp over one path"),
    statement="Divergence inside a warp costs time.",
    source=lecture,
    needs="cuda branch_in_warp with one path and with more",
    command="syncmeter run --study divergence",
    advice="Let the lanes of a warp take one path.",
    otherwise="Divergence inside a warp costs nothing here.",
    figure="divergence",
)

lecture_divergence_across = row(
    versus(
        points("branch_across_warps", backend="cuda", size=lambda paths: paths > 1),
        points("branch_across_warps", backend="cuda", size=1),
        "size",
    ),
    (within, 0.9, 1.1, "paths across warps over one path"),
    statement="Divergence across warps costs no time.",
    source=lecture,
    needs="cuda branch_across_warps with one path and with more",
    command="syncmeter run --study divergence",
    advice="Split work by warps freely.",
    otherwise="Warps on different paths take longer here.",
    figure="divergence",
)


@claim(
    statement="Loads of a warp that fall into few lines are faster than scattered ones.",
    source=lecture,
    needs="cuda load_coalesced and load_strided",
    command="syncmeter run --study coalescing",
    advice="Let neighbouring lanes read neighbouring addresses.",
    otherwise="Scattered loads cost no more here.",
    figure="coalescing",
)
def lecture_coalescing(data: Evidence) -> Finding:
    """Loads of a warp that are strided against coalesced."""
    levels = [
        data.pairs(
            data.measured(f"load_strided{level}", backend="cuda", size=lambda words: words > 1),
            data.measured(f"load_coalesced{level}", backend="cuda"),
            ("op", "size"),
        )
        for level in ("", "_l2")
    ]
    return above(levels[0] + levels[1], 1.2, "strided over coalesced loads")


lecture_kernel_boundary = row(
    against("kernel_split", "grid_sync", "home", backend="cuda"),
    (above, 1.1, "a kernel cut in two over a grid barrier"),
    statement="The end of a kernel is a barrier, and slower than one inside it.",
    source=lecture,
    needs="cuda kernel_split and grid_sync in the same grid",
    command=run_levels,
    advice="Synchronize the grid inside a kernel where it fits on the device.",
    otherwise="A second kernel is the faster barrier here.",
    figure="levels",
)
