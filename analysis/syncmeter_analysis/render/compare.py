"""A comparison in every medium: for a terminal, as Markdown, as JSON and as a page. That of the two
arms of `syncmeter ab` has a table for each verdict (compare_arms), any other one table of changes."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from math import isfinite
from typing import Any

from syncmeter_analysis.record.point import Point
from syncmeter_analysis.record.reader import ResultsFile
from syncmeter_analysis.record.tables import axes
from syncmeter_analysis.relate import point_text, text
from syncmeter_analysis.relate.campaign import campaign_of
from syncmeter_analysis.relate.compare import Comparison, Difference, short_names
from syncmeter_analysis.relate.compare_arms import ArmComparison
from syncmeter_analysis.relate.compare_text import (
    blind_text,
    broken_names,
    broken_text,
    lost_text,
    undecided_text,
    verdict_text,
)
from syncmeter_analysis.relate.relation import Verdict
from syncmeter_analysis.relate.text import percent
from syncmeter_analysis.render import compare_arms, junit
from syncmeter_analysis.render.junit import Case
from syncmeter_analysis.render.method import machine_section
from syncmeter_analysis.render.report import Check, Head, Report, Section
from syncmeter_analysis.render.terminal import prose, table_plain
from syncmeter_analysis.render.trust import head
from syncmeter_analysis.studies import blocks
from syncmeter_analysis.studies.blocks import (
    Block,
    Bullets,
    Cell,
    Table,
    Text,
    table,
    without_empty_columns,
)
from syncmeter_analysis.studies.figures import Dots, Figure, Panel, row

# Longer tables are for --all.
_most_rows, _most_apart = 40, 8
# More rows of dots than this are no figure that anyone reads; fewer will do where nothing changed.
_most_dots, _most_unchanged = 60, 15


def as_text(c: Comparison, everything: bool = False, coloured: bool = False, width: int = 0) -> str:
    """For a terminal of this width, 0 for any: what changed, largest first, then what could not be
    compared, then the counts."""
    lines = compare_arms.lines_of(c) if isinstance(c, ArmComparison) else _lines(c, everything)
    return "\n".join(
        table_plain(line, coloured, width) if isinstance(line, Table) else prose(line, width)
        for line in lines
    )


def as_markdown(c: Comparison) -> str:
    """What changed, what could not be compared, and the counts."""
    if isinstance(c, ArmComparison):
        return compare_arms.as_markdown(c)
    found: list[Block] = [Text(f"{_asked(c)}."), Text(f"{_counted(c)}.")]
    found += [Text(f"{broken}.")] if (broken := broken_names(c)) else []
    found += [change_table(c.resolved)] if c.resolved else []
    found += [Text(blind)] if (blind := blind_text(c)) else []
    if more := [*_only(c), *_apart(c), *c.notes]:
        found.append(Bullets(more))
    return blocks.as_markdown(c.title, found)


def as_json(comparisons: Sequence[Comparison]) -> str:
    """For tools. Of two arms what the campaign line has of them and each point; else a list of
    comparisons, each new against old."""
    first = comparisons[0]
    if isinstance(first, ArmComparison):
        points = [_as_object(d) for d in first.differences]
        points += [
            {"point": _point_object(a.point), "verdict": "cannot_tell", "why": a.why}
            for a in first.apart
        ]
        return json.dumps(
            {
                **first.arms.line,
                "kind": "ab",
                "threshold": first.threshold,
                "sees": first.sees,
                "exit_status": first.status,
                "points": points,
                "blind": [_point_object(d.new.point) for d in first.blind],
                "broken": [_point_object(p) for p in first.broken],
            }
        )
    found = [
        {
            "old": c.names[0],
            "new": c.names[1],
            "threshold": c.threshold,
            "sees": c.sees,
            "exit_status": c.status,
            "points": [_as_object(d) for d in c.differences],
            "blind": [_point_object(d.new.point) for d in c.blind],
            "broken": [_point_object(p) for p in c.broken],
            "apart": [{"point": _point_object(a.point), "why": a.why} for a in (*c.apart, *c.lost)],
            "only": list(c.only),
            "notes": c.notes,
        }
        for c in comparisons
    ]
    return json.dumps(found, indent=1)


def as_junit(comparisons: Sequence[Comparison]) -> str:
    """A case for each point, which fails where it is slower, or broken in one arm, and is skipped
    where it is blind or could not be compared."""
    return junit.as_junit("compare", [(c.title, _cases(c)) for c in comparisons])


def _cases(c: Comparison) -> list[Case]:
    found = []
    blind = set() if c.blind_is_fine else {d.new.point for d in c.blind}
    for d in c.differences:
        slower = "failure" if d.verdict is Verdict.slower else ""
        unseen = "skipped" if d.new.point in blind else ""
        says = f"{verdict_text(d)}: {text.ratio_interval(d.ratio)} times"
        found.append(_case(d.new.point, slower or unseen, says))
    for a in (*c.apart, *c.lost):
        found.append(_case(a.point, "failure" if a.point in c.broken else "skipped", a.why))
    return found


def _case(point: Point, result: str, says: str) -> Case:
    return Case(point.op, point_text.short_name(point.without("arm")), result, says)


def compare_report(comparisons: Sequence[Comparison], files: Sequence[ResultsFile]) -> Report:
    """A page of the same kind as a report: the verdict, what changed in one figure, and every point of
    both sides."""
    sections = [_changes(c, i) for i, c in enumerate(comparisons)]
    checks, facts = [], []
    names = short_names([file.path for file in files])
    for number, (name, file) in enumerate(zip(names, files, strict=True)):
        campaign = campaign_of([file])
        about, section = head(campaign), machine_section(campaign)
        facts.append(f"{name}: {' · '.join([campaign.name, *about.facts])}")
        section.id, section.title = f"machine-{number}", f"Machine and method of {name}"
        sections.append(section)
        checks.append(Check(f"{name}: {about.verdict}", about.kind, section.id))
    compared = [s for c in comparisons for d in c.differences for s in (d.old, d.new)]
    points = {(s.source, s.point.key): s for s in compared}
    figure = changes_figure(comparisons)
    return Report(
        Head(
            "; ".join(c.title for c in comparisons),
            facts,
            *_verdict(comparisons),
            checks,
            [figure] if figure.panels else [],
        ),
        sections,
        list(points.values()),
        [file.path for file in files],
    )


def changes_figure(comparisons: Sequence[Comparison]) -> Figure:
    """One panel for each comparison: what changed, or where nothing did the largest ratios."""
    panels, points = [], []
    for c in comparisons:
        chosen = c.resolved or sorted(c.differences, key=lambda d: -d.ratio.value)
        rows = [
            row(
                d.ratio.interval,
                d.new.id,
                row=point_text.short_name(d.new.point, without=("backend",)),
                group=d.verdict.value,
            )
            for d in chosen[: _most_dots if c.resolved else _most_unchanged]
        ]
        if not rows:
            continue
        groups = [v.value for v in Verdict if any(r["group"] == v.value for r in rows)]
        dots = Dots(rows, "ratio of costs", groups, ratios=True)
        panels.append(Panel(f"{c.names[1]} over {c.names[0]}", dots))
        points += [str(r["id"]) for r in rows]
    slower, faster = _slower_and_faster(comparisons)
    title = (
        f"{text.count(slower, 'point')} slower, {faster} faster"
        if slower + faster
        else _nothing_resolved(comparisons)
    )
    note = "ratio of costs with its 95 % interval, logarithmic"
    return Figure("changes", title, note, panels, points, wide=True)


def _nothing_resolved(comparisons: Sequence[Comparison]) -> str:
    """`Nothing changed by more than 5 %` where all points show it, else that no change is shown."""
    verdicts = [d.verdict for c in comparisons for d in c.differences]
    undecided = sum(v is not Verdict.same for v in verdicts)
    margin = percent(max(c.threshold for c in comparisons))
    if broken := _broken(comparisons):
        return f"{broken}; no cost that could be compared changed by more than {margin}"
    if not undecided:
        return f"Nothing changed by more than {margin}"
    of_all = f"{undecided} of {text.count(len(verdicts), 'point')}"
    return f"No change by more than {margin} is shown, undecided at {of_all}"


def _broken(comparisons: Sequence[Comparison]) -> str:
    return "; ".join(filter(None, map(broken_text, comparisons)))


def _slower_and_faster(comparisons: Sequence[Comparison]) -> tuple[int, int]:
    slower = sum(len(c.slower) for c in comparisons)
    return slower, sum(len(c.resolved) for c in comparisons) - slower


def _asked(c: Comparison) -> str:
    """What the comparison looked for."""
    return (
        f"{c.title}: what differs by more than {percent(c.threshold)}, 95 % after Holm's correction"
    )


def _counted(c: Comparison) -> str:
    """How many points were compared, by verdict."""
    counts = Counter(d.verdict for d in c.differences)
    named = {Verdict.cannot_tell: "undecided"}
    found = [f"{counts[v]} {named.get(v, v.value)}" for v in Verdict if counts[v]]
    by_verdict = ", ".join(found) or "none"
    return f"{text.count(len(c.differences), 'point')} compared: {by_verdict}"


def _only(c: Comparison, everything: bool = False) -> list[str]:
    lost = lost_text(c, everything)
    # Once each: the sentence of the lost points has their number.
    count = c.only[0] * (c.only[0] != len(c.lost)), c.only[1]
    alone = [
        f"{text.count(n, 'point')} only in {name}"
        for n, name in zip(count, c.names, strict=True)
        if n
    ]
    return [lost] * bool(lost) + alone


def _apart(c: Comparison) -> list[str]:
    return [f"{point_text.short_name(a.point)}: {a.why}" for a in c.apart]


def change_table(differences: list[Difference], caption: str = "") -> Table:
    """A row for each difference; each names its point, which both sides have."""
    rows = []
    for d in differences:
        p, r = d.new.point, d.ratio
        placed = p.affinity * (p.affinity != "none"), p.wait * (p.wait != "active"), p.scope
        rows.append(
            [
                Cell(p.op, list(dict.fromkeys((d.old.id, d.new.id)))),
                *(p.type, point_text.cells(p), point_text.launch(p)),
                " ".join(filter(None, placed)),
                str(r.state) if r.state and r.state.hop_ns > 0 else "",
                *(text.nanoseconds(r.under_ns), text.nanoseconds(r.over_ns), text.times(r)),
                text.ratio_bounds(r) or "unknown",
                *(f"{d.p:.2g}", verdict_text(d), p.id),
            ]
        )
    columns = (
        "op|type|cells|lanes|placed|state|old ns>|new ns>|ratio>|95 % interval>|p (Holm)>||point"
    )
    # The point's name says what the first columns do.
    spare = (12, 10)
    return without_empty_columns(
        table(caption, columns, rows, keys=6, folded=_most_rows, spare=spare)
    )


def _lines(c: Comparison, everything: bool) -> list[str | Table]:
    broken = broken_names(c, everything)
    lines: list[str | Table] = [_asked(c), *[f"{broken}."] * bool(broken)]
    shown = sorted(c.differences, key=lambda d: -d.ratio.value) if everything else c.resolved
    cut = shown if everything else shown[:_most_rows]
    what = "no other point" if broken else "nothing"
    nothing = "" if c.resolved else f"{what} differs by more than {percent(c.threshold)}"
    if not c.differences:
        nothing = "nothing could be compared"
    if known := "; ".join(filter(None, (nothing, undecided_text(c)))):
        lines.append(text.sentence(known))
    if cut:
        lines.append(change_table(cut))
        if len(shown) > len(cut):
            lines.append(f"... and {len(shown) - len(cut)} more; --all shows them")
    lines += ["", _counted(c), *filter(None, [blind_text(c, everything)])]
    lines += _only(c, everything)
    if c.apart:
        lines.append(f"{text.count(len(c.apart), 'point')} not comparable:")
        limit = len(c.apart) if everything else _most_apart
        lines += [f"- {apart}" for apart in _apart(c)[:limit]]
        if len(c.apart) > limit:
            lines.append(f"- and {len(c.apart) - limit} more; --all shows them")
    return [*lines, *(f"note: {note}" for note in c.notes)]


def _verdict(comparisons: Sequence[Comparison]) -> tuple[str, str]:
    slower, faster = _slower_and_faster(comparisons)
    compared = sum(len(c.differences) for c in comparisons)
    broken = _broken(comparisons)
    if not compared:
        return "; ".join(filter(None, ("Nothing could be compared", broken))), "bad"
    unclear = sum(len(c.undecided) for c in comparisons)
    verdict = f"{text.count(slower, 'point')} slower, {faster} faster of {compared}"
    verdict += f"; {unclear} undecided" if unclear else ""
    verdict += f"; {broken}" if broken else ""
    blind = any(c.status == 3 for c in comparisons)
    return verdict, "bad" if slower or broken else "unclear" if blind else "good"


def _changes(c: Comparison, number: int) -> Section:
    """What the terminal prints: what changed, what may have, what could not be compared."""
    found: list[Block] = [Text(f"{_asked(c)}."), Text(f"{_counted(c)}.")]
    if c.resolved:
        found.append(change_table(c.resolved, "What changed, the largest first"))
    if c.undecided:
        found.append(Text(text.sentence(undecided_text(c))))
        found.append(change_table(c.undecided, "Undecided, the widest interval first"))
    if same := [d for d in c.differences if d.verdict is Verdict.same]:
        found.append(change_table(same, "What is the same"))
    if c.apart:
        found.append(Text(f"{text.count(len(c.apart), 'point')} not comparable:"))
        found.append(Bullets(_apart(c)))
    if more := [*_only(c), *c.notes]:
        found.append(Bullets(more))
    return Section(f"changes-{number}", c.title, [*found])


def _number(value: float) -> float | None:
    return value if isfinite(value) else None


def _point_object(p: Point) -> dict[str, Any]:
    """A point without its arm, as a results file writes it."""
    written = {
        a.name: value
        for a in axes
        if (value := getattr(p, a.name)) is not None and (a.always or value != a.absent)
    }
    written.pop("arm", None)
    return {name: list(v) if isinstance(v, tuple) else v for name, v in written.items()}


def _as_object(d: Difference) -> dict[str, Any]:
    """`cost_ns` and `detectable` as the text has them; what is not known is null."""
    r = d.ratio
    return {
        "point": _point_object(d.old.point),
        "verdict": d.verdict.name,
        "why": "",
        "pairs": r.visits,
        "ratio": {"value": r.value, "low": _number(r.low), "high": _number(r.high)},
        "confidence": d.confidence,
        "p": d.p,
        "detectable": _number(d.detectable),
        "cost_ns": [r.under_ns, r.over_ns],
        "hop_ns": r.state.hop_ns if r.state else 0.0,
        "busy": bool(r.state and r.state.busy),
        "in_cycles": r.in_cycles,
    }
