"""Vega, Vega-Lite and Vega-Embed as one script, from vl-convert's own copy.

vl-convert bundles it anew at each call, which takes seconds: a user's first report keeps the script
under $XDG_CACHE_HOME for those that follow, by vl-convert's version.
"""

from __future__ import annotations

import os
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path

import vl_convert


def _kept_at() -> Path:
    folder = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(folder) / "syncmeter" / f"vega-of-vl-convert-{version('vl-convert-python')}.js"


@cache
def libraries() -> str:
    """The script, without anything that would end its element in a page."""
    with suppress(OSError, RuntimeError, UnicodeDecodeError):
        return _kept_at().read_text(encoding="utf-8")
    bundle = vl_convert.javascript_bundle()  # type: ignore[call-arg]  # its stub forgets a default
    script = bundle.replace("</script", "<\\/script")
    # A report needs no folder of its user: where none can be written, the next one takes as long.
    with suppress(OSError, RuntimeError):
        path = _kept_at()
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(f".{os.getpid()}")
        unfinished.write_text(script, encoding="utf-8")
        unfinished.replace(path)
    return script
