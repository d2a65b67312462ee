"""Vega, Vega-Lite and Vega-Embed as one script, from vl-convert's own copy, packed for a page.

vl-convert bundles it anew at each call, which takes seconds: a user's first report keeps the script
under $XDG_CACHE_HOME for those that follow, by vl-convert's version.
"""

from __future__ import annotations

import base64
import gzip
import os
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path

import vl_convert


def _kept_at() -> Path:
    folder = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    name = f"vega-of-vl-convert-{version('vl-convert-python')}.js.gz.base64"
    return Path(folder) / "syncmeter" / name


@cache
def libraries() -> str:
    """The script, packed by gzip and written in base64: less than half of its size, and nothing in it
    can end its element in a page."""
    with suppress(OSError, RuntimeError, UnicodeDecodeError):
        return _kept_at().read_text(encoding="ascii")
    bundle = vl_convert.javascript_bundle()  # type: ignore[call-arg]  # its stub forgets a default
    script = base64.b64encode(gzip.compress(bundle.encode(), 9, mtime=0)).decode("ascii")
    # A report needs no folder of its user: where none can be written, the next one takes as long.
    with suppress(OSError, RuntimeError):
        path = _kept_at()
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(f".{os.getpid()}")
        unfinished.write_text(script, encoding="ascii")
        unfinished.replace(path)
    return script
