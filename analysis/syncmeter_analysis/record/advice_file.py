"""Reads what `syncmeter advise --json` wrote: JSON Lines, each with its `record`, which the tables of
record/ describe."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from syncmeter_analysis.record.errors import BadLine, Unusable, printable, quoted
from syncmeter_analysis.record.members import Members, check
from syncmeter_analysis.record.reader import Complaints, objects_of
from syncmeter_analysis.record.tables import advise_records
from syncmeter_analysis.record.text_file import opened

#: The schema that this reader knows.
schema = 2


@dataclass
class AdviceFile:
    """One program. `header` is the first line; the others by their record, in the order of the file.
    `left_out`: what could not be used, a sentence each."""

    path: str
    header: Members
    call_sites: list[Members] = field(default_factory=list)
    kernels: list[Members] = field(default_factory=list)
    locks: list[Members] = field(default_factory=list)
    models: list[Members] = field(default_factory=list)
    prices: list[Members] = field(default_factory=list)
    advice: list[Members] = field(default_factory=list)
    trials: list[Members] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    @property
    def wall_s(self) -> float | None:
        """Wall time of the run in which call sites were timed. None without such a run."""
        timed = (run["wall_s"] for run in self.header["runs"] if run["arm"] == "time")
        return next(timed, None)

    def run_s_of(self, advice: Members) -> float | None:
        """Wall time of the run that the advice's seconds belong to. None without seconds."""
        return (advice.get("run_s") or self.wall_s) if advice.get("saves_s") else None


def read_advice(path: str | Path) -> AdviceFile:
    """The file, which xz, gzip or Zstandard may have packed. Raises Unusable where it cannot be read or
    is no such file."""
    name = printable(str(path))
    with opened(Path(path)) as lines:
        return _read(name, lines)


def _read(name: str, lines: BinaryIO) -> AdviceFile:
    complaints = Complaints()
    objects = objects_of(name, lines, complaints, "`syncmeter advise`")
    if (first := next(objects, None)) is None:
        raise Unusable(f"{name} holds no line of JSON: it is not a file of `syncmeter advise`")
    file = AdviceFile(name, _header(name, first[1]))
    rows = {"call_site": file.call_sites, "lock": file.locks, "model": file.models}
    rows |= {"kernel": file.kernels, "price": file.prices}
    rows |= {"advice": file.advice, "trial": file.trials}
    for number, line in objects:
        record = str(line.get("record"))
        if record == "advise":
            raise Unusable(
                f"{name}, line {number}: a second line of record advise; two files were put together: "
                "give them one by one"
            )
        if record not in rows:
            continue  # of a later version
        try:
            check(line, advise_records[record])
            rows[record].append(line)
        except BadLine as error:
            complaints.add(f"line {number}: {error}")
        except OverflowError:
            complaints.add(f"line {number}: a number is too large")
    file.left_out = complaints.notes()
    return file


def _header(name: str, line: Members) -> Members:
    if line.get("kind") == "campaign":
        raise Unusable(f"{name} is a results file; `syncmeter text {name}` shows it")
    if line.get("record") != "advise":
        raise Unusable(
            f"{name} does not begin with a line of record advise: it is not a file of `syncmeter "
            "advise --json`"
        )
    if (found := line.get("schema")) != schema:
        is_older = type(found) is int and 0 < found < schema
        todo = (
            "make a new file: syncmeter advise --json FILE -- PROGRAM"
            if is_older
            else "a newer syncmeter may read it"
        )
        raise Unusable(
            f"{name}: schema {quoted(found)} is not supported; this version reads {schema}. {todo}"
        )
    try:
        check(line, advise_records["advise"])
    except BadLine as error:
        raise Unusable(f"{name}, the first line: {error}") from None
    return line
