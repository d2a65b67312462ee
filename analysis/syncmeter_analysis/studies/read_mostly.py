"""One datum that many read and few write: the cost of an access by scheme, share of writes, size of the
datum and lanes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from syncmeter_analysis.relate import contest_text
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import Contest, contests, over
from syncmeter_analysis.relate.distance import distance, threads_apart
from syncmeter_analysis.relate.relation import Ratio, Verdict, default_margin, verdict
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.relate.text import percent
from syncmeter_analysis.studies.blocks import Block, Text, table
from syncmeter_analysis.studies.cells import cost, cost_alone

title = "Read-mostly data"
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
        f"of several none is resolved to be more than {percent(default_margin)} slower than another. "
        "Slowest over it: the scheme that takes longest, over the lowest cost."
    )
    return [table("One datum under each scheme", columns, lines, keys=3), explained]


def answer(data: list[Contest]) -> list[str]:
    """For each number of lanes, most first, size and file: the fastest scheme over runs of ratios."""
    sentences: list[str] = []
    data = sorted(data, key=lambda c: -c.first.point.lanes)
    key = lambda c: (c.first.point.lanes, c.first.point.size, c.source)  # noqa: E731
    for (lanes, size, source), group in groupby(data, key):
        alike = list(group)
        ratios = [r for one in alike for r in one.over_best.values()]
        apart = distance((s for one in alike for s in one.points), ratios)
        where = f"{threads_apart(lanes, apart)}, {size} bytes" + f" ({source})" * bool(source)
        runs = [_run(run, is_first=not i) for i, run in enumerate(_runs(alike))]
        sentences.append(f"{where}: {'; '.join(runs)}")
    return sentences


def _runs(group: Iterable[Contest]) -> list[list[Contest]]:
    """Contests that follow each other, have a leader in common, and keep what a program has or not."""
    runs: list[list[Contest]] = []
    for one in group:
        if runs and (_common([*runs[-1], one]) and _default_of(runs[-1][0]) == _default_of(one)):
            runs[-1].append(one)
        else:
            runs.append([one])
    return runs


def _common(run: Sequence[Contest]) -> list[str]:
    """The leaders of all."""
    first, *others = (list(map(scheme_of, one.leaders)) for one in run)
    return [name for name in first if all(name in names for names in others)]


def _default_of(one: Contest) -> tuple[bool, bool]:
    """Whether what a program has is kept, and whether it is a leader."""
    return bool(one.kept), _usual in {s.point.op for s in one.leaders}


def _run(run: list[Contest], is_first: bool) -> str:
    """Of contests with a leader in common, by their reads for each write."""
    numbers = [one.first.point.reads_per_write for one in run]
    unit = f"{'read' if numbers == [1] else 'reads'} a write "
    at = f"at {formats.spans(numbers)} {unit * is_first}"
    common = _common(run)
    if not common:
        return at + "cannot tell: no scheme has a cost"
    is_open = all(one.is_open for one in run)
    if is_open or run[0].kept or not any(one.ties for one in run):
        return f"{at}{contest_text.advice(run[0], scheme_of)}{_why(run)}"
    if len(common) == 1:
        return f"{at}none is shown to be faster than {common[0]}{_why(run)}"
    costs = f" ({contest_text.costs(run[0].leaders, cost_alone)})" if len(run) == 1 else ""
    return f"{at}{contest_text.undecided(common, are_near=False, costs=costs)}{_why(run)}"


def _why(run: list[Contest]) -> str:
    """How many times as long a mutex takes, or where that is the fastest the slowest scheme; '' where
    it is not slower. Beside several leaders, how many times at least."""
    (first, *ties), is_alone = _common(run), not any(one.ties for one in run)
    leads = is_alone and _default_of(run[0])[1]
    found = []
    for one in run:
        of = next(s for s in one.leaders if scheme_of(s) == first)
        slower = (
            one.slower_than_all if ties else ((s, over(s, of)) for s in one.points if s is not of)
        )
        found += [
            (s, r) for s, r in slower if isinstance(r, Ratio) and verdict(r) is Verdict.slower
        ]
    times = [
        (r.low if ties else r.value, scheme_of(s))
        for s, r in found
        if leads or s.point.op == _usual
    ]
    if not times or (ties and len(times) < len(run)):
        return ""
    (least, _), (most, name) = min(times), max(times)
    span = formats.ratio(most)
    if ties:
        span = f"at least {formats.ratio(least)}"
    elif len(times) < len(run):
        span = f"up to {span}"
    elif least < most:
        span = f"{formats.ratio(least)} to {span}"
    return f"{', because' if is_alone else ';'} {name} takes {span} times as long"
