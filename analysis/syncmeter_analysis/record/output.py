"""What commands write: a file is written whole or not at all, and never over measured figures."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

from syncmeter_analysis.record.errors import NotWritten, Unusable, printable
from syncmeter_analysis.record.text_file import opened

#: Near the top of every page that a command writes: by this it is known again, and may be replaced.
page_mark = '<meta name="generator" content="syncmeter-report'

_top_of_a_page = 4096
_most_of_a_campaign_line = 1 << 24


def check_outputs(
    outputs: Iterable[Path], inputs: Iterable[Path], *, force: bool, pages: Iterable[Path] = ()
) -> None:
    """Raises Unusable unless each of `outputs` and `pages` may be written by a command that reads
    `inputs`. Of what exists, a page of ours may be replaced by a page, and with `force` anything but
    an input and a results file of measured figures."""
    read, targets = list(inputs), set[str]()
    for path, is_page in [*((p, False) for p in outputs), *((p, True) for p in pages)]:
        if (target := os.path.realpath(path)) in targets:
            raise Unusable(f"{path} is asked for twice; give two names")
        targets.add(target)
        if not path.exists():
            if not os.path.isdir(folder := os.path.dirname(target)):
                raise Unusable(f"{path}: there is no folder {folder}")
        elif path.is_dir():
            raise Unusable(f"{path} is a folder; give the name of a file")
        elif any(same_file(path, each) for each in read):
            raise Unusable(f"{path} is the input file itself; give another name with -o")
        elif path.is_file():
            _check_replaceable(path, force or (is_page and _is_page(path)))


def _check_replaceable(path: Path, may_be_replaced: bool) -> None:
    if _has_measured_figures(path):
        raise Unusable(
            f"{path} is a results file, and is not written over, with --force neither; give another "
            f"name, or remove it first"
        )
    if not may_be_replaced:
        raise Unusable(f"{path} exists; give another name, or --force to replace it")


def same_file(a: Path | int, b: Path) -> bool:
    """One file under two names, or behind a descriptor; what cannot be looked at is none."""
    try:
        return os.path.samestat(os.stat(a), os.stat(b))
    except (OSError, ValueError):
        return False


def _is_page(path: Path) -> bool:
    with path.open("rb") as file:
        return page_mark.encode() in file.read(_top_of_a_page)


def _has_measured_figures(path: Path) -> bool:
    """A campaign's file that neither `import` nor `share` wrote: those can be made again."""
    with opened(path) as file:
        text = file.readline(_most_of_a_campaign_line)
    try:
        line = json.loads(text)
    except (ValueError, RecursionError):
        return b'"kind":"campaign"' in text
    if not isinstance(line, dict) or line.get("kind") != "campaign":
        return False
    return not line.get("imported") and line.get("shared") is not True


def write_whole(path: Path, content: bytes | str) -> None:
    """Writes beside the file and renames: a full disk leaves what was there. A device or a pipe is
    written to as it is. Raises NotWritten."""
    data = content.encode(errors="backslashreplace") if isinstance(content, str) else content
    target = Path(os.path.realpath(path))  # a link stays one
    try:
        if target.exists() and not target.is_file():
            target.write_bytes(data)
        else:
            _replace(target, data)
    except OSError as error:
        raise NotWritten(f"{path}: {error.strerror or 'cannot be written'}") from error


def _replace(target: Path, data: bytes) -> None:
    import tempfile  # most commands write nothing, and it takes 10 ms

    handle, beside = tempfile.mkstemp(".part", f".{target.name[:100]}.", target.parent)
    try:
        with open(handle, "wb") as file:
            os.fchmod(handle, _mode(target))
            file.write(data)
            file.flush()
            os.fsync(handle)
        os.replace(beside, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(beside)
        raise


def _mode(target: Path) -> int:
    if target.exists():
        return target.stat().st_mode & 0o777
    os.umask(umask := os.umask(0o077))
    return 0o666 & ~umask


def is_terminal() -> bool:
    """Whether standard output is one; a closed one is none."""
    return sys.stdout is not None and sys.stdout.isatty()


def output_width(wide: bool = False) -> int:
    """Of standard output: a terminal's own; elsewhere that of most; 0 where everything is asked for."""
    if wide:
        return 0
    return shutil.get_terminal_size().columns if is_terminal() else 80


def output_style(wide: bool) -> tuple[bool, int]:
    """Whether standard output shows colours, and its width."""
    # https://no-color.org: any value but an empty one says no.
    refused, terminal = os.environ.get("NO_COLOR"), os.environ.get("TERM", "dumb")
    coloured = is_terminal() and not refused and terminal != "dumb"
    return coloured, output_width(wide)


def print_text(text: str, end: str = "\n") -> None:
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


def print_all_texts(*streams: TextIO | None) -> None:
    """A terminal of few letters gets the others by number."""
    for stream in streams:
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(errors="backslashreplace")


def written(path: Path) -> str:
    return f"written: {printable(str(path))}"
