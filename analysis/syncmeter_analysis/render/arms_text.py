"""The comparison of two arms in sections: for a terminal, as Markdown and as JSON."""

from __future__ import annotations

import json
import re
from math import isfinite
from statistics import median

from syncmeter_analysis.relate import text
from syncmeter_analysis.relate.compare import Difference
from syncmeter_analysis.relate.compare_arms import ArmComparison
from syncmeter_analysis.relate.relation import Verdict
from syncmeter_analysis.render.compare_json import as_object, point_object
from syncmeter_analysis.render.plain import prose, table_plain
from syncmeter_analysis.studies.blocks import Cell, Table, escaped_md, table_md

# A change so large that none is asked about beyond it.
_vast = 1e6


def _digits(change: float) -> int:
    return 1 if abs(change) < 9.95 else 0


def _percent(ratio: float) -> str:
    """`+5.0 %`: two digits, more than an interval is worth."""
    change = 100 * (ratio - 1)
    return f"{change:+.{_digits(change)}f} %" if isfinite(ratio) else "unknown"


def _size(ratio: float) -> str:
    change = 100 * (ratio - 1)
    return f"{change:.{_digits(change)}f} %" if ratio <= _vast else "unknown"


def _state(d: Difference) -> str:
    state = d.ratio.state
    if state is None:
        return ""
    parts = (f"hop {state.hop_ns:.0f} ns" if state.hop_ns > 0 else "", "busy" * state.busy)
    return ", ".join(filter(None, parts))


class _Sections:
    """Titles with their tables, and sentences, of one comparison."""

    def __init__(self, c: ArmComparison) -> None:
        self.c = c
        backends = {d.old.point.backend for d in c.differences} | {a.point.backend for a in c.apart}
        self.without = ["arm", *(["backend"] if c.arms.any_backend or len(backends) == 1 else [])]
        self.without += ["wait"] if c.arms.any_wait else []

    def of(self, verdict: Verdict) -> list[Difference]:
        return [d for d in (*self.c.resolved, *self.c.undecided) if d.verdict is verdict]

    def headline(self) -> list[str]:
        c = self.c
        lines = [
            f"{c.names[1]} against {c.names[0]}: {text.count(len(c.differences), 'point')} compared, "
            f"changes beyond {_size(1 + c.threshold)}, 95 % over all of them (Holm)."
        ]
        if not c.resolved:
            nothing = f"Nothing changed by more than {_size(1 + c.threshold)}."
            lines.append(nothing if c.status != 2 else "Nothing could be compared.")
        return lines

    def tables(self) -> list[tuple[str, Table]]:
        a, b = self.c.names
        found = []
        for verdict in (Verdict.slower, Verdict.faster, Verdict.cannot_tell):
            if not (differences := self.of(verdict)):
                continue
            changed = verdict is not Verdict.cannot_tell
            title = f"{verdict.value.capitalize()} in {b}" if changed else "Cannot be told"
            costs, least = ([f"{a} ns", f"{b} ns"], []) if changed else ([], ["detectable"])
            columns = ["point", *costs, "change", "95 % interval", *least, "state"]
            rows = []
            for d in differences:
                r = d.ratio
                cells = [text.nanoseconds(r.under_ns), text.nanoseconds(r.over_ns)] * changed
                cells += [_percent(r.value), f"{_percent(r.low)} to {_percent(r.high)}"]
                cells += [] if changed else [_size(d.detectable)]
                name = text.short_name(d.old.point, self.without)
                rows.append([Cell(x) for x in (name, *cells, _state(d))])
            table = Table(columns, rows, range(1, len(columns) - 1))
            found.append((f"{title}: {text.count(len(rows), 'point')}", table))
        return found

    def sentences(self) -> list[str]:
        c, found = self.c, []
        if same := sum(d.verdict is Verdict.same for d in c.differences):
            count = text.count(same, "point")
            found.append(f"The same within {_size(1 + c.threshold)}: {count}.")
        if n := c.arms.equal:
            count = text.count(n, "point")
            found.append(
                f"Equal machine code in both, not measured: {count}; --all measures "
                f"{'it' if n == 1 else 'them'}."
            )
        for name, only in zip(c.names, c.arms.only, strict=True):
            ops = sorted({op for key in only for op in re.findall(r"\bop=(\S+)", key)})
            if only:
                count = text.count(len(only), "point")
                found.append(f"Only in {name}: {count} ({', '.join(ops)}).")
        by_reason: dict[str, list[str]] = {}
        for apart in c.apart:
            by_reason.setdefault(apart.why, []).append(text.short_name(apart.point, self.without))
        for why, names in sorted(by_reason.items()):
            more = [f"{len(names) - 3} more"] if len(names) > 3 else []
            found.append(f"Not compared, {why}: {'; '.join(names[:3] + more)}.")
        if c.differences:
            least = [d.detectable for d in c.differences]
            found.append(
                f"Smallest change that a campaign like this one reports in about 80 of 100 cases: "
                f"{_size(median(least))} for half of the points, {_size(max(least))} for all."
            )
        return found


def as_text(c: ArmComparison, coloured: bool = False, width: int = 0) -> str:
    """For a terminal of this width, 0 for any."""
    made = _Sections(c)
    lines = [prose(line, width) for line in made.headline()]
    for title, table in made.tables():
        lines += ["", title, table_plain(table, coloured, width)]
    if sentences := made.sentences():
        lines += ["", *(prose(sentence, width) for sentence in sentences)]
    return "\n".join(lines)


def as_markdown(c: ArmComparison) -> str:
    made = _Sections(c)
    lines = [line for sentence in made.headline() for line in (escaped_md(sentence), "")]
    for title, table in made.tables():
        lines += [f"### {escaped_md(title)}", "", *table_md(table)]
    lines += [f"- {escaped_md(sentence)}" for sentence in made.sentences()]
    return "\n".join(lines).rstrip()


def as_json(c: ArmComparison) -> str:
    """What the campaign line has of the arms, and each point."""
    points = [as_object(d) for d in c.differences]
    points += [
        {"point": point_object(a.point), "verdict": "cannot_tell", "why": a.why} for a in c.apart
    ]
    told = {**c.arms.line, "kind": "ab", "exit_status": c.status, "points": points}
    return json.dumps(told)
