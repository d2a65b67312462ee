"""A barrier over several GPUs against over one."""

from __future__ import annotations

from syncmeter_analysis.claim import (
    Claim,
    Finding,
    above,
)
from syncmeter_analysis.claims.groups import grouped
from syncmeter_analysis.claims.sources import (
    levels,
)
from syncmeter_analysis.evidence import Evidence


def judge(data: Evidence) -> Finding:
    pairs = grouped(data, "multi_gpu_barrier")
    return above(pairs, 1.1, "most devices over fewest")


claim = Claim(
    id="levels-multi-gpu",
    statement="A barrier over several GPUs adds a step for each level of their connection.",
    source=f"{levels}, Table 10 and Figures 9 to 11",
    needs="cuda multi_gpu_barrier over devices",
    command="syncmeter run --study multi-gpu",
    advice="Synchronize GPUs rarely, and inside a group that is directly connected.",
    otherwise="More GPUs do not make the barrier dearer here.",
    judge=judge,
    figure="levels",
)
