"""What is widely held, of CPUs and of GPUs."""

from __future__ import annotations

import math
from dataclasses import replace

from syncmeter_analysis.claims.claim import (
    Finding,
    above,
    against,
    between,
    claim,
    every,
    points,
    row,
    versus,
)
from syncmeter_analysis.claims.sources import (
    belief,
    run_levels,
    run_locks,
    run_multi_gpu,
    run_read_mostly,
    run_reductions,
)
from syncmeter_analysis.record.point import native_of
from syncmeter_analysis.relate.evidence import Evidence, Pair, Pairs, on_cpu

belief_critical_never = row(
    versus(
        points(("critical_add", "critical_named_add"), backend=on_cpu),
        points("atomic_add", backend=on_cpu, order="relaxed"),
        "op",
        "order",
    ),
    (every, 1.0, math.inf, "critical section over atomic add"),
    statement="A critical section is never faster than an atomic update.",
    source=belief,
    needs="critical_add and atomic_add",
    command="syncmeter run --study scaling",
    advice="Never use a critical section for one update.",
    otherwise="A critical section is faster at some points: see the evidence before replacing one.",
)

belief_relaxed = row(
    versus(
        points(
            (
                "atomic_add",
                "atomic_fetch_add",
                "atomic_write",
                "atomic_read",
                "atomic_exchange",
                "atomic_cas_pass",
            ),
            order="seq_cst",
        ),
        points(
            (
                "atomic_add",
                "atomic_fetch_add",
                "atomic_write",
                "atomic_read",
                "atomic_exchange",
                "atomic_cas_pass",
            ),
            order="relaxed",
        ),
        "order",
    ),
    (above, 1.05, "seq_cst over relaxed"),
    statement="Relaxed atomics are faster than sequentially consistent ones here.",
    source=belief,
    needs="atomics at both orders",
    command="syncmeter run --study quick --order relaxed,seq_cst",
    advice="Relax the order where correctness allows it.",
    otherwise="Write seq_cst: it costs no more here.",
)

belief_spin_cas = row(
    against("handoff_cas", "handoff", "order", backend=on_cpu),
    (above, 1.05, "waiting by compare-and-swap over by load"),
    statement="Spinning on a compare-and-swap is slower than spinning on a load.",
    source=belief,
    needs="handoff_cas and handoff",
    command="syncmeter run --study core-to-core",
    advice="Wait by loads, and swap only when the load says so.",
    otherwise="Wait either way: loads are no faster between two threads here.",
    figure="core-to-core",
)

belief_spin_lock = row(
    against(
        "lock_add", "spin_lock_add", backend=on_cpu, placement="shared", lanes=lambda n: n >= 2
    ),
    (above, 1.1, "the API's lock over a test-and-set lock"),
    statement="Around a short section a spin lock is faster than the API's own lock.",
    source=belief,
    needs="lock_add and spin_lock_add on one lock, 2 lanes or more",
    command=run_locks,
    advice="Spin around sections of a few instructions, where no more threads run than cores.",
    otherwise="Keep the API's own lock: this test-and-set lock is no faster here.",
)

belief_ticket_lock = row(
    against(
        "ticket_lock_add",
        "spin_lock_add",
        backend=on_cpu,
        placement="shared",
        lanes=lambda n: n >= 2,
    ),
    (above, 1.1, "a ticket lock over a test-and-set lock"),
    statement="Fairness costs throughput: a ticket lock is slower than a test-and-set lock.",
    source=belief,
    needs="ticket_lock_add and spin_lock_add on one lock, 2 lanes or more",
    command=run_locks,
    advice="Take a ticket lock only where every thread must get its turn: it is slower.",
    otherwise="Take the ticket lock: each thread gets its turn, and that costs nothing here.",
)

belief_mcs = row(
    against(
        ("lock_add", "spin_lock_add", "ticket_lock_add", "ticket_backoff_lock_add"),
        "mcs_lock_add",
        backend=on_cpu,
        placement="shared",
        lanes=lambda n: n >= 2,
    ),
    (every, 1.0, math.inf, "another lock over an MCS lock"),
    statement="An MCS lock wins under contention.",
    source=belief,
    needs="mcs_lock_add and spin_lock_add, ticket_lock_add or lock_add of one backend on one lock, 2 "
    "lanes or more",
    command=run_locks,
    advice="Take an MCS lock where many threads want one lock, and no more run than cores.",
    otherwise="Try another lock before you write an MCS lock.",
)

belief_reader_writer_lock = row(
    against(
        "mutex_read_mostly",
        "shared_mutex_read_mostly",
        backend=on_cpu,
        lanes=lambda n: n >= 2,
        reads_per_write=lambda n: n >= 100,
    ),
    (above, 1.05, "a mutex over a reader-writer lock"),
    statement="A reader-writer lock beats a mutex for reads.",
    source=belief,
    needs="mutex_read_mostly and shared_mutex_read_mostly at 100 reads a write or more, 2 lanes or "
    "more",
    command=run_read_mostly,
    advice="Lock by std::shared_lock to read what is seldom written.",
    otherwise="Use a mutex, or no lock to read by (a seqlock, a snapshot): a reader-writer lock gains "
    "nothing here.",
)

belief_split_counter = row(
    between(points("atomic_add", backend=on_cpu, lanes=lambda n: n >= 2), "cells", (1, 2)),
    (above, 1.5, "one cell over two"),
    statement="Splitting one counter in two makes its updates about twice as fast.",
    source=belief,
    needs="atomic_add with --cells 1 and 2",
    command="syncmeter run --study contention",
    advice="Split a counter of many threads into a few on separate cache lines, and add them up "
    "to read it.",
    otherwise="Two cells gain little here; give each thread a cell of its own.",
)


def _each(pair: Pair) -> Pair:
    """The cost of a graph is of all its kernels: over one of them."""
    kernels = pair.under.point.size
    r = pair.ratio
    of_one = replace(r.times(kernels), over_ns=r.over_ns, under_ns=r.under_ns / kernels)
    return replace(pair, ratio=of_one, each=True)


@claim(
    statement="A CUDA graph makes launching kernels faster.",
    source=belief,
    needs="cuda additional_launch, and additional_graph_launch of 8 kernels or more",
    command=run_levels,
    advice="Put short kernels that are launched again and again into a graph.",
    otherwise="Launch kernels one by one: a graph saves nothing here.",
    figure="launch",
)
def belief_graph(data: Evidence) -> Finding:
    """Kernels launched one by one against the same kernels as one CUDA graph."""
    pairs = data.pairs(
        data.measured("additional_launch", backend="cuda"),
        data.measured("additional_graph_launch", backend="cuda", size=lambda n: n >= 8),
        ("op", "size"),
    )
    pairs.found = [_each(p) for p in pairs.found]
    return above(pairs, 1.1, "a kernel launched over one of a graph of 8 kernels or more")


@claim(
    statement="Kokkos costs nothing over the native API.",
    source=belief,
    needs="ops of a kokkos backend and of its native one",
    command="syncmeter run --study portability",
    advice="Write Kokkos: synchronization costs the same.",
    otherwise="Some ops are slower with Kokkos; the table of backends says which.",
    figure="portability",
)
def belief_kokkos(data: Evidence) -> Finding:
    """The same op through Kokkos and native."""
    pairs = Pairs()
    for portable, native in native_of.items():
        over = data.of_backend(portable)
        if over:
            under = data.of_backend(native)
            pairs += data.pairs(over, under, ("backend", "flavour", "scope", "space"))
    return every(pairs, 0.0, 1.05, "Kokkos over native")


_by_hand = (
    "reduce_max_global_atomic",
    "reduce_max_warp_atomic",
    "reduce_max_block_atomic",
    "reduce_max_warp_reduce",
    "reduce_max_persistent",
)

reductions_library = row(
    against(_by_hand, "reduce_max_cub", backend="cuda"),
    (every, 0.95, math.inf, "a hand-written form over the library's"),
    statement="The library's reduction is the fastest.",
    source=belief,
    needs="cuda reduce_max_cub and another reduce_max of the same size",
    command=f"{run_reductions} --backend cuda",
    advice="Call the library.",
    otherwise="A hand-written reduction is faster here for some size or type.",
    figure="reductions",
)

multi_gpu_remote_add = row(
    between(points("remote_atomic_add_dependent", backend="cuda"), "home", ("second", "first")),
    (above, 2, "in a peer's memory over in its own"),
    statement="An atomic on another GPU's memory takes more than twice as long as on the GPU's "
    "own.",
    source=belief,
    needs="cuda remote_atomic_add_dependent at two homes",
    command=run_multi_gpu,
    advice="Add up on each GPU first, and send one result to the other.",
    otherwise="A counter in a peer's memory costs no more than in a GPU's own here.",
    figure="levels",
)


@claim(
    statement="Ordering at system scope is slow: a flag that guards data costs more than a flag "
    "alone.",
    source=belief,
    needs="cuda gpu_handoff or cpu_gpu_handoff, acq_rel and relaxed",
    command=run_multi_gpu,
    advice="Send much data behind one flag, rather than a flag with each piece.",
    otherwise="Ordering at system scope costs next to nothing here: guard every piece of data.",
    figure="levels",
)
def multi_gpu_order(data: Evidence) -> Finding:
    """A flag between GPUs that orders the data before it against one that orders nothing."""
    points = [
        s
        for s in data.measured(("gpu_handoff", "cpu_gpu_handoff"), backend="cuda")
        if s.point.scope == "system"
    ]
    pairs = data.between(points, "order", ("acq_rel", "relaxed"))
    return above(pairs, 1.1, "acquire and release over relaxed, system scope")
