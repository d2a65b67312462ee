"""The command `syncmeter-report`: options in, one module's function called, its exit status out."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from syncmeter_analysis import __version__
from syncmeter_analysis.options import parser
from syncmeter_analysis.record.errors import NotWritten, Unusable, printable, shortened
from syncmeter_analysis.record.output import (
    check_outputs,
    output_style,
    output_width,
    print_all_texts,
    print_text,
    same_file,
    written,
)

if TYPE_CHECKING:
    from syncmeter_analysis.render.report import Report
    from syncmeter_analysis.studies.figures import Figure


def _compare(options: argparse.Namespace) -> int:
    from syncmeter_analysis.record.reader import read_results
    from syncmeter_analysis.relate.pairings import (
        axes,
        pairs_by_axis,
        pairs_of_files,
        pairs_of_sides,
    )
    from syncmeter_analysis.relate.relation import default_margin
    from syncmeter_analysis.render import compare

    _check_drawings(options)
    across = [axis for text in options.across for axis in text.split(",")]
    known = (*axes, "machine", "hop")
    for axis in across:
        if axis not in known:
            raise Unusable(f"--across: '{axis}' is not an axis; there are: {', '.join(known)}")
    files = [read_results(path) for path in options.file]
    threshold = default_margin if options.threshold is None else options.threshold
    if options.by:
        found = pairs_by_axis(options.by, files, threshold)
    elif len(files) == 1 and (sides := pairs_of_sides(files[0], options.threshold)):
        found = [sides]
    elif len(files) == 2:
        found = [pairs_of_files(files[0], files[1], threshold, across)]
    else:
        raise Unusable(
            f"compare: two files are needed, OLD and NEW, or one of `syncmeter ab`, not "
            f"{len(files)}; with --by any number"
        )
    for table in found:
        table.sees = options.sees
        table.blind_is_fine = options.blind == "ignore" or bool(options.by)
    _print_compared(compare, found, options)
    _draw(
        options, lambda: compare.changes_figure(found), lambda: compare.compare_report(found, files)
    )
    return compare.status_of(found)


def _fleet(options: argparse.Namespace) -> int:
    from syncmeter_analysis.relate.fleet import default_threshold, fleet_of
    from syncmeter_analysis.relate.node import read_nodes
    from syncmeter_analysis.render import fleet as rendered

    _check_drawings(options)
    threshold = default_threshold if options.threshold is None else options.threshold
    fleet = fleet_of(read_nodes(options.file), threshold)
    fleet.sees, fleet.blind_is_fine = options.sees, options.blind == "ignore"
    if not fleet.groups:
        first = fleet.left_out[0]
        raise Unusable(f"fleet: no file can be used; {first.path}: {first.why}")
    _print_compared(rendered, fleet, options)
    _draw(options, lambda: rendered.fleet_figure(fleet), lambda: rendered.fleet_report(fleet))
    return fleet.status


def _print_compared(renderer: Any, found: Any, options: argparse.Namespace) -> None:
    """Prints what the module `renderer` makes of a comparison."""
    if options.format == "text":
        print_text(renderer.as_text(found, options.all, *output_style(options.wide)))
    elif options.format == "markdown":
        print_text(renderer.as_markdown(found, options.all))
    else:
        is_json = options.format == "json"
        print_text(renderer.as_json(found) if is_json else renderer.as_junit(found))


def _advise(options: argparse.Namespace) -> int:
    from syncmeter_analysis.conclude.advise.merge import gate_of
    from syncmeter_analysis.record.advice_file import read_advice
    from syncmeter_analysis.render import advice
    from syncmeter_analysis.render.markdown import as_markdown
    from syncmeter_analysis.voice.advise import gate_line

    _check_drawings(options)
    has_gate = options.fail_above is not None
    try:
        file = read_advice(options.file)
    except Unusable as error:
        if has_gate:
            return _fail(f"--fail-above cannot be judged: {error}", 3)
        raise
    found = advice.advised(file)
    if options.figure and not found.report.figures:
        raise Unusable(f"{options.file}: no call site has a known time: there is nothing to draw")
    if options.format == "json":
        print_text(advice.as_json(found))
    elif options.format == "markdown":
        print_text(as_markdown(found.report), end="")
    else:
        style = output_style(options.wide)
        print_text(advice.as_text(found, *style, sites=options.sites, verbose=options.verbose))
    _draw(options, lambda: found.report.figures[0], lambda: found.report)
    if not has_gate:
        return 0
    verdict = gate_of(file, found.judged.entries, options.fail_above, __version__)
    if verdict.unjudged:
        return _fail(gate_line(file, verdict, __version__), verdict.status)
    return verdict.status


def _check_drawings(options: argparse.Namespace) -> None:
    """Whether what --figure and --html name may be written."""
    _check_writable(options, _path(options.figure), page=_path(options.html))
    if options.figure:
        import_module("syncmeter_analysis.render.charts.draw")


def _draw(
    options: argparse.Namespace, figure: Callable[[], Figure], report: Callable[[], Report]
) -> None:
    """What --figure and --html ask for."""
    if options.figure:
        from syncmeter_analysis.render.charts.draw import save

        save(figure(), Path(options.figure))
    if options.html:
        from syncmeter_analysis.render.page import write_page

        write_page(report(), Path(options.html))


def _report(options: argparse.Namespace) -> int:
    from syncmeter_analysis.relate.campaign import read_campaign
    from syncmeter_analysis.render.build import build
    from syncmeter_analysis.render.markdown import as_markdown, write_markdown
    from syncmeter_analysis.render.terminal import prose

    output = _path(options.output)
    page = (output or Path("report.html")) if options.command == "html" else None
    output = None if page else output
    _check_writable(options, output, page=page)
    report = build(read_campaign(options.file))
    pictures = {}
    if options.static:
        from syncmeter_analysis.render.charts.draw import all_files, save

        pictures = all_files(report.figures, Path(options.static))
        _check_writable(options, *pictures, output, page=page)
    if page:
        from syncmeter_analysis.render.page import write_page

        size = write_page(report, page)
        for card in report.head.cards[:1]:
            print_text(prose(f"{card.verb} {card.text}: {card.effect}.", output_width()))
        print_text(f"{written(page)} ({size / 1e6:.1f} MB)")
    elif output:
        write_markdown(report, output, options.static)
        print_text(written(output))
    else:
        print_text(as_markdown(report, options.static or ""), end="")
    for path, figure in pictures.items():
        save(figure, path)
    if pictures:
        where = printable(options.static)
        print(f"written: {len(report.figures)} figures in {where}", file=sys.stderr)
    return 0


def _text(options: argparse.Namespace) -> int:
    from syncmeter_analysis.conclude.studies import concluding
    from syncmeter_analysis.relate.campaign import read_campaign
    from syncmeter_analysis.relate.pairings import pairs_of_sides
    from syncmeter_analysis.render import conclusions, overview
    from syncmeter_analysis.render.terminal import as_plain
    from syncmeter_analysis.studies import first_screen, section_of, sections
    from syncmeter_analysis.studies.blocks import as_markdown
    from syncmeter_analysis.voice.machine import machine_of

    wanted = {name: section_of(name) for name in options.study}
    campaign = read_campaign(options.file)
    found = sections(campaign, options.study)
    missing = [name for name in wanted if wanted[name] not in {s.name for s in found}]
    if missing:
        raise Unusable(f"{', '.join(options.file)}: no points of the study {', '.join(missing)}")
    md, style = options.format == "markdown", output_style(options.wide)
    whole = options.wide or options.tables or md
    if options.format == "json":
        if not any(s.conclusions for s in found):
            raise Unusable(
                f"--format json: {', '.join(options.file)}: no points of a study that concludes; "
                f"these studies do: {', '.join(concluding())}"
            )
        print_text(conclusions.as_json(campaign, found))
        return 0
    arms = [t for file in campaign.files if not options.study and (t := pairs_of_sides(file))]
    texts = []
    if arms:
        from syncmeter_analysis.render import compare

        texts = [
            compare.as_markdown([t]) if md else compare.as_text([t], False, *style) for t in arms
        ]
    only = None if options.study or arms else overview.only_study(campaign, found)
    is_overview = not (options.study or arms or only)
    if is_overview:
        as_whole = overview.as_md(campaign, found) if md else ""
        texts.append(as_whole or overview.as_text(campaign, found, *style))
    others = [s.name for s in found if only and s is not only]
    for s in found if whole or not (is_overview or only) else filter(None, [only]):
        is_alone = s is only and not (whole and others)
        title = f"{s.title}: {machine_of(campaign)}" if is_alone else s.title
        blocks = s.blocks if whole else first_screen(s, others)
        texts.append(as_markdown(title, blocks) if md else as_plain(title, blocks, *style))
    print_text("\n\n".join(texts))
    return 0


def _claims(options: argparse.Namespace) -> int:
    from syncmeter_analysis.render import claims_text

    found = claims_text.judge_files(options.file)
    if options.point:
        print_text(claims_text.of_point(found, options.point, output_width()))
    elif options.format == "text":
        print_text(claims_text.as_text(found, options.all, output_width()))
    elif options.format == "json":
        print_text(claims_text.as_json(found))
    elif options.format == "junit":
        print_text(claims_text.as_junit(found))
    else:
        print_text(claims_text.as_markdown(found))
    return 0


def _import(options: argparse.Namespace) -> int:
    from syncmeter_analysis.formats.epcc import import_epcc
    from syncmeter_analysis.formats.importing import name_of
    from syncmeter_analysis.formats.syncperformance import import_syncperformance
    from syncmeter_analysis.formats.table_import import import_table

    source = Path(options.source)
    output = Path(options.output or f"{name_of(source.resolve())}.jsonl")
    _check_writable(options, output)
    machine = {"cpu": options.cpu, "cores": options.cores, "pus": options.cpus}
    if options.format == "table":
        notes = import_table(source, output, gpu=options.gpu, **machine)
    elif options.format == "epcc":
        notes = import_epcc(source, output, backend=options.backend, **machine)
    else:
        notes = import_syncperformance(source, output, aggregate=options.aggregate, **machine)
    print_text("\n".join([*map(printable, notes), written(output)]))
    return 0


def _share(options: argparse.Namespace) -> int:
    from syncmeter_analysis.formats.share import share
    from syncmeter_analysis.record.text_file import without_suffixes

    source = Path(options.file)
    output = Path(options.output or f"{without_suffixes(source)}-shared.jsonl")
    _check_writable(options, output)
    lines, left_out = share(source, output)
    more = f", {left_out} left out" if left_out else ""
    print_text(
        f"{written(output)} ({lines} lines{more}; host, user and paths removed; check the copy "
        f"before you share it)"
    )
    return 0


def _export(options: argparse.Namespace) -> int:
    from syncmeter_analysis.formats.export import export
    from syncmeter_analysis.relate.campaign import read_campaign

    output = _path(options.output)
    _check_writable(options, output)
    print_text(export(read_campaign(options.file), options.format, output), end="")
    if output:
        print_text(written(output))
    return 0


def _schema(options: argparse.Namespace) -> int:
    from syncmeter_analysis.formats import schema

    schemas = {
        "advise": schema.advise_schema,
        "conclusions": schema.conclusions_schema,
        "results": schema.results_schema,
    }
    print_text(json.dumps(schemas[options.of](), indent=2))
    return 0


def _inputs(options: argparse.Namespace) -> list[Path]:
    if options.command == "import":
        source = Path(options.source)
        return [source, *source.rglob("runtimes.csv"), *source.rglob("log.txt")]
    files = getattr(options, "file", [])
    return [Path(files)] if isinstance(files, str) else list(map(Path, files))


def _check_writable(
    options: argparse.Namespace, *outputs: Path | None, page: Path | None = None
) -> None:
    """Refuses outputs that exist and names missing packages, before minutes of reading. Raises
    Unusable."""
    pages = [page] if page else []
    check_outputs(filter(None, outputs), _inputs(options), force=options.force, pages=pages)
    if page:
        import_module("syncmeter_analysis.render.page")


def _path(name: str | None) -> Path | None:
    return Path(name) if name else None


_runs = {
    "compare": _compare,
    "fleet": _fleet,
    "html": _report,
    "md": _report,
    "text": _text,
    "claims": _claims,
    "share": _share,
    "export": _export,
    "import": _import,
    "advise": _advise,
    "schema": _schema,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command and returns the exit status. A mistake prints a sentence to stderr."""
    print_all_texts(sys.stdout, sys.stderr)
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
            f"'{options.command}' needs the Python package {error.name}: install it, or let "
            "scripts/run set it up (`text` needs none)",
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
            print_text("", end="")
        raise


def _fail(why: str, status: int) -> int:
    if sys.stderr is not None:
        print(f"syncmeter: {printable(shortened(why))}", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
