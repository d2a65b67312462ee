"""The type of what the data say of a claim: figures and names. voice/claims.py makes text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.relate.evidence import Pair, Pairs, enough_pairs
from syncmeter_analysis.relate.relation import default_margin


@dataclass(frozen=True)
class Note:
    """A fact beside an effect, by its name: counts, a ratio, or a reason of the results file."""

    name: str
    count: int = 0
    all: int = 0
    ratios: tuple[Interval, ...] = ()
    why: str = ""


@dataclass
class Finding:
    """The verdict on a claim. `effect` is a ratio of costs with an interval.

    `points` are ids of the evidence, `doubts` names reasons why it is unreliable. If several
    operations were judged, `parts` has the finding of each by its name, and there is no common effect.
    `example` is the pair whose ratio is nearest to the effect. `worst` is the pair that decides a claim
    about every pair. `opposed` counts pairs that contradict the verdict. `compared` are the
    pairs behind the verdict, and `decide` repeats the decision for other pairs.
    """

    verdict: str
    effect: Interval | None = None
    pairs: int = 0
    range: tuple[float, float] | None = None
    points: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    parts: dict[str, Finding] = field(default_factory=dict)
    example: Pair | None = None
    worst: Pair | None = None
    opposed: int = 0
    compared: Pairs = field(default_factory=Pairs)
    decide: Callable[[Pairs], str] | None = None

    @property
    def named_parts(self) -> dict[str, Finding]:
        """Returns the parts, or this finding by the name ''."""
        return self.parts or {"": self}

    def sound(self, verdict: str) -> list[Finding]:
        """Returns the parts with this verdict that nothing speaks against."""
        parts = self.named_parts.values()
        return [f for f in parts if f.verdict == verdict and not (f.doubts or f.opposed)]

    @property
    def ends(self) -> tuple[Pair, Pair] | None:
        """Returns the smallest and the largest ratio if a few pairs differ. No pair has the middle."""
        if not 1 < len(self.compared.found) < enough_pairs or self.effect != self.compared.typical:
            return None
        least, most = self.compared.smallest, self.compared.largest
        alike = (1 + default_margin) * least.ratio.high
        if not (least.ratio.bounded and most.ratio.bounded and alike < most.ratio.low):
            return None
        return least, most
