"""Concludes the study `multi-gpu`: which barrier over several GPUs, what an access to the memory of a
peer costs, and which scope and order a flag between GPUs needs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from syncmeter_analysis.conclude import choice, references
from syncmeter_analysis.conclude.choice import (
    choose,
    concluded,
    effect_of,
    least_gain_of_own,
    situation_of,
)
from syncmeter_analysis.conclude.conclusion import Conclusion, Condition, Kind, Subject
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import contest
from syncmeter_analysis.relate.relation import Verdict, ratio, verdict
from syncmeter_analysis.relate.several_gpus import (
    Access,
    Barrier,
    Fastest,
    Handoff,
    SeveralGpus,
    in_kernels,
    rows,
    slowest_access,
)
from syncmeter_analysis.relate.summary import Measured

#: Barriers between kernels. They need no own code.
_between_kernels = (
    "multi_gpu_host_barrier",
    "multi_gpu_host_barrier_one_thread",
    "multi_gpu_graph_barrier",
)
_graph = "multi_gpu_graph_barrier"
_next = ("study_levels",)


def conclude(campaign: Campaign) -> list[Conclusion]:
    """Returns the conclusions for barriers, the most devices first, then for accesses and flags."""
    found = rows(campaign)
    made = [_barrier(found.barriers, f) for f in reversed(found.fastest) if f.devices > 1]
    access = slowest_access(found.accesses)
    made += [_access(access)] if access else []
    return [*made, *_flags(found)]


def subject_of(s: Measured) -> Subject:
    """Returns the op, with the device of the counter or the cell if it is not the first."""
    return choice.subject_of(s, s.point.home.replace("first", ""))


def _barrier(barriers: Sequence[Barrier], fastest: Fastest) -> Conclusion:
    """Compares barriers inside kernels with a barrier of the host, after a kernel."""
    devices = fastest.devices
    known = [s for b in barriers if (s := b.by_devices.get(devices)) and s.usable]
    outside = [s for s in known if s.point.op in _between_kernels]
    one = contest([*fastest.contest.points, *outside])
    mine = references.device_barrier.among(one.points)
    graph = next((s for s in outside if s.point.op == _graph), None)

    def conditions(s: Measured) -> Iterator[Condition]:
        if not s.point.op.startswith(in_kernels):
            return
        yield Condition("resident")
        if graph and mine and graph.cost and verdict(ratio(mine, graph)) is Verdict.slower:
            yield Condition("graph_instead", graph.cost.value, subject=subject_of(graph))

    return choose(
        one,
        "barrier",
        situation_of(fastest.contest.first, "gpus", devices=devices),
        mine,
        name=subject_of,
        least_gain=least_gain_of_own,
        conditions=conditions,
        next=_next,
    )


def _access(access: Access) -> Conclusion:
    """Warns about the slowest access to the memory of a peer."""
    peer, local = access.by_place["peer"], access.by_place["local"]
    return concluded(
        Kind.avoid,
        "peer_access",
        situation_of(peer, "gpus", devices=2),
        [peer],
        local,
        effect_of(peer, local, quantity="slowdown"),
        name=subject_of,
        shown=[peer],
        next=_next,
    )


def _flags(found: SeveralGpus) -> Iterator[Conclusion]:
    """Warns about device scope between devices, and about flags without order. A litmus test without
    stale data is no proof."""
    scope = [h for h in found.handoffs if h.measured.point.scope == "device"]
    yield from _flag("scope", [h for h in scope if h.measured.point.op == "gpu_handoff"])
    yield from _flag("order", [h for h in found.handoffs if h.measured.point.order == "relaxed"])


def _flag(question: str, bad: Sequence[Handoff]) -> Iterator[Conclusion]:
    counted = [h for h in bad if h.litmus]
    looks = sum(h.litmus.looked_at for h in counted if h.litmus)
    if not looks:
        return
    stale = sum(h.litmus.stale for h in counted if h.litmus)
    first = counted[0].measured
    yield Conclusion(
        kind=Kind.avoid,
        question=question,
        situation=situation_of(first, "gpus", devices=2),
        subjects=(choice.subject_of(first, first.point.scope),),
        conditions=(Condition("stale" if stale else "no_proof", stale, looks),),
        evidence=tuple(h.measured.id for h in counted),
        next=_next,
    )
