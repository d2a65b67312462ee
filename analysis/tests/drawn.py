"""Which of the stored files, or of other things alike, a test of each of them takes."""

import os
import zlib


def drawn(paths, seed, always=None):
    """All; of a seed a quarter of them and the one that is always read."""
    return [
        path
        for path in paths
        if not seed
        or path == always
        or zlib.crc32(f"{seed} {getattr(path, 'name', path)}".encode()) % 4 == 0
    ]


def drawn_by_commit(paths, always=None):
    """By SM_DRAWN_BY, as .ci/run draws; all without."""
    return drawn(paths, os.environ.get("SM_DRAWN_BY"), always)
