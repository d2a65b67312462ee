"""Results files as text, compressed (Zstandard, named *.zst) or not."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import BinaryIO

from syncmeter_analysis.data.errors import Unusable

_magic = b"\x28\xb5\x2f\xfd"


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """The file's text, whatever its name is: of a compressed one that was cut off all that is whole.

    Raises Unusable where it cannot be read, its compression is damaged, or `zstandard` is missing.
    """
    try:
        with path.open("rb") as file:
            if file.read(len(_magic)) != _magic:
                file.seek(0)
                yield file
                return
            file.seek(0)
            zstandard = _zstandard(path)
            unpacked = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
            try:
                yield io.BufferedReader(unpacked)
            except zstandard.ZstdError as error:
                raise Unusable(f"{path}: damaged: {error}") from error
    except OSError as error:
        raise Unusable(f"{path}: {error.strerror or 'cannot be read'}") from error


def text_of(path: Path) -> bytes:
    """All of the file; raises Unusable as `opened` does."""
    with opened(path) as file:
        return file.read()


def write_text(path: Path, text: str) -> None:
    """Writes a file, compressed where its name says so. Raises OSError, and Unusable where `zstandard`
    is missing."""
    written = text.encode()
    if path.suffix == ".zst":
        written = _zstandard(path).ZstdCompressor().compress(written)
    path.write_bytes(written)


def without_suffixes(path: Path) -> str:
    """The name of a results file without .jsonl and .zst."""
    return (path.with_suffix("") if path.suffix == ".zst" else path).stem


def _zstandard(path: Path) -> ModuleType:
    try:
        import zstandard
    except ModuleNotFoundError:
        raise Unusable(
            f"{path} is a compressed file, which needs the Python package zstandard: scripts/run sets "
            "it up, or `pip install zstandard`"
        ) from None
    return zstandard
