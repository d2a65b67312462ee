"""Where the statements come from, and which campaigns measure what they need."""

from __future__ import annotations

from functools import partial
from typing import Any

primitives = (
    "Burtchell and Burtscher, Characterizing CUDA and OpenMP Synchronization Primitives, IISWC 2024"
)
levels = "Zhang et al., A Study of Synchronization Methods in Modern GPUs (single and multi GPU)"
potato = 'the "hot potato" article on handing a flag from warp to warp'
lecture = "lecture on GPU programming"
belief = "widely held"

_run = "syncmeter run --study"


def origin(source: str, study: str, figure: str = "by-threads", gpus: int = 0) -> dict[str, Any]:
    """Returns source, command and figure of a claim. `study` with its options measures it on this
    number of GPUs."""
    return {"source": source, "command": f"{_run} {study}", "figure": figure, "gpus": gpus}


on_gpu = partial(origin, gpus=1)
on_gpus = partial(origin, gpus=2)
