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
    Cell,
    Table,
    Text,
    escaped_md,
)
from syncmeter_analysis.report.build import Report
from syncmeter_analysis.statistics import text

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


def _codes(text: str) -> str:
    """The text escaped, but for what stands between backquotes."""
    parts = " ".join(text.split()).split("`")
    if len(parts) % 2 == 0:
        return escaped_md(text)
    return "".join(f"`{p}`" if i % 2 else escaped_md(f".{p}.")[1:-1] for i, p in enumerate(parts))


def _cell(c: Cell) -> str:
    return escaped_md(c.text)


def _lines(block: Block, folder: str) -> list[str]:
    if isinstance(block, Text):
        return [_codes(block.text), ""]
    if isinstance(block, Bullets):
        return [*(f"- {escaped_md(item)}" for item in block.items), ""]
    if isinstance(block, Advice):
        doubts = f" Doubtful: {escaped_md('; '.join(block.doubts))}." if block.doubts else ""
        return [
            f"- **{escaped_md(block.text)}** {escaped_md(block.effect)}.{doubts} "
            f"See [{block.figure}](#{block.figure}) {escaped_md(evidence(block.points))}"
        ]
    if isinstance(block, Table):
        if not block.rows:
            return []
        align = [("---:" if i in set(block.right) else "---") for i in range(len(block.columns))]
        head = [f"*{escaped_md(block.caption)}*", ""] if block.caption else []
        return [
            *head,
            "| " + " | ".join(map(escaped_md, block.columns)) + " |",
            "| " + " | ".join(align) + " |",
            *("| " + " | ".join(map(_cell, row)) + " |" for row in block.rows),
            "",
        ]
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
