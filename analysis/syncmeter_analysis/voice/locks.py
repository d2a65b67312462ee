"""Words the study `locks`: a table of situations with a column for each lock, a table of other
defaults, and what to do if the held time is unknown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from syncmeter_analysis.conclude.conclusion import (
    Conclusion,
    Condition,
    Grade,
    Kind,
    Situation,
    Subject,
)
from syncmeter_analysis.conclude.reliability import Reliability
from syncmeter_analysis.voice.gains import gain_of, ns_of
from syncmeter_analysis.voice.reliability import reliability_details, reliability_line
from syncmeter_analysis.voice.screen import Field, Grid, Screen
from syncmeter_analysis.voice.sentences import conditions, reason_of, sentence
from syncmeter_analysis.voice.study import (
    Marks,
    answers,
    explained_names,
    legend_of,
    next_line,
    use_of,
)
from syncmeter_analysis.voice.words import explanation_of, heading_of, library_of, name_of, say

#: A larger upper end says nothing about the lock.
_farthest_rival = 10.0


def screen(conclusions: Sequence[Conclusion], reliability: Reliability) -> Screen:
    """Returns the screen, which shows each conclusion once. A conclusion outside the table of
    situations is left out if it keeps the reader's lock."""
    marks = Marks()
    grids: list[Grid] = []
    shown: list[Conclusion] = []
    columns: list[Subject] = []
    sentences: list[str] = []
    for team in _teams(conclusions):
        rows = list(_prepared([c for c in team if _is_row(c, team)]))
        others = list(_prepared([c for c in team if _is_case(c) and not _is_row(c, team)]))
        grids += [_situations(rows, marks)] if rows else []
        grids += [_cases(others, marks)] if others else []
        shown += [*rows, *others]
        columns += _columns(rows)
        sentences += dict.fromkeys(filter(None, (reason_of("locks", c) for c in team)))
        alone = [c for c in team if c.kind is Kind.avoid or c.question == "lock_unknown"]
        sentences += [sentence("locks", c) for c in alone]
    names = [*map(explanation_of, columns), *explained_names(shown, grids)]
    names = list(dict.fromkeys(filter(None, names)))
    gains = " ".join(legend_of("locks", shown, reliability.grade == "good"))
    return Screen(
        grids,
        [*filter(None, [say("locks.legend.marked"), " ".join(names), gains]), *marks.notes],
        sentences,
        reliability_line(reliability),
        reliability_details(reliability),
        next_line(conclusions, reliability),
        answers("locks", conclusions),
    )


def _teams(conclusions: Sequence[Conclusion]) -> list[list[Conclusion]]:
    """Groups conclusions by threads. Conclusions on one thread join the first group."""
    found: dict[tuple[object, ...], list[Conclusion]] = {}
    alone = [c for c in conclusions if c.situation.threads == 1]
    for c in conclusions:
        s = c.situation
        if s.threads > 1:
            found.setdefault((s.file, s.affinity, s.wait, s.threads), []).append(c)
    for c in alone:
        fitting = (team for key, team in found.items() if key[0] == c.situation.file)
        team = next(fitting, None)
        if team is None:
            team = found.setdefault((c.situation.file, 1), [])
        team.append(c)
    return list(found.values())


def _is_row(c: Conclusion, team: Sequence[Conclusion]) -> bool:
    """Returns whether the conclusion is a row of the table of situations. The table has one
    default, and for one add it prefers the comparison with an atomic add."""
    if c.kind is Kind.avoid or c.situation.threads == 1 or c.question == "lock_unknown":
        return False
    if _api(c.reference) != _api(team[0].reference):
        return False
    atomics = [x for x in team if x.question == "atomic_or_lock"]
    return not (atomics and c.question == "lock" and c.situation.work == "one_add")


def _is_case(c: Conclusion) -> bool:
    """Returns whether the conclusion is a row of the table of other cases, if it has no other row."""
    kept = c.kind in (Kind.keep, Kind.any) and c.reference is not None
    return c.kind is not Kind.avoid and c.question != "lock_unknown" and not kept


def _api(subject: Subject | None) -> str:
    return name_of(subject) + library_of(subject) if subject else ""


def _prepared(rows: Sequence[Conclusion]) -> Iterator[Conclusion]:
    """Yields the rows with the conditions that the screen shows. An unfair lock has its worst value in
    all of them, because rows share a note. A row without a difference keeps the default: some
    locks may be slower."""
    worst: dict[tuple[str, str], Condition] = {}
    for c in rows:
        for x in filter(_is_unfair, c.conditions):
            known = worst.setdefault(_note(c, x), x)
            worst[_note(c, x)] = max(known, x, key=_unfairness)
    for c in rows:
        found = [worst.get(_note(c, x), x) for x in c.conditions if not _is_included(c, x)]
        kind = Kind.keep if c.kind is Kind.any and c.reference else c.kind
        yield replace(c, kind=kind, conditions=(*found, *_rival(c)))


def _is_unfair(x: Condition) -> bool:
    return x.name in ("unfair", "reserved_cpus")


def _unfairness(x: Condition) -> float:
    return (x.value if x.name == "unfair" else x.compared) or 0.0


def _note(c: Conclusion, x: Condition) -> tuple[str, str]:
    """Names the condition and its lock."""
    subject = c.subjects[0] if x.name == "unfair" else x.subject
    return x.name, name_of(subject) if subject else ""


def _is_included(c: Conclusion, x: Condition) -> bool:
    """Returns whether another condition includes this one."""
    return x.name == "cpu_per_thread" and c.condition("no_steal") is not None


def _rival(c: Conclusion) -> Iterator[Condition]:
    """Yields a possibly faster lock, if the interval prevents a decision."""
    others = [s for s in c.subjects if c.reference and s.name != c.reference.name]
    is_open = c.kind is Kind.undecided and c.grade is not Grade.rough and not c.conditions
    if is_open and others and c.effect and c.effect.high and c.effect.high <= _farthest_rival:
        yield Condition("rival", c.effect.high, subject=others[0])


# Situations


def _situations(rows: Sequence[Conclusion], marks: Marks) -> Grid:
    columns = _columns(rows)
    fields = []
    for c in rows:
        cells = [_figure(c, column) for column in columns]
        fields.append([*_held(c.situation), *cells, _use(c, marks), _gain(c)])
    heads = [say("locks.held"), say("locks.pause"), *map(heading_of, columns)]
    heads += [say("common.heads.use"), say("common.heads.gain")]
    return Grid(_caption(rows[0].situation), heads, fields, range(2, 2 + len(columns)))


def _columns(rows: Sequence[Conclusion]) -> list[Subject]:
    """Returns the atomic add, the default, and each measured lock with a recommendation or need
    for reserved CPUs, once for each name."""
    atomics = [s for c in rows for s in c.subjects if s.op == "atomic"]
    defaults = [c.reference for c in rows if c.reference]
    found: dict[str, Subject] = {}
    chosen = [c.subjects[0] for c in rows if c.costs and c.subjects]
    reserved = [x.subject for c in rows if (x := c.condition("reserved_cpus")) and x.subject]
    for s in (*atomics, *defaults, *chosen, *reserved):
        found.setdefault(name_of(s), s)
    return list(found.values())


def _caption(s: Situation) -> str:
    name = "locks.caption_crowded" if s.crowded else "locks.caption"
    caption = say(name, threads=s.threads, cpus=s.cpus or "?")
    return say("common.caption_of_file", caption=caption, file=s.file) if s.file else caption


def _held(s: Situation) -> list[Field]:
    if s.work == "one_add":
        return [Field(say("locks.one_add")), Field(say("locks.no_pause"))]
    pause = say("locks.held_ns", ns=f"{s.pause_ns:g}") if s.pause_ns else say("locks.no_pause")
    return [Field(say("locks.held_ns", ns=f"{s.held_ns or 0:g}")), Field(pause)]


def _figure(c: Conclusion, column: Subject) -> Field:
    first = name_of(c.subjects[0]) if c.subjects else ""
    is_chosen = first == name_of(column) and c.kind is not Kind.undecided
    cost = next((x for x in c.costs if name_of(x.subject) == name_of(column)), None)
    own = c.cost_of(c.subjects[0] if first == name_of(column) else c.reference)
    if own and name_of(own.subject) == name_of(column):
        cost = own
    points = (cost.subject.point,) if cost else ()
    return Field(ns_of(cost) + ("*" if is_chosen else " "), points, is_chosen)


def _use(c: Conclusion, marks: Marks) -> Field:
    return Field(use_of(c) + marks.letters_of(conditions("locks", c)), c.evidence)


def _gain(c: Conclusion) -> Field:
    return Field(gain_of("locks", c), c.evidence)


# More defaults, uncontended locks


def _cases(found: Sequence[Conclusion], marks: Marks) -> Grid:
    columns = [say("locks.case"), say("locks.now")]
    columns += [say(f"common.heads.{head}") for head in ("ns", "use", "ns", "gain")]
    rows = []
    for c in found:
        mine = c.cost_of(c.reference)
        rows.append(
            [
                Field(_case(c)),
                Field(name_of(c.reference) if c.reference else ""),
                Field(ns_of(mine), (mine.subject.point,) if mine else ()),
                _use(c, marks),
                Field(ns_of(c.cost_of(next(iter(c.subjects), None))), c.evidence),
                _gain(c),
            ]
        )
    return Grid(say("locks.cases"), columns, rows, (2, 4))


def _case(c: Conclusion) -> str:
    """Returns the library, if the API has several, and the work."""
    if c.situation.threads == 1:
        work = say("locks.one_thread")
    elif c.situation.work == "held":
        work = " ".join(field.text for field in _held(c.situation))
    else:
        work = say("locks.one_add" if c.question == "atomic_or_lock" else "locks.lock_one_add")
    library = library_of(c.reference) if c.reference else ""
    return say("locks.case_of_library", library=library, work=work) if library else work
