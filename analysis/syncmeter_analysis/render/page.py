"""The report as one page without a network: styles, scripts, figures and points are inside."""

from __future__ import annotations

import base64
import gzip
import json
import math
import os
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import fields
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import jinja2
import vl_convert
from markupsafe import Markup, escape

from syncmeter_analysis import __version__
from syncmeter_analysis.record.output import page_mark, write_whole
from syncmeter_analysis.record.point import Point
from syncmeter_analysis.relate import point_text
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.render.charts.draw import look, spec_of, widest_map
from syncmeter_analysis.render.report import Report
from syncmeter_analysis.studies.figures import Figure, Heat, Panel

_templates = Path(__file__).parent / "templates"

#: Pixels: a panel is no narrower than this where the page is wider; the title and labels of a map's
#: axis, with the margins of its panel.
_least_panel, _left_of_map = 330, 70


def _safe_json(value: Any) -> Markup:
    """JSON for a script element: nothing in it can end the element or begin a comment."""
    written = json.dumps(value, separators=(",", ":"), allow_nan=False)
    for character in "<>&\u2028\u2029":
        written = written.replace(character, f"\\u{ord(character):04x}")
    return Markup(written)


class _Page:
    """What the template asks for while it renders: charts and sets of points get numbers."""

    columns = ("op", "where", "ns", "from", "to", "cycles", "visits", "status", "point", "remark")

    def __init__(self, report: Report) -> None:
        self._index: dict[str, list[int]] = defaultdict(list)
        for i, s in enumerate(report.points):
            self._index[s.id].append(i)
        self._sets: dict[tuple[str, ...], int] = {}
        self.charts: list[dict[str, Any]] = []

    def evidence(self, ids: Sequence[str]) -> int:
        """The number of this set of points: `#e` and it is the address of their list."""
        return self._sets.setdefault(tuple(ids), len(self._sets))

    def chart(self, panel: Panel) -> int:
        """The number of this panel's chart."""
        spec = spec_of(panel)
        # The fields of a heat map keep their shape; other drawings fill the width.
        spec["fixed"] = isinstance(panel.drawing, Heat)
        self.charts.append(spec)
        return len(self.charts) - 1

    def room(self, figure: Figure) -> int:
        """The least width of a panel, pixels: that of its map with what stands left of it."""
        drawings = [panel.drawing for panel in figure.panels]
        maps = [len(d.x[1]) * d.size[0] for d in drawings if isinstance(d, Heat)]
        return max([_least_panel, *(min(width, widest_map) + _left_of_map for width in maps)])

    def sets(self) -> list[list[int]]:
        """For each number of a set the rows of its points."""
        return [[row for i in ids for row in self._index.get(i, ())] for ids in self._sets]


def _codes(text: str) -> Markup:
    """Escapes the text; what stands between backquotes becomes code."""
    parts = str(escape(text)).split("`")
    if len(parts) % 2 == 0:
        return Markup("`".join(parts))
    return Markup("".join(f"<code>{p}</code>" if i % 2 else p for i, p in enumerate(parts)))


def _number(value: float | None) -> float | str:
    return "" if value is None or not math.isfinite(value) else float(f"{value:.5g}")


def _row(s: Measured) -> list[float | str]:
    i = s.cost if s.usable else None
    low, high = (i.low, i.high) if i and i.bounded else (None, None)
    cycles = s.cycles.value if s.cycles and i else None
    # What a busy point is stands above the list once.
    remark = "" if s.status == "busy" else s.reason
    return [
        s.point.op,
        point_text.short_name(s.point, without=("op",)),
        *map(_number, (i.value if i else None, low, high, cycles)),
        *(s.visits, s.status, s.id),
        remark or s.doubt or ("shares a measurement" if s.measured_as else ""),
    ]


#: Axes that a reader filters by; the point's other members are made of these.
_axes = tuple(f.name for f in fields(Point) if f.name not in ("others", "stride_bytes", "waves"))


def _fields(points: Sequence[Measured]) -> dict[str, dict[str, Any]]:
    """Each axis that any point has, with its values once and for each point the number of its own:
    20,000 points with their names written out would be megabytes."""
    found: dict[str, dict[str, Any]] = {}
    for axis in (*_axes, "status"):
        numbers: dict[str, int] = {}
        of = []
        for s in points:
            value = s.status if axis == "status" else getattr(s.point, axis)
            shown = ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
            of.append(numbers.setdefault("" if value is None else shown, len(numbers)))
        if len(numbers) > 1:
            found[axis] = {"values": list(numbers), "of": of}
        elif "".join(numbers) not in ("", "0"):
            found[axis] = {"values": list(numbers)}
    return found


@cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_templates),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["codes"] = _codes
    return environment.get_template("page.html")


def _kept_at() -> Path:
    folder = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    name = f"vega-of-vl-convert-{version('vl-convert-python')}.js.gz.base64"
    return Path(folder) / "syncmeter" / name


@cache
def libraries() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script, packed by gzip and written in base64: nothing in it
    can end its element in a page. vl-convert bundles it anew at each call, which takes seconds: a
    user's first report keeps it under $XDG_CACHE_HOME for those that follow, by vl-convert's
    version."""
    with suppress(OSError, RuntimeError, UnicodeDecodeError):
        return _kept_at().read_text(encoding="ascii")
    bundle = vl_convert.javascript_bundle()  # type: ignore[call-arg]  # its stub forgets a default
    script = base64.b64encode(gzip.compress(bundle.encode(), 9, mtime=0)).decode("ascii")
    # A report needs no folder of its user: where none can be written, the next one takes as long.
    with suppress(OSError, RuntimeError):
        path = _kept_at()
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(f".{os.getpid()}")
        unfinished.write_text(script, encoding="ascii")
        unfinished.replace(path)
    return script


def as_page(report: Report) -> str:
    """The whole page. Everything from a file is escaped; nothing is fetched."""
    page = _Page(report)
    # Rendering numbers the charts and the sets of points; the data that hold them come last.
    template = _template()
    parts = {
        "report": report,
        "page": page,
        "version": __version__,
        "mark": Markup(page_mark),
        "style": Markup((_templates / "page.css").read_text()),
        "script": Markup((_templates / "page.js").read_text()),
        "libraries": Markup(libraries()),
    }
    mark = "@data@"
    rendered = template.render(**parts, data=Markup(mark))
    data = {
        "charts": page.charts,
        "evidence": page.sets(),
        "light": look(),
        "dark": look(dark=True),
        "fields": _fields(report.points),
        "points": [_row(s) for s in report.points],
    }
    return rendered.replace(f">{mark}<", f">{_safe_json(data)}<", 1)


def write_page(report: Report, path: Path) -> int:
    """Writes the page; its size in bytes. Raises NotWritten where it cannot be written."""
    written = as_page(report)
    write_whole(path, written)
    return len(written)
