"""What a command reads, may write, and says."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from syncmeter_analysis.record.errors import NotWritten, printable
from syncmeter_analysis.record.output import check_outputs


def inputs(options: argparse.Namespace) -> list[Path]:
    if options.command == "import":
        source = Path(options.source)
        return [source, *source.rglob("runtimes.csv"), *source.rglob("log.txt")]
    files = getattr(options, "file", [])
    return [Path(files)] if isinstance(files, str) else list(map(Path, files))


def may_write(options: argparse.Namespace, *outputs: Path | None, page: Path | None = None) -> None:
    """Before any work: nothing is written over that someone may need. Raises Unusable."""
    check_outputs(
        [path for path in outputs if path],
        inputs(options),
        force=options.force,
        pages=[page] if page else [],
    )


def path_of(name: str | None) -> Path | None:
    return Path(name) if name else None


def say(text: str, end: str = "\n") -> None:
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


def written(path: Path) -> str:
    return f"written: {printable(str(path))}"
