"""One datum that many read and few write: the cost of an access by scheme, share of writes, size of the
datum and lanes."""

from __future__ import annotations

from itertools import groupby

from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import Contest, contests, listed
from syncmeter_analysis.relate.relation import default_margin
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.studies.blocks import Block, Text, table
from syncmeter_analysis.studies.cells import cost

title = "Read-mostly data"
measured_by = "`syncmeter run --study read-mostly`"
order = 4

_suffix = "_read_mostly"

#: What a program takes that has not looked for another.
_usual = "mutex_read_mostly"


def scheme_of(s: Measured) -> str:
    """`std seqlock`."""
    return f"{s.point.backend} {s.point.op.removesuffix(_suffix)}"


def rows(campaign: Campaign) -> list[Contest]:
    """All schemes at one number of lanes, bytes of the datum and reads for each write, of each file;
    nothing where fewer than two were measured at one point."""
    axes = "lanes", "size", "reads_per_write", "affinity", "wait"
    return contests(campaign, _belongs, *axes)


def _belongs(s: Measured) -> bool:
    return s.point.op.endswith(_suffix) and not s.imported and s.status != "unsupported"


def text(data: list[Contest]) -> list[Block]:
    """What an access costs under each scheme."""
    schemes = sorted({scheme_of(s) for one in data for s in one.points})
    columns = ["lanes>", "bytes>", "reads a write>", *(f"{scheme}>" for scheme in schemes)]
    lines = []
    for one in data:
        p, by_scheme = one.first.point, {scheme_of(s): s for s in reversed(one.points)}
        costs = [cost(by_scheme.get(scheme)) for scheme in schemes]
        slowest = formats.ratio_interval(one.slower[0][1]) if one.slower else ""
        best = [", ".join(map(scheme_of, one.leaders)), slowest, one.source]
        lines.append([p.lanes, p.size, p.reads_per_write, *costs, *best])
    columns += ["fastest", "slowest over it>", ""]
    explained = Text(
        "ns of one access by each lane, over its reads and its writes; every lane does both. Fastest: "
        f"the fastest, then those not resolved to be more than {default_margin:.0%} slower. Slowest "
        "over it: the scheme that takes longest, over the fastest."
    )
    return [table("One datum under each scheme", columns, lines, keys=3), explained]


def answer(data: list[Contest]) -> list[str]:
    """For each number of lanes, most first, size and file: the fastest scheme over runs of ratios."""
    sentences: list[str] = []
    data = sorted(data, key=lambda c: -c.first.point.lanes)
    key = lambda c: (c.first.point.lanes, c.first.point.size, c.source)  # noqa: E731
    for (lanes, size, source), group in groupby(data, key):
        runs = [
            list(alike)
            for _, alike in groupby(group, lambda one: one.taken and scheme_of(one.taken))
        ]
        where = f"{formats.count(lanes, 'thread')}, {size} bytes" + f" ({source})" * bool(source)
        sentences.append(f"{where}: " + "; ".join(map(_run, runs)))
    return sentences


def _run(run: list[Contest]) -> str:
    """Of contests of one winner, by their reads for each write."""
    numbers = [one.first.point.reads_per_write for one in run]
    at = f"at {formats.spans(numbers)} {'read' if numbers == [1] else 'reads'} a write "
    best, *others = (list(map(scheme_of, one.leaders)) for one in run)
    if not best:
        return at + "cannot tell: no scheme has a cost"
    ties = [name for name in best[1:] if all(name in names for names in others)]
    shown = f"; no difference to {listed(ties)} could be shown" if ties else ""
    return f"{at}take {best[0]}{_why(run)}{shown}"


def _why(run: list[Contest]) -> str:
    """How many times as long a mutex takes, or where that is the fastest the slowest scheme; '' where
    it is not slower."""
    over = [
        (r.value, scheme_of(s))
        for one in run
        for s, r in one.slower
        if s.point.op == _usual or (not one.ties and one.best and one.best.point.op == _usual)
    ]
    if not over:
        return ""
    (least, _), (most, name) = min(over), max(over)
    times = formats.ratio(most)
    if len(over) < len(run):
        times = f"up to {times}"
    elif least < most:
        times = f"{formats.ratio(least)} to {times}"
    return f", because {name} takes {times} times as long"
