"""A barrier over several GPUs against over one."""

from __future__ import annotations

from syncmeter_analysis.claims.claim import (
    Claim,
    Finding,
    above,
)
from syncmeter_analysis.claims.sources import (
    levels,
    run_multi_gpu,
)
from syncmeter_analysis.statistics.evidence import Evidence

barriers = tuple(f"multi_gpu_barrier_{kind}" for kind in ("counter", "flags", "dissemination"))


def judge(data: Evidence) -> Finding:
    points = data.measured(barriers, backend="cuda")
    return above(data.ends(points, "size", lambda n: n >= 1), 1.1, "most devices over fewest")


claim = Claim(
    id="levels-multi-gpu",
    statement="A barrier over several GPUs adds a step for each level of their connection.",
    source=f"{levels}, Table 10 and Figures 9 to 11",
    needs="cuda multi_gpu_barrier_* over devices",
    command=run_multi_gpu,
    advice="Synchronize GPUs rarely, and inside a group that is directly connected.",
    otherwise="More GPUs do not make the barrier dearer here.",
    judge=judge,
    figure="levels",
)
