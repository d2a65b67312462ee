"""What `syncmeter advise` found in a program, in every medium: for a terminal, as Markdown, as JSON and
as a page. Sums and shares are of the driver's figures; what to change is in its sentences."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace

from syncmeter_analysis.record.advice_file import AdviceFile
from syncmeter_analysis.record.members import Members
from syncmeter_analysis.relate import text
from syncmeter_analysis.relate.spent import spent_at, spent_in
from syncmeter_analysis.render.advice_tables import (
    cut,
    kernel_table,
    lock_table,
    longest_place,
    per_cent,
    price_table,
    run_tables,
    site_name,
    site_tables,
    trial_table,
)
from syncmeter_analysis.render.report import Bar, Card, Check, Drawing, Head, Report, Section
from syncmeter_analysis.render.terminal import bold, parts_plain, prose
from syncmeter_analysis.studies.blocks import Block, Bullets, Table, Text
from syncmeter_analysis.studies.figures import Axis, Bars, Figure, Panel, Row

_study_name = re.compile(r"[a-z0-9-]{1,40}")

#: Bars of the figure, and characters of what stands beside one.
_most_bars, _longest_label = 12, 48
#: A smaller share of the time is no part of a sentence.
_least_share = 0.005
#: What is smaller would be shown as 0.0 %.
_least_shown = 0.001

_late = "late: waiting for the last thread"
_after = "after: the primitive itself"
_work = "work: in the lock, chunk or kernel"
_idle = "idle: until a signal or another's end"

_kinds_of_saving = {
    "estimate": "an estimate, from what the same costs by itself on this machine",
    "bound": "an upper bound, from what was timed: no change there saves more",
    "range": "between nothing and what was timed",
    "may_cost": "an upper bound, from what was timed",
}


def as_text(report: Report, coloured: bool = False, width: int = 0) -> str:
    """For a terminal of this width, 0 for any: the first screen, then the tables."""
    head = report.head
    lines = [prose(sentence, width) for sentence in (*head.answers, head.verdict)]
    parts = [bold(head.title, coloured), "\n".join(lines)]
    for i, card in enumerate(head.cards, 1):
        parts.append(f"{prose(f'{i}. {card.text}.', width)}\n{prose(card.effect, width)}")
    checks = [prose(f"- {check.text}", width) for check in head.checks]
    parts += ["\n".join(checks)] * bool(checks)
    for section in report.sections:
        blocks = [b for b in section.blocks if not isinstance(b, Drawing)]
        shown = [short for b in blocks for short in _shortened(b)]
        parts += [bold(section.title, coloured), *parts_plain(shown, coloured, width)]
    return "\n\n".join(parts)


def _shortened(block: Block) -> list[Block]:
    """The rows of a table that a page does not fold away, and how many more there are."""
    if not isinstance(block, Table) or not 0 < block.folded < len(block.rows):
        return [block]
    more = len(block.rows) - block.folded
    first = replace(block, rows=block.rows[: block.folded])
    return [
        first,
        Text(f"... and {text.count(more, 'more row')}; --html and --format json have all."),
    ]


def as_json(file: AdviceFile) -> str:
    """The file as one object, with what the sites take together."""
    spent = spent_in(file)
    takes = None
    if spent:
        takes = {
            "lateness": spent.late,
            "mechanism": spent.after + spent.woken,
            "wait": spent.calls + spent.gpu,
            "in_all": spent.in_all,
        }
    found = {
        "kind": "advise",
        **{name: value for name, value in file.header.items() if name not in ("record", "kind")},
        "wall_s": file.wall_s,
        "takes_s": takes,
        "advice": [{**each, "run_s": file.run_s_of(each)} for each in file.advice],
        "sites": file.sites,
        "kernels": file.kernels,
        "objects": file.objects,
        "prices": file.prices,
        "trials": file.trials,
        "left_out": file.left_out,
    }
    return json.dumps(found, indent=1)


def advice_report(file: AdviceFile) -> Report:
    """A page of the same kind as a report. The first screen: what the program spends on
    synchronization, how sure that is, what to change; then the sites, prices and runs."""
    figure = _figure(file)
    notes = [*(file.header.get("notes") or ()), *file.left_out]
    sections = [
        Section("notes", "Notes", [Bullets(notes)] if notes else []),
        Section("trials", "What was tried", [*trial_table(file)]),
        Section("studies", "Studies behind the advice", [*_studies(file)]),
        Section("sites", "Sites", [*site_tables(file)]),
        Section("kernels", "Kernels", [*kernel_table(file)]),
        Section("locks", "Locks", [*lock_table(file)]),
        Section("prices", "Prices on this machine", [*price_table(file)]),
        Section("runs", "Runs", [*run_tables(file)]),
    ]
    head = Head(
        _title(file),
        _facts(file),
        _verdict(file),
        "good" if _is_sure(file) else "unclear",
        _checks(file),
        [figure] if figure else [],
        [_card(file, advice, bool(figure)) for advice in _in_order(file)],
        answers=_answers(file),
    )
    return Report(head, [s for s in sections if s.blocks], [], [file.path])


def _in_order(file: AdviceFile) -> list[Members]:
    return sorted(file.advice, key=lambda advice: int(advice["rank"]))


def _study_of(advice: Members) -> str:
    """What its file names as the study behind an advice; '' where that is no study's name."""
    study = str(advice.get("study") or "")
    return study if _study_name.fullmatch(study) else ""


def _studies(file: AdviceFile) -> list[Block]:
    """Each once, with the numbers of its advice: how to measure it, and where its page is."""
    behind: dict[str, list[str]] = {}
    for number, advice in enumerate(_in_order(file), 1):
        if study := _study_of(advice):
            behind.setdefault(study, []).append(str(number))
    items = [
        f"advice {text.listed(numbers)}: `syncmeter run --study {study}` measures what stands behind "
        f"it; docs/studies/{study}.md says how to read that"
        for study, numbers in behind.items()
    ]
    return [Bullets(items)] if items else []


def _is_static(file: AdviceFile) -> bool:
    return not file.header["runs"]


def _title(file: AdviceFile) -> str:
    static = " --static" if _is_static(file) else ""
    return f"syncmeter advise{static}: {cut(' '.join(file.header['command']), longest_place)}"


def rough_seconds(s: float) -> str:
    """Seconds as the driver's sentences have them, which a test holds this to."""
    if s < 999.5e-9:
        return f"{s * 1e9:.3g} ns"
    if s < 999.5e-6:
        return f"{s * 1e6:.3g} us"
    if s < 0.01:
        return f"{s * 1e3:.2g} ms"
    return f"{s:.2g} s" if s < 99.5 else f"{s:.0f} s"


def _facts(file: AdviceFile) -> list[str]:
    by_arm: dict[str, list[float]] = {}
    for run in file.header["runs"]:
        by_arm.setdefault(run["arm"], []).append(run["wall_s"])
    # The words before and behind the plural's end, as the driver's text has them.
    named = {
        "plain": ("plain run", ""),
        "count": ("counted run", ""),
        "sample": ("sampled run", ""),
        "time": ("timed run", ""),
        "kernels": ("run", " with patched kernels"),
        "span": ("run", " from CUDA's first call on"),
    }
    found = []
    for arm, walls in by_arm.items():
        least, most = min(walls) * 1e9, max(walls) * 1e9
        took = text.duration_range(least, most) if len(walls) > 1 else text.duration(most)
        runs, which = named.get(arm, (f"{arm} run", ""))
        found.append(f"{text.count(len(walls), runs)}{which}: {took}")
    runtimes = (file.header.get("program") or {}).get("runtimes") or ()
    processes = file.header.get("processes")
    found += [f"with {', '.join(runtimes)}"] if runtimes else []
    found += [f"{processes:,} processes"] if processes and processes > 1 else []
    of_gpus = file.header.get("gpu_processes") or 0
    found += [f"{of_gpus:,} of them with a GPU"] if of_gpus > 1 else []
    version = file.header.get("version")
    return [*found, f"syncmeter {version}"] if version else found


def _answers(file: AdviceFile) -> list[str]:
    """What the program spends on synchronization, and that there is nothing to gain where it is so."""
    found = []
    spent, wall = spent_in(file), file.wall_s
    if spent and wall:
        parts = [
            (spent.late, "waiting for the last thread to arrive"),
            (spent.after, "in regions and barriers after it has arrived"),
            (spent.calls, "in the calls that take locks or fetch chunks of loops"),
            (spent.woken, "from a signal on until the thread has its lock"),
            (spent.gpu, "in calls that give the GPU work or wait for it"),
        ]
        shown = [
            f"{per_cent(min(s, wall), wall)} {where}"
            for s, where in parts
            if s > _least_share * wall
        ]
        # Sites that different threads pass may take more together than any thread has.
        most = min(spent.in_all, wall)
        takes = (
            f"at most {per_cent(most, wall)} of a thread's time "
            f"({rough_seconds(most)} of {rough_seconds(wall)})"
            if most >= _least_shown * wall
            else f"less than {per_cent(_least_shown, 1)} of a thread's time"
        )
        found.append(f"Synchronization takes {takes}{': ' if shown else ''}{', '.join(shown)}.")
    elif calls := sum(site.get("count") or 0 for site in file.sites):
        found.append(
            f"{calls:,} calls synchronize, at {text.count(len(file.sites), 'site')}; what they take of "
            "the time is not known."
        )
    if not file.advice and (conclusion := file.header.get("conclusion")):
        found.append(conclusion)
    return found


def _is_sure(file: AdviceFile) -> bool:
    """Counting and other programs left the times as they are."""
    return bool(
        file.wall_s and file.header.get("counting_cost") and not file.header.get("withheld")
    )


def _verdict(file: AdviceFile) -> str:
    header = file.header
    if _is_static(file):
        return "Nothing was run: the sites are those of the machine code."
    why, conclusion = header.get("withheld"), header.get("conclusion")
    if file.wall_s is None and conclusion:
        return "There are counts alone, and no advice."
    if file.wall_s is None:
        return "The program ended before it could be timed: there are counts, and no advice."
    if why and file.advice and conclusion:
        return str(conclusion)
    if why:
        return f"The times are rough, as {why}."
    if not header.get("counting_cost"):
        return (
            "The program ran once: what counting its calls costs is not known, and no site's time."
        )
    return "These times are of a run that neither counting nor other programs disturbed much."


def _checks(file: AdviceFile) -> list[Check]:
    header, found = file.header, []
    kind = "unclear" if header.get("withheld") else "good"
    if cost := header.get("counting_cost"):
        pairs = f" ({cost['low']:.3f} to {cost['high']:.3f} in single pairs of runs)"
        says = f"with its calls counted the program takes {cost['ratio']:.3f} times as long"
        found.append(Check(says + pairs * (cost["low"] < cost["high"]), kind, "runs"))
    shares = [(run["arm"], run.get("other_cpu_share")) for run in header["runs"]]
    first_timed = next((at for at, (arm, _) in enumerate(shares) if arm == "time"), None)
    for is_timed, when in ((True, "while the sites were timed"), (False, "at most in other runs")):
        known = [
            share
            for at, (_, share) in enumerate(shares)
            if share is not None and (at == first_timed) is is_timed
        ]
        if known:
            says = f"other programs used {per_cent(max(known), 1)} of the CPUs {when}"
            found.append(Check(says, kind if is_timed else "", "runs"))
    if lost := header.get("lost_calls"):
        found.append(Check(f"{lost:,} calls are of no site", "unclear", "sites"))
    if lost := (header.get("sampling") or {}).get("lost"):
        found.append(Check(f"{lost:,} samples are lost", "unclear", "sites"))
    return found


def saving_text(file: AdviceFile, advice: Members) -> str:
    """Of which run how much is saved, as the driver's text has it."""
    saves, run_s = advice.get("saves_s"), file.run_s_of(advice)
    if not saves or run_s is None:
        return "no saving is named"
    least, most = rough_seconds(saves["low"]), rough_seconds(saves["high"])
    both = least if least == most else f"{least} to {most}"
    also = ", or takes longer" if advice["kind"] == "may_cost" else ""
    says = both if saves["low"] > 0 else f"at most {most}"
    return f"saves {says} of {rough_seconds(run_s)}{also}"


def _bars_of(name: str, saves: Members, scale_s: float) -> list[Bar]:
    low, high = saves["low"], saves["high"]
    ends = [("at least", low), ("at most", high)] if low > 0 else [("at most", high)]
    return [
        Bar(f"{name} {end}", rough_seconds(s), min(1.0, max(0.0, s / scale_s)) if scale_s else 0.0)
        for end, s in ends
    ]


def _card(file: AdviceFile, advice: Members, is_drawn: bool) -> Card:
    """The saving as a heading, the driver's sentences, and the saving beside the run as bars."""
    saves, run_s = advice.get("saves_s"), file.run_s_of(advice)
    bars = []
    if saves and run_s is not None:
        together = advice.get("with_others")
        # What all sites save may be of another run.
        longest_s = max(run_s, together["run_s"]) if together else run_s
        bars = [Bar("the run", rough_seconds(run_s), run_s / longest_s if longest_s else 1.0)]
        bars += _bars_of("saves", saves, longest_s)
        if together:
            bars += _bars_of(f"all {together['sites']} sites save", together, longest_s)
    where = _kinds_of_saving.get(advice["kind"], "") if saves else ""
    if saves and advice.get("proof") == "samples":
        where = "an upper bound, from samples of CPU time"
    if study := _study_of(advice):
        where += f"{'; ' * bool(where)}study: {study}"
    return Card(
        f"{advice['rule']}: {saving_text(file, advice)}",
        advice["text"],
        where,
        "",
        bars,
        "fig-sites" if is_drawn else "sites",
        [],
    )


def _figure(file: AdviceFile) -> Figure | None:
    """A bar for each of the sites that take most of the time; None where no site's time is known."""
    wall = file.wall_s
    found = [(spent, site) for site in file.sites if (spent := spent_at(site))]
    found = [(s, site) for s, site in found if wall and s.with_all > _least_share * wall]
    if not found or not wall:
        return None
    found.sort(key=lambda each: -each[0].in_all)
    drawn = found[:_most_bars]
    labels = [site_name(site, _longest_label) for _, site in drawn]
    several = Counter(labels)
    rows: list[Row] = []
    for label, (spent, site) in zip(labels, drawn, strict=True):
        name = f"{label} (site {site['id']})" if several[label] > 1 else label
        parts = (
            (_late, spent.late),
            (_after, spent.then),
            (_work, spent.work),
            (_idle, spent.idle),
        )
        rows += [{"row": name, "part": p, "value": 100 * s / wall} for p, s in parts if s > 0]
    first, site = drawn[0]
    title = f"{site_name(site)} takes {per_cent(min(first.in_all, wall), wall)} of a thread's time"
    if first.idle:
        title += f", and {per_cent(min(first.idle, wall), wall)} is waiting"
    if first.work:
        title += f", and {per_cent(min(first.work, wall), wall)} is the work behind it"
    more = f" {text.count(len(found) - len(drawn), 'more site')} not drawn." * (
        len(found) > len(drawn)
    )
    note = f"Shares of the timed run, {text.duration(wall * 1e9)}, on one thread's path.{more}"
    most = max(100.0, *(100 * s.with_all / wall for s, _ in drawn))
    x = Axis("% of the time", "zero", domain=(0, most))
    bars = Bars(rows, x, (_late, _after, _work, _idle), "site")
    return Figure("sites", title, note, [Panel("", bars)], wide=True)
