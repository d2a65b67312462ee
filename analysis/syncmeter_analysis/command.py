"""The command `syncmeter-report`: options in, one module's function called, its exit status out."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from syncmeter_analysis import __version__
from syncmeter_analysis.data.errors import Unusable


def _share(text: str) -> float:
    """`5%`, `5` (per cent) or `0.05`."""
    try:
        value = float(text.rstrip("%"))
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"'{text}' is not a share; allowed: 0% to below 100%, such as 5%"
        ) from None
    if text.endswith("%") or value >= 1:
        value /= 100
    if not 0 <= value < 1:
        raise argparse.ArgumentTypeError(
            f"'{text}' is not a share; allowed: 0% to below 100%, such as 5%"
        )
    return value


def _count(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number above 0")
    return int(text)


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


def _text(options: argparse.Namespace) -> int:
    from syncmeter_analysis.statistics.campaign import read_campaign
    from syncmeter_analysis.studies import names, sections, study
    from syncmeter_analysis.studies.blocks import as_markdown, as_plain

    for name in options.study:
        study(name)
    found = sections(read_campaign(options.file), options.study)
    missing = [name for name in options.study if name not in {s.name for s in found}]
    if missing:
        raise Unusable(f"{', '.join(options.file)}: no points of the study {', '.join(missing)}")
    if not found:
        print(
            f"no points of a study with a text; these studies have one: {', '.join(names)}",
            file=sys.stderr,
        )
        return 0
    if options.format == "md":
        print("\n\n".join(as_markdown(s.title, s.blocks) for s in found))
    else:
        print("\n\n".join(as_plain(s.title, s.blocks, _shows_colours()) for s in found))
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
    from syncmeter_analysis.formats.share import share

    source = Path(options.file)
    output = Path(options.output or f"{source.stem}-shared.jsonl")
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


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="syncmeter-report",
        description="Reports what syncmeter's results files show.",
        epilog="Exit status: 0; 1 where compare finds something slower; 2 for options or files "
        "that cannot be used or compared.",
    )
    parser.add_argument("--version", action="version", version=f"syncmeter-report {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def add(
        name: str, text: str, run: Callable[[argparse.Namespace], int]
    ) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=text, description=text)
        sub.set_defaults(run=run)
        return sub

    compare = add(
        "compare",
        "Which points differ between two campaigns, or within one by backend, "
        "device, compiler or affinity.",
        _compare,
    )
    compare.add_argument("file", nargs="+", metavar="FILE", help="OLD NEW, or with --by any number")
    compare.add_argument("--by", choices=("backend", "device", "compiler", "affinity"))
    compare.add_argument(
        "--threshold",
        type=_share,
        default=0.05,
        metavar="SHARE",
        help="differences up to this count as none (default 5%%)",
    )
    compare.add_argument(
        "--across",
        action="append",
        default=[],
        metavar="AXIS",
        help="compare points although they differ in this axis, or `machine`",
    )
    compare.add_argument(
        "--all", action="store_true", help="show every point, not only those that changed"
    )
    compare.add_argument(
        "--figure", metavar="FILE", help="draw the differences: .svg, .png, .pdf or .html"
    )

    for name, text in (
        (
            "html",
            "The report as one HTML page that needs no network: recommendations, controls, "
            "costs, figures, claims, and how it was measured.",
        ),
        ("md", "The same report as Markdown."),
    ):
        sub = add(name, text, _report)
        sub.add_argument("file", nargs="+", metavar="FILE", help="results files of one machine")
        default = "report.html" if name == "html" else "standard output"
        sub.add_argument("-o", "--output", metavar="FILE", help=f"default: {default}")
        sub.add_argument(
            "--static", metavar="DIR", help="write every figure as SVG, PNG and PDF as well"
        )

    texts = add(
        "text",
        "What the points of each study mean, for a terminal. Needs Python only.",
        _text,
    )
    texts.add_argument("file", nargs="+", metavar="FILE", help="results files of one machine")
    texts.add_argument(
        "--study",
        action="append",
        default=[],
        metavar="NAME",
        help="only this study; can be repeated",
    )
    texts.add_argument("--format", choices=("text", "md"), default="text")

    claims = add(
        "claims",
        "Published and widely held statements, judged on these data: a column for each machine.",
        _claims,
    )
    claims.add_argument("file", nargs="+", metavar="FILE")
    claims.add_argument("--format", choices=("text", "md", "json"), default="text")
    claims.add_argument("--all", action="store_true", help="also the claims that were not measured")

    shares = add(
        "share",
        "Writes an anonymised copy: host, user and paths removed, machine kept.",
        _share_file,
    )
    shares.add_argument("file", metavar="FILE")
    shares.add_argument("-o", "--output", metavar="FILE", help="default: NAME-shared.jsonl")

    exports = add("export", "Writes every point for other programs.", _export)
    exports.add_argument("file", nargs="+", metavar="FILE", help="results files of one machine")
    exports.add_argument("--format", choices=("csv", "parquet", "google-benchmark"), default="csv")
    exports.add_argument("-o", "--output", metavar="FILE", help="default: standard output")

    imports = add("import", "Makes a results file of published tables.", _import)
    imports.add_argument("format", choices=("syncperformance", "table"))
    imports.add_argument(
        "source",
        metavar="DIR|FILE",
        help="syncperformance: the folder of one system; table: the output of `syncmeter show "
        "--csv`",
    )
    imports.add_argument("-o", "--output", metavar="FILE", help="default: the folder's name .jsonl")
    imports.add_argument(
        "--aggregate",
        choices=("max", "min", "med", "avg"),
        default="max",
        help="how the threads' values are combined; the paper takes max",
    )
    imports.add_argument("--cpu", default="", help="the CPU's name, which the tables do not give")
    imports.add_argument("--gpu", default="", help="the GPU's name, for a table")
    imports.add_argument("--cores", type=_count, help="cores of the machine")
    imports.add_argument("--pus", type=_count, help="hardware threads of the machine")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status. A user's mistake is one sentence on stderr."""
    options = _parser().parse_args(arguments)
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
