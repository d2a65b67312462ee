"""The findings of `syncmeter advise` in every medium: for a terminal, as Markdown, as JSON and as a
page. voice/ has the words of the first screen, the tables show the file."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import itemgetter

from syncmeter_analysis.conclude.advise import Judged, judge
from syncmeter_analysis.record.advice_file import AdviceFile
from syncmeter_analysis.relate import text
from syncmeter_analysis.relate.group import grouped
from syncmeter_analysis.relate.spent import spent_at, spent_in
from syncmeter_analysis.render import report
from syncmeter_analysis.render.advice_tables import (
    kernel_table,
    lock_table,
    model_table,
    price_table,
    run_tables,
    site_name,
    site_tables,
    trial_table,
)
from syncmeter_analysis.render.report import Head, Report, Section, kinds
from syncmeter_analysis.render.terminal import bold, lines_of, parts_plain, prose
from syncmeter_analysis.studies.blocks import Block, Bullets, Table, Text
from syncmeter_analysis.studies.figures import Axis, Bars, Figure, Panel, Row
from syncmeter_analysis.voice.advise import screen
from syncmeter_analysis.voice.cards import Bar, Card
from syncmeter_analysis.voice.numbers import seconds
from syncmeter_analysis.voice.screen import CauseScreen, CauseText
from syncmeter_analysis.voice.words import counted

#: Bars of the figure, and characters of the name beside a bar.
_most_bars, _longest_label = 12, 48
#: A smaller share of the time has no bar.
_least_share = 0.005

_late = "late: waiting for the last thread"
_after = "after: the primitive itself"
_work = "work: in the lock, chunk or kernel"
_idle = "idle: until a signal or another's end"

#: Lines and columns of the first screen, and the column of the effects.
_most_lines, _width, _effects_at = 40, 80, 41

#: Prevents a line break between a number and its unit.
_no_break = "\u00a0"
_unit = re.compile(r"(?<=\d) (?=(ns|us|ms|s|%)\b|%)")

#: The sections that --sites and --verbose add.
_of_sites = frozenset({"sites", "locks", "kernels"})


@dataclass(frozen=True)
class Advised:
    """A file with its conclusions, its first screen and its page."""

    file: AdviceFile
    judged: Judged
    screen: CauseScreen
    report: Report


def advised(file: AdviceFile) -> Advised:
    judged = judge(file)
    found = screen(file, judged)
    return Advised(file, judged, found, _report(file, judged, found))


def as_text(
    found: Advised,
    coloured: bool = False,
    width: int = 0,
    *,
    sites: bool = False,
    verbose: bool = False,
) -> str:
    """Returns the first screen for a terminal with this width (0: any), and the sections asked for."""
    parts = [_screen_text(found.screen, coloured, min(width or _width, _width), verbose)]
    for section in found.report.sections:
        if (sites if section.id in _of_sites else verbose) and section.blocks:
            blocks = [b for b in section.blocks if not isinstance(b, Figure)]
            shown = [short for b in blocks for short in _shortened(b)]
            parts += [bold(section.title, coloured), *parts_plain(shown, coloured, width)]
    return "\n\n".join(parts)


def _screen_text(found: CauseScreen, coloured: bool, width: int, is_whole: bool) -> str:
    """Returns the screen in its lines. Causes that do not fit are counted, except the first."""
    causes = [_cause_lines(i, cause, width) for i, cause in enumerate(found.causes, 1)]
    rest = [*found.closing, *found.legend, found.reliability, found.next]
    below = [line for sentence in rest for line in prose(sentence, width, "  ").splitlines()]
    above = prose(found.title, width).splitlines()
    room = _most_lines - len(above) - len(below) - 1
    shown = len(causes)
    while not is_whole and shown > 1 and sum(map(len, causes[:shown])) > room:
        shown -= 1
    lines = [*(bold(line, coloured) for line in above)]
    lines += [line for cause in causes[:shown] for line in cause]
    if shown < len(causes):
        lines.append(counted("advise.more_causes", len(causes) - shown))
    return "\n".join([*lines, *below])


def _cause_lines(number: int, cause: CauseText, width: int) -> list[str]:
    left, right = f"{number}. {cause.title}", "  ".join(filter(None, [cause.effect, cause.grade]))
    first = f"{left:<{_effects_at - 1}} {right}"
    if len(first) > width and len(left) + len(right) < width:
        first = f"{left}{right:>{width - len(left)}}"
    lines = [first] if len(first) <= width else [left, f"   {right}"]
    for sentence in cause.lines:
        joined = _unit.sub(_no_break, sentence)
        lines += [f"   {line}" for line in lines_of(joined, width - 3)]
    return [line.replace(_no_break, " ") for line in lines]


def _shortened(block: Block) -> list[Block]:
    """Returns the rows that a page does not fold away, and the number of further rows."""
    if not isinstance(block, Table) or not 0 < block.folded < len(block.rows):
        return [block]
    more = len(block.rows) - block.folded
    first = replace(block, rows=block.rows[: block.folded])
    return [
        first,
        Text(f"... and {text.count(more, 'more row')}; --html and --format json have all."),
    ]


def as_json(found: Advised) -> str:
    """Returns one object: the header, the conclusions, the ranked causes and the file's records."""
    file, judged = found.file, found.judged
    spent = spent_in(file)
    takes = None
    if spent:
        takes = {
            "lateness": spent.late,
            "mechanism": spent.after + spent.woken,
            "call": spent.calls + spent.gpu,
            "in_all": spent.in_all,
        }
    places = {id(c): at for at, c in enumerate(judged.conclusions)}
    whole = {
        "kind": "advise",
        **{name: value for name, value in file.header.items() if name not in ("record", "kind")},
        "wall_s": file.wall_s,
        "takes_s": takes,
        "reliability": judged.reliability.to_json(),
        "conclusions": [c.to_json() for c in judged.conclusions],
        "causes": [
            {
                "rank": entry.rank,
                "conclusion": places.get(id(entry.conclusion)),
                "advice": entry.advice["rank"] if entry.advice else None,
                "gain_share": entry.gain,
                "seen_share": entry.seen,
            }
            for entry in judged.entries
        ],
        "advice": [{**each, "run_s": file.run_s_of(each)} for each in file.advice],
        "call_sites": file.call_sites,
        "kernels": file.kernels,
        "locks": file.locks,
        "models": file.models,
        "prices": file.prices,
        "trials": file.trials,
        "left_out": file.left_out,
    }
    return json.dumps(whole, indent=1)


def _report(file: AdviceFile, judged: Judged, found: CauseScreen) -> Report:
    """Returns the page: the first screen with a card for each cause, then all sections."""
    figure = _figure(file)
    notes = [*(file.header.get("notes") or ()), *file.left_out]
    sections = [
        Section("causes", "Details of the causes", _details(found.causes)),
        Section("trials", "Trials", [*trial_table(file)]),
        Section("sites", "Call sites", [*site_tables(file)]),
        Section("locks", "Locks", [*lock_table(file)]),
        Section("kernels", "Kernels", [*kernel_table(file)]),
        Section("models", "Models of locks", [*model_table(file)]),
        Section("prices", "Unit costs on this machine", [*price_table(file)]),
        Section("runs", "Runs", [*run_tables(file)]),
        Section("notes", "Notes", [Bullets(notes)] if notes else []),
    ]
    head = Head(
        found.title,
        _facts(file),
        found.reliability,
        kinds[judged.reliability.grade],
        [],
        [figure] if figure else [],
        [_card(cause, bool(figure)) for cause in found.causes],
        answers=[*found.closing, *found.legend, found.next],
    )
    return Report(head, [s for s in sections if s.blocks], [], [file.path])


def _details(causes: Sequence[CauseText]) -> list[report.Block]:
    found: list[report.Block] = []
    for number, cause in enumerate(causes, 1):
        if cause.more:
            found += [Text(f"{number}. {cause.title}"), Bullets(list(cause.more))]
    return found


def _card(cause: CauseText, is_drawn: bool) -> Card:
    """Returns the heading with the effect, the sentences, and the times as bars."""
    bars = []
    if times := cause.times:
        ends = [("now", times.run_s), ("after, at best", times.low_s)]
        if cause.grade != "bound":
            ends.append(("after, at most", times.high_s))
        longest_s = max(s for _, s in ends)
        bars = [Bar(name, seconds([s])[0], s / longest_s if longest_s else 0.0) for name, s in ends]
    return Card(
        "",
        f"{cause.title}: {cause.effect}" if cause.effect else cause.title,
        where=cause.grade,
        bars=bars,
        more=cause.lines,
        link="fig-sites" if is_drawn else "sites",
    )


def _facts(file: AdviceFile) -> list[str]:
    # The words before and behind the plural's end, as the driver's text has them.
    named = {
        "plain": ("plain run", ""),
        "count": ("counted run", ""),
        "sample": ("sampled run", ""),
        "time": ("timed run", ""),
        "kernels": ("run", " with patched kernels"),
        "span": ("run", " from CUDA's first call on"),
    }
    found = []
    for arm, alike in grouped(file.header["runs"], itemgetter("arm")).items():
        walls = [run["wall_s"] for run in alike]
        least, most = min(walls) * 1e9, max(walls) * 1e9
        took = text.duration_range(least, most) if len(walls) > 1 else text.duration(most)
        runs, which = named.get(arm, (f"{arm} run", ""))
        found.append(f"{text.count(len(walls), runs)}{which}: {took}")
    runtimes = (file.header.get("program") or {}).get("runtimes") or ()
    processes = file.header.get("processes")
    found += [f"with {', '.join(runtimes)}"] if runtimes else []
    found += [f"{processes:,} processes"] if processes and processes > 1 else []
    of_gpus = file.header.get("gpu_processes") or 0
    found += [f"{of_gpus:,} of them with a GPU"] if of_gpus > 1 else []
    version = file.header.get("version")
    return [*found, f"syncmeter {version}"] if version else found


def _figure(file: AdviceFile) -> Figure | None:
    """A bar for each of the sites that take most of the time; None where no site's time is known."""
    wall = file.wall_s
    found = [(spent, site) for site in file.call_sites if (spent := spent_at(site))]
    found = [(s, site) for s, site in found if wall and s.with_all > _least_share * wall]
    if not found or not wall:
        return None
    found.sort(key=lambda each: -each[0].in_all)
    drawn = found[:_most_bars]
    labels = [site_name(site, _longest_label) for _, site in drawn]
    several = Counter(labels)
    rows: list[Row] = []
    for label, (spent, site) in zip(labels, drawn, strict=True):
        name = f"{label} (site {site['id']})" if several[label] > 1 else label
        parts = (
            (_late, spent.late),
            (_after, spent.then),
            (_work, spent.work),
            (_idle, spent.idle),
        )
        rows += [{"row": name, "part": p, "value": 100 * s / wall} for p, s in parts if s > 0]
    title = "Time at the call sites"
    more = f" {text.count(len(found) - len(drawn), 'more site')} not drawn." * (
        len(found) > len(drawn)
    )
    note = f"Shares of the timed run, {text.duration(wall * 1e9)}, on one thread's path.{more}"
    most = max(100.0, *(100 * s.with_all / wall for s, _ in drawn))
    x = Axis("% of the time", "zero", domain=(0, most))
    bars = Bars(rows, x, (_late, _after, _work, _idle), "site")
    return Figure("sites", title, note, [Panel("", bars)], wide=True)
