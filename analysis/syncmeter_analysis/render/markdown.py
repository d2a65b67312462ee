"""The report as Markdown: the same first screen and sections, figures by their titles (and files, with
--static)."""

from __future__ import annotations

from collections.abc import Sequence
from os.path import relpath
from pathlib import Path

from syncmeter_analysis.record.output import write_whole
from syncmeter_analysis.relate import text
from syncmeter_analysis.render.report import Block, Head, Report
from syncmeter_analysis.studies.blocks import escaped_md, lines_md
from syncmeter_analysis.studies.figures import Figure
from syncmeter_analysis.voice.cards import Card

# So many ids stand beside a figure; the export has all.
_most_ids = 4


def evidence(points: Sequence[str]) -> str:
    """`[1a2b..., and 7 more points]`, or ''."""
    if not points:
        return ""
    more = len(points) - _most_ids
    others = f" and {text.count(more, 'more point')}" if more > 0 else ""
    return f"[{', '.join(points[:_most_ids])}{others}]"


def _lines(block: Block, folder: str) -> list[str]:
    if not isinstance(block, Figure):
        return lines_md(block)
    picture = [f"![{escaped_md(block.title)}]({folder}/{block.id}.svg)", ""] if folder else []
    return [
        f'<a id="fig-{block.id}"></a>**{escaped_md(block.title)}**',
        "",
        *picture,
        f"{escaped_md(block.note)} {escaped_md(evidence(block.points))}".strip(),
        "",
    ]


def _card(card: Card) -> str:
    bars = ", ".join(f"{bar.name} {bar.cost}" for bar in card.bars)
    effect = f"{card.effect} ({card.ci})" if card.ci else card.effect
    details = "; ".join(filter(None, [effect, card.where, bars]))
    advice = f"**{escaped_md(card.verb or card.text)}**"
    advice += f" {escaped_md(card.text)}" if card.verb else ""
    more = " ".join([*card.more, evidence(card.points)])
    return f"- {advice}: {escaped_md(details)}. {escaped_md(more)}".rstrip()


def _head(head: Head, folder: str) -> list[str]:
    lines = [f"# {escaped_md(head.title)}", "", escaped_md(" · ".join(head.facts)), ""]
    lines += [escaped_md(f"{head.badge} {head.sureness}".rstrip()), ""] if head.badge else []
    checks = "; ".join(f"[{escaped_md(c.text)}](#{c.link})" for c in head.checks)
    verdict = head.verdict.rstrip(".") if checks else head.verdict
    lines += [f"**{escaped_md(verdict)}**" + (f": {checks}" if checks else ""), ""]
    if head.answers:
        lines += [*(f"- {escaped_md(sentence)}" for sentence in head.answers), ""]
    if head.cards:
        lines += [*map(_card, head.cards), ""]
    for figure in head.figures:
        lines += _lines(figure, folder)
    return lines


def as_markdown(report: Report, folder: str = "") -> str:
    """The whole report; `folder` holds the figures as files, '' where there are none."""
    lines = _head(report.head, folder)
    for section in report.sections:
        lines += [f'<a id="{section.id}"></a>', "", f"## {escaped_md(section.title)}", ""]
        lines += [line for block in section.blocks for line in _lines(block, folder)]
    return "\n".join(lines).rstrip() + "\n"


def write_markdown(report: Report, path: Path, figures: str | None = None) -> None:
    """Writes it; `figures` is the folder of the figures, as seen from here. Raises NotWritten."""
    folder = relpath(figures, path.parent) if figures else ""
    write_whole(path, as_markdown(report, folder))
