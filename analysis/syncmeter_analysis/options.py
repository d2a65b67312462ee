"""The options of the command `syncmeter-report`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping

from syncmeter_analysis import __version__

#: Runs one command; its exit status.
Run = Callable[[argparse.Namespace], int]


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


def _change(text: str) -> float:
    try:
        value = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        value = 0.0
    if not 0 < value < 1000:
        raise argparse.ArgumentTypeError(
            f"'{text}' is not a change; allowed: above 0%, such as 50%"
        )
    return value


def _count(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number above 0")
    return int(text)


def parser(runs: Mapping[str, Run]) -> argparse.ArgumentParser:
    """The options of every command; `run` of what it parses is the command's function in `runs`."""
    made = argparse.ArgumentParser(
        prog="syncmeter-report",
        description="Reports what syncmeter's results files show.",
        epilog="Exit status: 0; 1 where compare finds something slower, fleet a node that "
        "differs, or the output cannot be written; 2 for options or files that cannot be used or "
        "compared; 3 where compare finds nothing slower, but could not have seen it everywhere.",
    )
    made.add_argument("--version", action="version", version=f"syncmeter-report {__version__}")
    commands = made.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def add(name: str, text: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=text, description=text)
        sub.set_defaults(run=runs[name])
        return sub

    def add_wide(sub: argparse.ArgumentParser) -> None:
        sub.add_argument(
            "--wide", action="store_true", help="every column, however narrow the terminal is"
        )

    def add_force(sub: argparse.ArgumentParser) -> None:
        sub.add_argument(
            "--force",
            action="store_true",
            help="replace files that exist; never an input or a results file of measured figures",
        )

    compare = add(
        "compare",
        "Which points differ between two campaigns, or within one by backend, "
        "device, compiler or affinity.",
    )
    compare.add_argument(
        "file",
        nargs="+",
        metavar="FILE",
        help="OLD NEW, or one of `syncmeter ab`, or with --by any number",
    )
    compare.add_argument(
        "--by",
        choices=("backend", "device", "compiler", "affinity"),
        help="compare points within the files that differ in this only",
    )
    compare.add_argument(
        "--threshold",
        type=_share,
        default=0.05,
        metavar="SHARE",
        help="differences up to this count as none (default 5%%)",
    )
    compare.add_argument(
        "--sees",
        type=_change,
        default=0.5,
        metavar="SHARE",
        help="the change that every point is to show, or it is blind (default 50%%)",
    )
    compare.add_argument(
        "--blind",
        choices=("fail", "ignore"),
        default="fail",
        help="fail: status 3 where nothing is slower, but points are blind (default)",
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
    compare.add_argument("--format", choices=("text", "json", "markdown", "junit"), default="text")
    add_wide(compare)
    compare.add_argument(
        "--figure", metavar="FILE", help="draw the differences: .svg, .png, .pdf or .html"
    )

    compare.add_argument(
        "--html", metavar="FILE", help="write the comparison as one page that needs no network"
    )
    add_force(compare)

    fleet = add("fleet", "Which nodes of a run differ from the others: a file of each node.")
    fleet.add_argument("file", nargs="+", metavar="FILE", help="results files, one of each node")
    fleet.add_argument(
        "--threshold",
        type=_share,
        default=0.02,
        metavar="SHARE",
        help="differences up to this count as none (default 2%%)",
    )
    fleet.add_argument("--format", choices=("text", "json", "markdown"), default="text")
    fleet.add_argument("--all", action="store_true", help="show every point, node and note")
    add_wide(fleet)
    fleet.add_argument("--figure", metavar="FILE", help="draw the nodes: .svg, .png, .pdf or .html")
    fleet.add_argument("--html", metavar="FILE", help="write one page that needs no network")
    add_force(fleet)

    for name, text in (
        (
            "html",
            "The report as one HTML page that needs no network: how far to trust it, advice, "
            "costs, figures, claims, and how it was measured.",
        ),
        ("md", "The same report as Markdown."),
    ):
        sub = add(name, text)
        sub.add_argument("file", nargs="+", metavar="FILE", help="results files of one machine")
        default = "report.html" if name == "html" else "standard output"
        sub.add_argument("-o", "--output", metavar="FILE", help=f"default: {default}")
        sub.add_argument(
            "--static", metavar="DIR", help="write every figure as SVG, PNG and PDF as well"
        )
        add_force(sub)

    texts = add("text", "What the points of each study mean, for a terminal. Needs Python only.")
    texts.add_argument("file", nargs="+", metavar="FILE", help="results files of one machine")
    texts.add_argument(
        "--study",
        action="append",
        default=[],
        metavar="NAME",
        help="only this study; can be repeated",
    )
    texts.add_argument("--format", choices=("text", "md"), default="text")
    texts.add_argument("--tables", action="store_true", help="every table of each study, whole")
    add_wide(texts)

    claims = add(
        "claims",
        "Published and widely held statements, judged on these data: a column for each machine.",
    )
    claims.add_argument("file", nargs="+", metavar="FILE", help="results files of any machines")
    claims.add_argument("--format", choices=("text", "md", "json"), default="text")
    claims.add_argument(
        "--point",
        metavar="POINT",
        help="only the claims that use this point, named as in the results file",
    )
    claims.add_argument("--all", action="store_true", help="also the claims that were not measured")

    shares = add("share", "Writes an anonymised copy: host, user and paths removed, machine kept.")
    shares.add_argument("file", metavar="FILE", help="a results file")
    shares.add_argument("-o", "--output", metavar="FILE", help="default: NAME-shared.jsonl")
    add_force(shares)

    exports = add("export", "Writes every point for other programs.")
    exports.add_argument("file", nargs="+", metavar="FILE", help="results files of one machine")
    exports.add_argument("--format", choices=("csv", "google-benchmark"), default="csv")
    exports.add_argument("-o", "--output", metavar="FILE", help="default: standard output")
    add_force(exports)

    add("schema", "Prints the JSON Schema of a results file's lines.")

    imports = add("import", "Makes a results file of published tables.")
    imports.add_argument("format", choices=("syncperformance", "table"))
    imports.add_argument(
        "source",
        metavar="DIR|FILE",
        help="syncperformance: the folder of one system; table: the output of `syncmeter show "
        "--csv`",
    )
    imports.add_argument("-o", "--output", metavar="FILE", help="default: the folder's name .jsonl")
    add_force(imports)
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
    return made
