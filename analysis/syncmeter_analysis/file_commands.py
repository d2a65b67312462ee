"""The commands that make a file of one: import, share, export; and schema, which describes a file."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from syncmeter_analysis.command_output import may_write, path_of, say, written
from syncmeter_analysis.record.errors import printable


def import_file(options: argparse.Namespace) -> int:
    from syncmeter_analysis.formats.syncperformance import import_syncperformance
    from syncmeter_analysis.formats.table_import import import_table

    source = Path(options.source)
    output = Path(
        options.output or f"{source.resolve().name.removesuffix('.gz').removesuffix('.csv')}.jsonl"
    )
    may_write(options, output)
    machine = {"cpu": options.cpu, "cores": options.cores, "pus": options.pus}
    if options.format == "table":
        notes = import_table(source, output, gpu=options.gpu, **machine)
    else:
        notes = import_syncperformance(source, output, aggregate=options.aggregate, **machine)
    say("\n".join([*map(printable, notes), written(output)]))
    return 0


def share_file(options: argparse.Namespace) -> int:
    from syncmeter_analysis.formats.share import share
    from syncmeter_analysis.record.text_file import without_suffixes

    source = Path(options.file)
    output = Path(options.output or f"{without_suffixes(source)}-shared.jsonl")
    may_write(options, output)
    lines, left_out = share(source, output)
    more = f", {left_out} left out" if left_out else ""
    say(
        f"{written(output)} ({lines} lines{more}; host, user and paths removed; check the copy "
        f"before you share it)"
    )
    return 0


def export_file(options: argparse.Namespace) -> int:
    from syncmeter_analysis.formats.export import export
    from syncmeter_analysis.relate.campaign import read_campaign

    output = path_of(options.output)
    may_write(options, output)
    say(export(read_campaign(options.file), options.format, output), end="")
    if output:
        say(written(output))
    return 0


def print_schema(_: argparse.Namespace) -> int:
    from syncmeter_analysis.formats.schema import results_schema

    say(json.dumps(results_schema(), indent=2))
    return 0
