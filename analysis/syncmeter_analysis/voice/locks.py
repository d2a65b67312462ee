"""Words the study `locks`: a table of situations with the default and the recommended lock, a table of
other defaults, locks to avoid, reliability and the next step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from syncmeter_analysis.conclude.conclusion import (
    Conclusion,
    Condition,
    Kind,
    Situation,
    Subject,
)
from syncmeter_analysis.conclude.reliability import Reliability
from syncmeter_analysis.voice import numbers
from syncmeter_analysis.voice.reliability import reliability_line
from syncmeter_analysis.voice.screen import Field, Grid, Screen
from syncmeter_analysis.voice.study import (
    Marks,
    bound_of,
    joined,
    narrow,
    next_line,
    ns_of,
    printed_ratio,
    width_of,
)
from syncmeter_analysis.voice.words import (
    explanation_of,
    has,
    heading_of,
    library_of,
    name_of,
    say,
    with_article,
)


def screen(conclusions: Sequence[Conclusion], reliability: Reliability) -> Screen:
    """Returns the screen, which shows each conclusion once. A conclusion outside the table of
    situations is left out if it keeps the reader's lock."""
    marks = _Marks()
    grids: list[Grid] = []
    legend: list[str] = []
    sentences: list[str] = []
    for team in _teams(conclusions):
        rows = [c for c in team if _is_row(c, team)]
        others = [c for c in team if c not in rows and _is_case(c)]
        marks.merge([*rows, *others])
        if rows:
            grids.append(_situations(rows, marks))
            legend += [line for line in _legend(rows, others) if line not in legend]
        if others:
            grids.append(_cases(others, marks))
        sentences += dict.fromkeys(filter(None, map(_reason, team)))
        sentences += [_sentence(c) for c in team if c.kind is Kind.avoid]
    steps = list(dict.fromkeys(step for c in conclusions for step in c.next))
    return Screen(
        grids,
        [*legend, *marks.notes],
        sentences,
        reliability_line(reliability),
        next_line(steps, reliability),
        answers(conclusions),
    )


def answers(conclusions: Iterable[Conclusion]) -> list[str]:
    """Returns each conclusion as a sentence, for a screen of several studies."""
    return [_sentence(c) for c in conclusions]


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
    if c.kind is Kind.avoid or c.situation.threads == 1:
        return False
    if _api(c.reference) != _api(team[0].reference):
        return False
    atomics = [x for x in team if x.question == "atomic_or_lock"]
    return not (atomics and c.question == "lock" and c.situation.work == "one_add")


def _is_case(c: Conclusion) -> bool:
    """Returns whether the conclusion is a row of the table of other cases, if it has no other row."""
    kept = c.kind in (Kind.keep, Kind.any) and c.reference is not None
    return c.kind is not Kind.avoid and not kept


def _api(subject: Subject | None) -> str:
    return name_of(subject) + library_of(subject) if subject else ""


class _Marks(Marks):
    """Assigns letters to conditions in the order of their first use. Conditions in several rows share
    one letter. An unfair lock has its worst value there, a lock for reserved CPUs all its gains."""

    def __init__(self) -> None:
        super().__init__()
        self._unfair: dict[str, Condition] = {}
        self._reserved: dict[tuple[str, str], list[Condition]] = {}
        self._columns: dict[str, str] = {}

    def merge(self, shown: Sequence[Conclusion]) -> None:
        found = [(x, c) for c in shown if (x := c.condition("unfair"))]
        found.sort(key=lambda item: item[0].value or 0.0)
        self._unfair = {_choice_name(c): x for x, c in found}
        self._reserved = {}
        for c in shown:
            if x := c.condition("reserved_cpus"):
                self._reserved.setdefault(_compared(c, x), []).append(x)

    def of(self, c: Conclusion, has_columns: bool = False) -> str:
        """Returns ` (a,b)` or ''. A table that has columns of locks marks the lock for reserved CPUs
        there."""
        texts = _conditions(c, self._unfair, self._reserved)
        found = list(map(self.letter_of, texts))
        reserved = (x for x in c.conditions if x.name == "reserved_cpus")
        for x in reserved:
            text = _reserved(c, self._reserved[_compared(c, x)])
            self._columns[self.letter_of(text)] = _compared(c, x)[0]
            if has_columns:
                found.remove(self.letter_of(text))
        return joined(found)

    def column(self, lock: Subject) -> str:
        """Returns ` (a)` if this lock needs reserved CPUs, otherwise ''."""
        letters = [by for by, name in self._columns.items() if name == name_of(lock)]
        return joined(letters[:1])


def _compared(c: Conclusion, x: Condition) -> tuple[str, str]:
    """Returns the names for the condition's lock and the compared lock."""
    return name_of(x.subject) if x.subject else "", name_of(c.reference or c.subjects[0])


def _choice_name(c: Conclusion) -> str:
    return name_of(c.subjects[0]) if c.subjects else ""


# Situations


def _situations(rows: Sequence[Conclusion], marks: _Marks) -> Grid:
    columns = _columns(rows)
    fields = []
    for c in rows:
        cells = [_figure(c, column) for column in columns]
        fields.append([*_held(c.situation), *cells, _use(c, marks, has_columns=True), _gain(c)])
    heads = [
        say("locks.held"),
        say("locks.pause"),
        *(heading_of(s) + marks.column(s) for s in columns),
    ]
    heads += [say("locks.use"), say("locks.gain")]
    right = range(2, 2 + len(columns))
    return Grid(_caption(rows[0].situation), heads, fields, [*right])


def _columns(rows: Sequence[Conclusion]) -> list[Subject]:
    """Returns the atomic add, the default, and each lock with figures that is recommended or needs
    reserved CPUs, once for each name."""
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
    return say("locks.caption_file", caption=caption, file=s.file) if s.file else caption


def _held(s: Situation) -> list[Field]:
    if s.work == "unknown":
        return [Field(say("locks.unknown_held")), Field(say("locks.not_measured"))]
    if s.work == "one_add":
        return [Field(say("locks.one_add")), Field(say("locks.no_pause"))]
    pause = say("locks.held_ns", ns=f"{s.pause_ns:g}") if s.pause_ns else say("locks.no_pause")
    return [Field(say("locks.held_ns", ns=f"{s.held_ns or 0:g}")), Field(pause)]


def _figure(c: Conclusion, column: Subject) -> Field:
    chosen = _choice_name(c) == name_of(column)
    cost = next((x for x in c.costs if name_of(x.subject) == name_of(column)), None)
    own = c.cost_of(c.subjects[0] if chosen else c.reference)
    if own and name_of(own.subject) == name_of(column):
        cost = own
    mark = "*" if chosen else " "
    if cost is None:
        return Field(mark if chosen else say("locks.not_measured") + " ", (), chosen)
    return Field(ns_of(cost) + mark, (cost.subject.point,), chosen)


def _use(c: Conclusion, marks: _Marks, has_columns: bool = False) -> Field:
    name = _choice_name(c)
    if c.reference and name == name_of(c.reference) and c.kind is not Kind.undecided:
        name = say("locks.keep", name=name)
    elif c.kind is Kind.any:
        name = say("locks.any_lock")
    return Field(name + marks.of(c, has_columns), c.evidence)


def _gain(c: Conclusion) -> Field:
    effect, ratio = c.effect, printed_ratio(c)
    if c.question == "lock_unknown":
        return Field(say("locks.not_measured"))
    if c.kind is Kind.undecided or effect is None or ratio is None:
        return Field(say("locks.unknown_gain"))
    if c.kind is Kind.use and width_of(c) > narrow:
        low, high = numbers.factor(effect.low or 0.0), numbers.factor(effect.high or 0.0)
        return Field(say("locks.gain_range", low=low, high=high), c.evidence)
    if c.kind is Kind.use:
        return Field(say("locks.gain_of", value=numbers.factor(ratio)), c.evidence)
    if effect.high is None:
        return Field(say("locks.unknown_gain"))
    if bound := bound_of(c):
        return Field(say("locks.no_gain_above", high=numbers.factor_up(bound)))
    return Field(say("locks.no_gain"))


def _is_bounded(c: Conclusion) -> bool:
    """Returns whether the column `gain` has a bound."""
    bound = bound_of(c)
    return bool(bound) and _gain(c).text == say(
        "locks.no_gain_above", high=numbers.factor_up(bound or 0.0)
    )


def _legend(rows: Sequence[Conclusion], others: Sequence[Conclusion]) -> Iterator[str]:
    """Explains the table with these rows, and the gains in all tables."""
    shown = [*rows, *others]
    yield say("locks.legend.marked")
    columns = [*_columns(rows), *(s for c in shown for s in c.subjects[:1])]
    names = dict.fromkeys(filter(None, map(explanation_of, columns)))
    if names:
        yield " ".join(names)
    reference = name_of(rows[0].reference) if rows[0].reference else ""
    ends = [end for c in shown if c.kind is Kind.use and 0 < (end := width_of(c)) <= narrow]
    if ends:
        yield say("locks.legend.gain", reference=reference, ends=numbers.percent_bound(ends))
    else:
        yield say("locks.legend.gain_bare", reference=reference)
    kept = [c for c in shown if _is_bounded(c)]
    bounds = [bound for c in kept if (bound := bound_of(c))]
    if bounds:
        spins = any(c.condition("reserved_cpus") for c in kept)
        name = "locks.legend.no_gain_asleep" if spins else "locks.legend.no_gain"
        yield say(name, high=numbers.factor_up(max(bounds)))


# Other defaults, uncontended locks


def _cases(found: Sequence[Conclusion], marks: _Marks) -> Grid:
    columns = [say(f"locks.{name}") for name in ("case", "now", "ns", "use", "ns", "gain")]
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


def _with_library(subject: Subject | None) -> str:
    if subject is None:
        return ""
    library = library_of(subject)
    return (
        say("locks.library", name=name_of(subject), library=library)
        if library
        else name_of(subject)
    )


# Conditions, reasons and sentences


def _conditions(
    c: Conclusion,
    unfair: Mapping[str, Condition],
    reserved: Mapping[tuple[str, str], Sequence[Condition]],
) -> list[str]:
    """Returns half sentences for the notes. `unfair` has the worst unfairness by lock."""
    found = []
    for x in c.conditions:
        if x.name == "reserved_cpus":
            found.append(_reserved(c, reserved[_compared(c, x)]))
        elif not _is_said(c, x):
            found.append(_condition(c, unfair[_choice_name(c)] if x.name == "unfair" else x))
    if c.question == "lock_unknown" and c.effect and c.effect.high:
        found.append(_worst_loss(c, c.effect.high))
    if c.kind is Kind.undecided and not {x.name for x in c.conditions} & _problems:
        other = [s for s in c.subjects if c.reference and s.name != c.reference.name]
        if other and c.effect and c.effect.high:
            high = numbers.factor_up(c.effect.high)
            found.append(
                say("locks.conditions.undecided", subject=_with_library(other[0]), high=high)
            )
        else:
            found.append(say("locks.conditions.undecided_bare"))
    return found


#: Conditions with the reason for `undecided`.
_problems = {"below_resolution", "no_cost", "one_repetition"}


def _is_said(c: Conclusion, condition: Condition) -> bool:
    """Returns whether another condition or the legend includes this one."""
    return condition.name in ("own_code", "default_loss") or (
        condition.name == "cpu_per_thread" and c.condition("no_steal") is not None
    )


def _worst_loss(c: Conclusion, high: float) -> str:
    """Returns the recommended lock's loss, and the default's if it is greater."""
    default = c.condition("default_loss")
    return say(
        "locks.conditions.worst_loss_default" if default else "locks.conditions.worst_loss",
        high=numbers.factor_up(high),
        reference=name_of(c.reference) if c.reference else "",
        value=numbers.factor_up(default.value or 0.0) if default else "",
    )


def _reserved(c: Conclusion, found: Sequence[Condition]) -> str:
    """Returns one spinning lock's gains in all rows, and the worst unfairness."""
    gains = sorted(x.value or 0.0 for x in found)
    low, high = numbers.factor(gains[0]), numbers.factor(gains[-1])
    name = "reserved_cpus" if low == high else "reserved_cpus_range"
    said = say(
        f"locks.conditions.{name}",
        subject=with_article(found[0].subject) if found[0].subject else "",
        low=low,
        high=high,
        reference=name_of(c.reference or c.subjects[0]),
    )
    unfair = max(x.compared or 0.0 for x in found)
    more = say("locks.conditions.reserved_unfair", value=numbers.factor(unfair)) if unfair else ""
    return said + more


def _condition(c: Conclusion, x: Condition) -> str:
    name = f"locks.conditions.{x.name}"
    if x.name == "longer_waits":
        value, compared = (numbers.duration(ns or 0.0) for ns in (x.value, x.compared))
    else:
        value, compared = numbers.factor(x.value or 0.0), numbers.cost(x.compared or 0.0)
    if x.compared is not None and x.subject is not None and has(f"{name}_fair"):
        name += "_fair"
    subject = with_article(x.subject) if x.subject else ""
    reference = name_of(c.reference) if c.reference else ""
    return say(
        name,
        value=value,
        compared=compared,
        subject=subject,
        reference=reference,
        choice=_choice_name(c),
    )


def _reason(c: Conclusion) -> str:
    if c.reason is None or c.reason.subject is None:
        return ""
    return say(
        f"locks.reasons.{c.reason.name}",
        subject=name_of(c.reason.subject),
        ns=ns_of(c.cost_of(c.reason.subject)),
        compared=numbers.plain(c.reason.compared or 0.0, 2),
        value=numbers.percent(c.reason.value or 0.0),
    )


def _work(c: Conclusion) -> str:
    s = c.situation
    name = s.work
    if s.work == "one_add" and c.question != "atomic_or_lock":
        name = "lock_one_add"
    elif s.work == "held" and s.pause_ns:
        name = "held_pause"
    held, pause = (f"{ns or 0:g}" for ns in (s.held_ns, s.pause_ns))
    return say(f"locks.situations.{name}", held=held, pause=pause)


def _situation(c: Conclusion) -> str:
    name = "threads" if c.situation.threads > 1 else "one_thread"
    return say(f"locks.situations.{name}", threads=c.situation.threads, situation=_work(c))


def _sentence(c: Conclusion) -> str:
    """Returns the conclusion as sentences that stand alone."""
    name, effect, ratio = str(c.kind), c.effect, printed_ratio(c)
    bound = c.kind in (Kind.keep, Kind.any) or c.question == "lock_unknown"
    if c.question == "lock_unknown":
        name = "worst_loss"
    elif bound and c.condition("reserved_cpus") and effect and effect.high:
        name = "keep_asleep"
    elif c.kind is Kind.any and c.question == "atomic_or_lock":
        name = "any_atomic"
    elif c.kind is Kind.use and c.reference is None:
        name = "use_best"
    elif c.kind is Kind.use and (effect is None or effect.low is None):
        name = "use_bare"
    elif c.kind is Kind.any and (effect is None or effect.high is None):
        name = "undecided"
    elif c.kind is Kind.keep and (effect is None or effect.high is None):
        name = "keep_bare"
    if c.next == ("study_locks",) and c.reference and c.reference.backend.startswith("omp"):
        name += "_openmp" if has(f"locks.sentences.{name}_openmp") else ""
    low, high = (
        (numbers.factor(effect.low or 0.0), numbers.factor(effect.high or 0.0))
        if effect
        else ("", "")
    )
    said = say(
        f"locks.sentences.{name}",
        situation=_work(c) if c.kind is Kind.avoid else _situation(c),
        subject=_choice_name(c)
        if c.kind is Kind.avoid
        else (with_article(c.subjects[0]) if c.subjects else ""),
        reference=_with_library(c.reference),
        value=numbers.factor(ratio) if ratio else "",
        low=low,
        high=numbers.factor_up(bound_of(c) or 0.0) if bound and effect and effect.high else high,
        subject_ns=ns_of(c.cost_of(next(iter(c.subjects), None))),
        reference_ns=ns_of(c.cost_of(c.reference)),
    )
    short = [_short(c, x) for x in c.conditions if has(f"locks.only_if.{x.name}")]
    is_shown = c.kind is Kind.use or name.startswith("keep_asleep")
    return " ".join([said, *(short if is_shown else [])])


def _short(c: Conclusion, x: Condition) -> str:
    value, compared = (numbers.duration(ns or 0.0) for ns in (x.value, x.compared))
    if x.name == "reserved_cpus":
        value = numbers.factor(x.value or 0.0)
    subject = with_article(x.subject) if x.subject else ""
    return say(
        f"locks.only_if.{x.name}",
        value=value,
        compared=compared,
        subject=subject,
        subject_ns=ns_of(c.cost_of(x.subject)),
        reference_ns=ns_of(c.cost_of(c.reference)),
    )
