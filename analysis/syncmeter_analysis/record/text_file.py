"""Results files as text, compressed (Zstandard, xz, gzip) or not."""

from __future__ import annotations

import gzip
import io
import lzma
import os
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, BinaryIO, cast

from syncmeter_analysis.record.errors import Unusable, printable

# Lines of results become 10 to 50 times as long; 100 kB can hold 1 GB of one character.
_most_times = 1000
_always_allowed = 1 << 20
# What is no regular file may have no end.
_most_of_a_stream = 256 << 20

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
            about = os.fstat(file.fileno())
            is_regular = stat.S_ISREG(about.st_mode)
            most = (
                _always_allowed + _most_times * about.st_size if is_regular else _most_of_a_stream
            )
            is_zstandard = file.peek(len(_magic))[: len(_magic)] == _magic
            if path.suffix == ".xz":
                with lzma.open(file) as unpacked:
                    yield _bounded(path, cast(BinaryIO, unpacked), most)
            elif path.suffix == ".gz":
                yield _bounded(path, cast(BinaryIO, gzip.GzipFile(fileobj=file)), most)
            elif is_zstandard:
                yield from _unpacked(path, file, most)
            else:
                yield file if is_regular else _bounded(path, file, most)
    except OSError as error:
        raise Unusable(f"{printable(str(path))}: {error.strerror or 'cannot be read'}") from error
    except (EOFError, lzma.LZMAError, zlib.error) as error:
        raise Unusable(f"{printable(str(path))} cannot be unpacked: {error}") from error


class _Bounded(io.RawIOBase):
    """The bytes of another stream. Raises Unusable beyond `most` of them."""

    def __init__(self, path: Path, stream: Any, most: int) -> None:
        self._path, self._stream, self._most, self._left = path, stream, most, most

    def readable(self) -> bool:
        return True

    def readinto(self, into: Any) -> int:
        text = self._stream.read(len(into))
        into[: len(text)] = text
        self._left -= len(text)
        if self._left < 0:
            raise Unusable(
                f"{printable(str(self._path))}: more than {self._most >> 20} MiB come from it, more "
                "than results of its size can be"
            )
        return len(text)


def _bounded(path: Path, stream: Any, most: int) -> BinaryIO:
    return io.BufferedReader(_Bounded(path, stream, most))


def _unpacked(path: Path, file: BinaryIO, most: int) -> Iterator[BinaryIO]:
    zstandard = _zstandard(path)
    stream = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
    try:
        yield _bounded(path, stream, most)
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


def is_packed(path: Path) -> bool:
    """Whether the name of a file says that it is compressed."""
    return path.suffix in _suffixes


def without_suffixes(path: Path) -> str:
    """The name of a results file without .jsonl and, behind it, what compressed it."""
    return (path.with_suffix("") if is_packed(path) else path).stem


def _zstandard(path: Path) -> ModuleType:
    try:
        import zstandard
    except ModuleNotFoundError:
        raise Unusable(
            f"{path} is a compressed file, which needs the Python package zstandard: scripts/run sets "
            "it up, or `pip install zstandard`"
        ) from None
    return zstandard
