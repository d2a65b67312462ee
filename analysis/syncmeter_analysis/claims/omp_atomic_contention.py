"""Updates of one variable by all lanes against by one."""

from __future__ import annotations

from syncmeter_analysis.claims.claim import (
    Claim,
    Finding,
    above,
)
from syncmeter_analysis.claims.sources import (
    primitives,
    run_paper,
)
from syncmeter_analysis.statistics.evidence import Evidence, on_cpu


def judge(data: Evidence) -> Finding:
    points = data.measured("atomic_add", backend=on_cpu, placement="shared", order="relaxed")
    return above(
        data.ends(points, "lanes", lambda n: n >= 1), 1.5, "atomic add by all lanes over by one"
    )


claim = Claim(
    id="omp-atomic-contention",
    statement="Atomic updates of one variable get slower with every thread that joins.",
    source=f"{primitives}, V-A5",
    needs="atomic_add on a shared cell at 1 lane and at more",
    command=run_paper,
    advice="Keep one variable per thread and combine them at the end, in place of one shared atomic.",
    otherwise="Contention on one atomic costs little here; a shared counter is good enough.",
    judge=judge,
)
