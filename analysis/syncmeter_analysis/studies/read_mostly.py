"""The study `read-mostly`: a table of costs by scheme, share of writes, data size and threads."""

from __future__ import annotations

from syncmeter_analysis.conclude.studies.read_mostly import rows as rows
from syncmeter_analysis.conclude.studies.read_mostly import suffix
from syncmeter_analysis.relate.contest import Contest
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.studies.blocks import Block, pivot

title = "Read-mostly data"
order = 4


def scheme_of(s: Measured) -> str:
    """`std seqlock`."""
    return f"{s.point.backend} {s.point.op.removesuffix(suffix)}"


def text(data: list[Contest]) -> list[Block]:
    """Returns the cost of an access under each scheme."""
    lines = []
    for one in data:
        p, slowest = one.first.point, one.slower[0][1] if one.slower else None
        by_scheme = {scheme_of(s): s for s in sorted(reversed(one.points), key=scheme_of)}
        fastest = ", ".join(map(scheme_of, one.leaders))
        lines.append(
            ([p.lanes, p.size, p.reads_per_write], by_scheme, [fastest, slowest, one.source])
        )
    keys, behind = "threads>|bytes>|reads per write>", "fastest|slowest over it (95 % CI)>|"
    return [pivot("ns of an access by each thread, reads and writes together", keys, lines, behind)]
