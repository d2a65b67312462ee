"""Where the statements come from, and which campaigns measure what they need."""

from __future__ import annotations

from typing import Any

primitives = (
    "Burtchell and Burtscher, Characterizing CUDA and OpenMP Synchronization Primitives, IISWC 2024"
)
levels = "Zhang et al., A Study of Synchronization Methods in Modern GPUs (single and multi GPU)"
potato = 'the "hot potato" article on handing a flag from warp to warp'
lecture = "lecture on GPU programming"
belief = "widely held"

_run = "syncmeter run --study"
run_multi_gpu = f"{_run} multi-gpu"


def origin(source: str, study: str, figure: str = "by-threads") -> dict[str, Any]:
    """Source, command and figure of a claim: `study` with what options measures it."""
    return {"source": source, "command": f"{_run} {study}", "figure": figure}
