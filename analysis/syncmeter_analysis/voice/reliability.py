"""The reliability of a campaign: a verdict for the top of a screen, and details for its end."""

from __future__ import annotations

from collections.abc import Iterator

from syncmeter_analysis.conclude.recommend import least_gain_in_noise
from syncmeter_analysis.conclude.reliability import (
    Reliability,
    disturbed_from,
    grade_of_repetitions,
    quiet_share,
)
from syncmeter_analysis.voice import numbers
from syncmeter_analysis.voice.words import counted, has, listed, say

#: The details fit into two terminal lines.
_most_details = 150


def reliability_line(found: Reliability) -> str:
    """Returns the grade, its reason and what to trust: `Reliability: poor (only 1 repetition): ...`."""
    reason, trust = _reason(found)
    line = say("reliability.line", grade=found.grade, reason=reason)
    least = numbers.plain(least_gain_in_noise, 2)
    return say(f"reliability.trust.{trust}", line=line, least=least)


def _reason(found: Reliability) -> tuple[str, str]:
    """Returns the reason for the grade, and the name of what to trust."""
    grade, share = found.grade, found.disturbed_share
    if found.imported or share is None:
        return say(f"reliability.{'imported' if found.imported else 'no_noise'}"), grade
    if found.controls == "failed":
        return say("reliability.failed"), "nothing"
    worst = _noise(found)
    if is_from_repetitions(found):
        few = counted("reliability.few", found.repetitions)
        is_loaded = "programs" in found.causes
        return say("reliability.few_loaded", few=few) if is_loaded else few, grade
    if found.controls == "missed" and worst <= quiet_share:
        return _missed(found), "above_miss"
    if found.causes and worst <= quiet_share:
        return say("reliability.loaded"), grade
    if found.gpu_notes and worst <= quiet_share:
        return found.gpu_notes[0], grade
    name = "lost" if found.noisy_share else "disturbed" if share else "undisturbed"
    return say(f"reliability.{name}", share=numbers.percent(worst)), grade


def _noise(found: Reliability) -> float:
    return max(found.disturbed_share or 0.0, found.noisy_share or 0.0)


def is_from_repetitions(found: Reliability) -> bool:
    """Returns whether the run was calm enough, but has too few repetitions for a better grade."""
    grade, count = found.grade, found.repetitions
    is_grade = count > 0 and grade == grade_of_repetitions(count) != "good"
    return is_grade and found.controls != "failed" and _noise(found) < disturbed_from


def reliability_details(found: Reliability, most: int = _most_details) -> str:
    """Returns as many facts as fit, the most important first."""
    if found.imported:
        return ""
    details = say("reliability.details")
    for fact in facts(found):
        if len(details) + 1 + len(fact) <= most:
            details = f"{details} {fact}"
    return details


def facts(found: Reliability) -> Iterator[str]:
    """Returns what the verdict rests on and what to do about noise, the most important first."""
    yield from fixes(found)
    if found.controls == "missed":
        yield say("reliability.trust.above_miss", line=say("reliability.miss", text=_missed(found)))
    elif has(f"reliability.controls.{found.controls}"):
        yield say(f"reliability.controls.{found.controls}")
    if found.failed:
        name = "reliability.failures_because" if found.failure else "reliability.failures"
        yield say(name, count=counted("common.configurations", found.failed), reason=found.failure)
    reason, _ = _reason(found)
    if found.repetitions and not is_from_repetitions(found):
        yield counted("reliability.repetitions", found.repetitions)
    if found.checked and found.verified == found.checked:
        yield say("reliability.verified")
    elif found.checked:
        yield say("reliability.verified_some", count=found.verified, all=found.checked)
    yield from (
        say("reliability.sentence", text=note) for note in found.gpu_notes if note not in reason
    )
    yield from _places(found)
    yield from clock(found)


def clock(found: Reliability) -> Iterator[str]:
    """Yields the CPU clock range, if the clock changed."""
    if found.clock_ghz:
        slow, fast = (numbers.plain(ghz, 3) for ghz in found.clock_ghz)
        yield say("reliability.clock", slow=slow, fast=fast)


def fixes(found: Reliability) -> Iterator[str]:
    """Returns what to do about each cause of noise."""
    others, stolen = (numbers.plain(x or 0.0, 2) for x in (found.others_cpus, found.stolen_cpus))
    named = say("reliability.named", programs=", ".join(found.programs)) if found.programs else ""
    for cause in found.causes:
        yield say(f"reliability.fixes.{cause}", others=others, stolen=stolen, named=named)


def _missed(found: Reliability) -> str:
    ns = [numbers.duration(found.miss_ns)] if found.miss_ns else []
    share = [numbers.percent(found.miss_share)] if found.miss_share else []
    miss = listed([*ns, *share])
    return say("reliability.missed_by" if miss else "reliability.missed", miss=miss)


def _places(found: Reliability) -> Iterator[str]:
    if found.hops_ns:
        yield say("reliability.hops", hops=listed([numbers.cost(hop) for hop in found.hops_ns]))
    elif found.hop_ns:
        yield say("reliability.hop", hop=numbers.cost(found.hop_ns))
    elif found.is_guest:
        yield say("reliability.unknown_hop")
