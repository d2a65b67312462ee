"""Figures as files: SVG, PNG, PDF by vl-convert, or a page of their own."""

from __future__ import annotations

from pathlib import Path

import vl_convert

from syncmeter_analysis.record.errors import NotWritten, Unusable
from syncmeter_analysis.record.output import write_whole
from syncmeter_analysis.render.charts.draw import whole_spec
from syncmeter_analysis.studies.figures import Figure

endings = (".svg", ".png", ".pdf", ".html")


def rendered(figure: Figure, ending: str) -> bytes:
    """The figure in the format of `ending` ('.svg', '.png' or '.pdf')."""
    spec = whole_spec(figure)
    if ending == ".svg":
        return bytes(vl_convert.vegalite_to_svg(spec).encode())
    if ending == ".png":
        return bytes(vl_convert.vegalite_to_png(spec, scale=2))
    if ending == ".pdf":
        return bytes(vl_convert.vegalite_to_pdf(spec))
    return bytes(vl_convert.vegalite_to_html(spec, bundle=True).encode())


def save(figure: Figure, path: Path) -> None:
    """Writes one figure. Raises Unusable for another ending, NotWritten where it cannot be written."""
    if path.suffix not in endings:
        raise Unusable(f"{path}: a figure is one of {', '.join(endings)}")
    write_whole(path, rendered(figure, path.suffix))


def all_files(figures: list[Figure], folder: Path) -> dict[Path, Figure]:
    """SVG, PNG and PDF of every figure in `folder`, which is made: names by their ids."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise NotWritten(f"{folder}: {error.strerror or 'cannot be made'}") from error
    return {folder / f"{f.id}{ending}": f for f in figures for ending in (".svg", ".png", ".pdf")}
