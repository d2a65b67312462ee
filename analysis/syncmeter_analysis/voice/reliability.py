"""The reliability of a campaign in one line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from syncmeter_analysis.conclude.reliability import (
    Reliability,
    disturbed_from,
    grade_of_repetitions,
    quiet_share,
)
from syncmeter_analysis.voice import numbers
from syncmeter_analysis.voice.words import counted, has, say


def reliability_line(found: Reliability) -> str:
    grade, facts = found.grade, " ".join(_facts(found))
    if _is_from_repetitions(found):
        count = found.repetitions
        return counted("reliability.line_because", count, grade=grade, facts=facts).strip()
    return say("reliability.line", grade=grade, facts=facts).strip()


def _is_from_repetitions(found: Reliability) -> bool:
    """Returns whether there are too few repetitions for a better grade."""
    return (
        found.repetitions > 0 and found.grade == grade_of_repetitions(found.repetitions) != "good"
    )


def _facts(found: Reliability) -> Iterator[str]:
    if found.imported:
        yield say("reliability.imported")
        return
    yield from _disturbed(found)
    if found.noisy_share:
        yield say("reliability.lost", share=numbers.percent(found.noisy_share))
    if found.repetitions and not _is_from_repetitions(found):
        yield counted("reliability.repetitions", found.repetitions)
    yield from _checks(found)
    yield from _clock(found)
    yield from (say("reliability.gpu", note=note) for note in found.gpu_notes)
    yield from _places(found)


def _disturbed(found: Reliability) -> Iterator[str]:
    share = found.disturbed_share
    if share is None:
        return
    if share >= disturbed_from:
        name = "disturbed_most"
    elif share > quiet_share:
        name = "disturbed_much"
    elif found.causes:
        name = "loaded"
    else:
        name = "disturbed" if share else "undisturbed"
    yield say(f"reliability.{name}", who=_who(found), share=numbers.percent(share))
    yield from _fixes(found)


def _who(found: Reliability) -> str:
    if not found.causes:
        return say("reliability.who.other")
    names = [say(f"reliability.who.{cause}") for cause in found.causes]
    if found.programs:
        names[0] = say("reliability.who.named", programs=", ".join(found.programs))
    whole = _joined(names)
    return whole[:1].upper() + whole[1:]


def _joined(names: Sequence[str]) -> str:
    *first, last = names
    return say("common.list", first=", ".join(first), last=last) if first else last


def noise_lines(found: Reliability) -> Iterator[str]:
    """Returns what to do about noise, and how far the clock changed."""
    yield from _fixes(found)
    yield from _clock(found)


def _clock(found: Reliability) -> Iterator[str]:
    if found.clock_ghz:
        slow, fast = (numbers.plain(ghz, 3) for ghz in found.clock_ghz)
        yield say("reliability.clock", slow=slow, fast=fast)


def _fixes(found: Reliability) -> Iterator[str]:
    """Returns what to do about each cause of noise."""
    others, stolen = (numbers.plain(x or 0.0, 2) for x in (found.others_cpus, found.stolen_cpus))
    for cause in found.causes:
        yield say(f"reliability.fixes.{cause}", others=others, stolen=stolen)


def _checks(found: Reliability) -> Iterator[str]:
    if found.controls == "missed" and (miss := _miss(found)):
        yield say("reliability.missed_by", miss=miss)
    elif has(f"reliability.{found.controls}"):
        yield say(f"reliability.{found.controls}")
    if found.checked and found.verified == found.checked:
        yield say("reliability.verified")
    elif found.checked:
        yield say("reliability.verified_some", count=found.verified, all=found.checked)
    if found.failed:
        name = "reliability.failures_because" if found.failure else "reliability.failures"
        yield say(
            name, count=counted("reliability.configurations", found.failed), reason=found.failure
        )


def _miss(found: Reliability) -> str:
    ns = [numbers.duration(found.miss_ns)] if found.miss_ns else []
    share = [numbers.percent(found.miss_share)] if found.miss_share else []
    return _joined([*ns, *share]) if ns or share else ""


def _places(found: Reliability) -> Iterator[str]:
    if found.hops_ns:
        hops = [numbers.cost(hop) for hop in found.hops_ns]
        yield say("reliability.hops", hops=_joined(hops))
    elif found.hop_ns:
        yield say("reliability.hop", hop=numbers.cost(found.hop_ns))
    elif found.is_guest:
        yield say("reliability.unknown_hop")
