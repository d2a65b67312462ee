"""Results files as text, compressed (Zstandard, xz, gzip) or not."""

from __future__ import annotations

import gzip
import io
import lzma
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import BinaryIO, cast

from syncmeter_analysis.record.errors import Unusable, printable

_magic = b"\x28\xb5\x2f\xfd"
_suffixes = (".zst", ".xz", ".gz")


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """The file's text. One that Zstandard compressed is known whatever its name is, and has all that is
    whole where it was cut off.

    Raises Unusable where it cannot be read, its compression is damaged, or `zstandard` is missing.
    """
    try:
        with path.open("rb") as file:
            is_zstandard = file.peek(len(_magic))[: len(_magic)] == _magic
            if path.suffix == ".xz":
                with lzma.open(file) as unpacked:
                    yield cast(BinaryIO, unpacked)
            elif path.suffix == ".gz":
                yield cast(BinaryIO, gzip.GzipFile(fileobj=file))
            elif not is_zstandard:
                yield file
            else:
                yield from _unpacked(path, file)
    except OSError as error:
        raise Unusable(f"{printable(str(path))}: {error.strerror or 'cannot be read'}") from error
    except (EOFError, lzma.LZMAError, zlib.error) as error:
        raise Unusable(f"{printable(str(path))} cannot be unpacked: {error}") from error


def _unpacked(path: Path, file: BinaryIO) -> Iterator[BinaryIO]:
    zstandard = _zstandard(path)
    stream = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
    try:
        yield io.BufferedReader(stream)
    except zstandard.ZstdError as error:
        raise Unusable(f"{printable(str(path))}: damaged: {error}") from error


def text_of(path: Path) -> bytes:
    """All of the file; raises Unusable as `opened` does."""
    with opened(path) as file:
        return file.read()


def compressed(path: Path, text: str) -> bytes:
    """What a file of that name is to hold, compressed where it says so. Raises Unusable where
    `zstandard` is missing."""
    plain = text.encode()
    if path.suffix == ".xz":
        return lzma.compress(plain)
    if path.suffix == ".gz":
        return gzip.compress(plain, mtime=0)
    if path.suffix != ".zst":
        return plain
    packed: bytes = _zstandard(path).ZstdCompressor().compress(plain)
    return packed


def without_suffixes(path: Path) -> str:
    """The name of a results file without .jsonl and, behind it, what compressed it."""
    return (path.with_suffix("") if path.suffix in _suffixes else path).stem


def _zstandard(path: Path) -> ModuleType:
    try:
        import zstandard
    except ModuleNotFoundError:
        raise Unusable(
            f"{path} is a compressed file, which needs the Python package zstandard: scripts/run sets "
            "it up, or `pip install zstandard`"
        ) from None
    return zstandard
