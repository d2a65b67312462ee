"""The command `syncmeter-report`: options in, one module's function called, its exit status out."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from syncmeter_analysis.data.errors import NotWritten, Unusable, printable
from syncmeter_analysis.data.output import check_outputs, same_file
from syncmeter_analysis.options import parser


def _inputs(options: argparse.Namespace) -> list[Path]:
    if options.command != "import":
        return [Path(options.file)] if options.command == "share" else list(map(Path, options.file))
    source = Path(options.source)
    return [source, *source.rglob("runtimes.csv"), *source.rglob("log.txt")]


def _may_write(
    options: argparse.Namespace, *outputs: Path | None, page: Path | None = None
) -> None:
    """Before any work: nothing is written over that someone may need. Raises Unusable."""
    check_outputs(
        [path for path in outputs if path],
        _inputs(options),
        force=options.force,
        pages=[page] if page else [],
    )


def _path(name: str | None) -> Path | None:
    return Path(name) if name else None


def _say(text: str, end: str = "\n") -> None:
    """Prints on standard output. Raises NotWritten where that fails, BrokenPipeError too."""
    if sys.stdout is None:
        raise NotWritten("standard output is closed")
    try:
        print(text, end=end, flush=True)
    except OSError as error:
        # What could not be written is not tried again at the end of the program.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        if isinstance(error, BrokenPipeError):
            raise
        raise NotWritten(f"standard output: {error.strerror}") from error


def _compare(options: argparse.Namespace) -> int:
    from syncmeter_analysis.data.reader import read_results
    from syncmeter_analysis.report.compare_text import as_text, write_figure
    from syncmeter_analysis.statistics.compare import axes, compare_campaigns
    from syncmeter_analysis.statistics.compare_by import compare_by

    figure, page = _path(options.figure), _path(options.html)
    _may_write(options, figure, page=page)
    across = [axis for text in options.across for axis in text.split(",")]
    for axis in across:
        if axis not in (*axes, "machine"):
            raise Unusable(
                f"--across: '{axis}' is not an axis; there are: {', '.join((*axes, 'machine'))}"
            )
    files = [read_results(path) for path in options.file]
    if options.by:
        found = compare_by(options.by, files, options.threshold)
    elif len(files) == 2:
        found = [compare_campaigns([files[0]], [files[1]], options.threshold, across)]
    else:
        raise Unusable(
            f"compare: two files are needed, OLD and NEW, not {len(files)}; with --by any number"
        )
    style = _shows_colours(), _width(options)
    _say("\n\n".join(as_text(c, options.all, *style) for c in found))
    if figure:
        write_figure(found, figure)
    if page:
        from syncmeter_analysis.report.compare_page import compare_report
        from syncmeter_analysis.report.page import write_page

        write_page(compare_report(found, files), page)
    if all(c.status == 2 for c in found):
        return 2
    return max(c.status for c in found if c.status < 2)


def _report(options: argparse.Namespace) -> int:
    from syncmeter_analysis.report.build import build
    from syncmeter_analysis.report.recommendations import headline
    from syncmeter_analysis.statistics.campaign import read_campaign

    output = _path(options.output)
    page = (output or Path("report.html")) if options.command == "html" else None
    _may_write(options, output if page is None else None, page=page)
    report = build(read_campaign(options.file))
    pictures = {}
    if options.static:
        from syncmeter_analysis.figures.static import all_files, save

        pictures = all_files(report.figures, Path(options.static))
        _may_write(options, *pictures, None if page else output, page=page)
    if page:
        from syncmeter_analysis.report.page import write_page
        from syncmeter_analysis.report.plain import prose

        size = write_page(report, page)
        _say(prose(headline(report.judged), _width(options)))
        _say(f"{_written(page)} ({size / 1e6:.1f} MB)")
    else:
        from syncmeter_analysis.report.markdown import as_markdown, write_markdown

        if output:
            write_markdown(report, output, options.static)
            _say(_written(output))
        else:
            _say(as_markdown(report, options.static or ""), end="")
    for path, figure in pictures.items():
        save(figure, path)
    if pictures:
        where = printable(options.static)
        print(f"written: {len(report.figures)} figures in {where}", file=sys.stderr)
    return 0


def _written(path: Path) -> str:
    return f"written: {printable(str(path))}"


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
    from syncmeter_analysis.report.findings import findings
    from syncmeter_analysis.report.plain import as_plain
    from syncmeter_analysis.statistics.campaign import read_campaign
    from syncmeter_analysis.studies import names, sections, study
    from syncmeter_analysis.studies.blocks import Bullets, as_markdown

    for name in options.study:
        study(name)
    campaign = read_campaign(options.file)
    found = sections(campaign, options.study)
    missing = [name for name in options.study if name not in {s.name for s in found}]
    if missing:
        raise Unusable(f"{', '.join(options.file)}: no points of the study {', '.join(missing)}")
    told = [(s.title, s.blocks) for s in found]
    if not options.study and (sentences := findings(campaign)):
        told.append(("Findings", [Bullets(sentences)]))
    if not told:
        print(
            f"no points of a study with a text; these studies have one: {', '.join(names)}",
            file=sys.stderr,
        )
    elif options.format == "md":
        _say("\n\n".join(as_markdown(title, blocks) for title, blocks in told))
    else:
        style = _shows_colours(), _width(options)
        _say("\n\n".join(as_plain(title, blocks, *style) for title, blocks in told))
    return 0


def _claims(options: argparse.Namespace) -> int:
    from syncmeter_analysis.report import claims_text

    found = claims_text.judge_files(options.file)
    if options.format == "text":
        _say(claims_text.as_text(found, options.all, _width(options)))
    else:
        _say(
            claims_text.as_markdown(found) if options.format == "md" else claims_text.as_json(found)
        )
    return 0


def _import(options: argparse.Namespace) -> int:
    from syncmeter_analysis.formats.syncperformance import import_syncperformance
    from syncmeter_analysis.formats.table_import import import_table

    source = Path(options.source)
    output = Path(
        options.output or f"{source.resolve().name.removesuffix('.gz').removesuffix('.csv')}.jsonl"
    )
    _may_write(options, output)
    machine = {"cpu": options.cpu, "cores": options.cores, "pus": options.pus}
    if options.format == "table":
        said = import_table(source, output, gpu=options.gpu, **machine)
    else:
        said = import_syncperformance(source, output, aggregate=options.aggregate, **machine)
    _say("\n".join([*map(printable, said), _written(output)]))
    return 0


def _share_file(options: argparse.Namespace) -> int:
    from syncmeter_analysis.data.text_file import without_suffixes
    from syncmeter_analysis.formats.share import share

    source = Path(options.file)
    output = Path(options.output or f"{without_suffixes(source)}-shared.jsonl")
    _may_write(options, output)
    lines, left_out = share(source, output)
    more = f", {left_out} left out" if left_out else ""
    _say(
        f"{_written(output)} ({lines} lines{more}; host, user and paths removed; check the copy "
        f"before you share it)"
    )
    return 0


def _export(options: argparse.Namespace) -> int:
    from syncmeter_analysis.formats.export import export
    from syncmeter_analysis.statistics.campaign import read_campaign

    output = _path(options.output)
    _may_write(options, output)
    _say(export(read_campaign(options.file), options.format, output), end="")
    if output:
        _say(_written(output))
    return 0


_runs = {
    "compare": _compare,
    "html": _report,
    "md": _report,
    "text": _text,
    "claims": _claims,
    "share": _share_file,
    "export": _export,
    "import": _import,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status. A user's mistake is one sentence on stderr."""
    _print_all_texts(sys.stdout, sys.stderr)
    try:
        options = _parsed(arguments)
        if any(same_file(1, path) for path in _inputs(options) if path.is_file()):
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
            f"'{options.command}' needs the Python package {error.name}: scripts/run sets it up, or "
            "`pip install ./analysis` in a checkout (`text` needs none)",
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
            _say("", end="")
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
