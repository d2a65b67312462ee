"""The screens of the studies that conclude, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from syncmeter_analysis.conclude.conclusion import Conclusion
from syncmeter_analysis.conclude.reliability import Reliability
from syncmeter_analysis.voice import locks
from syncmeter_analysis.voice.screen import Screen

screens: Mapping[str, Callable[[Sequence[Conclusion], Reliability], Screen]] = {
    "locks": locks.screen
}
