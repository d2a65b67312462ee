"""Finds who disturbed a campaign: other programs, the hypervisor, something that this machine does not
see, or the clock of the cores."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import chain

from syncmeter_analysis.record.machine import object_of
from syncmeter_analysis.relate.campaign import Campaign

#: A cause used at least this part of the disturbed share of the time.
_part_of_noise = 0.25

#: Programs and a hypervisor that used this CPU share cause any noise.
_much_used, _much_stolen = 0.1, 0.02

#: More programs are not named.
_most_named = 3

#: Smaller differences between clocks say nothing.
_clock_gap = 1.05

#: Fewer repetitions say little about the clock.
_least_visits = 10


def _cpu_use(campaign: Campaign) -> tuple[int, Counter[str], list[str]]:
    """Returns the CPUs, the sums of times, and the programs, those with most CPU time first, over all
    runs whose last line has them."""
    sums: Counter[str] = Counter()
    programs: Counter[str] = Counter()
    pus = 0
    for end in chain.from_iterable(file.ends for file in campaign.files):
        use = object_of(end, "cpu_use")
        numbers = ("elapsed_ns", "used_ns", "own_ns", "stolen_ns")
        sums.update({name: use.get(name) or 0 for name in numbers})
        pus = max(pus, int(use.get("allowed_pus") or 0))
        for program in use.get("programs") or ():
            programs[str(program.get("name") or "")] += program.get("cpu_ns") or 0
    return pus, sums, [name for name, _ in programs.most_common() if name]


@dataclass(frozen=True)
class Noise:
    """`causes` are programs, hypervisor, neighbours or unknown. `loaded`: programs or the hypervisor
    used much of the CPUs, even if few samples were disturbed."""

    causes: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    others_cpus: float | None = None
    stolen_cpus: float | None = None
    loaded: bool = False


def noise_of(campaign: Campaign, disturbed: float) -> Noise:
    """Returns the causes for this disturbed share. Programs and the hypervisor can disturb one thread
    for at most their CPU time: a larger share has another cause."""
    pus, sums, programs = _cpu_use(campaign)
    elapsed = sums["elapsed_ns"]
    if not elapsed or not pus:
        return Noise()
    # In CPUs: CPU time over elapsed time.
    others = max(0.0, sums["used_ns"] - sums["own_ns"]) / elapsed
    stolen = sums["stolen_ns"] / elapsed
    by_programs, by_hypervisor = min(1.0, others), min(1.0, stolen)
    much_used, much_stolen = others >= _much_used * pus, stolen >= _much_stolen * pus
    causes = []
    if much_used or (disturbed and by_programs >= _part_of_noise * disturbed):
        causes.append("programs")
    if much_stolen or (disturbed and by_hypervisor >= _part_of_noise * disturbed):
        causes.append("hypervisor")
    if by_programs + by_hypervisor < disturbed / 2:
        causes.append("neighbours" if campaign.machine.hypervisor else "unknown")
    named = tuple(programs[:_most_named]) if "programs" in causes else ()
    return Noise(tuple(causes), named, others, stolen, much_used or much_stolen)


def clock_of(campaign: Campaign) -> tuple[float, float] | None:
    """Returns the lower and the upper clock in GHz of 8 in 10 repetitions, if they differ."""
    seen = [v.core_ghz for file in campaign.files for v in file.visits.values() if v.core_ghz]
    if len(seen) < _least_visits:
        return None
    seen.sort()
    # A visit with few ticks can be far off.
    slow, fast = seen[len(seen) // 10], seen[-1 - len(seen) // 10]
    return (slow, fast) if fast >= _clock_gap * slow else None
