"""The command `syncmeter-report`: options in, one module's function called, its exit status out."""

from __future__ import annotations

import argparse
import os
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path

from syncmeter_analysis.data.errors import Unusable
from syncmeter_analysis.options import parser


def _compare(options: argparse.Namespace) -> int:
    from syncmeter_analysis.data.reader import read_results
    from syncmeter_analysis.report.compare_text import as_text, write_figure
    from syncmeter_analysis.statistics.compare import axes, compare_campaigns
    from syncmeter_analysis.statistics.compare_by import compare_by

    files = [read_results(path) for path in options.file]
    across = [axis for text in options.across for axis in text.split(",")]
    for axis in across:
        if axis not in (*axes, "machine"):
            raise Unusable(
                f"--across: '{axis}' is not an axis; there are: {', '.join((*axes, 'machine'))}"
            )
    if options.by:
        found = compare_by(options.by, files, options.threshold)
    elif len(files) == 2:
        found = [compare_campaigns([files[0]], [files[1]], options.threshold, across)]
    else:
        raise Unusable(
            f"compare: two files are needed, OLD and NEW, not {len(files)}; with --by any number"
        )
    print("\n\n".join(as_text(c, options.all) for c in found))
    if options.figure:
        write_figure(found, Path(options.figure))
    if options.html:
        from syncmeter_analysis.report.compare_page import compare_report
        from syncmeter_analysis.report.page import write_page

        write_page(compare_report(found, files), Path(options.html))
    if all(c.status == 2 for c in found):
        return 2
    return max(c.status for c in found if c.status < 2)


def _report(options: argparse.Namespace) -> int:
    from syncmeter_analysis.report.build import build
    from syncmeter_analysis.report.recommendations import headline
    from syncmeter_analysis.statistics.campaign import read_campaign

    report = build(read_campaign(options.file))
    output = Path(options.output) if options.output else None
    if options.command == "html":
        from syncmeter_analysis.report.page import write_page

        output = output or Path("report.html")
        size = write_page(report, output)
        print(f"{headline(report.judged)}\nwritten: {output} ({size / 1e6:.1f} MB)")
    else:
        from syncmeter_analysis.report.markdown import as_markdown, write_markdown

        if output:
            write_markdown(report, output, options.static)
            print(f"written: {output}")
        else:
            print(as_markdown(report, options.static or ""), end="")
    if options.static:
        from syncmeter_analysis.figures.static import save_all

        count = save_all(report.figures, Path(options.static))
        print(f"written: {count} figures in {options.static}", file=sys.stderr)
    return 0


def _shows_colours() -> bool:
    # https://no-color.org: any value but an empty one says no.
    refused, terminal = os.environ.get("NO_COLOR"), os.environ.get("TERM", "dumb")
    return sys.stdout.isatty() and not refused and terminal != "dumb"


def _terminal_width() -> int | None:
    """None where the output is no terminal."""
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or None
    except (OSError, ValueError):
        return None


def _text(options: argparse.Namespace) -> int:
    from syncmeter_analysis.report.findings import findings
    from syncmeter_analysis.statistics.campaign import read_campaign
    from syncmeter_analysis.studies import names, sections, study
    from syncmeter_analysis.studies.blocks import Bullets, as_markdown, as_plain

    for name in options.study:
        study(name)
    campaign = read_campaign(options.file)
    found = sections(campaign, options.study)
    missing = [name for name in options.study if name not in {s.name for s in found}]
    if missing:
        raise Unusable(f"{', '.join(options.file)}: no points of the study {', '.join(missing)}")
    told = [(s.title, s.blocks) for s in found]
    if not options.study and (sentences := findings(campaign)):
        if options.format != "md":
            sentences = [textwrap.fill(s, 78, subsequent_indent="  ") for s in sentences]
        told.append(("Findings", [Bullets(sentences)]))
    if not told:
        print(
            f"no points of a study with a text; these studies have one: {', '.join(names)}",
            file=sys.stderr,
        )
    elif options.format == "md":
        print("\n\n".join(as_markdown(title, blocks) for title, blocks in told))
    else:
        coloured, width = _shows_colours(), _terminal_width()
        print("\n\n".join(as_plain(title, blocks, coloured, width) for title, blocks in told))
    return 0


def _claims(options: argparse.Namespace) -> int:
    from syncmeter_analysis.report import claims_text

    found = claims_text.judge_files(options.file)
    if options.format == "text":
        print(claims_text.as_text(found, options.all))
    else:
        print(
            claims_text.as_markdown(found) if options.format == "md" else claims_text.as_json(found)
        )
    return 0


def _import(options: argparse.Namespace) -> int:
    from syncmeter_analysis.formats.syncperformance import import_syncperformance
    from syncmeter_analysis.formats.table_import import import_table

    source = Path(options.source)
    output = Path(options.output or f"{source.resolve().stem}.jsonl")
    machine = {"cpu": options.cpu, "cores": options.cores, "pus": options.pus}
    if options.format == "table":
        said = import_table(source, output, gpu=options.gpu, **machine)
    else:
        said = import_syncperformance(source, output, aggregate=options.aggregate, **machine)
    print("\n".join([*said, f"written: {output}"]))
    return 0


def _share_file(options: argparse.Namespace) -> int:
    from syncmeter_analysis.data.text_file import without_suffixes
    from syncmeter_analysis.formats.share import share

    source = Path(options.file)
    output = Path(options.output or f"{without_suffixes(source)}-shared.jsonl")
    print(
        f"written: {output} ({share(source, output)} lines; host, user and paths removed; check "
        f"the copy before you share it)"
    )
    return 0


def _export(options: argparse.Namespace) -> int:
    from syncmeter_analysis.formats.export import export
    from syncmeter_analysis.statistics.campaign import read_campaign

    output = Path(options.output) if options.output else None
    print(export(read_campaign(options.file), options.format, output), end="")
    if output:
        print(f"written: {output}")
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
    options = parser(_runs).parse_args(arguments)
    try:
        return int(options.run(options))
    except Unusable as error:
        print(f"syncmeter-report: {error}", file=sys.stderr)
        return 2
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("syncmeter_analysis"):
            raise
        print(
            f"syncmeter-report: '{options.command}' needs the Python package {error.name}: scripts/run "
            "sets it up, or `pip install ./analysis` in a checkout (`text` needs none)",
            file=sys.stderr,
        )
        return 2
    except BrokenPipeError:
        sys.stderr.close()
        return 1


if __name__ == "__main__":
    sys.exit(main())
