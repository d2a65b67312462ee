"""Words the first screen for a program: what it waits for, ranked causes with their change, effect
and grade, the reliability and the next step."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from syncmeter_analysis.conclude.advise import Judged
from syncmeter_analysis.conclude.advise.limits import cause_of
from syncmeter_analysis.conclude.advise.merge import Entry, Gate
from syncmeter_analysis.conclude.advise.reliability import ProgramReliability, Shares
from syncmeter_analysis.conclude.conclusion import Conclusion, Condition, Cost, Grade
from syncmeter_analysis.record.advice_file import AdviceFile
from syncmeter_analysis.record.members import Members
from syncmeter_analysis.voice import numbers
from syncmeter_analysis.voice.screen import CauseScreen, CauseText, Times
from syncmeter_analysis.voice.words import cause_title, counted, cut, has, lock_kind, say

#: Smaller shares are not printed.
_least_share = 0.005
#: Longest command line and place in characters.
_longest_command, _longest_place = 40, 56
#: Plain runs that differ less are alike.
_usual_spread = 1.1

_line_of_file = re.compile(r"\S+:\d+")


def screen(file: AdviceFile, judged: Judged) -> CauseScreen:
    """Returns the screen with all causes. The medium leaves out what does not fit."""
    causes = [_cause(file, judged, entry) for entry in judged.entries]
    legend = dict.fromkeys(_legend(file, judged, entry) for entry in judged.entries)
    return CauseScreen(
        _title(file, judged),
        causes,
        list(_closing(file, judged)),
        [line for line in legend if line],
        _reliability(file, judged.reliability),
        _next(file, judged),
    )


def gate_line(file: AdviceFile, verdict: Gate, version: str) -> str:
    """Returns why --fail-above cannot be judged."""
    found = file.header.get("version") or "?"
    reasons = "; ".join(file.header.get("not_counted") or ())
    why = file.header.get("withheld") or ""
    says = [
        say(f"advise.gate.{name}", found=found, own=version, reasons=reasons, why=why)
        for name in verdict.unjudged
    ]
    return say("advise.gate.line", reasons="; ".join(says))


def _command(file: AdviceFile) -> str:
    return cut(" ".join(file.header["command"]), _longest_command)


# The first line


def _title(file: AdviceFile, judged: Judged) -> str:
    program = judged.program
    facts = []
    if not file.header["runs"]:
        facts.append(say("advise.static"))
    if program.wall_s is not None:
        facts.append(_seconds(program.wall_s))
    if threads := program.threads_at_work or program.threads:
        facts.append(counted("common.threads", threads))
    if program.cpus == 1:
        facts.append(say("advise.cpus_one"))
    elif program.cpus:
        facts.append(say("machine.cpus", count=f"{program.cpus:g}"))
    title = say("advise.title", command=_command(file), facts=", ".join(facts))
    # Waiting times of a disturbed run belong to the other programs.
    waiting = "" if judged.reliability.disturbed else _waiting(judged.shares)
    return f"{title}. {waiting}" if waiting else title


def _waiting(shares: Shares) -> str:
    known = {name: getattr(shares, name) for name in Shares.__slots__}
    if all(share is None for share in known.values()):
        return ""
    parts = [
        say(f"advise.waiting.{name}", share=numbers.percent(share))
        for name, share in known.items()
        if share is not None and share >= _least_share
    ]
    return (
        say("advise.waiting.line", parts=", ".join(parts)) if parts else say("advise.waiting.none")
    )


# Causes


def _cause(file: AdviceFile, judged: Judged, entry: Entry) -> CauseText:
    if entry.conclusion:
        return _of_conclusion(file, judged, entry.conclusion)
    assert entry.advice is not None
    return _of_advice(file, entry.advice, entry)


def _of_conclusion(file: AdviceFile, judged: Judged, c: Conclusion) -> CauseText:
    room = f"advise.{c.cause}"
    several = c.condition("several_locks")
    title = say(f"{room}.title_several" if several else f"{room}.title")
    lines = [_facts(file, judged, c), say(f"{room}.change.{c.remedy}")]
    if has(f"{room}.saturated"):
        saturated = c.condition("saturated")
        lines.append(say(f"{room}.saturated" if saturated else f"{room}.unsaturated"))
    times = None
    if c.effect and c.effect.after_s and c.reference and c.reference.wall_s:
        times = Times(c.reference.wall_s, *c.effect.after_s)
    share = c.costs[0].lost_share if c.costs else None
    return CauseText(
        title,
        _effect(str(c.grade), times, share),
        str(c.grade),
        lines,
        list(_more(file, judged, c)),
        times,
    )


def _effect(grade: str, times: Times | None, share: float | None) -> str:
    """Returns `0.33 s -> 0.08 to 0.10 s`, or the share that was seen."""
    if times:
        name = "bound" if grade == "bound" else "predicted"
        after = [times.low_s] if grade == "bound" else [times.low_s, times.high_s]
        return say(
            f"advise.effect.{name}", run=_seconds(times.run_s), after=_after(times.run_s, after)
        )
    # A share from a disturbed run changes from run to run.
    if grade == "rough" or share is None or share < _least_share:
        return ""
    return say("advise.effect.seen", share=numbers.percent(share))


def _seconds(value: float) -> str:
    return numbers.seconds([value])[0]


def _after(run_s: float, ends: Sequence[float]) -> str:
    """Returns `0.08 to 0.10 s`, in the unit of the run."""
    texts = numbers.seconds([run_s, *ends])[1:]
    if len(texts) == 1 or texts[0] == texts[1].split()[0]:
        return texts[-1]
    return say("common.range", low=texts[0], high=texts[1])


def _facts(file: AdviceFile, judged: Judged, c: Conclusion) -> str:
    """Returns place, type and counts of the lock. Times of a perturbed run are left out."""
    cost, several = c.costs[0], c.condition("several_locks")
    kind = _kind(file, c)
    facts = [kind]
    if several:
        facts = [say("advise.lock.several", count=f"{several.value:,.0f}", kind=kind)]
    facts.append(say("advise.lock.acquisitions", count=f"{cost.acquisitions or 0:,}"))
    if not judged.program.is_perturbed:
        facts += _timed_facts(c, cost)
    places = _places(file, c)
    place = places[0] if places else say("advise.lock.no_place")
    if len(places) > 1:
        name = "advise.lock.places_one" if len(places) == 2 else "advise.lock.places"
        place = say(name, place=place, count=len(places) - 1)
    return say("advise.lock.line", place=place, facts=", ".join(facts))


def _timed_facts(c: Conclusion, cost: Cost) -> Iterator[str]:
    is_section = c.cause == "work_under_lock"
    share = cost.contended_share or 0.0
    if share >= _least_share and not is_section:
        yield say("advise.lock.contended", share=numbers.percent(share))
    if cost.held_ns:
        yield say("advise.lock.held", time=numbers.duration(cost.held_ns))
    if is_section and cost.held_ns and c.reference and c.reference.wall_s:
        used = min(1.0, cost.held_ns * 1e-9 * (cost.acquisitions or 0) / c.reference.wall_s)
        yield say("advise.lock.utilization", share=numbers.percent(used))


def _sites(file: AdviceFile, c: Conclusion) -> list[Members]:
    by_id = {site["id"]: site for site in file.call_sites}
    found = [by_id[id] for id in c.ids_of("call_site") if id in by_id]
    return sorted(found, key=lambda site: -(site.get("count") or 0))


def _place(site: Members) -> str:
    """Returns file and line, or the whole place if the file is unknown."""
    lines = _line_of_file.findall(site["where"])
    return cut(lines[-1] if lines else site["where"], _longest_place)


def _places(file: AdviceFile, c: Conclusion) -> list[str]:
    return list(dict.fromkeys(map(_place, _sites(file, c))))


def _kind(file: AdviceFile, c: Conclusion) -> str:
    ids = set(c.ids_of("lock"))
    kinds = [lock["kind"] for lock in file.locks if lock["id"] in ids]
    functions = [
        frame.get("function") or ""
        for site in _sites(file, c)
        for frame in site.get("frames") or ()
    ]
    return lock_kind(kinds[0] if kinds else "", functions)


def _more(file: AdviceFile, judged: Judged, c: Conclusion) -> Iterator[str]:
    """Yields all places, the other changes with their effect, and the study."""
    for site in _sites(file, c):
        yield say("advise.more.place", place=site["where"])
    run_s = c.reference.wall_s if c.reference else None
    printed = {c.remedy}
    for x in c.conditions:
        if x.name in ("change", "avoid") and x.subject and run_s:
            printed.add(x.subject.op)
            yield _other(c, x, run_s)
    cause = cause_of(c.cause)
    for remedy in cause.remedies:
        is_left_out = remedy == "shards" and c.condition("several_locks")
        if remedy not in printed and not is_left_out:
            yield say("advise.more.other", change=say(f"advise.{c.cause}.change.{remedy}"))
    yield say("advise.more.study", study=cause.study)


def _other(c: Conclusion, x: Condition, run_s: float) -> str:
    low, high = x.value or 0.0, x.compared or 0.0
    name = x.name if x.name == "avoid" or high < run_s else "unsure"
    change = say(f"advise.{c.cause}.change.{x.subject.op}") if x.subject else ""
    after = _after(run_s, [low, high])
    return say(f"advise.more.{name}", change=change, run=_seconds(run_s), after=after)


def _of_advice(file: AdviceFile, advice: Members, entry: Entry) -> CauseText:
    grade, saves, run_s = grade_of(advice), advice.get("saves_s"), file.run_s_of(advice)
    times = None
    if saves and run_s:
        after = (max(0.0, run_s - saves["high"]), max(0.0, run_s - saves["low"]))
        times = Times(run_s, *after)
    effect = _effect(grade, times, entry.seen)
    if times and advice["kind"] == "may_cost":
        effect = ", ".join([effect, say("advise.effect.may_cost")])
    details = []
    if together := advice.get("with_others"):
        low, high = numbers.seconds([together["low"], together["high"]])
        run = _seconds(together["run_s"])
        details.append(
            say("advise.more.with_others", count=together["sites"], low=low, high=high, run=run)
        )
    if study := study_of(advice):
        details.append(say("advise.more.study", study=study))
    title = advice.get("title") or cause_title(advice["rule"])
    return CauseText(title, effect, grade, [advice["text"]], details, times)


_study_name = re.compile(r"[a-z0-9-]{1,40}")


def study_of(advice: Members) -> str:
    """Returns the study behind an advice, or '' if the text is no name of a study."""
    study = str(advice.get("study") or "")
    return study if _study_name.fullmatch(study) else ""


def grade_of(advice: Members) -> str:
    """Returns the driver's grade, or the one that follows from the kind of seconds."""
    if advice.get("grade"):
        return str(advice["grade"])
    if not advice.get("saves_s"):
        return "unknown"
    return "predicted" if advice["kind"] == "estimate" else "bound"


# Below the causes


def _closing(file: AdviceFile, judged: Judged) -> Iterator[str]:
    if not judged.entries:
        of_driver = file.header.get("conclusion")
        if of_driver or file.header["runs"]:
            yield of_driver or say("advise.no_cause")
    if judged.others:
        yield counted("advise.others", len(judged.others))
    elif judged.others is not None and judged.entries and not judged.reliability.not_counted:
        yield say("advise.nothing_else")
    if file.left_out:
        yield say("advise.unusable_lines")


def _legend(file: AdviceFile, judged: Judged, entry: Entry) -> str:
    """Explains the grade of an entry."""
    why = file.header.get("withheld")
    if c := entry.conclusion:
        if c.grade is Grade.predicted and c.reference and c.reference.wall_s:
            run_s = c.reference.wall_s
            after = _after(run_s, c.effect.after_s) if c.effect and c.effect.after_s else ""
            return say("advise.grade.predicted_model", run=_seconds(run_s), after=after)
        if c.reason and has(f"advise.{c.grade}.{c.reason.name}"):
            return say(f"advise.{c.grade}.{c.reason.name}", value=_amount(c.reason))
        grade = str(c.grade)
    else:
        assert entry.advice is not None
        grade = grade_of(entry.advice)
        if grade == "predicted":
            return say("advise.grade.predicted_unit_costs")
    if grade in ("rough", "unknown"):
        return say(f"advise.{grade}.driver", why=why) if why else say(f"advise.{grade}.bare")
    return say(f"advise.grade.{grade}") if has(f"advise.grade.{grade}") else ""


def _amount(x: Condition) -> str:
    if x.value is None:
        return ""
    return numbers.factor(x.value) if x.name == "spread" else numbers.percent(x.value)


def _reliability(file: AdviceFile, found: ProgramReliability) -> str:
    facts = " ".join(_reliability_facts(file, found))
    return say("advise.reliability.line", grade=found.grade, facts=facts).strip()


def _reliability_facts(file: AdviceFile, found: ProgramReliability) -> Iterator[str]:
    if not file.header["runs"]:
        yield say("advise.reliability.static")
        return
    if found.perturbed:
        name = "perturbed" if found.counting else "perturbed_bare"
        yield say(f"advise.reliability.{name}", value=numbers.factor(found.counting or 1.0))
    elif found.counting is not None and found.counting > 1.0005:
        yield say("advise.reliability.counting", share=numbers.percent(found.counting - 1))
    elif found.counting is not None:
        yield say("advise.reliability.counting_free")
    if found.spread is not None and found.spread > _usual_spread:
        plain = [run["wall_s"] for run in file.header["runs"] if run["arm"] == "plain"]
        low, high = numbers.seconds([min(plain), max(plain)])
        yield say("advise.reliability.runs_range", count=len(plain), low=low, high=high)
    elif found.plain_runs:
        yield counted("advise.reliability.runs", found.plain_runs)
    for name, share in (
        ("other_programs", found.other_cpu_share),
        ("stolen", found.stolen_cpu_share),
    ):
        if share is not None and share >= _least_share:
            yield say(f"advise.reliability.{name}", share=numbers.percent(share))
    if found.lost_calls:
        yield say("advise.reliability.lost_calls", count=f"{found.lost_calls:,}")
    if found.not_counted:
        yield say("advise.reliability.not_counted", reasons="; ".join(found.not_counted))


def _next(file: AdviceFile, judged: Judged) -> str:
    return say(f"advise.next.{_step(file, judged)}", command=_command(file))


def _step(file: AdviceFile, judged: Judged) -> str:
    """Returns the next step's name."""
    if not file.header["runs"]:
        return "static"
    if judged.reliability.disturbed:
        return "repeat_first" if judged.entries else "repeat"
    if not judged.entries:
        if judged.reliability.not_counted:
            return "complete"
        return "repeat" if file.header.get("withheld") else "nothing"
    first = judged.entries[0]
    steps: Mapping[str, str] = {"predicted": "change", "measured": "change"}
    if first.conclusion:
        step = first.conclusion.next[0] if first.conclusion.next else "try"
    else:
        step = steps.get(grade_of(first.advice or {}), "try")
    return "change" if step == "try" and file.trials else step
