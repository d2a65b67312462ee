"""The API's lock object against a test-and-set lock of its atomics, contended."""

from __future__ import annotations

from syncmeter_analysis.claims.claim import (
    Claim,
    Finding,
    above,
)
from syncmeter_analysis.claims.sources import (
    belief,
    run_locks,
)
from syncmeter_analysis.statistics.evidence import Evidence, on_cpu


def judge(data: Evidence) -> Finding:
    contended = {"backend": on_cpu, "placement": "shared", "lanes": lambda n: n >= 2}
    pairs = data.pairs(
        data.measured("lock_add", **contended), data.measured("spin_lock_add", **contended), ("op",)
    )
    return above(pairs, 1.1, "the API's lock over a test-and-set lock")


claim = Claim(
    id="belief-spin-lock",
    statement="Round a short section a spin lock is cheaper than the API's own lock.",
    source=belief,
    needs="lock_add and spin_lock_add on one lock, 2 lanes or more",
    command=run_locks,
    advice="Spin round sections of a few instructions, where no more threads run than cores.",
    otherwise="Take the API's lock: spinning gains nothing here, and starves lanes.",
    judge=judge,
)
