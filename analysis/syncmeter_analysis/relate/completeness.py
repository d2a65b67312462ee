"""The part of a campaign that was not measured."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from syncmeter_analysis.record.machine import object_of
from syncmeter_analysis.record.reader import ResultsFile
from syncmeter_analysis.record.text_file import is_packed


@dataclass(frozen=True)
class Unfinished:
    """A campaign that its budget or a signal ended. `file` can be resumed; it is '' if the file is
    packed or not a file."""

    done: int
    planned: int
    file: str = ""
    is_packed: bool = False


def unfinished(file: ResultsFile) -> Unfinished | None:
    """Returns None for a complete campaign."""
    planned = object_of(file.campaign, "plan").get("visits")
    ended = bool(file.ends) and file.ends[-1].get("reason") in ("budget", "interrupted")
    done = len(file.visits)
    if not ended or not isinstance(planned, int) or done >= planned:
        return None
    where = Path(file.path)
    is_file = where.is_file() and Path("/dev") not in where.parents
    packed = is_file and is_packed(where)
    return Unfinished(done, planned, file.path if is_file and not packed else "", packed)
