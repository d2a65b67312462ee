"""What is widely held of POSIX threads and of waiting."""

from __future__ import annotations

from syncmeter_analysis.claims.claim import (
    Finding,
    above,
    against,
    claim,
    every,
    missing,
    row,
)
from syncmeter_analysis.claims.sources import belief, run_waiting
from syncmeter_analysis.relate.evidence import Evidence

#: Later than this a waiting thread is asleep for certain, in us.
_asleep_us = 100

belief_futex_wake = row(
    against("wait_futex", "wait_pause", late_us=lambda us: us >= _asleep_us),
    (above, 10.0, "a futex wake-up over spinning with pause"),
    statement="A thread that sleeps in a futex sees its turn ten times as late as one that spins.",
    source=belief,
    needs="wait_futex and wait_pause, 100 us late or more",
    command=run_waiting,
    advice="Spin before you sleep; `syncmeter-report text FILE --study waiting` says how long.",
    otherwise="Sleep at once: a wake-up costs little more than spinning here.",
    figure="waiting",
)

belief_yield = row(
    against("wait_yield", "wait_pause"),
    (above, 1.1, "sched_yield over pause"),
    statement="Where each thread has a core, spinning with sched_yield is slower than with pause.",
    source=belief,
    needs="wait_yield and wait_pause",
    command=run_waiting,
    advice="Spin with pause where no more threads run than cores, and leave sched_yield out.",
    otherwise="Yield while spinning: it costs nothing here, and lets other threads run.",
    figure="waiting",
)


@claim(
    statement="A spin loop without pause slows the thread on the same core more than one with it.",
    source=belief,
    needs="work_beside_spin and work_beside_pause, affinity smt, on a machine with SMT",
    command=run_waiting,
    advice="Put a pause into spin loops: the core has another thread to run.",
    otherwise="A pause in a spin loop spares the other thread of the core nothing here.",
    figure="waiting",
)
def belief_pause_spares(data: Evidence) -> Finding:
    """Work on one thread of a core while the other one spins without and with pause."""
    if data.machine.smt is False:
        return missing("this machine has no SMT")
    pairs = data.pairs(
        data.measured("work_beside_spin", affinity="smt", lanes=2),
        data.measured("work_beside_pause", affinity="smt", lanes=2),
        ("op",),
    )
    return above(pairs, 1.05, "work beside spinning over work beside spinning with pause")


belief_adaptive_mutex = row(
    against("mutex_adaptive_add", "lock_add", backend="posix"),
    (every, 0.0, 1.05, "an adaptive mutex over the default one"),
    statement="An adaptive mutex is never slower than the default one.",
    source=belief,
    needs="mutex_adaptive_add and lock_add of POSIX threads",
    command="syncmeter run --study quick --backend posix",
    advice="Make mutexes around short sections adaptive (PTHREAD_MUTEX_ADAPTIVE_NP).",
    otherwise="Keep the default mutex: the adaptive one is slower at some points.",
)
