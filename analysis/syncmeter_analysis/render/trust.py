"""Can these numbers be trusted: controls against what is known of them, noise, drops, the machine."""

from __future__ import annotations

from collections import Counter

from syncmeter_analysis.relate import text
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.render.blocks import Block, Bullets, Cell, Section, Table, Text
from syncmeter_analysis.render.controls import control_rows

#: Statuses of points whose cost nobody should use.
without_cost = ("failed", "timeout", "too_slow", "interferes", "noisy")


def trust(campaign: Campaign) -> Section:
    """The section; it says so where no control was run."""
    blocks: list[Block] = []
    if campaign.notes:
        blocks += [
            Text("Parts of the files that could not be used:"),
            Bullets(list(campaign.notes)),
        ]
    if controls := control_rows(campaign):
        blocks.append(
            Table(
                ["control", "expected", "found", ""],
                controls,
                caption="Controls: costs known beforehand",
            )
        )
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
        blocks.append(
            Table(
                ["point", "status", "reason"],
                rows,
                folded=20,
                caption=f"{text.count(len(bad), 'point')} without a trustworthy cost",
            )
        )
    doubts = Counter(s.doubt for s in campaign.points.values() if s.doubt)
    if doubts:
        blocks.append(
            Text("Imported figures of tests that measure something other than their name says:")
        )
        blocks.append(Bullets([f"{n} points: {why}" for why, n in doubts.most_common()]))
    return Section("trust", "Can these numbers be trusted", blocks)


def _share(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "0 %"


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
    rounds = sum(c.rounds_by_state.values())
    busy = sum(n for (_, _, is_busy), n in c.rounds_by_state.items() if is_busy)
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
    half = [s.cost.relative_half_width for s in campaign.measured if s.cost and s.cost.bounded]
    if half:
        half.sort()
        items.append(
            f"half of the intervals are within {100 * half[len(half) // 2]:.1f} % of their "
            f"value, 90 % of them within {100 * half[int(0.9 * (len(half) - 1))]:.1f} %"
        )
    verdicts = Counter(
        str(s.census.get("verdict") or "unknown")
        for s in campaign.points.values()
        if s.census and not s.measured_as
    )
    if verdicts:
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
    said = [note for notes in found if isinstance(notes, list) for note in notes]
    return list(dict.fromkeys(note for note in said if isinstance(note, str)))
