"""The options of the command `syncmeter-report`."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Mapping
from typing import NoReturn

from syncmeter_analysis import __version__
from syncmeter_analysis.record.errors import printable, shortened

#: Runs one command; its exit status.
Run = Callable[[argparse.Namespace], int]


def _part(text: str, whole: float, fits: Callable[[float], bool], what: str) -> float:
    """`5%`, or 0.05; numbers from `whole` on are per cent too."""
    try:
        value = float(text.rstrip("%"))
    except ValueError:
        value = math.nan
    if text.endswith("%") or value >= whole:
        value /= 100
    if not fits(value):
        raise argparse.ArgumentTypeError(f"'{text}' is not {what}")
    return value


def _share(text: str) -> float:
    what = "a share; allowed: 0% to below 100%, such as 5%"
    return _part(text, 1, lambda share: 0 <= share < 1, what)


def _change(text: str) -> float:
    what = "a change; allowed: above 0%, such as 50%"
    return _part(text, math.inf, lambda change: 0 < change < 1000, what)


def _count(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number above 0")
    return int(text)


class _Parser(argparse.ArgumentParser):
    """Says a mistake in letters that a terminal draws, and not at any length."""

    def error(self, message: str) -> NoReturn:
        super().error(printable(shortened(message)))


class _Options(_Parser):
    """The options of one command; those that several have are methods."""

    def files(self, what: str = "results files of one machine") -> None:
        self.add_argument("file", nargs="+", metavar="FILE", help=what)

    def threshold(self, default: str) -> None:
        what = f"ignore differences up to this share (default {default})"
        self.add_argument("--threshold", type=_share, metavar="SHARE", help=what)

    def format(self, *formats: str) -> None:
        self.add_argument("--format", choices=formats, default=formats[0])

    def gate(self, sees: str, fails: str) -> None:
        self.add_argument("--sees", type=_change, default=0.5, metavar="SHARE", help=sees)
        self.add_argument("--blind", choices=("fail", "ignore"), default="fail", help=fails)

    def output(self, default: str) -> None:
        self.add_argument("-o", "--output", metavar="FILE", help=f"default: {default}")

    def flag(self, name: str, what: str) -> None:
        self.add_argument(name, action="store_true", help=what)

    def wide(self) -> None:
        self.flag("--wide", "every column, however narrow the terminal is")

    def figure_and_page(self, drawn: str, page: str) -> None:
        what = f"draw the {drawn}: .svg, .png, .pdf or .html"
        self.add_argument("--figure", metavar="FILE", help=what)
        what = f"write {page} that needs no network"
        self.add_argument("--html", metavar="FILE", help=what)

    def force(self) -> None:
        self.flag(
            "--force",
            "replace files that exist; never an input or a results file of measured figures",
        )


def parser(runs: Mapping[str, Run]) -> argparse.ArgumentParser:
    """The options of every command; `run` of what it parses is the command's function in `runs`."""
    made = _Parser(
        prog="syncmeter",
        description="Prints what syncmeter's results files show.",
        epilog="Exit status: 0 success; 1 compare found something slower, fleet a node that "
        "differs, or "
        "advise a gain above --fail-above, or the output cannot be written; 2 wrong options, or files "
        "that cannot be read or compared; 3 compare or fleet found nothing, but the data are not "
        "sensitive enough, or advise --fail-above cannot be judged.",
    )
    made.add_argument("--version", action="version", version=f"syncmeter-report {__version__}")
    commands = made.add_subparsers(
        dest="command", required=True, metavar="COMMAND", parser_class=_Options
    )

    def add(name: str, text: str) -> _Options:
        sub = commands.add_parser(name, help=text, description=text)
        sub.set_defaults(run=runs[name])
        return sub

    compare = add(
        "compare",
        "Shows which configurations differ between two results files, or within one file by backend, "
        "device, compiler or affinity.",
    )
    compare.files("two files, OLD NEW; one file of `syncmeter ab`; with --by any number of files")
    compare.add_argument(
        "--by",
        choices=("backend", "device", "compiler", "affinity"),
        help="compare configurations within the files that differ only in this",
    )
    compare.threshold("5%%; for a file of `syncmeter ab` the one it was measured with")
    compare.gate(
        "smallest change that must be detectable in every configuration (default 50%%)",
        "fail (default): status 3 if nothing is slower, but some configurations are not "
        "sensitive enough",
    )
    compare.add_argument(
        "--across",
        action="append",
        default=[],
        metavar="AXIS",
        help="compare configurations although they differ in this: an axis, `machine`, or `hop` (vCPU "
        "placement)",
    )
    compare.flag("--all", "show every configuration, not only the changed ones")
    compare.format("text", "json", "markdown", "junit")
    compare.wide()
    compare.figure_and_page("differences", "the comparison as one page")
    compare.force()

    fleet = add("fleet", "Shows which nodes of a cluster differ from the others.")
    fleet.files("results files, one of each node")
    fleet.threshold("2%%")
    fleet.gate(
        "smallest slowdown of a node that must be detectable (default 50%%)",
        "fail (default): status 3 if no node differs, but some are left out or not sensitive enough",
    )
    fleet.format("text", "json", "markdown", "junit")
    fleet.flag("--all", "show every configuration, node and note")
    fleet.wide()
    fleet.figure_and_page("nodes", "one page")
    fleet.force()

    html = add(
        "html",
        "Writes one HTML page that needs no network: recommendations, costs, reliability, charts, "
        "claims, and the method.",
    )
    md = add("md", "Writes the same report as Markdown.")
    for report, output in ((html, "report.html"), (md, "standard output")):
        report.files()
        report.output(output)
        report.add_argument(
            "--static", metavar="DIR", help="also write every figure as SVG, PNG and PDF"
        )
        report.force()

    texts = add("text", "Prints recommendations from a results file, with costs and reliability.")
    texts.files()
    texts.add_argument(
        "--study",
        action="append",
        default=[],
        metavar="NAME",
        help="only this study; may be given several times",
    )
    texts.format("text", "markdown", "json")
    texts.flag("--tables", "also print every table of each study")
    texts.wide()

    claims = add(
        "claims",
        "Judges published and widely held statements on these files, a column for each machine.",
    )
    claims.files("results files of any machines")
    claims.format("text", "json", "markdown", "junit")
    claims.add_argument(
        "--point",
        metavar="POINT",
        help="only the claims that use this configuration, named as in the results file",
    )
    claims.flag("--all", "also show claims without measured data")

    shares = add(
        "share", "Writes a copy without host, user and paths; the description of the machine stays."
    )
    shares.add_argument("file", metavar="FILE", help="a results file")
    shares.output("NAME-shared.jsonl")
    shares.force()

    exports = add("export", "Writes every configuration for other programs.")
    exports.files()
    exports.format("csv", "google-benchmark")
    exports.output("standard output")
    exports.force()

    advise = add(
        "advise",
        "Shows why a program is slow, what to change and the effect, from the file of `syncmeter "
        "advise "
        "--json`.",
    )
    advise.add_argument("file", metavar="FILE", help="file written by `syncmeter advise --json`")
    advise.format("text", "json", "markdown")
    advise.flag("--sites", "also the tables of call sites, locks and kernels")
    advise.flag("--verbose", "also details, trials, models, unit costs, runs and notes")
    advise.add_argument(
        "--fail-above",
        type=_share,
        metavar="SHARE",
        help="end with status 1 if a change may save more than this share of the run, such as "
        "10%%, and "
        "with 3 if the program cannot be judged",
    )
    advise.wide()
    advise.figure_and_page("time of each site", "one page")
    advise.force()

    schema = add("schema", "Prints the JSON Schema of a file's lines.")
    schema.add_argument(
        "of",
        nargs="?",
        choices=("results", "advise", "conclusions"),
        default="results",
        help="results: results files (default); advise: files of `syncmeter advise --json`; "
        "conclusions: "
        "output of `text --format json`",
    )

    imports = add("import", "Makes a results file of published tables.")
    imports.add_argument("format", choices=("syncperformance", "epcc", "table"))
    imports.add_argument(
        "source",
        metavar="DIR|FILE",
        help="syncperformance: folder of one system; epcc: output of EPCC's OpenMP "
        "microbenchmarks; table: "
        "output of `syncmeter show --csv`",
    )
    imports.output("the source's name .jsonl")
    imports.force()
    imports.add_argument(
        "--aggregate",
        choices=("max", "min", "med", "avg"),
        default="max",
        help="how the threads' values are combined; the paper uses max",
    )
    imports.add_argument(
        "--backend",
        choices=("omp", "omp-llvm"),
        default="omp",
        help="for epcc: the OpenMP runtime, GCC's (omp, the default) or LLVM's",
    )
    imports.add_argument("--cpu", default="", help="the CPU's name, which the tables do not give")
    imports.add_argument("--gpu", default="", help="the GPU's name, for a table")
    imports.add_argument("--cores", type=_count, help="cores of the machine")
    imports.add_argument("--cpus", type=_count, help="CPUs of the machine")
    return made
