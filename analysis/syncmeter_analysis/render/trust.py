"""Can these numbers be trusted: the verdict of the first screen with its reasons, and the section on
controls, noise, drops and the machine."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import Any

from syncmeter_analysis.conclude.reliability import gpu_notes
from syncmeter_analysis.relate import point_text, text
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.device_differences import device_sentences
from syncmeter_analysis.render.precision import precision
from syncmeter_analysis.render.report import Block, Check, Head, Section
from syncmeter_analysis.studies import reliability_of
from syncmeter_analysis.studies.blocks import Bullets, Cell, Text, table
from syncmeter_analysis.studies.control import known_costs, table_of
from syncmeter_analysis.voice.reliability import noise_lines, reliability_line

#: Statuses of points whose cost nobody should use.
without_cost = ("failed", "timeout", "too_slow", "interferes", "noisy")


def trust(campaign: Campaign) -> Section:
    """The section; it says so where no control was run."""
    blocks: list[Block] = []
    if campaign.notes:
        blocks.append(Text("Parts of the files that could not be used:"))
        blocks.append(Bullets(list(campaign.notes)))
    if controls := known_costs(campaign):
        title = "Controls: costs known beforehand"
        blocks.append(table_of(controls, title))
    elif campaign.machine.imported:
        blocks.append(Text("These figures are imported: no control was measured with them."))
    else:
        blocks.append(
            Text(
                "No control was measured here, so that nothing checks these numbers; `syncmeter "
                "run --study control` measures the controls."
            )
        )
    blocks.append(Bullets(_conduct(campaign) + _surroundings(campaign)))
    if bad := [s for s in campaign.points.values() if s.status in without_cost]:
        rows = [
            [Cell(point_text.short_name(s.point), [s.id]), Cell(s.status, kind="bad"), s.reason]
            for s in bad
        ]
        title = f"{text.count(len(bad), 'point')} without a trustworthy cost"
        blocks.append(table(title, "point|status|reason", rows, folded=20))
    if doubts := Counter(s.doubt for s in campaign.points.values() if s.doubt):
        about = "Imported figures of tests that measure something other than their name says:"
        by_doubt = [f"{text.count(n, 'point')}: {why}" for why, n in doubts.most_common()]
        blocks += [Text(about), Bullets(by_doubt)]
    return Section("trust", "Can these numbers be trusted", blocks)


def _share(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "0 %"


def _census_verdicts(campaign: Campaign) -> Counter[str]:
    """Points by what the census says of their machine code."""
    found = [s.census for s in campaign.points.values() if s.census and not s.measured_as]
    return Counter(str(census.get("verdict") or "unknown") for census in found)


def _busy_rounds(campaign: Campaign) -> tuple[int, int]:
    """Rounds beside which other work ran, and all rounds."""
    rounds = campaign.conduct.rounds_by_state
    return sum(n for (_, _, is_busy), n in rounds.items() if is_busy), rounds.total()


def noise_sentences(campaign: Campaign) -> list[str]:
    """Returns what to do about noise, and how far the clock changed."""
    return list(noise_lines(reliability_of(campaign, [])))


def _statuses(campaign: Campaign) -> Counter[str]:
    return Counter(s.status for s in campaign.points.values())


def _conduct(campaign: Campaign) -> list[str]:
    c = campaign.conduct
    statuses = ", ".join(f"{n} {status}" for status, n in _statuses(campaign).most_common())
    items = [f"{text.count(len(campaign.points), 'point')}: {statuses}"]
    if c.rounds_taken:
        drops = ", ".join(f"{why} {_share(n, c.rounds_taken)}" for why, n in c.drops.most_common())
        items.append(
            f"{c.visits} visits, {c.rounds_kept} of {c.rounds_taken} rounds kept; "
            + (f"dropped: {drops}" if drops else "none dropped")
        )
    busy, rounds = _busy_rounds(campaign)
    if rounds:
        items.append(
            f"a quiet probe was slow (something else used the core) in {_share(busy, rounds)} "
            "of the rounds kept"
        )
    items += _states(campaign)
    if throttled := c.drops.get("throttled"):
        items.append(f"the clock was throttled in {text.count(throttled, 'dropped round')}")
    if c.stolen_ns:
        items.append(f"the hypervisor took {text.duration(c.stolen_ns)} of CPU time in all")
    items += noise_sentences(campaign)
    items += device_sentences(campaign)
    items += precision(campaign)
    costs = (s.cost for s in campaign.measured if s.cost and s.cost.bounded)
    if widths := sorted(100 * cost.relative_half_width for cost in costs):
        half, most = widths[len(widths) // 2], widths[int(0.9 * (len(widths) - 1))]
        items.append(
            f"half of the intervals are within {half:.1f} % of their value, 90 % of them within "
            f"{most:.1f} %"
        )
    if verdicts := _census_verdicts(campaign):
        counts = ", ".join(f"{text.count(n, 'point')} {v}" for v, n in verdicts.most_common())
        items.append(f"census of the machine code: {counts}")
    return items


def _states(campaign: Campaign) -> list[str]:
    """Shares of each file's placement states: its classes mean nothing in another file."""
    by_file: dict[str, Counter[int]] = {file.path: Counter() for file in campaign.files}
    for (path, state, _), n in campaign.conduct.rounds_by_state.items():
        by_file[path][state] += n
    items = []
    for path, rounds in by_file.items():
        if len(rounds) > 1:
            shares = ", ".join(f"{k}: {_share(rounds[k], rounds.total())}" for k in sorted(rounds))
            of = f" of {path}" if len(campaign.files) > 1 else ""
            items.append(f"placement states{of} by rounds (0 is the fastest): {shares}")
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


def head(campaign: Campaign) -> Head:
    """The head, without figures and cards."""
    return Head(
        f"Synchronization on {_name(campaign) or 'an unnamed machine'}",
        _facts(campaign),
        *verdict_of_machine(campaign),
        _checks(campaign),
        precision=precision(campaign),
    )


def _name(campaign: Campaign) -> str:
    m = campaign.machine
    return " with ".join(filter(None, [m.cpu, *sorted({gpu for _, gpu in m.gpus})]))


def _about_machine(campaign: Campaign) -> list[str]:
    m = campaign.machine
    about = campaign.files[0].campaign.get("machine")
    system = str(about.get("os") or about.get("kernel") or "") if isinstance(about, dict) else ""
    compilers = {
        str(b["compiler"]) for file in campaign.files for b in file.builds if b.get("compiler")
    }
    facts = [
        _cores(campaign),
        f"virtual machine ({m.virtualization or 'unknown'})" if m.hypervisor else "",
        system,
        f"built by {', '.join(sorted(compilers))}" if compilers else "",
    ]
    return [fact for fact in facts if fact]


def _facts(campaign: Campaign) -> list[str]:
    m = campaign.machine
    line: dict[str, Any] = campaign.files[0].campaign
    facts = [
        *_about_machine(campaign),
        _date(line.get("time")),
        f"imported: {m.imported}" if m.imported else f"syncmeter {_version(line)}",
        text.count(len(campaign.points), "point"),
    ]
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


_kinds = {"good": "good", "moderate": "unclear", "poor": "bad"}


def verdict_of_machine(campaign: Campaign) -> tuple[str, str]:
    """Returns the reliability in words, and how good it is."""
    found = reliability_of(campaign, [])
    kind = "unclear" if found.imported else _kinds.get(found.grade, "bad")
    if kind == "good" and found.controls != "passed":
        kind = "unclear"
    return reliability_line(found), kind


def _checks(campaign: Campaign) -> list[Check]:
    """Each reason with the section that has the details."""
    checks = []
    if controls := known_costs(campaign):
        good, of_all = len(controls.of("good")), len(controls.controls)
        kind = "bad" if controls.of("bad") else "good" if good == of_all else "unclear"
        checks.append(Check(f"controls {good} of {of_all}", kind, "trust"))
    if verdicts := _census_verdicts(campaign):
        wrong = verdicts["wrong"]
        proven = verdicts["proven"] + verdicts["elided"]
        kind = "good" if proven == verdicts.total() else "unclear"
        checks.append(Check(f"machine code checked {proven} of {verdicts.total()}", kind, "census"))
        checks += [Check(f"machine code wrong at {wrong}", "bad", "census")] * bool(wrong)
    statuses = _statuses(campaign)
    of_points = [
        *((s, "bad", "trust") for s in without_cost),
        ("not_resolved", "unclear", "points"),
    ]
    checks += [
        Check(f"{text.count(n, 'point')} {status.replace('_', ' ')}", kind, section)
        for status, kind, section in of_points
        if (n := statuses[status])
    ]
    if campaign.several_states:
        states = "threads met in several placement states: compared inside one only"
        checks.append(Check(states, "unclear", "trust"))
    notes = (len(gpu_notes(campaign)), "GPU"), (len(campaign.notes), "files")
    return checks + [
        Check(f"{text.count(n, 'note')} on the {of}", "unclear", "trust") for n, of in notes if n
    ]
