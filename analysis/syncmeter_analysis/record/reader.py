"""Reads a results file: JSON Lines (docs/reference/results-file.md), compressed or not.

What cannot be used is left out, with a sentence in `notes`; a file without any figure is Unusable.
"""

from __future__ import annotations

import gc
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from syncmeter_analysis.record.arms import split_arms
from syncmeter_analysis.record.driver import point_lines
from syncmeter_analysis.record.errors import BadLine, Unusable, printable, quoted
from syncmeter_analysis.record.json_line import parsed
from syncmeter_analysis.record.machine import object_of
from syncmeter_analysis.record.members import Members, check, is_number
from syncmeter_analysis.record.point import Point, point_from
from syncmeter_analysis.record.tables import end_members, point_members, statuses
from syncmeter_analysis.record.text_file import opened
from syncmeter_analysis.record.visit import Visit, check_status, point_of, visit_from

#: The schema that this reader knows; every minor of this major can be read.
schema_major, schema_minor = 1, 1

# How a visit's raw rounds begin. Inside a text the quotes would be escaped.
_rounds = re.compile(rb'"rounds": ?(?=\[\[)')

# With raw rounds a line has a few MiB; what never ends is no results file.
_longest_line = 64 << 20

_largest = sys.float_info.max

# Beyond this many notes of one kind only their number is written.
_most_notes = 5


@dataclass
class ResultsFile:
    """One campaign. `visits`: of each point's key and visit number its last line;
    `estimates` by key the lines of points behind the last visit, checked; `visit_lines` the numbers of
    the lines with visits."""

    path: str
    location: Path
    campaign: dict[str, Any]
    workers: list[dict[str, Any]] = field(default_factory=list)
    visits: dict[tuple[str, int], Visit] = field(default_factory=dict)
    estimates: dict[str, tuple[Point, Members]] = field(default_factory=dict)
    same: list[tuple[Point, Point, str]] = field(default_factory=list)
    refused: list[tuple[Point, str, str]] = field(default_factory=list)
    ends: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    first_line: int = 1
    visit_lines: set[int] = field(default_factory=set)

    @property
    def builds(self) -> list[dict[str, Any]]:
        """What the workers say of how they were built."""
        return [w["build"] for w in self.workers if isinstance(w.get("build"), dict)]

    @property
    def compilers(self) -> dict[str, str]:
        """The name of each build's compiler, by the id that points have of their build."""
        return {str(b.get("id")): str(b["compiler"]) for b in self.builds if b.get("compiler")}

    def estimate(self) -> None:
        """Has the driver estimate the points unless the file holds all their estimates. Raises
        Unusable."""
        if all(key in self.estimates for key, _ in self.visits):
            return
        self.estimates.clear()
        points = {visit.point.key: visit.point for visit in self.visits.values()}
        with opened(self.location) as lines:
            found, texts = point_lines(self.path, self._visit_lines(lines))
        complaints = Complaints()
        for text in texts:
            complaints.add(text)
        self.notes += complaints.notes()
        for line in found:
            _add(self, parsed(line), points)

    def _visit_lines(self, lines: BinaryIO) -> Iterator[bytes]:
        """The file with its visits alone, each where it stands, for what the driver says of lines."""
        for number, text in _numbered(self.path, lines):
            if number == self.first_line:
                # By `ab` a reader knows that names of backends may hold an arm.
                arms = b',"ab":{}' if "ab" in self.campaign else b""
                yield b'{"kind":"campaign","schema":{"major":1,"minor":0}' + arms + b"}\n"
            else:
                yield text.rstrip() + b"\n" if number in self.visit_lines else b"{}\n"


class Complaints:
    """Collects what was left out: the first few by line number, then how many more."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.more = 0

    def add(self, text: str) -> None:
        if len(self.lines) < _most_notes:
            self.lines.append(f"{text}; it is left out")
        else:
            self.more += 1

    def notes(self) -> list[str]:
        return self.lines + ([f"{self.more} more lines are left out"] if self.more else [])


def read_results(path: str | Path) -> ResultsFile:
    """The campaign in `path`, which xz, gzip or Zstandard may have packed.

    Raises Unusable where the file cannot be read, is empty, is no results file, is of another major
    schema, or holds neither a visit nor a refused point that can be used.
    """
    name = printable(str(path))
    # Millions of small objects that all live on: looking for garbage among them takes a third.
    collecting = gc.isenabled()
    gc.disable()
    try:
        with opened(Path(path)) as lines:
            return _read(name, Path(path), lines)
    finally:
        if collecting:
            # Nor does a later search look at them again.
            gc.freeze()
            gc.enable()


def _numbered(name: str, lines: BinaryIO) -> Iterator[tuple[int, bytes]]:
    number = 0
    while text := lines.readline(_longest_line):
        number += 1
        if len(text) == _longest_line:
            raise Unusable(f"{name}, line {number}: longer than {_longest_line >> 20} MiB")
        yield number, text


def objects_of(
    name: str, lines: BinaryIO, complaints: Complaints, writer: str
) -> Iterator[tuple[int, Members]]:
    """Each line that is an object, with its number; `complaints` gets the others. Raises Unusable where
    there is no line at all: `writer` is what should have written one."""
    empty = True
    for number, text in _numbered(name, lines):
        if not text.strip():
            continue
        empty = False
        try:
            yield number, parsed(without_rounds(text))
        except BadLine as error:
            torn = not text.endswith(b"\n")
            why = f"the last line is incomplete ({writer} was killed)" if torn else str(error)
            complaints.add(f"line {number}: {why}")
    if empty:
        raise Unusable(
            f"{name} is empty: {writer} ended before its first line, or this is not its results file"
        )


def _read(name: str, location: Path, lines: BinaryIO) -> ResultsFile:
    """Reads line by line: raw rounds are most of a file, and nobody holds them all."""
    complaints = Complaints()
    objects = objects_of(name, lines, complaints, "the campaign")
    if (first := next(objects, None)) is None:
        raise Unusable(f"{name} holds no line of JSON: it is not a results file of syncmeter")
    file = _begun(name, location, *first)
    points: dict[str, Point] = {}
    for number, line in objects:
        if line.get("kind") == "campaign":
            raise Unusable(
                f"{name}, line {number}: a second campaign line; two files were put together, whose "
                f"figures may be of different machines: give them one by one"
            )
        if "ab" in file.campaign:
            split_arms(line)
        try:
            if _add(file, line, points):
                file.visit_lines.add(number)
        except BadLine as error:
            complaints.add(f"line {number}: {error}")
        except OverflowError:
            complaints.add(f"line {number}: a number is too large")
    file.notes += complaints.notes()
    if not file.visits and not file.refused and "ab" not in file.campaign:
        why = f" ({complaints.notes()[0]})" if complaints.lines else ""
        raise Unusable(f"{name} holds no visit: nothing was measured{why}")
    return file


def _begun(name: str, location: Path, number: int, line: Members) -> ResultsFile:
    """The file by its first line. Raises Unusable."""
    if line.get("record") == "advise":
        raise Unusable(
            f"{name} is a file of `syncmeter advise`; `syncmeter-report advise {name}` shows it"
        )
    if line.get("kind") != "campaign":
        raise Unusable(
            f"{name} does not begin with a campaign line: it is not a results file of syncmeter"
        )
    schema = object_of(line, "schema")
    major, minor = schema.get("major"), schema.get("minor", 0)
    if major != schema_major:
        is_newer = isinstance(major, int) and major > schema_major
        hint = " (a newer syncmeter may read it)" if is_newer else ""
        raise Unusable(
            f"{name}: schema {quoted(major)} is not supported; this version reads major "
            f"{schema_major}{hint}"
        )
    file = ResultsFile(name, location, line, first_line=number)
    if isinstance(minor, int) and minor > schema_minor:
        file.notes.append(
            f"the file's schema is {schema_major}.{minor}, this reader's "
            f"{schema_major}.{schema_minor}: members that it does not know are left out"
        )
    return file


def without_rounds(text: bytes) -> bytes:
    """The line with an empty list of raw rounds.

    They are most of a line, and nobody here asks for them: parsing them took half of the time that
    `text` had.
    """
    found = _rounds.search(text)
    if found is None:
        return text
    begin = found.end()
    end = text.find(b"]]", begin) + 2
    # With a text in it this may not be the list's end: then the line is read as it is.
    if end < 2 or b'"' in text[begin:end]:
        return text
    return b"".join((text[:begin], b"[]", text[end:]))


def _add(file: ResultsFile, line: Members, points: dict[str, Point]) -> bool:
    """Adds the line's content. Returns whether the line is a visit. Raises BadLine."""
    kind = line.get("kind")
    if kind == "visit":
        visit = visit_from(line, points)
        file.visits[visit.point.key, visit.number] = visit
        file.estimates.clear()  # what was estimated before this visit is no longer so
    elif kind == "point":
        point = point_of(line.get("point"), points)
        check(line, point_members)
        check_status(line)
        for state in line.get("states") or ():
            _check_state(state)
        file.estimates[point.key] = point, line
    elif kind == "same":
        same = point_from(line.get("point")), point_from(line.get("measured_as"))
        file.same.append((*same, str(line.get("why") or "")))
    elif kind == "refused":
        status = line.get("status")
        status = str(status) if status in statuses else "unsupported"
        file.refused.append((point_from(line.get("point")), status, str(line.get("reason") or "")))
    elif kind == "worker":
        file.workers.append(line)
    elif kind == "end":
        check(line, end_members)
        file.ends.append(line)
    return kind == "visit"


def _check_state(state: Members) -> None:
    """What a table cannot say of a point in one state. Raises BadLine."""
    check_status(state)
    if state.get("cost_ns") is None:
        raise BadLine("a state without a cost")
    for costs in state.get("by_visit") or ():
        # An integer may be beyond all floating-point numbers.
        if (
            type(costs) is not list
            or len(costs) < 3
            or not all(is_number(each) and abs(each) <= _largest for each in costs[:3])
        ):
            raise BadLine(f"by_visit {quoted(costs)} is no visit's number, cost and rounds")
