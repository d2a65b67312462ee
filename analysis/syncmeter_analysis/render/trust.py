"""Can these numbers be trusted: the verdict of the first screen with its reasons, and the section on
controls, noise, drops and the machine."""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import datetime
from statistics import median
from typing import Any

from syncmeter_analysis.relate import text
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.device_differences import device_sentences
from syncmeter_analysis.relate.scatter import kinds, repetition
from syncmeter_analysis.relate.summary import gap_of_states
from syncmeter_analysis.render.controls import control_rows
from syncmeter_analysis.render.report import Block, Check, Head, Section
from syncmeter_analysis.studies.blocks import Bullets, Cell, Text, table

#: Statuses of points whose cost nobody should use.
without_cost = ("failed", "timeout", "too_slow", "interferes", "noisy")


def trust(campaign: Campaign) -> Section:
    """The section; it says so where no control was run."""
    blocks: list[Block] = []
    if campaign.notes:
        blocks.append(Text("Parts of the files that could not be used:"))
        blocks.append(Bullets(list(campaign.notes)))
    if controls := control_rows(campaign):
        title = "Controls: costs known beforehand"
        blocks.append(table(title, "control|expected|found|", controls))
    else:
        blocks.append(
            Text(
                "No control was measured here, so that nothing checks these numbers; `syncmeter "
                "run --study control` measures the controls."
                if not campaign.machine.imported
                else "These figures are imported: no control was measured with them."
            )
        )
    blocks.append(Bullets(_conduct(campaign) + _surroundings(campaign)))
    bad = [s for s in campaign.points.values() if s.status in without_cost]
    if bad:
        rows = [
            [Cell(text.short_name(s.point), [s.id]), Cell(s.status, kind="bad"), Cell(s.reason)]
            for s in bad
        ]
        title = f"{text.count(len(bad), 'point')} without a trustworthy cost"
        blocks.append(table(title, "point|status|reason", rows, folded=20))
    doubts = Counter(s.doubt for s in campaign.points.values() if s.doubt)
    if doubts:
        blocks.append(
            Text("Imported figures of tests that measure something other than their name says:")
        )
        blocks.append(Bullets([f"{n} points: {why}" for why, n in doubts.most_common()]))
    return Section("trust", "Can these numbers be trusted", blocks)


def _share(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "0 %"


def _half_widths(campaign: Campaign) -> list[float]:
    """Of the intervals of costs, over their values; the smallest first."""
    costs = [s.cost for s in campaign.measured if s.cost and s.cost.bounded]
    return sorted(cost.relative_half_width for cost in costs)


def _census_verdicts(campaign: Campaign) -> Counter[str]:
    """Points by what the census says of their machine code."""
    found = [s.census for s in campaign.points.values() if s.census and not s.measured_as]
    return Counter(str(census.get("verdict") or "unknown") for census in found)


def _busy_rounds(campaign: Campaign) -> tuple[int, int]:
    """Rounds beside which other work ran, and all rounds."""
    rounds = campaign.conduct.rounds_by_state
    return sum(n for (_, _, is_busy), n in rounds.items() if is_busy), rounds.total()


def _conduct(campaign: Campaign) -> list[str]:
    c = campaign.conduct
    statuses = Counter(s.status for s in campaign.points.values())
    items = [
        f"{text.count(len(campaign.points), 'point')}: "
        + ", ".join(f"{n} {status}" for status, n in statuses.most_common())
    ]
    if c.rounds_taken:
        drops = ", ".join(f"{why} {_share(n, c.rounds_taken)}" for why, n in c.drops.most_common())
        items.append(
            f"{c.visits} visits, {c.rounds_kept} of {c.rounds_taken} rounds kept"
            + (f"; dropped: {drops}" if drops else "; none dropped")
        )
    busy, rounds = _busy_rounds(campaign)
    if rounds:
        items.append(
            f"a quiet probe was slow (something else used the core) in {_share(busy, rounds)} "
            "of the rounds kept"
        )
    items += _states(campaign)
    if c.drops.get("throttled"):
        items.append(
            f"the clock was throttled in {c.drops['throttled']} rounds, which were dropped"
        )
    if c.stolen_ns:
        items.append(f"the hypervisor took {text.duration(c.stolen_ns)} of CPU time in all")
    items += device_sentences(campaign)
    items += precision(campaign)
    if half := _half_widths(campaign):
        items.append(
            f"half of the intervals are within {100 * half[len(half) // 2]:.1f} % of their "
            f"value, 90 % of them within {100 * half[int(0.9 * (len(half) - 1))]:.1f} %"
        )
    if verdicts := _census_verdicts(campaign):
        items.append(
            "census of the machine code: "
            + ", ".join(f"{n} points {v}" for v, n in verdicts.most_common())
        )
    return items


def _states(campaign: Campaign) -> list[str]:
    """Shares of each file's placement states: its classes mean nothing in another file."""
    items = []
    for path in dict.fromkeys(file.path for file in campaign.files):
        rounds: Counter[int] = Counter()
        for (name, state, _), n in campaign.conduct.rounds_by_state.items():
            if name == path:
                rounds[state] += n
        if len(rounds) > 1:
            shares = [f"{k}: {_share(rounds[k], rounds.total())}" for k in sorted(rounds)]
            of = f" of {path}" if len(campaign.files) > 1 else ""
            items.append(f"placement states{of} by rounds (0 is the fastest): " + ", ".join(shares))
    return items


def _surroundings(campaign: Campaign) -> list[str]:
    m = campaign.machine
    items = []
    if m.hypervisor:
        items.append(
            f"virtual machine ({m.virtualization or 'unknown'}): the host may move, share or "
            "slow the CPUs, and their topology is as the hypervisor reports it"
        )
    elif not m.imported:
        items.append("no hypervisor was detected")
    if not m.imported:
        items.append(f"frequency governor {m.governor}, turbo {m.turbo}")
        items.append(f"CPU quota: {m.quota_cpus:g} CPUs" if m.quota_cpus else "no CPU quota")
    return items + gpu_notes(campaign)


def gpu_notes(campaign: Campaign) -> list[str]:
    """What the driver found out about the GPUs before it measured, such as other work on them."""
    found = [file.campaign.get("gpu_notes") for file in campaign.files]
    notes = [note for each in found if isinstance(each, list) for note in each]
    return list(dict.fromkeys(note for note in notes if isinstance(note, str)))


#: Shares of rounds beside which other work ran: up to the first a machine is quiet, from the second on
#: it is noisy.
_quiet, _noisy = 0.1, 0.5


def head(campaign: Campaign) -> Head:
    """The head, without figures and cards."""
    verdict, kind = verdict_of_machine(campaign)
    return Head(
        f"Synchronization on {_name(campaign)}",
        _facts(campaign),
        verdict,
        kind,
        _checks(campaign),
        precision=precision(campaign),
    )


def _name(campaign: Campaign) -> str:
    m = campaign.machine
    gpus = sorted({name for _, name in m.gpus})
    names = [m.cpu, *gpus] if m.cpu else gpus
    return " with ".join(names) or "an unnamed machine"


def _facts(campaign: Campaign) -> list[str]:
    m, first = campaign.machine, campaign.files[0]
    line: dict[str, Any] = first.campaign
    about = line.get("machine")
    system = str(about.get("os") or about.get("kernel") or "") if isinstance(about, dict) else ""
    facts = [_cores(campaign)]
    if m.hypervisor:
        facts.append(f"virtual machine ({m.virtualization or 'unknown'})")
    compilers = [
        str(build.get("compiler"))
        for file in campaign.files
        for worker in file.workers
        if isinstance(build := worker.get("build"), dict) and build.get("compiler")
    ]
    facts += [system, ", ".join(sorted(set(compilers))), _date(line.get("time"))]
    facts.append(f"imported: {m.imported}" if m.imported else f"syncmeter {_version(line)}")
    facts.append(text.count(len(campaign.points), "point"))
    return [fact for fact in facts if fact]


def _cores(campaign: Campaign) -> str:
    m = campaign.machine
    if not m.cores:
        return text.count(m.pus, "hardware thread") if m.pus else ""
    cores = text.count(m.cores, "core")
    if m.packages and m.packages > 1:
        cores += f" in {m.packages} packages"
    if m.pus and m.pus > m.cores:
        return f"{cores}, {m.pus} hardware threads (SMT)"
    return f"{cores}, no SMT" if m.smt is False else cores


def _date(time: object) -> str:
    try:
        return datetime.fromisoformat(str(time)).strftime("%-d %B %Y, %H:%M UTC")
    except ValueError:
        return ""


def _version(line: dict[str, Any]) -> str:
    git = line.get("git")
    sha = str(git.get("sha") or "")[:7] if isinstance(git, dict) else ""
    dirty = " with local changes" if isinstance(git, dict) and git.get("dirty") else ""
    return f"{line.get('version', '')}" + (f" ({sha}{dirty})" if sha else "")


def verdict_of_machine(campaign: Campaign) -> tuple[str, str]:
    """Whether the machine was quiet, and what that leaves usable."""
    if campaign.machine.imported:
        return "Imported: nothing here says how the figures were measured", "unclear"
    slow, rounds = _busy_rounds(campaign)
    if not rounds:
        return "Nothing was measured", "bad"
    busy = slow / rounds
    word = "Quiet" if busy <= _quiet else "Noisy" if busy >= _noisy else "Partly noisy"
    share = f"{100 * busy:.0f} %" if busy >= 0.01 else "less than 1 %"
    verdict = (
        f"{word}: other work in {share} of the rounds" if busy else f"{word}: no other work seen"
    )
    controls = [row[-1].kind for row in control_rows(campaign)]
    if "bad" in controls:
        return f"{verdict}; a control failed, so that ratios and costs are doubtful", "bad"
    ratios = "ratios usable" if controls else "ratios unchecked (no control was measured)"
    sound = busy <= _quiet and controls and not gpu_notes(campaign)
    return f"{verdict}; {ratios}", "good" if sound else "unclear"


def precision(campaign: Campaign) -> list[str]:
    """How far a repetition would land in the same placement, and which placements were met."""
    if campaign.machine.imported:
        return []
    reach = [
        f"{_within(ratio)} {_of_kind[kind]}"
        for kind, ratio in repetition(campaign.points.values(), campaign.machine.hypervisor).items()
    ]
    found = [f"Measured again in the same placement, 9 of 10 costs land {', '.join(reach)}."]
    return found * bool(reach) + _placements(campaign)


_of_kind = dict(
    zip(
        kinds,
        (
            "inside the GPU",
            "for launches",
            "for one thread",
            "for threads that share nothing",
            "where threads meet",
        ),
        strict=True,
    )
)


def _within(ratio: float) -> str:
    percent = 100 * (ratio - 1)
    return (
        f"within {percent:.{1 if percent < 9.95 else 0}f} %"
        if ratio < 2
        else (f"within a factor of {text.ratio(ratio)}")
    )


#: Fewer points that were seen in a farther placement too say little of what it costs.
_least_far = 5


def _placements(campaign: Campaign) -> list[str]:
    """How far apart threads that meet were, and what that did to costs; a hypervisor moves them."""
    shared = [s for s in campaign.measured if s.hop_ns > 0 and not s.measured_as]
    rounds: Counter[int] = Counter()
    hops: dict[int, list[float]] = defaultdict(list)
    for s in shared:
        for state, n in s.states.items():
            if state.hop_ns > 0:
                rounds[state.number] += n
                hops[state.number].append(state.hop_ns)
    if not rounds:
        return []
    places = sorted((median(hops[k]), n) for k, n in rounds.items())
    if len(places) == 1:
        if not campaign.machine.hypervisor:
            return []
        return [
            f"Threads that meet were {places[0][0]:.0f} ns apart throughout: one placement of a "
            "virtual machine, which may put them elsewhere another time; shared costs go with that."
        ]
    told = ", ".join(
        f"{hop:.0f} ns in {100 * n / rounds.total():.0f} % of the rounds" for hop, n in places
    )
    far = [
        other.cost.value / s.cost.value
        for s in shared
        for other in s.other_states
        if s.cost and other.cost and other.resolved and other.hop_ns > gap_of_states * s.hop_ns
    ]
    costs = ""
    if len(far) >= _least_far:
        costs = f"; in a farther one shared costs were {text.ratio(median(far))} times as high"
    return [f"Threads that meet were seen in {len(places)} placements: {told}{costs}."]


def _checks(campaign: Campaign) -> list[Check]:
    """Each reason with the section that has the details."""
    checks = []
    kinds = [row[-1].kind for row in control_rows(campaign)]
    if kinds:
        good = kinds.count("good")
        kind = "bad" if "bad" in kinds else "good" if good == len(kinds) else "unclear"
        checks.append(Check(f"controls {good} of {len(kinds)}", kind, "trust"))
    if verdicts := _census_verdicts(campaign):
        wrong = verdicts["wrong"]
        proven = verdicts["proven"] + verdicts["elided"]
        kind = "good" if proven == verdicts.total() else "unclear"
        checks.append(Check(f"machine code checked {proven} of {verdicts.total()}", kind, "census"))
        checks += [Check(f"machine code wrong at {wrong}", "bad", "census")] * bool(wrong)
    statuses = Counter(s.status for s in campaign.points.values())
    for status in without_cost:
        if n := statuses[status]:
            name = status.replace("_", " ")
            checks.append(Check(f"{text.count(n, 'point')} {name}", "bad", "trust"))
    if unresolved := statuses["not_resolved"]:
        count = f"{text.count(unresolved, 'point')} not resolved"
        checks.append(Check(count, "unclear", "points"))
    if campaign.several_states:
        states = "threads met in several placement states: compared inside one only"
        checks.append(Check(states, "unclear", "trust"))
    if notes := len(gpu_notes(campaign)):
        checks.append(Check(f"{text.count(notes, 'note')} on the GPU", "unclear", "trust"))
    if campaign.notes:
        count = f"{text.count(len(campaign.notes), 'note')} on the files"
        checks.append(Check(count, "unclear", "trust"))
    return checks
