"""A barrier among all threads against one among two."""

from __future__ import annotations

from syncmeter_analysis.claims.claim import (
    Claim,
    Finding,
    below,
)
from syncmeter_analysis.claims.sources import (
    primitives,
    run_paper,
)
from syncmeter_analysis.statistics import text
from syncmeter_analysis.statistics.evidence import Evidence, on_cpu


def judge(data: Evidence) -> Finding:
    barriers = data.measured("barrier", backend=on_cpu)
    over_two = data.ends(barriers, "lanes", lambda n: n >= 2)
    note = f"over 2 lanes {text.ratio_interval(over_two.typical)}" if over_two else ""
    many = data.ends(barriers, "lanes", lambda n: n >= 4)
    return below(many, 2.0, "barrier of all lanes over 4", note)


claim = Claim(
    id="omp-barrier-lanes",
    statement="A barrier among few threads is hardly cheaper than one among all of them.",
    source=f"{primitives}, V-A5 and Figure 1",
    needs="barrier at 4 lanes and at more",
    command=run_paper,
    advice="Do not use fewer threads for the sake of cheaper barriers; use fewer barriers.",
    otherwise="Where barriers dominate, use fewer threads: a barrier grows with their number here.",
    judge=judge,
)
