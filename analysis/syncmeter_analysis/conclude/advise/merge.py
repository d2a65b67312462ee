"""Merges the conclusions of this room and the driver's advice into one ranked list, and judges it for
--fail-above."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from syncmeter_analysis.conclude.conclusion import Conclusion
from syncmeter_analysis.record.advice_file import AdviceFile
from syncmeter_analysis.record.members import Members

#: The driver's advice on these causes covers the locks at its call sites.
_of_driver = frozenset({"oversubscription", "readers", "padding", "interpreter"})


@dataclass(frozen=True)
class Entry:
    """A cause of the list, which has a conclusion or the driver's advice. `gain` is the greatest share
    of the run that the change may save, None if unknown. `seen` is the share of a thread's time."""

    rank: int
    conclusion: Conclusion | None
    advice: Members | None
    gain: float | None
    seen: float | None
    is_of_setting: bool = False


def covered_sites(advice: Iterable[Members]) -> set[int]:
    """Returns the call sites whose locks the driver's advice covers."""
    return {site for each in advice if each["rule"] in _of_driver for site in each["sites"]}


def sites_of(conclusions: Iterable[Conclusion]) -> set[int]:
    """Returns the call sites in the evidence."""
    return {site for c in conclusions for site in c.ids_of("call_site")}


def ranked(file: AdviceFile, conclusions: Sequence[Conclusion]) -> list[Entry]:
    """Returns the list: causes of the setting first, then by gain, or by seen share if the gain is
    unknown. Threads that wake each other for a lock are a part of the lock's cause."""
    mine = sites_of(conclusions)
    entries = [_of_conclusion(c) for c in conclusions]
    for advice in sorted(file.advice, key=lambda each: int(each["rank"])):
        if advice["rule"] == "handoffs" and mine & set(advice["sites"]):
            continue
        entries.append(_of_advice(file, advice))
    entries.sort(key=_order)
    return [replace(entry, rank=rank) for rank, entry in enumerate(entries, 1)]


def _order(entry: Entry) -> tuple[bool, float]:
    share = entry.seen if entry.gain is None else entry.gain
    return not entry.is_of_setting, -(share or 0.0)


def _of_conclusion(c: Conclusion) -> Entry:
    gain = None
    if c.effect and c.effect.after_s and c.reference and c.reference.wall_s:
        gain = 1 - c.effect.after_s[0] / c.reference.wall_s
    seen = c.costs[0].lost_share if c.costs else None
    return Entry(0, c, None, gain, seen)


def _of_advice(file: AdviceFile, advice: Members) -> Entry:
    gain, saves, run_s = None, advice.get("saves_s"), file.run_s_of(advice)
    if saves and run_s:
        gain = min(1.0, saves["high"] / run_s)
    seen = advice.get("seen_share")
    return Entry(0, None, advice, gain, seen, bool(advice.get("of_setting")))


@dataclass(frozen=True)
class Gate:
    """The verdict for --fail-above. `unjudged` names why a gain may be greater than known."""

    status: int
    unjudged: tuple[str, ...] = ()


def gate_of(file: AdviceFile, entries: Sequence[Entry], limit: float, version: str) -> Gate:
    """Returns status 1 if a known gain exceeds the limit, 3 if a greater gain is possible, or 0.
    `version` names this package."""
    if any(entry.gain is not None and entry.gain > limit for entry in entries):
        return Gate(1)
    header = file.header
    found = {
        "left_out": bool(file.left_out),
        "version": header.get("version") != version,
        "no_run": not header["runs"],
        "not_counted": bool(header.get("not_counted")),
        "withheld": bool(header.get("withheld") and file.call_sites),
        "unknown_gain": any(entry.gain is None for entry in entries),
    }
    reasons = tuple(name for name, is_true in found.items() if is_true)
    return Gate(3 if reasons else 0, reasons)
