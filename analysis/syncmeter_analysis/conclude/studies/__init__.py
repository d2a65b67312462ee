"""The studies that conclude, by name: each turns a campaign into conclusions, the most important
first."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from syncmeter_analysis.conclude.conclusion import Conclusion
from syncmeter_analysis.conclude.studies import locks
from syncmeter_analysis.relate.campaign import Campaign

concluding: Mapping[str, Callable[[Campaign], list[Conclusion]]] = {"locks": locks.conclude}
