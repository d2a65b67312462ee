"""For how long to spin before sleeping, of what both ways to wait cost by how late the other thread is.

Spinning first and then sleeping is like renting before buying: who spins for as long as sleeping costs
more never pays more than twice what the better of the two would have cost, in time and in CPU time
alike (Karlin et al., Competitive randomized algorithms for nonuniform problems, 1990). Who wants to
lose little time alone spins longer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from syncmeter_analysis.record.interval import Interval

#: How much later than with the best fixed setting a thread may come out.
allowed_behind = 0.10

#: Latenesses are looked at between those that were measured, so many in each decade.
_steps = 50

#: Cost in ns by lateness in us.
Curve = dict[int, float]
#: Of a way to wait by the end of its costs' intervals: `low`, `value` or `high`.
CurveOf = Callable[[str], Curve]


@dataclass(frozen=True)
class Advice:
    """For how long to spin before sleeping, ns, of two ways of waiting that were measured.

    `extra` is what sleeping costs more at `extra_at_us`, from where on latenesses outlast it.
    `spin_ns` is the least time, in two digits, after which who sleeps is never more than
    `allowed_behind` behind spinning; `worst` how far behind the best fixed setting that leaves a thread
    over `latenesses`, by the costs, and `worst_at_ends` by the least favourable ends of their
    intervals; `burns_ns` of CPU time at the largest one.
    """

    extra: Interval
    extra_at_us: int
    spin_ns: float
    worst: float
    worst_at_ends: float
    latenesses: tuple[int, int]
    burns_ns: float

    @property
    def extra_ns(self) -> float:
        return self.extra.value

    @property
    def is_longest(self) -> bool:
        """Whether sleeping is too late even in the longest measured wait."""
        last_ns = 1e3 * self.latenesses[1]
        extra_ns = self.burns_ns - self.spin_ns
        return self.spin_ns >= last_ns and extra_ns > allowed_behind * last_ns

    @property
    def spares_ns(self) -> float:
        """CPU time saved in the longest measured wait, compared with only spinning."""
        return self.other_burns_ns(math.inf) - self.burns_ns

    def other_burns_ns(self, spin_ns: float) -> float:
        """What spinning for so long and then sleeping burns at the largest lateness."""
        last_ns = 1e3 * self.latenesses[1]
        slept = self.burns_ns - self.spin_ns
        return spin_ns + slept if spin_ns < last_ns else last_ns


def _wait(curve: Curve) -> Callable[[float], float]:
    """How long a wait takes, ns: the lateness and the cost beyond it, which is linear in the logarithm
    of the lateness between the points of its curve."""
    lates = sorted(curve)

    def time_ns(late_us: float) -> float:
        beyond = curve[lates[-1]]
        for low, high in pairwise(lates):
            if late_us <= high:
                part = math.log(late_us / low) / math.log(high / low)
                beyond = curve[low] + part * (curve[high] - curve[low])
                break
        return 1e3 * late_us + beyond

    return time_ns


def _between_measured(lates: Sequence[int]) -> list[float]:
    first, last = math.log10(lates[0]), math.log10(lates[-1])
    steps = max(1, math.ceil((last - first) * _steps))
    return [10 ** (first + (last - first) * i / steps) for i in range(steps + 1)]


def two_digits_up(value: float) -> int:
    """The least number of two digits and zeros that is not below this."""
    if value <= 0:
        return 0
    unit: int = 10 ** max(0, math.floor(math.log10(value)) - 1)
    return math.ceil(round(value / unit, 6)) * unit


def advice(
    spinning: CurveOf,
    sleeping: CurveOf,
    look: Interval | None = None,
    whole_ns: float = 0.0,
) -> Advice | None:
    """What to spin where one may choose between the two; None without two latenesses that both have.

    The time of a wait is the lateness and the cost beyond it. Who spins for `t` and then sleeps takes
    as long as who spins where the other thread comes within `t`, else as long as who sleeps. `look` is
    what one look takes, where looks are counted in place of time; `whole_ns` of what the time to spin
    has to be a multiple.
    """
    lates = sorted(spinning("value").keys() & sleeping("value").keys())
    if len(lates) < 2:
        return None

    def times_of(way: CurveOf) -> dict[str, Callable[[float], float]]:
        """How long a wait takes by its lateness in us, by end of the costs' intervals."""
        ends = {end: way(end) for end in ("low", "value", "high")}
        return {end: _wait({late: c[late] for late in lates}) for end, c in ends.items()}

    spins, sleeps = times_of(spinning), times_of(sleeping)
    spin, sleep = spins["value"], sleeps["value"]
    extra = {late: max(sleep(late) - spin(late), 0.0) for late in lates}
    # Who comes before that has found the waiting thread half asleep.
    too_short = [late for late in lates if 1e3 * late < extra[late]]
    extra_at = next((late for late in lates if late > max(too_short, default=0)), lates[-1])
    looked_at = _between_measured(lates)

    def too_late(late: float) -> bool:
        return sleep(late) > (1 + allowed_behind) * spin(late)

    spin_ns: float = two_digits_up(1e3 * max(filter(too_late, looked_at), default=0.0))
    while 0 < spin_ns < 1e3 * lates[-1] and too_late(spin_ns / 1e3):
        spin_ns = two_digits_up(spin_ns + 1)
    if whole_ns:
        spin_ns = math.ceil(spin_ns / whole_ns) * whole_ns
    then = min(max(spin_ns / 1e3, lates[0]), lates[-1])

    def behind(late: float, end: str, other: str, shortest: float, longest: float) -> float:
        """What is taken, at its `end`, over the better way, the other one at `other`; between the two
        times after which spinning may end each may be what is taken."""
        spun, slept = spins[end](late) / sleeps[other](late), sleeps[end](late) / spins[other](late)
        taken = [spun] * (1e3 * late <= longest) + [slept] * (1e3 * late > shortest)
        return max(1.0, *taken) - 1

    # A wait that just outlasts the spin may lie between the latenesses looked at.
    just_after = sleep(then) / spin(then) - 1 if 0 < spin_ns < 1e3 * lates[-1] else 0.0
    of_each = (behind(late, "value", "value", spin_ns, spin_ns) for late in looked_at)
    worst = max(just_after, *of_each)
    tops = [way("high")[late] for way in (spinning, sleeping) for late in lates]
    at_ends = math.inf
    if all(map(math.isfinite, tops)) and (look is None or look.bounded):
        of_looks = (
            look.scaled(spin_ns / look.value) if look else Interval(spin_ns, spin_ns, spin_ns)
        )
        ends = of_looks.low, of_looks.high
        at_ends = max(worst, *(behind(late, "high", "low", *ends) for late in looked_at))
    last = lates[-1]
    burns, latenesses = spin_ns + extra[last], (lates[0], last)

    def later(late: float) -> Interval:
        """By which share of the wait who sleeps is later than who spins, at least and at most too."""
        sides = ("value", "value"), ("low", "high"), ("high", "low")
        return Interval(*(max(sleeps[a](late) / spins[b](late) - 1, 0.0) for a, b in sides))

    at = float(extra_at)
    of_extra = later(at).scaled(spin(at)) if extra[extra_at] else Interval(0.0, 0.0, 0.0)
    return Advice(of_extra, extra_at, spin_ns, worst, at_ends, latenesses, burns)
