"""A ticket lock against a test-and-set lock, contended: what being served in turn costs."""

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
        data.measured("ticket_lock_add", **contended),
        data.measured("spin_lock_add", **contended),
        ("op",),
    )
    return above(pairs, 1.1, "a ticket lock over a test-and-set lock")


claim = Claim(
    id="belief-ticket-lock",
    statement="To be served in turn costs throughput: a ticket lock is slower than a test-and-set one.",
    source=belief,
    needs="ticket_lock_add and spin_lock_add on one lock, 2 lanes or more",
    command=run_locks,
    advice="Pay for a ticket lock only where no lane may wait long.",
    otherwise="Take the ticket lock: fairness costs nothing here.",
    judge=judge,
)
