"""One line of a file that a stranger may have written, as an object that can be walked and shown."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

from syncmeter_analysis.record.errors import BadLine, printable

# A results file has seven levels. Many more would use up the stack of whoever walks them.
_most_levels = 32
_largest_number = 1 << 63
# Their points differ by their texts: these are read as they stand, and refused.
_of_points = ("visit", "point", "same", "refused")
_points = ("point", "measured_as")


def parsed(text: bytes) -> dict[str, Any]:
    """The object in the line, with printable texts but for those of points. In lines that are of no
    point, numbers beyond all bounds are None. Raises BadLine."""
    written = text.rstrip().decode(errors="replace").removeprefix("\ufeff")
    try:
        line = json.loads(written)
    except RecursionError:
        raise BadLine(f"nested deeper than {_most_levels} levels") from None
    except ValueError:
        raise BadLine("this is not JSON") from None
    if not isinstance(line, dict):
        raise BadLine("this is not an object")
    if written.count("[") + written.count("{") > _most_levels:
        _check_levels(line)
    if line.get("kind") not in _of_points:
        found: dict[str, Any] = _map_values(_known, line)
        return found
    # Of ASCII a text of JSON holds only DEL as it is: few lines have to be walked.
    if not written.isascii() or "\\" in written or "\x7f" in written:
        _check_letters(text, line)
        line = {k: v if k in _points else _map_values(_text, v) for k, v in line.items()}
    return line


def _check_levels(line: dict[str, Any]) -> None:
    level: list[Any] = [line]
    for _ in range(_most_levels):
        inner = [v.values() if isinstance(v, dict) else v for v in level]
        level = [v for values in inner for v in values if isinstance(v, (dict, list))]
        if not level:
            return
    raise BadLine(f"nested deeper than {_most_levels} levels")


def _check_letters(text: bytes, line: dict[str, Any]) -> None:
    try:
        text.decode()
        json.dumps({k: v for k, v in line.items() if k not in _points}, ensure_ascii=False).encode()
    except UnicodeDecodeError:
        raise BadLine("this is not UTF-8") from None
    except UnicodeEncodeError:
        raise BadLine("a text holds half of a surrogate pair") from None


def _text(value: Any) -> Any:
    return printable(value) if isinstance(value, str) else value


def _known(value: Any) -> Any:
    """None for a number beyond all bounds."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return None if isinstance(value, int) and abs(value) > _largest_number else _text(value)


def _map_values(leaf: Callable[[Any], Any], value: Any) -> Any:
    """The value with `leaf` of each text and number that it holds, and printable names."""
    if isinstance(value, list):
        return [_map_values(leaf, v) for v in value]
    if isinstance(value, dict):
        return {_text(k): _map_values(leaf, v) for k, v in value.items()}
    return leaf(value)
