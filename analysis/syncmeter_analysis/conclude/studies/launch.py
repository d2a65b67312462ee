"""Concludes the study `launch`: how to launch many kernels, and whether to wait for each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from syncmeter_analysis.conclude import references
from syncmeter_analysis.conclude.choice import choose, situation_of
from syncmeter_analysis.conclude.conclusion import Conclusion, Condition
from syncmeter_analysis.conclude.studies.next_kernel import next_kernel
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.group import grouped
from syncmeter_analysis.relate.kernels import Kernel, rows

_next = ("study_levels",)


def conclude(campaign: Campaign) -> list[Conclusion]:
    """Returns the conclusions for each backend, each for the largest kernel with the figures."""
    kernels = grouped(rows(campaign), lambda k: k.backend)
    return [c for alike in kernels.values() for c in _of_backend(alike) if c]


def _of_backend(kernels: Sequence[Kernel]) -> Iterator[Conclusion | None]:
    graphs = [k for k in kernels if k.graphs.get("additional_graph_launch")]
    found = _largest([k for k in graphs if "additional_launch" in k.parts])
    if found:
        yield _graph(found)
    waits = [k for k in kernels if {"launch", "additional_launch"} <= k.parts.keys()]
    yield _wait(_largest(waits))


def _largest(kernels: Sequence[Kernel]) -> Kernel | None:
    near = [k for k in kernels if k.home != "other"]
    return max(near or kernels, key=lambda k: k.blocks * k.threads, default=None)


def _graph(kernel: Kernel) -> Conclusion | None:
    """Compares a graph with separate launches. The reason explains the time of a launch."""
    points = [*kernel.parts.values(), *kernel.graphs["additional_graph_launch"].values()]
    call = kernel.parts.get("launch_call")
    paced = call and call.cost and kernel.host_paced
    reason = Condition("host_paced", call.cost.value) if call and call.cost and paced else None
    return next_kernel(points, "launch", reason=reason, next=_next)


def _wait(kernel: Kernel | None) -> Conclusion | None:
    """Compares a wait after each kernel with one after the last kernel."""
    if kernel is None:
        return None
    points = [kernel.parts["additional_launch"], kernel.parts["launch"]]
    mine = references.wait_for_kernel.among(points)
    once = [Condition("wait_once")]
    situation = situation_of(points[0], "wait")
    return choose(points, "launch", situation, mine, conditions=lambda s: once, next=_next)
