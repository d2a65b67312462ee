"""What is widely held, of CPUs, of GPUs, of POSIX threads and of waiting."""

from __future__ import annotations

import math
from dataclasses import replace

from syncmeter_analysis.claims.claim import (
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
from syncmeter_analysis.claims.sources import belief, on_gpu, on_gpus, origin
from syncmeter_analysis.conclude.conclusion import Kind
from syncmeter_analysis.conclude.finding import Finding
from syncmeter_analysis.record.point import native_of
from syncmeter_analysis.relate.evidence import Evidence, Pair, Pairs, on_cpu

belief_critical_never = row(
    on_cpus("critical_add critical_named_add")
    .over(on_cpus("atomic_add", order="relaxed"), "op", "order")
    .every(1.0, math.inf),
    origin(belief, "scaling"),
    if_false=Kind.undecided,
)

belief_relaxed = row(
    points("atomic_add atomic_fetch_add atomic_write atomic_read atomic_exchange atomic_cas_pass")
    .between("order", ("seq_cst", "relaxed"))
    .above(1.05),
    origin(belief, "quick --order relaxed,seq_cst"),
    if_false=Kind.keep,
)

belief_spin_cas = row(
    against("handoff_cas", "handoff", "order", backend=on_cpu).above(1.05),
    origin(belief, "core-to-core", "core-to-core"),
)

_one_lock = {"backend": on_cpu, "placement": "shared", "lanes": at_least(2)}

belief_spin_lock = row(
    against("lock_add", "spin_lock_add", **_one_lock).above(1.1),
    origin(belief, "locks"),
    if_false=Kind.keep,
    conditions=("cpu_per_thread",),
)

belief_ticket_lock = row(
    against("ticket_lock_add", "spin_lock_add", **_one_lock).above(1.1),
    origin(belief, "locks"),
    if_true=Kind.avoid,
)

belief_mcs = row(
    against(
        "lock_add spin_lock_add ticket_lock_add ticket_backoff_lock_add",
        "mcs_lock_add",
        **_one_lock,
    ).every(1.0, math.inf),
    origin(belief, "locks"),
    if_false=Kind.undecided,
    conditions=("cpu_per_thread",),
)

belief_reader_writer_lock = row(
    against(
        "mutex_read_mostly",
        "shared_mutex_read_mostly",
        backend=on_cpu,
        lanes=at_least(2),
        reads_per_write=at_least(100),
    ).above(1.05),
    origin(belief, "read-mostly"),
    if_false=Kind.keep,
)

belief_split_counter = row(
    on_cpus("atomic_add", lanes=at_least(2)).between("cells", (1, 2)).above(1.5),
    origin(belief, "contention"),
)


def _per_kernel(pair: Pair) -> Pair:
    """The cost of a graph is of all its kernels: over one of them."""
    kernels = pair.under.point.size
    r = pair.ratio
    of_one = replace(r.times(kernels), over_ns=r.over_ns, under_ns=r.under_ns / kernels)
    return replace(pair, ratio=of_one, each=True)


@claim(
    on_gpu(belief, "levels", "launch"),
    if_false=Kind.keep,
)
def belief_graph(data: Evidence) -> Finding:
    """Kernels launched one by one against the same kernels as one CUDA graph."""
    one_by_one = on_cuda("additional_launch")
    found = one_by_one.over(on_cuda("additional_graph_launch", size=at_least(8)), "op", "size")
    pairs = found.pairs(data)
    pairs.found = [_per_kernel(p) for p in pairs.found]
    return above(pairs, 1.1)


@claim(
    origin(belief, "portability", "portability"),
    if_true=Kind.any,
    if_false=Kind.use,
)
def belief_kokkos(data: Evidence) -> Finding:
    """The same op through Kokkos and native."""
    pairs = Pairs()
    for portable, native in native_of.items():
        over = data.of_backend(portable)
        if over and portable.startswith("kokkos"):
            under = data.of_backend(native)
            pairs += data.pairs(over, under, ("backend", "flavour", "scope", "space"))
    return every(pairs, 0.0, 1.05)


_by_hand = (
    "reduce_max_global_atomic reduce_max_warp_atomic reduce_max_block_atomic reduce_max_warp_reduce "
    "reduce_max_persistent"
)

reductions_library = row(
    against(_by_hand, "reduce_max_cub", backend="cuda").every(0.95, math.inf),
    on_gpu(belief, "reductions --backend cuda", "reductions"),
    if_false=Kind.undecided,
)

multi_gpu_remote_add = row(
    on_cuda("remote_atomic_add_dependent").between("home", ("second", "first")).above(2),
    on_gpus(belief, "multi-gpu", "levels"),
)

multi_gpu_order = row(
    on_cuda("gpu_handoff cpu_gpu_handoff", scope="system")
    .between("order", ("acq_rel", "relaxed"))
    .above(1.1),
    on_gpus(belief, "multi-gpu", "levels"),
    if_true=Kind.avoid,
)


#: Later than this a waiting thread is asleep for certain, in us.
_asleep_us = 100

belief_futex_wake = row(
    against("wait_futex", "wait_pause", late_us=at_least(_asleep_us)).above(10.0),
    origin(belief, "waiting", "waiting"),
    conditions=("cpu_per_thread",),
)

belief_yield = row(
    against("wait_yield", "wait_pause").above(1.1),
    origin(belief, "waiting", "waiting"),
    conditions=("cpu_per_thread",),
)

belief_pause_spares = row(
    against("work_beside_spin", "work_beside_pause", affinity="smt", lanes=2).above(1.05),
    origin(belief, "waiting", "waiting"),
    needs_smt=True,
)

belief_adaptive_mutex = row(
    against("mutex_adaptive_add", "lock_add", backend="posix").every(0.0, 1.05),
    origin(belief, "quick --backend posix"),
    if_true=Kind.any,
    if_false=Kind.keep,
)
