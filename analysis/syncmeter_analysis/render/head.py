"""The first screen's title, facts and verdict: what was measured, where and when, and how far to trust
it."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import Any

from syncmeter_analysis.relate import text
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.render.blocks import Check, Head
from syncmeter_analysis.render.controls import control_rows
from syncmeter_analysis.render.trust import gpu_notes, without_cost

#: Shares of rounds beside which other work ran: up to the first a machine is quiet, from the second on
#: it is noisy.
_quiet, _noisy = 0.1, 0.5


def head(campaign: Campaign) -> Head:
    """The head, without figures and cards."""
    verdict, kind = verdict_of_machine(campaign)
    return Head(
        f"Synchronization on {_name(campaign)}", _facts(campaign), verdict, kind, _checks(campaign)
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
    rounds = campaign.conduct.rounds_by_state
    if not rounds.total():
        return "Nothing was measured", "bad"
    busy = sum(n for (_, _, is_busy), n in rounds.items() if is_busy) / rounds.total()
    word = "Quiet" if busy <= _quiet else "Noisy" if busy >= _noisy else "Partly noisy"
    share = f"{100 * busy:.0f} %" if busy >= 0.01 else "less than 1 %"
    told = f"{word}: other work in {share} of the rounds" if busy else f"{word}: no other work seen"
    controls = [row[-1].kind for row in control_rows(campaign)]
    if "bad" in controls:
        return f"{told}; a control failed, so that ratios and costs are doubtful", "bad"
    ratios = "ratios usable" if controls else "ratios unchecked (no control was measured)"
    reach = _reach(campaign)
    absolute = f", absolute costs {reach}" if reach else ""
    sound = busy <= _quiet and controls and not gpu_notes(campaign)
    return f"{told}; {ratios}{absolute}", "good" if sound else "unclear"


def _reach(campaign: Campaign) -> str:
    """How far off 9 of 10 costs may be: half of their intervals over their value."""
    half = sorted(
        s.cost.relative_half_width for s in campaign.measured if s.cost and s.cost.bounded
    )
    if not half:
        return ""
    widest = half[int(0.9 * (len(half) - 1))]
    percent = f"{100 * widest:.0f} %" if widest >= 0.01 else "1 %"
    return f"within {percent}" if widest < 0.5 else f"uncertain (9 of 10 within {percent})"


def _checks(campaign: Campaign) -> list[Check]:
    """Each reason with the section that has the details."""
    checks = []
    kinds = [row[-1].kind for row in control_rows(campaign)]
    if kinds:
        good = kinds.count("good")
        kind = "bad" if "bad" in kinds else "good" if good == len(kinds) else "unclear"
        checks.append(Check(f"controls {good} of {len(kinds)}", kind, "trust"))
    verdicts = Counter(
        str(s.census.get("verdict") or "unknown")
        for s in campaign.points.values()
        if s.census and not s.measured_as
    )
    if verdicts:
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
        told = f"{text.count(unresolved, 'point')} not resolved"
        checks.append(Check(told, "unclear", "points"))
    if campaign.several_states:
        told = "threads met in several placement states: compared inside one only"
        checks.append(Check(told, "unclear", "trust"))
    if notes := len(gpu_notes(campaign)):
        checks.append(Check(f"{text.count(notes, 'note')} on the GPU", "unclear", "trust"))
    if campaign.notes:
        told = f"{text.count(len(campaign.notes), 'note')} on the files"
        checks.append(Check(told, "unclear", "trust"))
    return checks
