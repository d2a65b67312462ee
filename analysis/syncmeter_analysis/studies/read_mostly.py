"""One datum that many read and few write: the cost of an access by scheme, share of writes, size of the
datum and lanes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import Contest, contest
from syncmeter_analysis.relate.relation import default_margin
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.studies.blocks import Block, Cell, Table, Text, table

title = "Read-mostly data"
measured_by = "`syncmeter run --study read-mostly`"
order = 4

_least_schemes = 2


@dataclass
class Datum:
    """All schemes at one number of lanes, bytes of the datum and reads for each write, of one file."""

    schemes: list[Measured]
    contest: Contest
    source: str = ""

    @property
    def lanes(self) -> int:
        return self.schemes[0].point.lanes

    @property
    def size(self) -> int:
        return self.schemes[0].point.size

    @property
    def reads(self) -> int:
        return self.schemes[0].point.reads_per_write

    def of(self, scheme: str) -> Measured | None:
        return next((s for s in self.schemes if scheme_of(s) == scheme), None)


@dataclass
class ReadMostly:
    """The data by lanes, size and reads, and the schemes that keep them."""

    data: list[Datum]
    schemes: list[str]

    def __bool__(self) -> bool:
        return bool(self.data)


def scheme_of(s: Measured) -> str:
    """`std seqlock`."""
    return f"{s.point.backend} {s.point.op.removesuffix('_read_mostly')}"


def rows(campaign: Campaign) -> ReadMostly:
    """Nothing where fewer than two schemes were measured at one point."""
    found = [
        Datum(group, contest(group), source)
        for _, points, source in campaign.parts()
        for group in _groups(points)
    ]
    return ReadMostly(found, sorted({scheme_of(s) for one in found for s in one.schemes}))


def _groups(points: Iterable[Measured]) -> list[list[Measured]]:
    groups: dict[tuple[int, int, int, str, str], list[Measured]] = defaultdict(list)
    for s in points:
        p = s.point
        if p.op.endswith("_read_mostly") and not s.imported and s.status != "unsupported":
            groups[p.lanes, p.size, p.reads_per_write, p.affinity, p.wait].append(s)
    ordered = (group for _, group in sorted(groups.items()))
    return [group for group in ordered if len(group) >= _least_schemes]


def text(found: ReadMostly) -> list[Block]:
    """What an access costs under each scheme."""
    explained = Text(
        "ns of one access by each lane, over its reads and its writes; every lane does both. Fastest: "
        f"the fastest, then those not resolved to be more than {default_margin:.0%} slower. Slowest "
        "over it: the scheme that takes longest, over the fastest."
    )
    return [_table(found), explained]


def _table(found: ReadMostly) -> Table:
    columns = ["lanes>", "bytes>", "reads a write>", *(f"{scheme}>" for scheme in found.schemes)]
    rows = []
    for one in found.data:
        costs = (one.of(scheme) for scheme in found.schemes)
        cells = [Cell(formats.cost(s), [s.id]) if s else "" for s in costs]
        best = [", ".join(fastest(one)), _slowest(one), one.source]
        rows.append([str(one.lanes), str(one.size), str(one.reads), *cells, *best])
    columns += ["fastest", "slowest over it>", ""]
    return table("One datum under each scheme", columns, rows, keys=3)


def fastest(one: Datum) -> list[str]:
    """The fastest scheme, then those that are not resolved to be slower."""
    if one.contest.winners is None:
        return []
    return [scheme_of(s) for s in (one.contest.winners.best, *one.contest.winners.ties)]


def _slowest(one: Datum) -> str:
    return formats.ratio_interval(one.contest.slower[0][1]) if one.contest.slower else ""


def answer(found: ReadMostly) -> list[str]:
    """For each number of lanes, size and file: the fastest scheme over runs of ratios."""
    sentences: list[str] = []
    key = lambda c: (c.lanes, c.size, c.source)  # noqa: E731
    for (lanes, size, source), group in groupby(found.data, key):
        runs: list[tuple[list[str], list[int]]] = []
        for one in group:
            best = fastest(one)
            if runs and runs[-1][0][:1] == best[:1]:
                shared = [name for name in runs[-1][0] if name in best]
                runs[-1] = (shared, [*runs[-1][1], one.reads])
            else:
                runs.append((best, [one.reads]))
        where = f"{formats.count(lanes, 'lane')}, {size} bytes" + f" ({source})" * bool(source)
        sentences.append(f"{where}: " + "; ".join(_run(best, reads) for best, reads in runs))
    return sentences


def _run(best: list[str], reads: list[int]) -> str:
    at = f"at {formats.spans(reads)} reads a write "
    if not best:
        return at + "cannot tell: no scheme has a cost"
    ties = f" (not told apart: {', '.join(best[1:])})" if len(best) > 1 else ""
    return f"{at}{best[0]} is the fastest{ties}"
