"""What is widely held, of CPUs, of GPUs, of POSIX threads and of waiting."""

from __future__ import annotations

import math
from dataclasses import replace

from syncmeter_analysis.claims.claim import (
    Finding,
    above,
    against,
    at_least,
    claim,
    every,
    on_cpus,
    on_cuda,
    points,
    row,
)
from syncmeter_analysis.claims.sources import belief, origin
from syncmeter_analysis.record.point import native_of
from syncmeter_analysis.relate.evidence import Evidence, Pair, Pairs, on_cpu

belief_critical_never = row(
    on_cpus("critical_add critical_named_add")
    .over(on_cpus("atomic_add", order="relaxed"), "op", "order")
    .every(1.0, math.inf, "critical section over atomic add"),
    origin(belief, "scaling"),
    statement="A critical section is never faster than an atomic update.",
    needs="critical_add and atomic_add",
    advice="Replace critical sections around one update by an atomic.",
    otherwise="Measure before you replace a critical section: it is faster at some points.",
)

belief_relaxed = row(
    points("atomic_add atomic_fetch_add atomic_write atomic_read atomic_exchange atomic_cas_pass")
    .between("order", ("seq_cst", "relaxed"))
    .above(1.05, "seq_cst over relaxed"),
    origin(belief, "quick --order relaxed,seq_cst"),
    statement="Relaxed atomics are faster than sequentially consistent ones here.",
    needs="atomics at both orders",
    advice="Relax the order where correctness allows it.",
    otherwise="Write seq_cst: it costs no more here.",
)

belief_spin_cas = row(
    against("handoff_cas", "handoff", "order", backend=on_cpu).above(
        1.05, "waiting by compare-and-swap over by load"
    ),
    origin(belief, "core-to-core", "core-to-core"),
    statement="Spinning on a compare-and-swap is slower than spinning on a load.",
    needs="handoff_cas and handoff",
    advice="Wait by loads, and swap only when the load says so.",
    otherwise="Wait either way: loads are no faster between two threads here.",
)

_one_lock = {"backend": on_cpu, "placement": "shared", "lanes": at_least(2)}

belief_spin_lock = row(
    against("lock_add", "spin_lock_add", **_one_lock).above(
        1.1, "the API's lock over a test-and-set lock"
    ),
    origin(belief, "locks"),
    statement="Around a short section a spin lock is faster than the API's own lock.",
    needs="lock_add and spin_lock_add on one lock, 2 lanes or more",
    advice="Spin around sections of a few instructions, where no more threads run than cores.",
    otherwise="Keep the API's own lock: this test-and-set lock is no faster here.",
)

belief_ticket_lock = row(
    against("ticket_lock_add", "spin_lock_add", **_one_lock).above(
        1.1, "a ticket lock over a test-and-set lock"
    ),
    origin(belief, "locks"),
    statement="Fairness costs throughput: a ticket lock is slower than a test-and-set lock.",
    needs="ticket_lock_add and spin_lock_add on one lock, 2 lanes or more",
    advice="Where threads share a lock, take a ticket lock only if each must get its turn: it is "
    "slower.",
    otherwise="Take the ticket lock: each thread gets its turn, and that costs nothing here.",
)

belief_mcs = row(
    against(
        "lock_add spin_lock_add ticket_lock_add ticket_backoff_lock_add",
        "mcs_lock_add",
        **_one_lock,
    ).every(1.0, math.inf, "another lock over an MCS lock"),
    origin(belief, "locks"),
    statement="An MCS lock wins under contention.",
    needs="mcs_lock_add and spin_lock_add, ticket_lock_add or lock_add of one backend on one lock, 2 "
    "lanes or more",
    advice="Take an MCS lock where many threads want one lock, and no more run than cores.",
    otherwise="Try another lock before you write an MCS lock.",
)

belief_reader_writer_lock = row(
    against(
        "mutex_read_mostly",
        "shared_mutex_read_mostly",
        backend=on_cpu,
        lanes=at_least(2),
        reads_per_write=at_least(100),
    ).above(1.05, "a mutex over a reader-writer lock"),
    origin(belief, "read-mostly"),
    statement="A reader-writer lock beats a mutex for reads.",
    needs="mutex_read_mostly and shared_mutex_read_mostly at 100 reads a write or more, 2 lanes or "
    "more",
    advice="Lock by std::shared_lock to read what is seldom written.",
    otherwise="Use a mutex, or no lock to read by (a seqlock, a snapshot): a reader-writer lock gains "
    "nothing here.",
)

belief_split_counter = row(
    on_cpus("atomic_add", lanes=at_least(2))
    .between("cells", (1, 2))
    .above(1.5, "one cell over two"),
    origin(belief, "contention"),
    statement="Splitting one counter in two makes its updates about twice as fast.",
    needs="atomic_add with --cells 1 and 2",
    advice="Split a counter of many threads into a few on separate cache lines, and add them up "
    "to read it.",
    otherwise="Two cells gain little here; give each thread a cell of its own.",
)


def _per_kernel(pair: Pair) -> Pair:
    """The cost of a graph is of all its kernels: over one of them."""
    kernels = pair.under.point.size
    r = pair.ratio
    of_one = replace(r.times(kernels), over_ns=r.over_ns, under_ns=r.under_ns / kernels)
    return replace(pair, ratio=of_one, each=True)


@claim(
    origin(belief, "levels", "launch"),
    statement="A CUDA graph makes launching kernels faster.",
    needs="cuda additional_launch, and additional_graph_launch of 8 kernels or more",
    advice="Put short kernels that are launched again and again into a graph.",
    otherwise="Launch kernels one by one: a graph saves nothing here.",
)
def belief_graph(data: Evidence) -> Finding:
    """Kernels launched one by one against the same kernels as one CUDA graph."""
    one_by_one = on_cuda("additional_launch")
    found = one_by_one.over(on_cuda("additional_graph_launch", size=at_least(8)), "op", "size")
    pairs = found.pairs(data)
    pairs.found = [_per_kernel(p) for p in pairs.found]
    return above(pairs, 1.1, "a kernel launched over one of a graph of 8 kernels or more")


@claim(
    origin(belief, "portability", "portability"),
    statement="Kokkos costs nothing over the native API.",
    needs="ops of a kokkos backend and of its native one",
    advice="Write Kokkos: synchronization costs the same.",
    otherwise="Write natively what is slower with Kokkos here.",
)
def belief_kokkos(data: Evidence) -> Finding:
    """The same op through Kokkos and native."""
    pairs = Pairs()
    for portable, native in native_of.items():
        over = data.of_backend(portable)
        if over and portable.startswith("kokkos"):
            under = data.of_backend(native)
            pairs += data.pairs(over, under, ("backend", "flavour", "scope", "space"))
    return every(pairs, 0.0, 1.05, "Kokkos over native")


_by_hand = (
    "reduce_max_global_atomic reduce_max_warp_atomic reduce_max_block_atomic reduce_max_warp_reduce "
    "reduce_max_persistent"
)

reductions_library = row(
    against(_by_hand, "reduce_max_cub", backend="cuda").every(
        0.95, math.inf, "a hand-written form over the library's"
    ),
    origin(belief, "reductions --backend cuda", "reductions"),
    statement="The library's reduction is the fastest.",
    needs="cuda reduce_max_cub and another reduce_max of the same size",
    advice="Call the library.",
    otherwise="Write the reduction by hand: that is faster here for some size or type.",
)

multi_gpu_remote_add = row(
    on_cuda("remote_atomic_add_dependent")
    .between("home", ("second", "first"))
    .above(2, "in a peer's memory over in its own"),
    origin(belief, "multi-gpu", "levels"),
    statement="An atomic on another GPU's memory takes more than twice as long as on the GPU's "
    "own.",
    needs="cuda remote_atomic_add_dependent at two homes",
    advice="Add up on each GPU first, and send one result to the other.",
    otherwise="A counter in a peer's memory costs no more than in a GPU's own here.",
)

multi_gpu_order = row(
    on_cuda("gpu_handoff cpu_gpu_handoff", scope="system")
    .between("order", ("acq_rel", "relaxed"))
    .above(1.1, "acquire and release over relaxed, system scope"),
    origin(belief, "multi-gpu", "levels"),
    statement="Ordering at system scope is slow: a flag that guards data costs more than a flag "
    "alone.",
    needs="cuda gpu_handoff or cpu_gpu_handoff, acq_rel and relaxed",
    advice="Send much data behind one flag, rather than a flag with each piece.",
    otherwise="Ordering at system scope costs next to nothing here: guard every piece of data.",
)


#: Later than this a waiting thread is asleep for certain, in us.
_asleep_us = 100

belief_futex_wake = row(
    against("wait_futex", "wait_pause", late_us=at_least(_asleep_us)).above(
        10.0, "a futex wake-up over spinning with pause"
    ),
    origin(belief, "waiting", "waiting"),
    statement="A thread that sleeps in a futex sees its turn ten times as late as one that spins.",
    needs="wait_futex and wait_pause, 100 us late or more",
    advice="Spin before you sleep: at least for as long as a wake-up takes, longer to lose less time.",
    otherwise="Sleep at once: a wake-up costs little more than spinning here.",
)

belief_yield = row(
    against("wait_yield", "wait_pause").above(1.1, "sched_yield over pause"),
    origin(belief, "waiting", "waiting"),
    statement="Where each thread has a core, spinning with sched_yield is slower than with pause.",
    needs="wait_yield and wait_pause",
    advice="Spin with pause where no more threads run than cores, and leave sched_yield out.",
    otherwise="Yield while spinning: it costs nothing here, and lets other threads run.",
)

belief_pause_spares = row(
    against("work_beside_spin", "work_beside_pause", affinity="smt", lanes=2).above(
        1.05, "work beside spinning over work beside spinning with pause"
    ),
    origin(belief, "waiting", "waiting"),
    statement="A spin loop without pause slows the thread on the same core more than one with it.",
    needs="work_beside_spin and work_beside_pause, affinity smt, on a machine with SMT",
    advice="Put a pause into spin loops: the core has another thread to run.",
    otherwise="A pause in a spin loop spares the other thread of the core nothing here.",
)

belief_adaptive_mutex = row(
    against("mutex_adaptive_add", "lock_add", backend="posix").every(
        0.0, 1.05, "an adaptive mutex over the default one"
    ),
    origin(belief, "quick --backend posix"),
    statement="An adaptive mutex is never slower than the default one.",
    needs="mutex_adaptive_add and lock_add of POSIX threads",
    advice="Make mutexes around short sections adaptive (PTHREAD_MUTEX_ADAPTIVE_NP).",
    otherwise="Keep the default mutex: the adaptive one is slower at some points.",
)
