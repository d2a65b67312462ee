"""For how long to spin before sleeping, in sentences: variables of OpenMP runtimes, and own code."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.relate.spin_then_sleep import Advice, allowed_behind, two_digits_up
from syncmeter_analysis.relate.text import count, of_one_unit, surely

#: What the runtimes do where no variable is set: libgomp's looks, and libomp's time.
_default_looks, _default_blocktime, _default_blocktime_ns = 300_000, "200 ms", 2e8


@dataclass
class Runtime:
    """An OpenMP runtime: what follows of its barrier at both of its fixed settings. `pause` is what one
    look takes where it counts looks, `llvm` which LLVM's it is where that is known."""

    backend: str
    advice: Advice | None
    pause: Interval | None = None
    llvm: int | None = None

    @property
    def spins(self) -> int | None:
        """Looks of a waiting thread that last as long as it is to spin."""
        if self.advice is None or self.pause is None:
            return None
        return two_digits_up(self.advice.spin_ns / self.pause.value)

    @property
    def default_ns(self) -> float | None:
        """For how long it spins where no variable is set; None where that is not known."""
        if "llvm" in self.backend:
            return _default_blocktime_ns
        return _default_looks * self.pause.value if self.pause else None


def llvm_of(compiler: str) -> int | None:
    """The number of the LLVM whose runtime a compiler brings along; None of others."""
    found = re.match(r"Clang (\d+)", compiler)
    return int(found[1]) if found else None


def whole_ns_of(llvm: int | None) -> float:
    """Of what the time in KMP_BLOCKTIME is a multiple: microseconds came with LLVM 18."""
    return 1e6 if llvm is not None and llvm < 18 else 0.0


def own_code(a: Advice, spin: str, sleep: str, where: str = "") -> list[str]:
    """What follows of two ways that are no runtime's; `where` the threads were: `, 2 threads 162 ns
    apart`."""
    if a.extra_ns == 0:
        return [
            f"your own code{where}: sleep ({sleep}) at once; it costs no more than to spin ({spin})"
        ]
    found = [
        f"your own code{where}: spin ({spin}) for {_about(a.extra_ns)}, then sleep ({sleep}), because "
        f"a sleeper resumes so much later{_extra_surely(a)}: by theory no wait takes over "
        "about twice the time or the CPU time of the better way"
    ]
    if a.spin_ns > 0:
        found += [
            f"your own code, where time matters more than CPU time: spin for {_about(a.spin_ns)}"
            + _aim(a),
            f"your own code, with the longer spin: {_burns(a)}",
        ]
    return found


def setting(runtime: Runtime, where: str = "") -> list[str]:
    """What follows for the settings of one OpenMP runtime, from its own two curves, and what that
    brings; `where` as of own_code."""
    a, name = runtime.advice, runtime.backend
    if a is None:
        return [f"{name}: cannot tell, its barrier has no cost at two latenesses"]
    brings = f"{name}, with that: {_burns(a, runtime.default_ns)}"
    if a.spin_ns == 0:
        return [f"{name}{where}: export OMP_WAIT_POLICY=passive{_aim(a)}", brings]
    if a.spin_ns >= 1e3 * a.latenesses[1]:
        return [
            f"{name}{where}: export OMP_WAIT_POLICY=active, because sleeping loses more than "
            f"{_percent(allowed_behind)} of the time {a.latenesses[1]} us late too"
        ]
    return [f"{name}{where}: {_variable(runtime, a)}{_aim(a)}", brings]


def _variable(runtime: Runtime, a: Advice) -> str:
    """The line to copy, and how long that and the default spin: a number of looks lasts as the clock
    goes."""
    if "llvm" in runtime.backend:
        now, older = math.ceil(a.spin_ns / 1e3), math.ceil(a.spin_ns / 1e6)
        if whole_ns_of(runtime.llvm):
            least = ", and 1 is the least that spins" * (older == 1)
            return (
                f"export KMP_BLOCKTIME={older}, which is {older} ms (default: {_default_blocktime}; "
                f"LLVM {runtime.llvm} takes whole ms{least})"
            )
        before = f"; before LLVM 18: KMP_BLOCKTIME={older}, which is {older} ms"
        return (
            f"export KMP_BLOCKTIME={now}us (default: {_default_blocktime}"
            f"{before * (runtime.llvm is None)})"
        )
    if runtime.spins is None or runtime.pause is None:
        # What one look takes is the cost of spin_pause.
        return f"spin for {_about(a.spin_ns)} (GOMP_SPINCOUNT; spin_pause was not measured)"
    lasts, default = (_lasts(runtime.pause, looks) for looks in (runtime.spins, _default_looks))
    return (
        f"export GOMP_SPINCOUNT={runtime.spins}, which spins for {lasts} (default: {_default_looks}, "
        f"{default})"
    )


def _lasts(pause: Interval, looks: int) -> str:
    """`46 to 74 us`; about as long as it takes where nothing is known of the scatter."""
    if not pause.bounded:
        return f"about {_about(looks * pause.value)}"
    low, high = _about(looks * pause.low), _about(looks * pause.high)
    return low if low == high else of_one_unit(low, high)


def _aim(a: Advice) -> str:
    """What the time to spin was chosen for, and what a wait loses at worst by the least favourable ends
    of the costs' intervals, where these are known."""
    sure = " (scatter unknown)"
    if math.isfinite(a.worst_at_ends):
        sure = f" ({surely}: at most {_percent(a.worst_at_ends)}, {count(a.visits, 'visit')})"
    return (
        f", so that no wait takes over about {_percent(allowed_behind)} longer than with the better of "
        f"spinning and sleeping{sure}"
    )


def _extra_surely(a: Advice) -> str:
    """` (95 % sure: 4.3 to 5.1 us, 6 visits)`, or that nothing is known of its scatter."""
    if not a.extra.bounded:
        return " (scatter unknown)"
    ends = of_one_unit(_about(a.extra.low), _about(a.extra.high))
    return f" ({surely}: {ends}, {count(a.visits, 'visit')})"


def _burns(a: Advice, default_ns: float | None = None) -> str:
    """The CPU time of the longest wait measured, beside that with the default of a runtime."""
    other = math.inf if default_ns is None else default_ns
    with_other = "where it only spins" if default_ns is None else "with the default"
    return (
        f"a wait of {a.latenesses[1] / 1e3:g} ms burns {_about(a.burns_ns)} of CPU time, "
        f"{_about(a.other_burns_ns(other))} {with_other}"
    )


def _about(ns: float) -> str:
    """Two digits, as costs vary by a tenth and more: `320 ns`, `4.8 us`, `46 us`, `1.0 ms`."""
    digits = 1 - math.floor(math.log10(ns)) if ns > 0 else 0
    ns = round(ns, digits)
    size, unit = next((x for x in ((1e6, "ms"), (1e3, "us")) if ns >= x[0]), (1.0, "ns"))
    return f"{ns / size:.{1 if ns < 10 * size else 0}f} {unit}"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
