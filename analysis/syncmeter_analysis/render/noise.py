"""Whose noise it was that a campaign met: other programs of this machine, the hypervisor, something
that nobody here can see, or the clock; and what to do about each."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import chain

from syncmeter_analysis.record.machine import object_of
from syncmeter_analysis.relate import text
from syncmeter_analysis.relate.campaign import Campaign

#: A cause is named where it used at least this part of the disturbed share of the time.
_part_of_noise = 0.25
#: And whatever the rounds say: programs and a hypervisor that took this share of the processing units.
_much_used, _much_stolen = 0.1, 0.02
#: Programs that a sentence names.
_most_named = 3
#: Clocks that differ by less say nothing.
_clock_gap = 1.05
#: Fewer visits say little of the clock.
_least_visits = 10


@dataclass(frozen=True)
class CpuUse:
    """Who used the CPUs while a campaign ran, in CPUs: CPU time over elapsed time."""

    pus: int
    others: float
    stolen: float
    programs: dict[str, float] = field(default_factory=dict)


def cpu_use(campaign: Campaign) -> CpuUse | None:
    """Over all runs whose last line has it; None where none does."""
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
    elapsed = sums["elapsed_ns"]
    if not elapsed or not pus:
        return None
    others = max(0.0, sums["used_ns"] - sums["own_ns"]) / elapsed
    by_name = {name: ns / elapsed for name, ns in programs.most_common() if name}
    return CpuUse(pus, others, sums["stolen_ns"] / elapsed, by_name)


@dataclass(frozen=True)
class Noise:
    """`causes` in words, of the rounds in which a lane was slow; `sentences` on each, with what to do;
    `loaded`: other programs or the hypervisor took much of the CPUs, whatever the rounds say."""

    causes: tuple[str, ...] = ()
    sentences: tuple[str, ...] = ()
    loaded: bool = False


def whose_noise(campaign: Campaign, busy: float) -> Noise:
    """Of a campaign with this share of busy rounds. What a program or the hypervisor used in CPUs is
    the most of the time that it can have disturbed one lane: a share of busy rounds that these do not
    reach has another cause, which the kernel of this machine does not see."""
    use = cpu_use(campaign)
    if use is None:
        return Noise()
    by_programs, by_hypervisor = min(1.0, use.others), min(1.0, use.stolen)
    much_used = use.others >= _much_used * use.pus
    much_stolen = use.stolen >= _much_stolen * use.pus
    causes, sentences = [], []
    if much_used or (busy and by_programs >= _part_of_noise * busy):
        causes.append("other programs here")
        sentences.append(_of_programs(use))
    if much_stolen or (busy and by_hypervisor >= _part_of_noise * busy):
        causes.append("the hypervisor")
        sentences.append(_of_hypervisor(use))
    if by_programs + by_hypervisor < busy / 2:
        unseen = "unseen neighbours on the host"
        causes.append(unseen if campaign.machine.hypervisor else "a cause that is not known")
        sentences.append(_of_neighbours(use, campaign.machine.hypervisor))
    return Noise(tuple(causes), tuple(sentences), much_used or much_stolen)


def _of_programs(use: CpuUse) -> str:
    most = ", ".join(f"{name} {cpus:.2f}" for name, cpus in [*use.programs.items()][:_most_named])
    return (
        f"Other programs of this machine used {use.others:.2f} of its {text.count(use.pus, 'CPU')}"
        f"{f' ({most})' if most else ''}. Stop them, or keep them off the CPUs that are measured "
        "(taskset, cpusets; --affinity quiet takes those used least)."
    )


_elsewhere = "Measure at another hour, or on a machine whose cores are its own."


def _of_hypervisor(use: CpuUse) -> str:
    return (
        f"The hypervisor took {use.stolen:.2f} of {text.count(use.pus, 'CPU')} (stolen time): other "
        f"guests run on the same cores. {_elsewhere}"
    )


def _of_neighbours(use: CpuUse, hypervisor: bool) -> str:
    seen = (
        f"Other programs of this machine used {use.others:.2f} of its {text.count(use.pus, 'CPU')} "
        f"and the hypervisor took {use.stolen:.2f}"
    )
    if hypervisor:
        return (
            f"{seen}: what slowed the cores was probably other guests of the host, on the other "
            f"hardware threads of the same cores, which nothing here can stop. {_elsewhere}"
        )
    return (
        f"{seen}: what slowed the cores is not known. Look for interrupts (/proc/interrupts), firmware "
        "and work on hardware threads outside the allowed CPUs."
    )


def clock_sentences(campaign: Campaign) -> list[str]:
    """That the clock of the cores changed while a campaign ran."""
    seen = [v.core_ghz for file in campaign.files for v in file.visits.values() if v.core_ghz]
    if len(seen) < _least_visits:
        return []
    seen.sort()
    # A visit of few ticks can be far off.
    slow, fast = seen[len(seen) // 10], seen[-1 - len(seen) // 10]
    if fast < _clock_gap * slow:
        return []
    fix = "at another hour" if campaign.machine.hypervisor else "with a fixed clock"
    return [
        f"The clock of the cores was between {slow:.2f} and {fast:.2f} GHz in 8 of 10 visits: costs in "
        f"ns differ by as much. Compare the cycles of `syncmeter show FILE --wide`, or measure {fix}"
        f"{'' if campaign.machine.hypervisor else ' (governor performance, turbo off)'}."
    ]
