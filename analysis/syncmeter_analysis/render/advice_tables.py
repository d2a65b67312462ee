"""The tables of a report on a program: its sites, its locks, prices on this machine, and its runs."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from typing import Any

from syncmeter_analysis.record.advice_file import AdviceFile
from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.record.members import Members
from syncmeter_analysis.relate import text
from syncmeter_analysis.relate.spent import spent_at
from syncmeter_analysis.studies.blocks import Block, Bullets, table, without_empty_columns
from syncmeter_analysis.voice.words import cut

#: Rows of a table that are not folded away on a page, and printed on a terminal.
_most_rows = 40
#: Characters of a place in the source: C++ names can have hundreds. And places of one lock.
longest_place, _most_places = 160, 3


def per_cent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f} %" if whole > 0 else ""


def _time_at(site: Members) -> float:
    spent = spent_at(site)
    return spent.in_all if spent else 0.0


def site_tables(file: AdviceFile) -> list[Block]:
    """Returns a row for each call, those first that take most time, then most calls; and a row for each
    instruction."""
    ranked = sorted(file.call_sites, key=lambda s: (-_time_at(s), -(s.get("count") or 0)))
    calls = [_call_row(file, site) for site in ranked if site.get("count") is not None]
    code = [
        [
            site_name(site),
            site.get("operation") or "",
            "" if site.get("share") is None else per_cent(site["share"], 1),
            _number(site.get("threads")),
            _number(site.get("copies")),
        ]
        for site in ranked
        if site.get("count") is None
    ]
    columns = (
        "call site|count>|imbalance>|overhead>|work>|each>|unit cost>|GPU busy>|GPU idle>|team>"
    )
    what = (
        "Shares of a thread's time. imbalance: until the last thread or a signal comes. overhead: "
    )
    what += "from then on. each: both, for one call. unit cost: the same alone on this machine"
    if (processes := file.header.get("gpu_processes") or 0) > 1:
        what += f". GPU times: sums over {processes:,} processes"
    return [
        *_table(f"{columns}|threads>", calls, what, spare=(9, 10)),
        *_table("call site|operation|samples>|threads>|copies>", code),
    ]


def _table(columns: str, rows: list[list[str]], caption: str = "", **more: Any) -> list[Block]:
    """Returns nothing without rows, and no column without anything in it."""
    made = table(caption, columns, rows, folded=_most_rows, **more)
    return [without_empty_columns(made)] if rows else []


def site_name(site: Members, longest: int = longest_place) -> str:
    return f"{site['kind']} {cut(site['where'], longest)}"


def _number(value: int | None) -> str:
    return "" if value is None else f"{value:,}"


def _call_row(file: AdviceFile, site: Members) -> list[str]:
    spent, wall = spent_at(site), file.wall_s or 0.0
    shares = ["", "", "", ""]
    if spent:
        meets = "lateness" in site["takes_s"]
        # Of a lock each thread has its own calls.
        calls = (site.get("count") or 0) / (1 if meets else max(1, site.get("threads") or 1))
        shares = [
            per_cent(spent.late + spent.idle, wall) if meets else "",
            per_cent(spent.then + (0.0 if meets else spent.idle), wall),
            per_cent(spent.work, wall)
            if spent.work or site["takes_s"].keys() & {"held", "work"}
            else "",
            text.duration(spent.in_all / calls * 1e9) if calls and spent.in_all else "",
        ]
    price = site.get("price_ns") or {}
    low, high = price.get("low"), price.get("high")
    return [
        site_name(site),
        _number(site.get("count")),
        *shares,
        "" if low is None or high is None else _price(low, high),
        *_gpu_times(site),
        _number(site.get("team")),
        _number(site.get("threads")),
    ]


def _gpu_times(site: Members) -> list[str]:
    """What the GPU did for the calls, and how long it waited for them."""
    device = site.get("device")
    if not device:
        return ["", ""]
    return [text.duration(device[part]["sum"]) for part in ("busy_ns", "idle_ns")]


def _price(low: float, high: float) -> str:
    """Between its bounds; what may be nothing has the upper one alone."""
    return text.duration_range(low, high) if low > 0 else f"below {text.duration(high)}"


def kernel_table(file: AdviceFile) -> list[Block]:
    """A row for each kernel that updates memory atomically or has barriers, as the file has them: what
    that takes at least, and what the GPU takes for all that is launched at its site."""
    busy = {site["id"]: _gpu_times(site)[0] for site in file.call_sites}
    rows = []
    for kernel in file.kernels:
        counts = [kernel.get(name) or 0 for name in ("updates", "shared_updates", "barriers")]
        if not any(counts):
            continue
        least = "at least " if kernel.get("at_least") else ""
        updates, shared, barriers = (f"{least}{_number(round(n))}" if n else "" for n in counts)
        rows.append(
            [
                cut(kernel["name"], longest_place),
                _number(kernel["launches"]),
                updates,
                _number(kernel["addresses"]) if counts[0] else "",
                per_cent(kernel["hottest"], counts[0]) if counts[0] else "",
                shared,
                barriers,
                text.duration(1e9 * kernel["least_s"]) if kernel.get("least_s") else "",
                busy.get(kernel["site"], ""),
            ]
        )
    columns = (
        "kernel|launches>|atomic updates>|addresses>|of the hottest>|in shared memory>|barriers>"
    )
    what = "take at least: the updates of the hottest address, or the barriers, by their unit cost"
    return _table(f"{columns}|take at least>|GPU busy>", rows, what)


def lock_table(file: AdviceFile) -> list[Block]:
    """Returns a row for each lock in file order, and the meaning of the columns."""
    places = {site["id"]: cut(site["where"], longest_place) for site in file.call_sites}
    rows = []
    for lock in file.locks:
        timed = lock.get("timed") or 0
        call, held, used = (lock.get(name) for name in ("call_ns", "held_ns", "utilization"))
        sites = lock["call_sites"]
        rows.append(
            [
                "; ".join(places.get(site, f"call site {site}") for site in sites[:_most_places])
                + " ..." * (len(sites) > _most_places),
                lock["kind"],
                _number(lock.get("threads")),
                _number(lock["acquisitions"]),
                _number(lock.get("owner_changes")),
                per_cent(lock.get("contended") or 0, timed),
                "" if call is None else text.duration(call),
                "" if held is None else text.duration(held),
                "" if used is None else per_cent(used, 1),
            ]
        )
    columns = "acquired at|lock|threads>|acquisitions>|owner changes>|contended>|in calls>|held>"
    what = "contended: share of the timed calls. in calls, held: time of all threads together. "
    what += "utilization: share of the run for which the lock was held"
    return _table(f"{columns}|utilization>", rows, what, spare=(4, 2))


def model_table(file: AdviceFile) -> list[Block]:
    """Returns a row for each model with its median times."""
    names = ("program_s", "as_is_s", "private_s", "atomic_s", "shards_s")
    rows = [
        [
            str(model["lock"]),
            model["form"],
            *(
                text.duration(median(model[name]) * 1e9) if model.get(name) else ""
                for name in names
            ),
        ]
        for model in file.models
    ]
    columns = "lock|model|program>|as is>|private variables>|atomic>|64 locks>"
    return _table(columns, rows)


def price_table(file: AdviceFile) -> list[Block]:
    """Each measurement, in the order in which they were made."""
    rows = []
    for price in file.prices:
        low, high = price.get("low"), price.get("high")
        rows.append(
            [
                f"{price['backend']} {price['op']}",
                _number(price.get("blocks")),
                _number(price["lanes"]),
                _number(price.get("size")),
                _number(price.get("section_ns") or None),
                _number(price.get("gap_us") or None),
                price.get("placement") or "",
                price.get("wait") or "",
                *_estimate(price["estimate"], low, high),
                "a results file" if price.get("when") is None else f"run {price['when']}",
                _disturbed(price),
            ]
        )
    columns = "op|blocks>|threads>|size>|work ns>|gap us>|placed|wait|ns>|95 % CI>|after|disturbed"
    return _table(columns, rows, spare=(7, 6))


def _disturbed(measured: Members) -> str:
    """By how often threads were taken off their processors."""
    return "yes" if measured.get("disturbed") else ""


def _estimate(ns: float, low: float | None, high: float | None) -> list[str]:
    """A price and its interval; what may be nothing has its upper bound, as a point in tables."""
    if low is None or high is None:
        return [text.nanoseconds(ns), ""]
    if low <= 0:
        return [f"< {text.nanoseconds(high)}", ""]
    return [text.nanoseconds(ns), text.interval_ns(Interval(0, low, high))]


_verdicts = {"faster": "better", "slower": "do not", "cannot_tell": "undecided"}


def trial_table(file: AdviceFile) -> list[Block]:
    """What settings were predicted to save, beside what they change."""
    by_rank = {advice["rank"]: advice for advice in file.advice}
    rows = []
    for trial in file.trials:
        of = by_rank.get(trial.get("advice"), {})
        saves, run_s = of.get("saves_s"), file.run_s_of(of)
        ratio, verdict = trial.get("ratio"), str(trial["verdict"])
        change = (
            [f"{100 * (ratio[end] - 1):+.1f} %" for end in ("value", "low", "high")]
            if ratio
            else []
        )
        rows.append(
            [
                " ".join(trial["settings"]),
                _subject_of(trial, of),
                per_cent(saves["high"], run_s) if saves and run_s is not None else "",
                change[0] if change else "",
                f"{change[1]} to {change[2]}" if change else "",
                str(trial["pairs"]),
                _verdicts.get(verdict, verdict),
            ]
        )
    columns = "setting|cause|saves at most>|measured>|95 % CI>|pairs>|verdict"
    refusals = [str(trial["refusal"]) for trial in file.trials if trial.get("refusal")]
    found = _table(columns, rows)
    return [*found, Bullets(refusals)] if refusals else found


def _subject_of(trial: Members, advice: Members) -> str:
    """Returns the rule of the trial's advice, or its lock."""
    if lock := trial.get("lock"):
        return f"lock {lock}"
    return str(advice.get("rule", ""))


#: Columns of a run: the member of its record and its format.
_run_columns: dict[str, tuple[str, Callable[[Any], str]]] = {
    "kind": ("arm", str),
    "wall s>": ("wall_s", "{:.4g}".format),
    "user s>": ("user_s", "{:.4g}".format),
    "system s>": ("system_s", "{:.3g}".format),
    "waits>": ("voluntary_switches", "{:,.0f}".format),
    "preempted>": ("involuntary_switches", "{:,.0f}".format),
    "waits for a CPU s>": ("run_delay_s", "{:.3g}".format),
    "CUDA s>": ("cuda_span_s", "{:.4g}".format),
    "exit status>": ("exit", str),
    "other programs>": ("other_cpu_share", lambda share: text.percent(share, 1)),
}


def run_tables(file: AdviceFile) -> list[Block]:
    rows = [
        [
            str(i),
            *(
                "" if (value := run.get(member)) is None else shown(value)
                for member, shown in _run_columns.values()
            ),
        ]
        for i, run in enumerate(file.header["runs"], 1)
    ]
    found = _table("|".join(["run>", *_run_columns]), rows, spare=(9, 4))
    found += _timed_runs(file)
    set_up = [f"{name}={value}" for name, value in (file.header.get("policy") or {}).items()]
    if (quota := file.header.get("quota")) is not None:
        set_up.append(f"the cgroup grants {quota:g} CPUs")
    return [*found, Bullets(set_up)] if set_up else found


def _timed_runs(file: AdviceFile) -> list[Block]:
    """What sites took in each timed run: by these it is judged whether threads come late, or take long
    to go on, for longer than with equal work. Nothing where times are another program's."""
    if file.header.get("withheld"):
        return []
    rows = [
        [
            site_name(site),
            str(run["run"]),
            text.duration(run["lateness"] * 1e9),
            text.duration(run["mechanism"] * 1e9),
            _disturbed(run),
        ]
        for site in file.call_sites
        for run in site.get("timed_runs") or ()
    ]
    return _table("call site|run>|imbalance>|overhead>|disturbed", rows)
