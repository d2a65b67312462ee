"""The report as Markdown: the same sections, figures by their titles (and files, with --static)."""

from __future__ import annotations

from collections.abc import Sequence
from os.path import relpath
from pathlib import Path

from syncmeter_analysis.data.errors import Unusable
from syncmeter_analysis.report.blocks import (
    Advice,
    Block,
    Bullets,
    Table,
    Text,
)
from syncmeter_analysis.report.build import Report
from syncmeter_analysis.statistics import text
from syncmeter_analysis.studies.blocks import escaped_md, lines_md

# So many ids stand beside a figure; the export has all.
_most_ids = 4


def evidence(points: Sequence[str]) -> str:
    """`[1a2b..., and 7 more points]`, or ''."""
    if not points:
        return ""
    more = (
        f" and {text.count(len(points) - _most_ids, 'more point')}"
        if len(points) > _most_ids
        else ""
    )
    return f"[{', '.join(points[:_most_ids])}{more}]"


def _lines(block: Block, folder: str) -> list[str]:
    if isinstance(block, Advice):
        return [
            f"- **{escaped_md(block.text)}** {escaped_md(block.effect)}. "
            f"See [{block.figure}](#{block.figure}) {escaped_md(evidence(block.points))}"
        ]
    if isinstance(block, (Text, Bullets, Table)):
        return lines_md(block)
    figure = block.figure
    picture = [f"![{escaped_md(figure.title)}]({folder}/{figure.id}.svg)", ""] if folder else []
    return [
        f"**{escaped_md(figure.title)}**",
        "",
        *picture,
        f"{escaped_md(figure.note)} {escaped_md(evidence(figure.points))}".strip(),
        "",
    ]


def as_markdown(report: Report, folder: str = "") -> str:
    """The whole report; `folder` holds the figures as files, '' where there are none."""
    lines = [f"# {escaped_md(report.title)}", ""]
    for section in report.sections:
        lines += [f'<a id="{section.id}"></a>', "", f"## {escaped_md(section.title)}", ""]
        for block, after in zip(section.blocks, [*section.blocks[1:], None], strict=True):
            lines += _lines(block, folder)
            if isinstance(block, Advice) and not isinstance(after, Advice):
                lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def write_markdown(report: Report, path: Path, figures: str | None = None) -> None:
    """Writes it; `figures` is the folder of the figures, as seen from here. Raises Unusable."""
    folder = relpath(figures, path.parent) if figures else ""
    try:
        path.write_text(as_markdown(report, folder))
    except OSError as error:
        raise Unusable(f"{path}: {error.strerror or 'cannot be written'}") from error
