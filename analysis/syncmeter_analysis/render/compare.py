"""Renders a table of pairs for a terminal, as Markdown, as JSON, as JUnit's XML and as a page. It makes
no difference whether the pairs come from two files, two sides or an axis."""

from __future__ import annotations

import json
from collections.abc import Sequence
from math import isfinite
from typing import Any

from syncmeter_analysis.conclude.compare import Comparison, change_of, conclude
from syncmeter_analysis.record.point import Point
from syncmeter_analysis.record.reader import ResultsFile
from syncmeter_analysis.record.tables import axes
from syncmeter_analysis.relate import point_text, text
from syncmeter_analysis.relate.campaign import campaign_of
from syncmeter_analysis.relate.pairings import short_names
from syncmeter_analysis.relate.pairs import Outcome, Pair, PairTable
from syncmeter_analysis.relate.relation import Verdict
from syncmeter_analysis.render import junit
from syncmeter_analysis.render.junit import Case
from syncmeter_analysis.render.method import machine_section
from syncmeter_analysis.render.report import Check, Head, Report, Section
from syncmeter_analysis.render.terminal import as_plain
from syncmeter_analysis.render.trust import head
from syncmeter_analysis.studies import blocks
from syncmeter_analysis.studies.blocks import Block, Lines
from syncmeter_analysis.studies.figures import Dots, Figure, Panel, row
from syncmeter_analysis.studies.screen import screen_blocks
from syncmeter_analysis.voice import compare as voice
from syncmeter_analysis.voice import numbers
from syncmeter_analysis.voice.words import say

# A figure with more rows is unreadable, and fewer rows are enough if nothing changed.
_most_dots, _most_unchanged = 60, 15

#: The page's colour by exit status.
kinds = {0: "good", 1: "bad", 2: "bad", 3: "unclear"}

_order = {outcome: place for place, outcome in enumerate(Outcome)}


def as_text(
    tables: Sequence[PairTable], everything: bool = False, coloured: bool = False, width: int = 0
) -> str:
    """For a terminal of this width, 0 for any."""
    shown = [as_plain(*_screen(t, everything, len(tables) > 1), coloured, width) for t in tables]
    return with_status(shown, status_of(tables))


def as_markdown(tables: Sequence[PairTable], everything: bool = False) -> str:
    shown = [blocks.as_markdown(*_screen(t, everything, len(tables) > 1)) for t in tables]
    return with_status(shown, status_of(tables))


def status_of(tables: Sequence[PairTable]) -> int:
    """Returns the exit status of the command: a table with nothing compared counts if all are
    so."""
    statuses = {table.status for table in tables}
    if 1 in statuses or statuses == {2}:
        return min(statuses)
    return max(statuses - {2})


def with_status(shown: list[str], status: int) -> str:
    """Returns the tables, and behind several tables their exit status, which they do not have."""
    if len(shown) > 1:
        shown = [*shown, say("compare.results.status", status=status, count=len(shown))]
    return "\n\n".join(shown)


def _screen(table: PairTable, everything: bool, several: bool) -> tuple[str, list[Block]]:
    """Returns the first line and the blocks of the screen."""
    c = conclude(table)
    grids = []
    if everything and table.compared:
        pairs = sorted(table.compared, key=lambda pair: _place(table, pair))
        grids = [voice.pair_grid(c, [(change_of(table, pair), pair) for pair in pairs])]
    result = Lines([voice.result(c, several)])
    return voice.first_line(c), [result, *screen_blocks(voice.screen(c, grids))]


def _place(table: PairTable, pair: Pair) -> tuple[int, float]:
    return _order[table.outcome(pair)], -pair.ratio.value


# JSON and JUnit, whose keys and values programs read


def as_json(tables: Sequence[PairTable]) -> str:
    """Returns a list with an object for each table. Two sides are one object instead."""
    first = tables[0]
    if first.arms:
        found = {**first.arms.line, "kind": "ab", **_judged_object(first)}
        found["points"] += [
            {
                "point": _point_object(pair.point),
                "verdict": "cannot_tell",
                "why": voice.program_text(pair.why) if pair.why else "",
            }
            for pair in first.apart
        ]
        return json.dumps(found)
    return json.dumps([_table_object(table) for table in tables], indent=1)


def _judged_object(table: PairTable) -> dict[str, Any]:
    return {
        "threshold": table.threshold,
        "sees": table.sees,
        "exit_status": table.status,
        "points": [_as_object(pair) for pair in table.compared],
        "blind": [_point_object(pair.new.point) for pair in table.blind],
        "broken": [_point_object(pair.point) for pair in table.broken],
    }


def _table_object(table: PairTable) -> dict[str, Any]:
    return {
        "old": table.names[0],
        "new": table.names[1],
        **_judged_object(table),
        "apart": [
            {"point": _point_object(pair.point), "why": voice.program_text(pair.why)}
            for pair in (*table.apart, *table.lost)
            if pair.why
        ],
        "only": list(table.only),
        "notes": [voice.program_text(note) for note in table.notes],
    }


def _number(value: float) -> float | None:
    return value if isfinite(value) else None


def _point_object(p: Point) -> dict[str, Any]:
    """A point without its side, as a results file writes it."""
    written = {
        a.name: value
        for a in axes
        if (value := getattr(p, a.name)) is not None and (a.always or value != a.absent)
    }
    written.pop("arm", None)
    return {name: list(v) if isinstance(v, tuple) else v for name, v in written.items()}


def _as_object(pair: Pair) -> dict[str, Any]:
    r = pair.ratio
    return {
        "point": _point_object(pair.old.point),
        "verdict": pair.verdict.name,
        "why": "",
        "pairs": r.visits,
        "ratio": {"value": r.value, "low": _number(r.low), "high": _number(r.high)},
        "confidence": pair.confidence,
        "p": pair.p,
        "detectable": _number(pair.detectable),
        "cost_ns": [r.under_ns, r.over_ns],
        "hop_ns": r.state.hop_ns if r.state else 0.0,
        "busy": bool(r.state and r.state.busy),
        "in_cycles": r.in_cycles,
    }


def as_junit(tables: Sequence[PairTable]) -> str:
    """Returns a case for each pair. It fails if the pair is slower or broken. It is skipped if the pair
    is not sensitive enough or has no ratio."""
    names = [say("compare.json.title", old=table.names[0], new=table.names[1]) for table in tables]
    suites = zip(names, map(_cases, tables), strict=True)
    return junit.as_junit("compare", suites)


def _cases(table: PairTable) -> list[Case]:
    found = []
    for pair in (*table.compared, *table.apart, *table.lost):
        outcome = table.outcome(pair)
        is_blind = outcome is Outcome.not_sensitive and not table.blind_is_fine
        is_bad = outcome in (Outcome.slower, Outcome.broken)
        result = "failure" if is_bad else "skipped" if is_blind or not pair.is_compared else ""
        if pair.why:
            says = voice.program_text(pair.why)
        else:
            verdict, ratio = voice.verdict_text(pair, "json"), text.ratio_interval(pair.ratio)
            says = say("compare.json.judged", verdict=verdict, ratio=ratio)
        p = pair.new.point if pair.is_compared else pair.point
        found.append(Case(p.op, point_text.short_name(p.without("arm")), result, says))
    return found


# The page


def compare_report(tables: Sequence[PairTable], files: Sequence[ResultsFile]) -> Report:
    """Returns the page with the result, one figure and each table with all pairs."""
    several, sections, checks, facts = len(tables) > 1, [], [], []
    for i, table in enumerate(tables):
        title, found = _screen(table, True, several)
        sections.append(Section(f"changes-{i}", title, [*found]))
    names = short_names([file.path for file in files])
    for number, (name, file) in enumerate(zip(names, files, strict=True)):
        campaign = campaign_of([file])
        about, section = head(campaign), machine_section(campaign)
        facts.append(f"{name}: {' · '.join([campaign.name, *about.facts])}")
        section.id, section.title = f"machine-{number}", f"Machine and method of {name}"
        sections.append(section)
        checks.append(Check(f"{name}: {about.verdict}", about.kind, section.id))
    compared = [s for t in tables for pair in t.compared for s in (pair.old, pair.new)]
    points = {(s.source, s.point.key): s for s in compared}
    figure, concluded = changes_figure(tables), [conclude(table) for table in tables]
    return Report(
        Head(
            "; ".join(map(voice.first_line, concluded)),
            facts,
            " ".join(map(_verdict, concluded)),
            kinds[status_of(tables)],
            checks,
            [figure] if figure.panels else [],
        ),
        sections,
        list(points.values()),
        [file.path for file in files],
    )


def _verdict(c: Comparison) -> str:
    return f"{voice.result(c, True)} {voice.counts(c)}"


def changes_figure(tables: Sequence[PairTable]) -> Figure:
    """One panel for each table: the changed pairs, or the largest ratios if nothing changed."""
    panels, points = [], []
    for table in tables:
        chosen = table.resolved or sorted(table.compared, key=lambda pair: -pair.ratio.value)
        c = conclude(table)
        rows = [
            row(
                pair.ratio.interval,
                pair.new.id,
                row=voice.name_of(pair.new.point, c),
                group=pair.verdict.value,
            )
            for pair in chosen[: _most_dots if table.resolved else _most_unchanged]
        ]
        if not rows:
            continue
        groups = [v.value for v in Verdict if any(r["group"] == v.value for r in rows)]
        dots = Dots(rows, say("compare.figure.axis"), groups, ratios=True)
        old, new = table.names
        panels.append(Panel(say("compare.figure.panel", new=new, old=old), dots))
        points += [str(r["id"]) for r in rows]
    note = say("compare.figure.note")
    return Figure("changes", _figure_title(tables), note, panels, points, wide=True)


def _figure_title(tables: Sequence[PairTable]) -> str:
    slower = sum(len(table.slower) for table in tables)
    faster = sum(len(table.resolved) for table in tables) - slower
    if slower + faster:
        return say("compare.figure.changed", slower=slower, faster=faster)
    for table in tables:
        if broken := len(table.broken):
            return say("compare.figure.broken", count=broken, new=table.names[1])
    undecided = sum(len(table.undecided) for table in tables)
    return say(
        f"compare.figure.{'undecided' if undecided else 'unchanged'}",
        margin=numbers.percent(max(table.threshold for table in tables)),
        count=undecided,
        compared=sum(len(table.compared) for table in tables),
    )
