"""Settings of OpenMP runtimes for the time that a waiting thread spins before it sleeps."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from syncmeter_analysis.conclude import references
from syncmeter_analysis.conclude.conclusion import Subject
from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.relate.spin_then_sleep import Advice, two_digits_up

#: The first LLVM whose KMP_BLOCKTIME has microseconds.
_with_us = 18


@dataclass
class Runtime:
    """An OpenMP runtime, and the advice from its barrier with both wait policies. `pause` is the time
    of one look, if the runtime counts looks, and `llvm` the version of LLVM, if known."""

    backend: str
    advice: Advice | None
    pause: Interval | None = None
    llvm: int | None = None

    @property
    def spins(self) -> int | None:
        """Returns the looks that last as long as the advised time."""
        if self.advice is None or self.pause is None:
            return None
        return two_digits_up(self.advice.spin_ns / self.pause.value)

    @property
    def default_ns(self) -> float | None:
        """Returns how long a thread spins by default, or None if unknown."""
        if "llvm" in self.backend:
            return references.blocktime_ns
        return references.spin_looks * self.pause.value if self.pause else None

    @property
    def lasting(self) -> Interval:
        """Returns how long the setting spins. Looks take longer or shorter with the clock."""
        ns = self.advice.spin_ns if self.advice else 0.0
        if self.pause is None or self.spins is None:
            return Interval(ns, ns, ns)
        return self.pause.scaled(self.spins)

    @property
    def setting(self) -> Subject:
        """Returns the variable with its value. A value of '' is unknown."""
        ns = self.advice.spin_ns if self.advice else 0.0
        if ns == 0:
            return Subject(self.backend, "OMP_WAIT_POLICY", "passive")
        if self.advice and self.advice.is_longest:
            return Subject(self.backend, "OMP_WAIT_POLICY", "active")
        if "llvm" not in self.backend:
            return Subject(self.backend, "GOMP_SPINCOUNT", str(self.spins or ""))
        blocktime = f"{math.ceil(ns / 1e3)}us"
        if whole_ns_of(self.llvm):
            blocktime = str(self.whole_ms)
        return Subject(self.backend, "KMP_BLOCKTIME", blocktime)

    @property
    def whole_ms(self) -> int:
        """Returns the value of KMP_BLOCKTIME for a runtime without microseconds."""
        return math.ceil(self.advice.spin_ns / 1e6) if self.advice else 0


def llvm_of(compiler: str) -> int | None:
    """Returns the LLVM version that this compiler belongs to, or None."""
    found = re.match(r"Clang\s(\d+)", compiler)
    return int(found[1]) if found else None


def whole_ns_of(llvm: int | None) -> float:
    """Returns the unit for KMP_BLOCKTIME, or 0 for any time."""
    return 1e6 if llvm is not None and llvm < _with_us else 0.0
