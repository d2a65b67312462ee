"""The screen of a study."""

from __future__ import annotations

from collections.abc import Sequence

from syncmeter_analysis.conclude.conclusion import Conclusion
from syncmeter_analysis.conclude.reliability import Reliability
from syncmeter_analysis.voice import locks, study, waiting
from syncmeter_analysis.voice.screen import Screen
from syncmeter_analysis.voice.sentences import sentence
from syncmeter_analysis.voice.study import as_sure


def screen_of(name: str, conclusions: Sequence[Conclusion], reliability: Reliability) -> Screen:
    """Returns the screen of the study with this name."""
    conclusions = as_sure(conclusions, reliability)
    if name == "locks":
        return locks.screen(conclusions, reliability)
    if name == "waiting":
        return waiting.screen(conclusions, reliability)
    return study.screen(name, conclusions, reliability)


def sentence_of(name: str, conclusion: Conclusion) -> str:
    """Returns a conclusion in sentences that need no table. `name` is its study."""
    if name == "waiting":
        return " ".join(waiting.answers([conclusion]))
    return sentence(name, conclusion)
