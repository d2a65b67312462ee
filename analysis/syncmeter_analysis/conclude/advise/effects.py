"""Wall time after a change of a lock: predicted by models, or bounded by the run alone."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from statistics import median

from syncmeter_analysis.conclude.advise.facts import Lock, Model, Program
from syncmeter_analysis.conclude.advise.limits import gates


class Sign(StrEnum):
    """The side of a prediction: a remedy is faster, slower, or neither for certain."""

    faster = "faster"
    slower = "slower"
    both = "both"
    wide = "wide"


@dataclass(frozen=True, slots=True)
class Prediction:
    """Wall time after a remedy, in seconds. `models` are the numbers of the kept models."""

    low: float
    high: float
    sign: Sign
    models: tuple[int, ...]


def fidelity(model: Model) -> float | None:
    """Returns the model's time over the program's, or None if the model is not kept."""
    if min(*model.as_is_s, *model.program_s) <= 0:
        return None
    pairs = zip(model.as_is_s, model.program_s, strict=False)
    ratio = median(as_is / program for as_is, program in pairs)
    overlaps = min(model.as_is_s) <= max(model.program_s) and min(model.program_s) <= max(
        model.as_is_s
    )
    if not gates["min_fidelity"] <= ratio <= gates["max_fidelity"] or not overlaps:
        return None
    return ratio


def predictions(lock: Lock, program: Program) -> dict[str, Prediction]:
    """Returns what the kept models predict, by remedy."""
    run_s = program.wall_s
    if not run_s:
        return {}
    floor_s = alone_bound(lock, program) or 0.0
    ends: dict[str, list[tuple[float, float, int]]] = {}
    for model in lock.models:
        if (ratio := fidelity(model)) is None:
            continue
        wider = gates["widening"] * run_s
        if abs(ratio - 1) > gates["sure_fidelity"]:
            wider += abs(ratio - 1) * run_s
        for remedy, changed_s in model.changed:
            after = run_s * median(
                changed / as_is for changed, as_is in zip(changed_s, model.as_is_s, strict=False)
            )
            ends.setdefault(remedy, []).append((after - wider, after + wider, model.number))
    return {remedy: _hull(found, run_s, floor_s) for remedy, found in ends.items()}


def _hull(ends: list[tuple[float, float, int]], run_s: float, floor_s: float) -> Prediction:
    low = max(floor_s, min(low for low, _, _ in ends))
    # Models below the bound leave the bound with the scatter of runs.
    high = max(low + gates["widening"] * run_s, max(high for _, high, _ in ends))
    if low > run_s:
        sign = Sign.slower
    elif high >= run_s:
        sign = Sign.both
    else:
        sign = Sign.wide if high - low > gates["max_width"] * run_s else Sign.faster
    return Prediction(low, high, sign, tuple(number for _, _, number in ends))


def alone_bound(lock: Lock, program: Program) -> float | None:
    """Returns the least wall time without the lock: CPU time of the program alone, without the
    lock's calls, on the CPUs. None if a part is unknown."""
    if program.alone_cpu_s is None or program.uncontended_ns is None or not program.parallel:
        return None
    removed_s = lock.acquisitions * program.uncontended_ns * 1e-9
    return max(0.0, program.alone_cpu_s - removed_s) / program.parallel


def bound(lock: Lock, program: Program, saves_at_most_s: float | None) -> float | None:
    """Returns the least wall time after a change, the greater of two bounds. None if both are
    unknown."""
    known = []
    if (alone_s := alone_bound(lock, program)) is not None:
        known.append(alone_s)
    if saves_at_most_s is not None and program.wall_s:
        known.append(max(0.0, program.wall_s - saves_at_most_s))
    return max(known, default=None)


def all_sections_s(lock: Lock, program: Program) -> float | None:
    """Returns the time that all threads spend in the calls, under the lock and in its releases. No
    change saves more. None if these times are unknown or not the program's."""
    if program.is_perturbed or lock.is_mostly_hidden or None in (lock.call_ns, lock.held_ns):
        return None
    releases_ns = lock.acquisitions * (program.uncontended_ns or 0.0)
    return (lock.time_ns + releases_ns) * 1e-9
