"""Kernels launched one by one against the same kernels as one CUDA graph."""

from __future__ import annotations

from dataclasses import replace

from syncmeter_analysis.claims.claim import (
    Claim,
    Finding,
    above,
)
from syncmeter_analysis.claims.sources import (
    belief,
    run_levels,
)
from syncmeter_analysis.statistics.evidence import Evidence, Pair


def _each(pair: Pair) -> Pair:
    """The cost of a graph is of all its kernels: over one of them."""
    return replace(pair, ratio=pair.ratio.times(pair.under.point.size))


def judge(data: Evidence) -> Finding:
    pairs = data.pairs(
        data.measured("additional_launch", backend="cuda"),
        data.measured("additional_graph_launch", backend="cuda", size=lambda n: n >= 8),
        ("op", "size"),
    )
    pairs.found = [_each(p) for p in pairs.found]
    return above(pairs, 1.1, "a kernel launched over one of a graph of 8 kernels or more")


claim = Claim(
    id="belief-graph",
    statement="A CUDA graph makes launching kernels cheaper.",
    source=belief,
    needs="cuda additional_launch, and additional_graph_launch of 8 kernels or more",
    command=run_levels,
    advice="Put short kernels that are launched again and again into a graph.",
    otherwise="Launch kernels one by one: a graph saves nothing here.",
    judge=judge,
    figure="levels",
)
