"""Can these numbers be trusted: controls against what is known of them, noise, drops, the machine."""

from __future__ import annotations

from collections import Counter, defaultdict

from syncmeter_analysis.report.blocks import Block, Bullets, Cell, Section, Table, Text
from syncmeter_analysis.statistics import text
from syncmeter_analysis.statistics.campaign import Campaign
from syncmeter_analysis.statistics.relation import Ratio, ratio
from syncmeter_analysis.statistics.summary import Measured

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


def _row(
    what: str, expected: str, found: str, good: bool | None, points: list[Measured]
) -> list[Cell]:
    verdict = {True: "as expected", False: "not as expected", None: "cannot tell"}[good]
    return [
        Cell(what),
        Cell(expected),
        Cell(found, [s.id for s in points]),
        Cell(verdict, kind={True: "good", False: "bad", None: "unclear"}[good]),
    ]


def _nothing(backend: str, points: list[Measured]) -> list[Cell]:
    resolved = [s for s in points if s.status not in ("not_resolved", "elided")]
    # 95 % intervals: five of a hundred may be resolved by chance; of a few, none should be.
    good = len(resolved) <= max(0.1 * len(points), 0)
    return _row(
        f"an empty op ({backend})",
        "not resolved",
        f"{len(points) - len(resolved)} of {len(points)} not resolved",
        good,
        points,
    )


def _multiplies(backend: str, points: list[Measured]) -> list[list[Cell]]:
    """k multiplies against k times one: the one is of the same type and as many lanes."""
    ones = {
        (s.point.type, s.point.lanes): s for s in points if s.point.op.endswith("_1") and s.usable
    }
    groups: dict[str, list[Measured]] = defaultdict(list)
    for s in points:
        groups[s.point.op.rsplit("_", 1)[1]].append(s)
    rows = []
    for k, members in sorted(groups.items(), key=lambda g: int(g[0])):
        if not k.isdigit() or int(k) < 2:
            continue
        times = []
        for s in members:
            one = ones.get((s.point.type, s.point.lanes))
            if one and isinstance(r := ratio(s, one), Ratio):
                times.append(r.value)
        if times:
            good = all(0.9 < x / int(k) < 1.1 for x in times)
            rows.append(
                _row(
                    f"{k} planted multiplies ({backend})",
                    f"{k} times one",
                    f"{min(times):.2f} to {max(times):.2f} times",
                    good,
                    members,
                )
            )
    return rows


def _latencies(campaign: Campaign) -> list[list[Cell]]:
    """Latencies of GPUs that are known: __syncthreads by its warps, and a shuffle."""
    rows = []
    barriers = [
        s
        for s in campaign.measured
        if s.point.backend == "cuda" and s.point.op == "barrier" and s.point.blocks == 1
        if s.cycles is not None and s.point.lanes >= 32
    ]
    if barriers:
        # 22 to 24 + 2 (W - 1) from V100 to Ada, 14 + 2 (W - 1) on H200.
        least = [s.cycles.value - 2 * (s.point.lanes // 32 - 1) for s in barriers if s.cycles]
        good = min(least) >= 13 and max(least) <= 25
        found = f"{min(least):.1f} to {max(least):.1f} + 2 (W - 1) cycles"
        rows.append(
            _row(
                "__syncthreads of W warps (cuda)",
                "14 to 24 + 2 (W - 1) cycles",
                found,
                good,
                barriers,
            )
        )
    shuffles = [
        s
        for s in campaign.measured
        if s.point.op.startswith("shuffle_") and (s.point.blocks, s.point.lanes) == (1, 32)
        if s.cycles is not None and s.point.type in ("", "int32")
    ]
    if shuffles:
        cycles = [s.cycles.value for s in shuffles if s.cycles]
        rows.append(
            _row(
                "a dependent shuffle (cuda)",
                "23 to 26 cycles",
                f"{min(cycles):.1f} to {max(cycles):.1f} cycles",
                min(cycles) >= 22.5 and max(cycles) <= 26.5,
                shuffles,
            )
        )
    return rows


def control_rows(campaign: Campaign) -> list[list[Cell]]:
    """A row for each control; the `kind` of its last cell says whether it is as expected."""
    points = [s for s in campaign.points.values() if s.family == "control" and not s.measured_as]
    rows: list[list[Cell]] = []
    by_backend: dict[str, list[Measured]] = defaultdict(list)
    for s in points:
        by_backend[s.point.backend].append(s)
    for backend, found in by_backend.items():
        nothing = [s for s in found if s.point.op == "control_aa"]
        if nothing:
            rows.append(_nothing(backend, nothing))
        rows += _multiplies(
            backend, [s for s in found if s.point.op.startswith("control_multiply_")]
        )
        for s in found:
            if s.point.op == "control_fadd" and s.cycles is not None and s.point.lanes == 32:
                rows.append(
                    _row(
                        f"a dependent FADD {s.point.type} ({backend})",
                        "4 cycles",
                        f"{s.cycles.value:.3f} cycles",
                        abs(s.cycles.value - 4) < 0.1 if s.point.type in ("", "float") else None,
                        [s],
                    )
                )
    rows += _latencies(campaign)
    checked = [s for s in campaign.points.values() if s.additive is not None and not s.measured_as]
    if checked:
        adds = sum(bool(s.additive) for s in checked)
        rows.append(
            _row(
                "2 and 4 ops",
                "cost 2 and 4 times one",
                f"at {adds} of {len(checked)} points",
                adds >= 0.9 * len(checked),
                [s for s in checked if not s.additive],
            )
        )
    return rows


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
