"""Can these numbers be trusted: the verdict of the first screen with its reasons, and the section on
controls, noise, drops and the machine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from syncmeter_analysis.conclude.reliability import gpu_notes
from syncmeter_analysis.record.machine import object_of
from syncmeter_analysis.relate import point_text, text
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.device_differences import device_sentences
from syncmeter_analysis.relate.distance import places_met
from syncmeter_analysis.relate.known_costs import known_costs
from syncmeter_analysis.render.precision import precision
from syncmeter_analysis.render.report import Block, Check, Head, Section
from syncmeter_analysis.studies import reliability_of
from syncmeter_analysis.studies.blocks import Bullets, Cell, table
from syncmeter_analysis.studies.control import table_of
from syncmeter_analysis.voice.reliability import reliability_details, reliability_line

#: Statuses without a usable cost.
without_cost = ("failed", "timeout", "too_slow", "interferes", "noisy")


def trust(campaign: Campaign) -> Section:
    """Returns the controls, the figures of the measurement, and configurations without a cost."""
    controls = known_costs(campaign)
    notes = [*campaign.notes, *gpu_notes(campaign), *device_sentences(campaign)]
    tables = [
        *[table_of(controls, "Controls: costs known beforehand")] * bool(controls),
        table("How it was measured", "what|found", [*_conduct(campaign), *_machine(campaign)]),
    ]
    bad = [s for s in campaign.points.values() if s.status in without_cost]
    rows = [
        [Cell(point_text.short_name(s.point), [s.id]), Cell(s.status, kind="bad"), s.reason]
        for s in bad
    ]
    title = "Configurations without a trustworthy cost"
    tables.append(table(title, "configuration|status|reason", rows, folded=20))
    doubts = Counter(s.doubt for s in campaign.points.values() if s.doubt)
    title = "Imported figures of tests that measure something other than their name says"
    tables.append(table(title, "configurations>|reason", [(n, x) for x, n in doubts.most_common()]))
    shown: list[Block] = [one for one in tables if one.rows]
    listed = [Bullets(notes)] * bool(notes)
    return Section("trust", "Can these numbers be trusted", [*listed, *shown])


def _share(part: float, whole: float) -> str:
    return text.percent(part / whole if whole else 0.0, 1)


def _counts(counted: Counter[str]) -> str:
    return ", ".join(f"{n} {name}" for name, n in counted.most_common())


def _census_verdicts(campaign: Campaign) -> Counter[str]:
    """Points by what the census says of their machine code."""
    found = [s.census for s in campaign.points.values() if s.census and not s.measured_as]
    return Counter(str(census.get("verdict") or "unknown") for census in found)


def _statuses(campaign: Campaign) -> Counter[str]:
    return Counter(s.status for s in campaign.points.values())


def _conduct(campaign: Campaign) -> Iterator[tuple[str, str]]:
    c = campaign.conduct
    yield "configurations by status", _counts(_statuses(campaign))
    if c.rounds_taken:
        yield "repetitions of all configurations", str(c.visits)
        yield "sample pairs kept", f"{c.rounds_kept} of {c.rounds_taken}"
    for why, n in c.drops.most_common():
        yield f"sample pairs dropped: {why}", _share(n, c.rounds_taken)
    rounds = c.rounds_by_state
    if rounds:
        disturbed = sum(n for (_, _, is_busy), n in rounds.items() if is_busy)
        yield "disturbed sample pairs", _share(disturbed, rounds.total())
    places = places_met(campaign.measured)
    total = sum(place.rounds for place in places)
    for place in places:
        share = _share(place.rounds, total)
        yield f"core-to-core latency {place.hop_ns:.0f} ns", f"{share} of the sample pairs"
    if c.stolen_ns:
        yield "CPU time taken by the hypervisor", text.duration(c.stolen_ns)
    yield from precision(campaign)
    costs = (s.cost for s in campaign.measured if s.cost and s.cost.bounded)
    if widths := sorted(cost.relative_half_width for cost in costs):
        half, most = widths[len(widths) // 2], widths[int(0.9 * (len(widths) - 1))]
        yield "half width of the 95 % CI", f"median {text.percent(half, 1)}"
        yield "90 % of the half widths", f"below {text.percent(most, 1)}"
    if verdicts := _census_verdicts(campaign):
        yield "machine-code check", _counts(verdicts)


def _machine(campaign: Campaign) -> Iterator[tuple[str, str]]:
    m = campaign.machine
    if m.imported:
        return
    yield "virtual machine", (m.virtualization or "yes") if m.hypervisor else "no"
    yield "frequency governor", str(m.governor)
    yield "turbo", str(m.turbo)
    yield "CPU quota", f"{m.quota_cpus:g} CPUs" if m.quota_cpus else "none"


def head(campaign: Campaign) -> Head:
    """The head, without figures and cards."""
    return Head(
        f"Synchronization on {_name(campaign) or 'an unnamed machine'}",
        _facts(campaign),
        *verdict_of_machine(campaign),
        _checks(campaign),
    )


def _name(campaign: Campaign) -> str:
    m = campaign.machine
    return " with ".join(filter(None, [m.cpu, *sorted({gpu for _, gpu in m.gpus})]))


def _facts(campaign: Campaign) -> list[str]:
    m, line = campaign.machine, campaign.files[0].campaign
    about = object_of(line, "machine")
    builds = [build for file in campaign.files for build in file.builds]
    compilers = sorted({str(b["compiler"]) for b in builds if b.get("compiler")})
    facts = [
        _cores(campaign),
        f"virtual machine ({m.virtualization or 'unknown'})" if m.hypervisor else "",
        str(about.get("os") or about.get("kernel") or ""),
        f"built by {', '.join(compilers)}" if compilers else "",
        _date(line.get("time")),
        f"imported: {m.imported}" if m.imported else f"syncmeter {_version(line)}",
        text.count(len(campaign.points), "point"),
    ]
    return list(filter(None, facts))


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
    return f"{reliability_line(found)} {reliability_details(found)}".rstrip(), kind


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
    notes = (len(gpu_notes(campaign)), "GPU"), (len(campaign.notes), "files")
    return checks + [
        Check(f"{text.count(n, 'note')} on the {of}", "unclear", "trust") for n, of in notes if n
    ]
