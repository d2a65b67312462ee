"""What `syncmeter ab` found of its two arms, for a terminal and as Markdown: a table for each verdict,
and what no table holds in sentences."""

from __future__ import annotations

import re
from collections import defaultdict
from math import isfinite
from statistics import median

from syncmeter_analysis.relate import point_text, text
from syncmeter_analysis.relate.compare_arms import ArmComparison
from syncmeter_analysis.relate.compare_text import blind_text, broken_names
from syncmeter_analysis.relate.relation import Verdict
from syncmeter_analysis.studies.blocks import Table, escaped_md, table, table_md

# A change so large that none is asked about beyond it.
_vast = 1e6

#: Of fewer points a half is no figure.
_fewest_for_half = 4


def as_markdown(c: ArmComparison) -> str:
    lines = [line for sentence in _headline(c) for line in (escaped_md(sentence), "")]
    for title, rows in _tables_of_arms(c):
        lines += [f"### {escaped_md(title)}", "", *table_md(rows)]
    return "\n".join([*lines, *(f"- {escaped_md(s)}" for s in _sentences(c))]).rstrip()


def lines_of(c: ArmComparison) -> list[str | Table]:
    lines: list[str | Table] = [*_headline(c)]
    for title, rows in _tables_of_arms(c):
        lines += ["", title, rows]
    sentences = _sentences(c)
    return [*lines, *[""] * bool(sentences), *sentences]


def _digits(change: float) -> int:
    return 1 if abs(change) < 9.95 else 0


def _percent(ratio: float) -> str:
    """`+5.0 %`: two digits, more than an interval is worth."""
    change = 100 * (ratio - 1)
    return f"{change:+.{_digits(change)}f} %" if isfinite(ratio) else "unknown"


def _size(ratio: float) -> str:
    change = 100 * (ratio - 1)
    return f"{change:.{_digits(change)}f} %" if ratio <= _vast else "unknown"


def _in_common(c: ArmComparison) -> list[str]:
    """The axes that the names of points leave out."""
    points = [*(d.old.point for d in c.differences), *(a.point for a in c.apart)]
    one_backend = c.arms.any_backend or len({p.backend for p in points}) == 1
    return ["arm", *["backend"] * one_backend, *["wait"] * c.arms.any_wait]


def _headline(c: ArmComparison) -> list[str]:
    lines = [
        f"{c.title}: {text.count(len(c.differences), 'point')} compared, changes beyond "
        f"{_size(1 + c.threshold)}, 95 % over all of them (Holm)."
    ]
    if broken := broken_names(c):
        lines.append(f"{broken}.")
    if not c.resolved:
        margin = _size(1 + c.threshold)
        open_ = len(c.apart) + sum(d.verdict is not Verdict.same for d in c.differences)
        nothing = f"Nothing changed by more than {margin}."
        if open_:
            nothing = f"No change by more than {margin} is shown."
        lines.append(nothing if c.status != 2 else "Nothing could be compared.")
    return lines


def _tables_of_arms(c: ArmComparison) -> list[tuple[str, Table]]:
    """What is slower, what is faster, and what is undecided, each with its title."""
    (a, b), without = c.names, _in_common(c)
    found = []
    for verdict in (Verdict.slower, Verdict.faster, Verdict.cannot_tell):
        changed = verdict is not Verdict.cannot_tell
        title = f"{verdict.value.capitalize()} in {b}" if changed else "Undecided"
        costs, least = (f"{a} ns>", f"{b} ns>") * changed, ("detectable>",) * (not changed)
        rows = []
        for d in (*c.resolved, *c.undecided):
            if d.verdict is not verdict:
                continue
            r, met = d.ratio, d.ratio.state
            hop = [f"hop {met.hop_ns:.0f} ns"] if met and met.hop_ns > 0 else []
            rows.append(
                [
                    point_text.short_name(d.old.point, without),
                    *(text.nanoseconds(ns) for ns in (r.under_ns, r.over_ns) * changed),
                    *(_percent(r.value), f"{_percent(r.low)} to {_percent(r.high)}"),
                    *(_size(d.detectable),) * (not changed),
                    ", ".join(hop + ["busy"] * bool(met and met.busy)),
                ]
            )
        if rows:
            columns = ["point", *costs, "change>", "95 % interval>", *least, "state"]
            count = text.count(len(rows), "point")
            found.append((f"{title}: {count}", table("", columns, rows)))
    return found


def _sentences(c: ArmComparison) -> list[str]:
    """What no table holds: what is the same, equal, in one arm only, not comparable, not detectable."""
    found, without = [], _in_common(c)
    if same := sum(d.verdict is Verdict.same for d in c.differences):
        found.append(f"The same within {_size(1 + c.threshold)}: {text.count(same, 'point')}.")
    if n := c.arms.equal:
        found.append(
            f"Equal machine code in both, not measured: {text.count(n, 'point')}; --all measures "
            f"{'it' if n == 1 else 'them'}."
        )
    for name, only in zip(c.names, c.arms.only, strict=True):
        ops = sorted({op for key in only for op in re.findall(r"\bop=(\S+)", key)})
        if only:
            found.append(f"Only in {name}: {text.count(len(only), 'point')} ({', '.join(ops)}).")
    by_reason: dict[str, list[str]] = defaultdict(list)
    for apart in c.apart:
        by_reason[apart.why].append(point_text.short_name(apart.point, without))
    for why, names in sorted(by_reason.items()):
        more = [f"{len(names) - 3} more"] * (len(names) > 3)
        found.append(f"Not compared, {why}: {'; '.join(names[:3] + more)}.")
    if blind := blind_text(c):
        found.append(f"{blind}.")
    if least := [d.detectable for d in c.differences]:
        found.append(
            f"Smallest change that a campaign like this one reports in about 80 of 100 cases: "
            f"{_least_of(least)}."
        )
    return found


def _least_of(detectable: list[float]) -> str:
    """Of few points each has its own: half of two points is one that is not named."""
    if len(detectable) < _fewest_for_half:
        each = f", by point, of {text.count(len(detectable), 'point')}"
        return text.listed([_size(least) for least in sorted(detectable)]) + each * (
            len(detectable) > 1
        )
    return f"{_size(median(detectable))} for half of the points, {_size(max(detectable))} for all"
