"""A flag between GPUs that orders the data before it against one that orders nothing."""

from __future__ import annotations

from syncmeter_analysis.claims.claim import (
    Claim,
    Finding,
    above,
)
from syncmeter_analysis.claims.sources import (
    belief,
    run_multi_gpu,
)
from syncmeter_analysis.statistics.evidence import Evidence


def judge(data: Evidence) -> Finding:
    points = [
        s
        for s in data.measured(("gpu_handoff", "cpu_gpu_handoff"), backend="cuda")
        if s.point.scope == "system"
    ]
    pairs = data.pairs(
        [s for s in points if s.point.order == "acq_rel"],
        [s for s in points if s.point.order == "relaxed"],
        ("order",),
    )
    return above(pairs, 1.1, "acquire and release over relaxed, system scope")


claim = Claim(
    id="multi-gpu-order",
    statement="Order of system scope is dear: a flag that guards data costs more than a bare one.",
    source=belief,
    needs="cuda gpu_handoff or cpu_gpu_handoff, acq_rel and relaxed",
    command=run_multi_gpu,
    advice="Send much data behind one flag, rather than a flag with each piece.",
    otherwise="Order of system scope costs next to nothing here: guard every piece of data.",
    judge=judge,
    figure="levels",
)
