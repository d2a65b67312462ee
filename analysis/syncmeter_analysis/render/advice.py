"""What `syncmeter advise` found in a program, in every medium: for a terminal, as Markdown, as JSON and
as a page. Sums and shares are of the driver's figures; what to change is said in its sentences."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

from syncmeter_analysis.record.advice_file import AdviceFile
from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.record.members import Members
from syncmeter_analysis.relate import text
from syncmeter_analysis.render.report import Bar, Card, Check, Drawing, Head, Report, Section
from syncmeter_analysis.render.terminal import bold, parts_plain, prose
from syncmeter_analysis.studies.blocks import (
    Block,
    Bullets,
    Table,
    Text,
    table,
    without_empty_columns,
)
from syncmeter_analysis.studies.figures import Axis, Bars, Figure, Panel, Row

#: Rows of a table that are not folded away on a page, and printed on a terminal; bars of the figure.
_most_rows, _most_bars = 40, 12
#: Characters of a place in the source: C++ names can have hundreds.
_longest_place, _longest_label = 160, 48
#: Of one lock.
_most_places = 3
#: A smaller share of the time is no part of a sentence.
_least_share = 0.005

_late = "late: waiting for the last thread"
_after = "after: the primitive itself"
_work = "work: in the lock or chunk"
_idle = "idle: until a signal or another's end"

_kinds_of_saving = {
    "estimate": "an estimate, from what the same costs by itself on this machine",
    "bound": "an upper bound, from what was timed: no change there saves more",
    "range": "between nothing and what was timed",
}


@dataclass(frozen=True, slots=True)
class _Spent:
    """Seconds on one thread's path: waiting for the last thread, the primitive itself where threads
    meet, the calls that take locks or fetch chunks of loops, going on after a signal, the work under
    locks and of chunks, and waiting for a signal or in other calls, such as join."""

    late: float
    after: float
    calls: float
    woken: float
    work: float
    idle: float

    @property
    def in_all(self) -> float:
        """Synchronization: work under a lock or of a chunk is none, nor a thread that has none."""
        return self.late + self.then

    @property
    def then(self) -> float:
        """All but waiting for the last thread."""
        return self.after + self.calls + self.woken

    @property
    def with_all(self) -> float:
        """All that is drawn."""
        return self.in_all + self.work + self.idle


def _spent_at(site: Members) -> _Spent | None:
    """None where its times are not those of the program."""
    if (takes := site.get("takes_s")) is None:
        return None
    late, after, locking, section = (
        takes.get(name) or 0.0 for name in ("lateness", "mechanism", "wait", "section")
    )
    if takes.get("wait") is not None and takes.get("section") is None:
        return _Spent(0.0, 0.0, 0.0, 0.0, 0.0, locking)
    work = max(0.0, section - locking)
    if site["kind"] == "cond_wait":
        return _Spent(0.0, 0.0, 0.0, after, 0.0, late)
    return _Spent(late, after, locking, 0.0, work, 0.0)


def _spent(file: AdviceFile) -> _Spent | None:
    """Over all sites; None where no site's time is known."""
    found = [spent for site in file.sites if (spent := _spent_at(site))]
    if not found:
        return None
    return _Spent(*(sum(getattr(s, part) for s in found) for part in _Spent.__slots__))


def as_text(report: Report, coloured: bool = False, width: int = 0) -> str:
    """For a terminal of this width, 0 for any: the first screen, then the tables."""
    head = report.head
    lines = [prose(sentence, width) for sentence in (*head.answers, head.verdict)]
    lines += [prose(f"- {check.text}", width) for check in head.checks]
    parts = [bold(head.title, coloured), "\n".join(lines)]
    parts += [prose(f"{i}. {card.effect}", width) for i, card in enumerate(head.cards, 1)]
    parts += ["\n".join(prose(sentence, width) for sentence in head.precision)] * bool(
        head.precision
    )
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
    spent = _spent(file)
    takes = None
    if spent:
        takes = {
            "lateness": spent.late,
            "mechanism": spent.after + spent.woken,
            "wait": spent.calls,
            "in_all": spent.in_all,
        }
    found = {
        "kind": "advise",
        **{name: value for name, value in file.header.items() if name not in ("record", "kind")},
        "wall_s": file.wall_s,
        "takes_s": takes,
        "advice": file.advice,
        "sites": file.sites,
        "objects": file.objects,
        "prices": file.prices,
        "left_out": file.left_out,
    }
    return json.dumps(found, indent=1)


def advice_report(file: AdviceFile) -> Report:
    """A page of the same kind as a report. The first screen: what the program spends on
    synchronization, how sure that is, what to change; then the sites, prices and runs."""
    figure = _figure(file)
    sections = [
        Section("sites", "Sites", [*_site_tables(file)]),
        Section("locks", "Locks", [*_lock_table(file)]),
        Section("prices", "Prices on this machine", [*_price_table(file)]),
        Section("runs", "Runs", [*_run_tables(file)]),
    ]
    head = Head(
        _title(file),
        _facts(file),
        _verdict(file),
        "good" if _is_sure(file) else "unclear",
        _checks(file),
        [figure] if figure else [],
        [_card(file, advice, bool(figure)) for advice in _in_order(file)],
        precision=[*(file.header.get("notes") or ()), *file.left_out],
        answers=_answers(file),
    )
    return Report(head, [s for s in sections if s.blocks], [], [file.path])


def _in_order(file: AdviceFile) -> list[Members]:
    return sorted(file.advice, key=lambda advice: int(advice["rank"]))


def _is_static(file: AdviceFile) -> bool:
    return not file.header["runs"]


def _title(file: AdviceFile) -> str:
    static = " --static" if _is_static(file) else ""
    return f"syncmeter advise{static}: {_cut(' '.join(file.header['command']), _longest_place)}"


def _cut(place: str, longest: int) -> str:
    """A place in the source whose middle is left out where it is too long: its end is the line."""
    half = (longest - 3) // 2
    return place if len(place) <= longest else f"{place[:half]}...{place[-half:]}"


def _rough(s: float) -> str:
    """Seconds with two digits, as the driver's sentences have them: a saving has no more."""
    if s < 1e-6:
        return f"{s * 1e9:.3g} ns"
    if s < 1e-3:
        return f"{s * 1e6:.3g} µs"
    return f"{s * 1e3:.2g} ms" if s < 0.01 else f"{s:.2g} s"


def _per_cent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f} %" if whole > 0 else ""


def _facts(file: AdviceFile) -> list[str]:
    by_arm: dict[str, list[float]] = {}
    for run in file.header["runs"]:
        by_arm.setdefault(run["arm"], []).append(run["wall_s"])
    named = {"plain": "plain", "count": "counted", "sample": "sampled", "time": "timed"}
    found = []
    for arm, walls in by_arm.items():
        least, most = min(walls) * 1e9, max(walls) * 1e9
        took = text.duration_range(least, most) if len(walls) > 1 else text.duration(most)
        found.append(f"{text.count(len(walls), f'{named.get(arm, arm)} run')}: {took}")
    runtimes = (file.header.get("program") or {}).get("runtimes") or ()
    processes = file.header.get("processes")
    found += [f"with {', '.join(runtimes)}"] if runtimes else []
    found += [f"{processes:,} processes"] if processes and processes > 1 else []
    version = file.header.get("version")
    return [*found, f"syncmeter {version}"] if version else found


def _answers(file: AdviceFile) -> list[str]:
    """What the program spends on synchronization, and that there is nothing to gain where it is so."""
    found = []
    spent, wall = _spent(file), file.wall_s
    if spent and wall:
        parts = [
            (spent.late, "waiting for the last thread to arrive"),
            (spent.after, "in regions and barriers after it has arrived"),
            (spent.calls, "in the calls that take locks or fetch chunks of loops"),
            (spent.woken, "from a signal on until the thread has its lock"),
        ]
        shown = [
            f"{_per_cent(min(s, wall), wall)} {where}"
            for s, where in parts
            if s > _least_share * wall
        ]
        # Sites that different threads pass may take more together than any thread has.
        most = min(spent.in_all, wall)
        found.append(
            f"Synchronization takes at most {_per_cent(most, wall)} of a thread's time ({_rough(most)} "
            f"of {_rough(wall)}){': ' if shown else ''}{', '.join(shown)}."
        )
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
    if file.wall_s is None:
        return "The program ended before it could be timed: there are counts, and no advice."
    if (why := header.get("withheld")) and file.advice:
        return header.get("conclusion") or f"No saving is named, as {why}."
    if why:
        return f"The times are rough, as {why}."
    if not header.get("counting_cost"):
        return (
            "The program ran once: what counting its calls costs is not known, and no site's time."
        )
    return (
        "The run in which the sites were timed was little disturbed, by counting or other programs."
    )


def _checks(file: AdviceFile) -> list[Check]:
    header, found = file.header, []
    kind = "unclear" if header.get("withheld") else "good"
    if cost := header.get("counting_cost"):
        pairs = f" ({cost['low']:.3f} to {cost['high']:.3f} in single pairs of runs)"
        says = f"counting takes {cost['ratio']:.3f} times as long"
        found.append(Check(says + pairs * (cost["low"] < cost["high"]), kind, "runs"))
    shares = [(run["arm"], run.get("other_cpu_share")) for run in header["runs"]]
    for is_timed, when in ((True, "while the sites were timed"), (False, "at most in other runs")):
        known = [
            share for arm, share in shares if share is not None and (arm == "time") is is_timed
        ]
        if known:
            says = f"other programs used {_per_cent(max(known), 1)} of the CPUs {when}"
            found.append(Check(says, kind if is_timed else "", "runs"))
    if lost := header.get("lost_calls"):
        found.append(Check(f"{lost:,} calls are of no site", "unclear", "sites"))
    if lost := (header.get("sampling") or {}).get("lost"):
        found.append(Check(f"{lost:,} samples are lost", "unclear", "sites"))
    return found


def _card(file: AdviceFile, advice: Members, is_drawn: bool) -> Card:
    """The saving as a heading, the driver's sentences, and the saving beside the run as bars."""
    saves, wall = advice.get("saves_s"), file.wall_s
    bars = []
    says = "no saving is named"
    if saves and wall:
        low, high = saves["low"], saves["high"]
        both = _rough(low) if _rough(low) == _rough(high) else f"{_rough(low)} to {_rough(high)}"
        says = f"saves {both if low > 0 else f'at most {_rough(high)}'} of {_rough(wall)}"
        ends = [("at least", low), ("at most", high)] if low > 0 else [("at most", high)]
        bars = [Bar("the run", _rough(wall), 1.0)]
        bars += [Bar(f"saves {end}", _rough(s), min(1.0, max(0.0, s / wall))) for end, s in ends]
    where = _kinds_of_saving.get(advice["kind"], "") if saves else ""
    if saves and advice.get("proof") == "samples":
        where = "an upper bound, from samples of CPU time"
    return Card(
        f"{advice['rule']}: {says}",
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
    found = [(spent, site) for site in file.sites if (spent := _spent_at(site))]
    found = [(s, site) for s, site in found if wall and s.with_all > _least_share * wall]
    if not found or not wall:
        return None
    found.sort(key=lambda each: -each[0].in_all)
    drawn = found[:_most_bars]
    labels = [_name(site, _longest_label) for _, site in drawn]
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
    title = f"{_name(site)} takes {_per_cent(min(first.in_all, wall), wall)} of a thread's time"
    if first.idle:
        title += f", and {_per_cent(min(first.idle, wall), wall)} is waiting"
    if first.work:
        title += f", and {_per_cent(min(first.work, wall), wall)} is the work behind it"
    more = f" {text.count(len(found) - len(drawn), 'more site')} not drawn." * (
        len(found) > len(drawn)
    )
    note = f"Shares of the timed run, {text.duration(wall * 1e9)}, on one thread's path.{more}"
    most = max(100.0, *(100 * s.with_all / wall for s, _ in drawn))
    x = Axis("% of the time", "zero", domain=(0, most))
    bars = Bars(rows, x, (_late, _after, _work, _idle), "site")
    return Figure("sites", title, note, [Panel("", bars)], wide=True)


def _time_at(site: Members) -> float:
    spent = _spent_at(site)
    return spent.in_all if spent else 0.0


def _site_tables(file: AdviceFile) -> list[Block]:
    """A row for each call, those first that take most time, then most calls: its calls, its time, and
    its price by itself; and one for each instruction."""
    ranked = sorted(file.sites, key=lambda s: (-_time_at(s), -(s.get("count") or 0)))
    code = [site for site in ranked if site.get("count") is None]
    calls = [site for site in ranked if site.get("count") is not None]
    columns = "site|count>|late>|after>|work>|each>|price>|team>|threads>"
    instructions = "site|operation|samples>|threads>|copies>"
    rows = [_call_row(file, site) for site in calls]
    found = _table(columns, rows, spare=(7, 8))
    if any(site.get("takes_s") for site in calls):
        found.append(
            Text(
                "late: share of a thread's time in which it waits for the last one to arrive, or for a "
                "signal. after: from then on; of any other site the calls, of a lock or a chunk those "
                "that get it. work: under the lock, or of the chunk. each: what one takes of late and "
                "after, without waiting for a signal or for another thread's end. price: what the same "
                "takes by itself on this machine."
            )
        )
    rows = [_instruction_row(site) for site in code]
    return [*found, *_table(instructions, rows)]


def _table(columns: str, rows: list[list[str]], **more: Any) -> list[Block]:
    """Nothing without rows, and no column without anything in it."""
    made = table("", columns, rows, folded=_most_rows, **more)
    return [without_empty_columns(made)] if rows else []


def _name(site: Members, longest: int = _longest_place) -> str:
    return f"{site['kind']} {_cut(site['where'], longest)}"


def _number(value: int | None) -> str:
    return "" if value is None else f"{value:,}"


def _call_row(file: AdviceFile, site: Members) -> list[str]:
    spent, wall = _spent_at(site), file.wall_s or 0.0
    shares = ["", "", "", ""]
    if spent:
        meets = "lateness" in site["takes_s"]
        # Of a lock each thread has its own calls.
        calls = (site.get("count") or 0) / (1 if meets else max(1, site.get("threads") or 1))
        shares = [
            _per_cent(spent.late + spent.idle, wall) if meets else "",
            _per_cent(spent.then + (0.0 if meets else spent.idle), wall),
            _per_cent(spent.work, wall) if "section" in site["takes_s"] else "",
            text.duration(spent.in_all / calls * 1e9) if calls and spent.in_all else "",
        ]
    price = site.get("price_ns") or {}
    low, high = price.get("low"), price.get("high")
    return [
        _name(site),
        _number(site.get("count")),
        *shares,
        "" if low is None or high is None else text.duration_range(low, high),
        _number(site.get("team")),
        _number(site.get("threads")),
    ]


def _instruction_row(site: Members) -> list[str]:
    return [
        _name(site),
        site.get("operation") or "",
        "" if site.get("share") is None else _per_cent(site["share"], 1),
        _number(site.get("threads")),
        _number(site.get("copies")),
    ]


def _lock_table(file: AdviceFile) -> list[Block]:
    """A row for each lock, the one that was held longest first, as the file has them."""
    places = {site["id"]: _cut(site["where"], _longest_place) for site in file.sites}
    rows = []
    for lock in file.objects:
        timed = lock.get("timed") or 0
        wait, held, used = (lock.get(name) for name in ("wait_ns", "held_ns", "utilisation"))
        rows.append(
            [
                "; ".join(places.get(site, f"site {site}") for site in lock["sites"][:_most_places])
                + " ..." * (len(lock["sites"]) > _most_places),
                lock["kind"],
                _number(lock["acquisitions"]),
                _number(lock.get("owner_changes")),
                _per_cent(lock.get("waited") or 0, timed),
                "" if wait is None else text.duration(wait),
                "" if held is None else text.duration(held),
                "" if used is None else _per_cent(used, 1),
            ]
        )
    columns = "taken at|lock|acquisitions>|owner changes>|found taken>|waited>|held>|in use>"
    more = (
        [Text("waited and held are of all threads together; in use: the share of the run.")]
        if rows
        else []
    )
    return [*_table(columns, rows), *more]


def _price_table(file: AdviceFile) -> list[Block]:
    """Each measurement, in the order in which they were made."""
    rows = []
    for price in file.prices:
        low, high = price.get("low"), price.get("high")
        rows.append(
            [
                f"{price['backend']} {price['op']}",
                _number(price["lanes"]),
                _number(price.get("section_ns") or None),
                _number(price.get("gap_us") or None),
                price.get("placement") or "",
                price.get("wait") or "",
                text.nanoseconds(price["estimate"]),
                "" if low is None or high is None else text.interval_ns(Interval(0, low, high)),
                "a results file" if price.get("when") is None else f"run {price['when']}",
            ]
        )
    columns = "op|threads>|work ns>|gap us>|placed|wait|ns>|95 % interval>|after"
    return _table(columns, rows, spare=(5, 4))


def _run_tables(file: AdviceFile) -> list[Block]:
    rows = [
        [
            str(i),
            run["arm"],
            f"{run['wall_s']:.4g}",
            "" if run.get("user_s") is None else f"{run['user_s']:.4g}",
            "" if run.get("exit") is None else str(run["exit"]),
            "" if (share := run.get("other_cpu_share")) is None else f"{100 * share:.1f} %",
        ]
        for i, run in enumerate(file.header["runs"], 1)
    ]
    columns = "run>|kind|wall s>|user s>|exit status>|other programs>"
    found = _table(columns, rows)
    set_up = [f"{name}={value}" for name, value in (file.header.get("policy") or {}).items()]
    if (quota := file.header.get("quota")) is not None:
        set_up.append(f"the cgroup grants {quota:g} CPUs")
    return [*found, Bullets(set_up)] if set_up else found
