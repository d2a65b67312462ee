"""The study `read-mostly`: a table of costs by scheme, share of writes, data size and threads."""

from __future__ import annotations

from syncmeter_analysis.conclude.studies.read_mostly import rows as rows
from syncmeter_analysis.conclude.studies.read_mostly import suffix
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.contest import Contest
from syncmeter_analysis.relate.relation import default_margin
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.relate.text import percent
from syncmeter_analysis.studies.blocks import Block, Text, table
from syncmeter_analysis.studies.cells import cost

title = "Read-mostly data"
order = 4


def scheme_of(s: Measured) -> str:
    """`std seqlock`."""
    return f"{s.point.backend} {s.point.op.removesuffix(suffix)}"


def text(data: list[Contest]) -> list[Block]:
    """Returns the cost of an access under each scheme."""
    schemes = sorted({scheme_of(s) for one in data for s in one.points})
    columns = ["threads>", "bytes>", "reads per write>", *(f"{scheme}>" for scheme in schemes)]
    lines = []
    for one in data:
        p, by_scheme = one.first.point, {scheme_of(s): s for s in reversed(one.points)}
        costs = [cost(by_scheme.get(scheme)) for scheme in schemes]
        slowest = formats.ratio_interval(one.slower[0][1]) if one.slower else ""
        best = [", ".join(map(scheme_of, one.leaders)), slowest, one.source]
        lines.append([p.lanes, p.size, p.reads_per_write, *costs, *best])
    columns += ["fastest", "slowest over it>", ""]
    explained = Text(
        "ns of an access by each thread, reads and writes together; every thread does both. fastest: "
        f"none of several is shown to be more than {percent(default_margin)} slower than another. "
        "slowest over it: the slowest scheme over the lowest cost."
    )
    return [table("Read-mostly data by scheme", columns, lines, keys=3), explained]
