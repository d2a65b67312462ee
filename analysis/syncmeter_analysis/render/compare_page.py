"""A comparison as a page of the same kind as a report: the verdict, what changed in one figure, and
every point of both sides."""

from __future__ import annotations

from collections.abc import Sequence

from syncmeter_analysis.record.reader import ResultsFile
from syncmeter_analysis.relate import text
from syncmeter_analysis.relate.campaign import campaign_of
from syncmeter_analysis.relate.compare import Comparison
from syncmeter_analysis.relate.relation import Verdict
from syncmeter_analysis.relate.seen_changes import seen_changes
from syncmeter_analysis.render.blocks import Block, Bullets, Check, Head, Section, Text
from syncmeter_analysis.render.build import Report
from syncmeter_analysis.render.charts.changes import changes_figure
from syncmeter_analysis.render.compare_text import asked, change_table, counted
from syncmeter_analysis.render.head import head
from syncmeter_analysis.render.method import machine_section


def compare_report(comparisons: Sequence[Comparison], files: Sequence[ResultsFile]) -> Report:
    """The report of these comparisons, made of these files."""
    sections = [_changes(c, i) for i, c in enumerate(comparisons)]
    checks, facts = [], []
    for number, file in enumerate(files):
        campaign = campaign_of([file])
        about = head(campaign)
        facts.append(f"{file.path}: {' · '.join([campaign.name, *about.facts])}")
        section = machine_section(campaign)
        section.id, section.title = f"machine-{number}", f"Machine and method of {file.path}"
        sections.append(section)
        checks.append(Check(f"{file.path}: {about.verdict}", about.kind, section.id))
    points = {
        (s.source, s.point.key): s
        for c in comparisons
        for d in c.differences
        for s in (d.old, d.new)
    }
    verdict, kind = _verdict(comparisons)
    titles = "; ".join(f"{c.names[1]} against {c.names[0]}" for c in comparisons)
    figure = changes_figure(list(comparisons))
    return Report(
        Head(titles, facts, verdict, kind, checks, [figure] if figure.panels else []),
        sections,
        list(points.values()),
        [file.path for file in files],
    )


def _verdict(comparisons: Sequence[Comparison]) -> tuple[str, str]:
    slower = sum(len(c.slower) for c in comparisons)
    faster = sum(len(c.resolved) for c in comparisons) - slower
    compared = sum(len(c.differences) for c in comparisons)
    if not compared:
        return "Nothing could be compared", "bad"
    unclear = sum(len(c.undecided) for c in comparisons)
    told = f"{text.count(slower, 'point')} slower, {faster} faster of {compared}"
    told += f"; {unclear} cannot be told" if unclear else ""
    blind = any(c.status == 3 for c in comparisons)
    return told, "bad" if slower else "unclear" if blind else "good"


def _changes(c: Comparison, number: int) -> Section:
    """What the terminal prints: what changed, what may have, what could not be compared."""
    blocks: list[Block] = [Text(asked(c)), Text(f"{counted(c)}.")]
    if c.resolved:
        blocks.append(change_table(c.resolved, "What changed, the largest first"))
    if c.undecided:
        blocks += [
            Text(f"{seen_changes(c)}."),
            change_table(c.undecided, "What cannot be told, the widest first"),
        ]
    same = [d for d in c.differences if d.verdict is Verdict.same]
    if same:
        blocks.append(change_table(same, "What is the same"))
    if c.apart:
        blocks.append(Text(f"{text.count(len(c.apart), 'point')} not comparable:"))
        blocks.append(Bullets([f"{text.short_name(a.point)}: {a.why}" for a in c.apart]))
    only = [f"{n} points only in {name}" for n, name in zip(c.only, c.names, strict=True) if n]
    if only or c.notes:
        blocks.append(Bullets([*only, *c.notes]))
    return Section(f"changes-{number}", f"{c.names[1]} against {c.names[0]}", blocks)
