"""The command `syncmeter-report`: options in, one module's function called, its exit status out."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from syncmeter_analysis.command_output import inputs, may_write, path_of, say, written
from syncmeter_analysis.file_commands import export_file, import_file, print_schema, share_file
from syncmeter_analysis.options import parser
from syncmeter_analysis.record.errors import NotWritten, Unusable, printable
from syncmeter_analysis.record.output import same_file


def _compare(options: argparse.Namespace) -> int:
    from syncmeter_analysis.record.reader import read_results
    from syncmeter_analysis.relate.compare import Comparison, axes, compare_campaigns
    from syncmeter_analysis.relate.compare_arms import compare_arms
    from syncmeter_analysis.relate.compare_by import compare_by
    from syncmeter_analysis.render.charts.changes import changes_figure
    from syncmeter_analysis.render.compare import (
        as_json,
        as_junit,
        as_markdown,
        as_text,
        compare_report,
    )

    figure, page = path_of(options.figure), path_of(options.html)
    may_write(options, figure, page=page)
    across = [axis for text in options.across for axis in text.split(",")]
    for axis in across:
        if axis not in (*axes, "machine"):
            raise Unusable(
                f"--across: '{axis}' is not an axis; there are: {', '.join((*axes, 'machine'))}"
            )
    files = [read_results(path) for path in options.file]
    found: list[Comparison]
    if options.by:
        found = compare_by(options.by, files, options.threshold)
    elif len(files) == 1 and (arms := compare_arms(files[0])):
        found = [arms]
    elif len(files) == 2:
        found = [compare_campaigns([files[0]], [files[1]], options.threshold, across)]
    else:
        raise Unusable(
            f"compare: two files are needed, OLD and NEW, or one of `syncmeter ab`, not "
            f"{len(files)}; with --by any number"
        )
    for c in found:
        c.sees, c.blind_is_fine = options.sees, options.blind == "ignore" or bool(options.by)
    if options.format == "json":
        say(as_json(found))
    elif options.format == "junit":
        say(as_junit(found))
    elif options.format == "markdown":
        say("\n\n".join(map(as_markdown, found)))
    else:
        style = _shows_colours(), _width(options)
        say("\n\n".join(as_text(c, options.all, *style) for c in found))
    if figure:
        from syncmeter_analysis.render.charts.static import save

        save(changes_figure(found), figure)
    if page:
        from syncmeter_analysis.render.page import write_page

        write_page(compare_report(found, files), page)
    statuses = {c.status for c in found}
    if 1 in statuses or statuses == {2}:
        return min(statuses)
    return max(statuses - {2})


def _fleet(options: argparse.Namespace) -> int:
    from syncmeter_analysis.relate.fleet import fleet_of
    from syncmeter_analysis.relate.node import read_nodes
    from syncmeter_analysis.render.charts.fleet import fleet_figure
    from syncmeter_analysis.render.fleet import as_json, as_markdown, as_text, fleet_report

    figure, page = path_of(options.figure), path_of(options.html)
    may_write(options, figure, page=page)
    # A package that is missing is named before minutes of reading.
    if figure:
        from syncmeter_analysis.render.charts.static import save
    if page:
        from syncmeter_analysis.render.page import write_page
    fleet = fleet_of(read_nodes(options.file), options.threshold)
    if not fleet.groups:
        first = fleet.left_out[0]
        raise Unusable(f"fleet: no file can be used; {first.path}: {first.why}")
    if options.format == "json":
        say(as_json(fleet))
    elif options.format == "markdown":
        say(as_markdown(fleet, options.all))
    else:
        say(as_text(fleet, options.all, _shows_colours(), _width(options)))
    if figure:
        save(fleet_figure(fleet), figure)
    if page:
        write_page(fleet_report(fleet), page)
    return fleet.status


def _report(options: argparse.Namespace) -> int:
    from syncmeter_analysis.relate.campaign import read_campaign
    from syncmeter_analysis.render.build import build
    from syncmeter_analysis.render.recommendations import headline

    output = path_of(options.output)
    page = (output or Path("report.html")) if options.command == "html" else None
    may_write(options, output if page is None else None, page=page)
    if page:
        # A package that is missing is named before minutes of reading.
        from syncmeter_analysis.render.page import write_page
    report = build(read_campaign(options.file))
    pictures = {}
    if options.static:
        from syncmeter_analysis.render.charts.static import all_files, save

        pictures = all_files(report.figures, Path(options.static))
        may_write(options, *pictures, None if page else output, page=page)
    if page:
        from syncmeter_analysis.render.terminal import prose

        size = write_page(report, page)
        say(prose(headline(report.judged), _width(options)))
        say(f"{written(page)} ({size / 1e6:.1f} MB)")
    else:
        from syncmeter_analysis.render.markdown import as_markdown, write_markdown

        if output:
            write_markdown(report, output, options.static)
            say(written(output))
        else:
            say(as_markdown(report, options.static or ""), end="")
    for path, figure in pictures.items():
        save(figure, path)
    if pictures:
        where = printable(options.static)
        print(f"written: {len(report.figures)} figures in {where}", file=sys.stderr)
    return 0


def _shows_colours() -> bool:
    # https://no-color.org: any value but an empty one says no.
    refused, terminal = os.environ.get("NO_COLOR"), os.environ.get("TERM", "dumb")
    return sys.stdout.isatty() and not refused and terminal != "dumb"


def _width(options: argparse.Namespace) -> int:
    """A terminal's own; elsewhere that of most; 0 where everything is asked for."""
    if getattr(options, "wide", False):
        return 0
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else 80


def _text(options: argparse.Namespace) -> int:
    from syncmeter_analysis.relate.campaign import read_campaign
    from syncmeter_analysis.relate.compare_arms import compare_arms
    from syncmeter_analysis.render import compare
    from syncmeter_analysis.render.recommendations import findings
    from syncmeter_analysis.render.terminal import as_plain
    from syncmeter_analysis.studies import first_screen, names, sections, study
    from syncmeter_analysis.studies.blocks import Bullets, as_markdown

    for name in options.study:
        study(name)
    campaign = read_campaign(options.file)
    found = sections(campaign, options.study)
    whole = options.wide or options.tables or options.format == "md"
    missing = [name for name in options.study if name not in {s.name for s in found}]
    if missing:
        raise Unusable(f"{', '.join(options.file)}: no points of the study {', '.join(missing)}")
    parts = [(s.title, s.blocks if whole else first_screen(s)) for s in found]
    arms = [c for file in campaign.files if not options.study and (c := compare_arms(file))]
    if arms:
        compared = [
            compare.as_markdown(c)
            if options.format == "md"
            else compare.as_text(c, False, _shows_colours(), _width(options))
            for c in arms
        ]
        say("\n\n".join(compared) + "\n" * bool(parts))
    if not arms and not options.study and (sentences := findings(campaign)):
        parts.insert(0, ("Findings", [Bullets(sentences)]))
    if not parts and not arms:
        print(
            f"no points of a study with a text; these studies have one: {', '.join(names())}",
            file=sys.stderr,
        )
    elif parts and options.format == "md":
        say("\n\n".join(as_markdown(title, blocks) for title, blocks in parts))
    elif parts:
        style = _shows_colours(), _width(options)
        say("\n\n".join(as_plain(title, blocks, *style) for title, blocks in parts))
    return 0


def _claims(options: argparse.Namespace) -> int:
    from syncmeter_analysis.render import claims_text

    found = claims_text.judge_files(options.file)
    if options.point:
        say(claims_text.of_point(found, options.point, _width(options)))
    elif options.format == "text":
        say(claims_text.as_text(found, options.all, _width(options)))
    else:
        say(
            claims_text.as_markdown(found) if options.format == "md" else claims_text.as_json(found)
        )
    return 0


_runs = {
    "compare": _compare,
    "fleet": _fleet,
    "html": _report,
    "md": _report,
    "text": _text,
    "claims": _claims,
    "share": share_file,
    "export": export_file,
    "import": import_file,
    "schema": print_schema,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status. A user's mistake is one sentence on stderr."""
    _print_all_texts(sys.stdout, sys.stderr)
    try:
        options = _parsed(arguments)
        if any(same_file(1, path) for path in inputs(options) if path.is_file()):
            raise Unusable("standard output is the input file itself; send it to another")
        return int(options.run(options))
    except Unusable as error:
        return _fail(str(error), 2)
    except NotWritten as error:
        return _fail(str(error), 1)
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("syncmeter_analysis"):
            raise
        return _fail(
            f"'{options.command}' needs the Python package {error.name}: the extra `figures` of "
            "syncmeter-report has it, and scripts/run sets it up (`text` needs none)",
            2,
        )
    except BrokenPipeError:
        return 1
    except OSError as error:
        return _fail(f"{error.filename}: {error.strerror}", 1)


def _parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    try:
        return parser(_runs).parse_args(arguments)
    except SystemExit as end:
        if end.code == 0:
            say("", end="")
        raise


def _fail(why: str, status: int) -> int:
    if sys.stderr is not None:
        print(f"syncmeter-report: {printable(why)}", file=sys.stderr)
    return status


def _print_all_texts(*streams: TextIO | None) -> None:
    """A terminal of few letters gets the others by number."""
    for stream in streams:
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(errors="backslashreplace")


if __name__ == "__main__":
    sys.exit(main())
