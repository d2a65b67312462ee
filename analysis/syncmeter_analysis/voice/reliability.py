"""The reliability of a campaign in one line."""

from __future__ import annotations

from collections.abc import Iterator

from syncmeter_analysis.conclude.reliability import Reliability, disturbed_from, quiet_share
from syncmeter_analysis.voice import numbers
from syncmeter_analysis.voice.words import has, say


def reliability_line(found: Reliability) -> str:
    return say("reliability.line", grade=found.grade, facts=" ".join(_facts(found))).strip()


def _facts(found: Reliability) -> Iterator[str]:
    if found.imported:
        yield say("reliability.imported")
        return
    if found.disturbed_share is not None:
        if found.disturbed_share >= disturbed_from:
            name = "disturbed_most"
        else:
            name = "disturbed_much" if found.disturbed_share > quiet_share else "disturbed"
        yield say(f"reliability.{name}", share=numbers.percent(found.disturbed_share))
    if found.repetitions:
        yield say("reliability.repetitions", count=found.repetitions)
    if has(f"reliability.{found.controls}"):
        yield say(f"reliability.{found.controls}")
    if found.hop_ns:
        yield say("reliability.hop", hop=numbers.plain(found.hop_ns, 2))
    elif found.is_guest:
        yield say("reliability.unknown_hop")
