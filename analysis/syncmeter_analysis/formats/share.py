"""One anonymised results file that people can attach to an issue or a paper: no host, user or paths.

What stays is allowed by its member and by what its value looks like (shared_members.py,
shared_text.py); the machine does, without which figures mean nothing. Names of the host and of users
are replaced in what is left.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from syncmeter_analysis.formats import shared_members
from syncmeter_analysis.formats.shared_text import Sentences, names_in, without_names
from syncmeter_analysis.record.json_line import BadLine, parsed
from syncmeter_analysis.record.output import write_whole
from syncmeter_analysis.record.point import BadPoint, point_from
from syncmeter_analysis.record.reader import read_results
from syncmeter_analysis.record.text_file import compressed, text_of

_points = ("point", "measured_as")


def share(source: Path, output: Path) -> tuple[int, int]:
    """Writes `output`, a results file like `source` without names; the number of its lines, and of
    those that were left out.

    Raises Unusable as the reader does, NotWritten where `output` cannot be written.
    """
    first = read_results(source).campaign
    written = text_of(source)
    machine = first.get("machine")
    host = str(machine.get("host") or "") if isinstance(machine, dict) else ""
    names = names_in(written.decode(errors="replace"), host)
    lines = [line for text in written.splitlines() if (line := _parsed(text)) is not None]
    sentence = Sentences(_names_of_points(lines))
    rules = {"campaign": shared_members.campaign(sentence), **shared_members.others(sentence)}
    kept = [
        json.dumps(without_names(line, names), separators=(",", ":"), sort_keys=True)
        for line in (_shared(line, rules) for line in lines)
        if line is not None
    ]
    write_whole(output, compressed(output, "\n".join(kept) + "\n"))
    return len(kept), sum(1 for text in written.splitlines() if text.strip()) - len(kept)


def _parsed(text: bytes) -> dict[str, Any] | None:
    try:
        return parsed(text)
    except BadLine:
        return None


def _names_of_points(lines: list[dict[str, Any]]) -> set[str]:
    """Ops, types and the like, as the lines of this file name them."""
    points = [shared_members.shared(shared_members.point, line.get("point")) for line in lines]
    return {v for p in points if isinstance(p, dict) for v in p.values() if isinstance(v, str)}


def _shared(line: dict[str, Any], rules: dict[str, Any]) -> dict[str, Any] | None:
    """The line as it may be shared; None for one of another kind, and for one whose point has a member
    that may not be: without it, it would be another point."""
    kind = line.get("kind")
    rule = rules.get(kind) if isinstance(kind, str) else None
    if rule is None:
        return None
    found: dict[str, Any] = shared_members.shared(rule, line)
    if any(found.get(name) != line.get(name) for name in _points):
        return None
    if kind == "campaign":
        found["shared"] = True
    if kind == "visit" and "key" in line:
        try:
            key = point_from(found.get("point")).key
        except BadPoint:
            return None
        found["key"] = f"{key}|{found.get('build', '')}|{found.get('visit', '')}"
    return found
