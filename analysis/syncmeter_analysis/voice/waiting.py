"""Words the study `waiting`: a table with the present and the recommended time to spin of each runtime
and of own code, then what waiting costs other threads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from syncmeter_analysis.conclude.conclusion import Conclusion, Grade, Kind, Subject
from syncmeter_analysis.conclude.reliability import Reliability
from syncmeter_analysis.relate.group import grouped
from syncmeter_analysis.voice import numbers
from syncmeter_analysis.voice.reliability import reliability_details, reliability_line
from syncmeter_analysis.voice.screen import Field, Grid, Screen
from syncmeter_analysis.voice.sentences import after_file
from syncmeter_analysis.voice.study import Marks, libraries_in, next_line
from syncmeter_analysis.voice.words import has, library_of, name_of, say


def screen(conclusions: Sequence[Conclusion], reliability: Reliability) -> Screen:
    """Returns the screen, which shows each conclusion once."""
    marks = Marks()
    grids: list[Grid] = []
    sentences: list[str] = []
    for file, of_file in grouped(conclusions, lambda c: c.situation.file).items():
        texts: list[str] = []
        rows = [c for c in of_file if c.question in _rows and c.kind is not Kind.undecided]
        if rows:
            shown = [c for c in rows if not _is_worse(c, rows)]
            grids.append(_grid(shown, marks))
            texts += _choice(shown)
        texts += filter(None, map(_reason, rows[-1:]))
        texts += [_sentence(c) for c in of_file if c not in rows]
        sentences += [after_file(file, text) for text in texts]
    return Screen(
        grids,
        [" ".join([say("waiting.legend"), *libraries_in(grids)]), *marks.notes] if grids else [],
        list(dict.fromkeys(sentences)),
        reliability_line(reliability),
        reliability_details(reliability),
        next_line(conclusions, reliability),
        answers(conclusions),
    )


_rows = ("runtime", "own_code", "own_code_long")


def _is_worse(c: Conclusion, rows: Sequence[Conclusion]) -> bool:
    """Returns whether a long spin frees as much CPU time as this short spin, with a shorter delay."""
    longer = [x for x in rows if x.question == "own_code_long"]
    freed = [_cell("freed", x) for x in longer if x.situation == c.situation]
    return c.question == "own_code" and _cell("freed", c) in freed


def answers(conclusions: Iterable[Conclusion]) -> list[str]:
    """Returns each conclusion as a sentence, for a screen of several studies."""
    return list(dict.fromkeys(map(_sentence, conclusions)))


def _grid(rows: Sequence[Conclusion], marks: Marks) -> Grid:
    heads = [say(f"waiting.heads.{head}") for head in ("", "now", "use", "longer", "freed")]
    fields = [
        [
            Field(_api(c, rows)),
            Field(_now(c)),
            Field(_use(c) + marks.letters_of(_conditions(c)), c.evidence, True),
            Field(_cell("longer", c), c.evidence),
            Field(_cell("freed", c), c.evidence),
        ]
        for c in rows
    ]
    caption = say("waiting.caption", **_values(rows[0]))
    if file := rows[0].situation.file:
        caption = say("common.caption_of_file", caption=caption, file=file)
    return Grid(caption, heads, fields, (3, 4))


def _api(c: Conclusion, rows: Sequence[Conclusion]) -> str:
    if c.question == "runtime":
        return library_of(c.subjects[0])
    is_second = c.question == "own_code_long" and any(x.question == "own_code" for x in rows)
    return say("waiting.or" if is_second else "waiting.own_code")


def _now(c: Conclusion) -> str:
    if c.question != "runtime":
        return say("waiting.spins")
    name = "waiting.spins_for" if c.condition("default_spin") else "waiting.spins"
    return say(name, **_values(c))


#: Settings whose value is no time in itself.
_timed = ("GOMP_SPINCOUNT", "KMP_BLOCKTIME")


def _use(c: Conclusion) -> str:
    """Returns the setting with the time that it spins."""
    setting, spun_ns = _named(c.subjects[0]), c.effect.value if c.effect else None
    if c.subjects[0].op not in _timed or not c.subjects[0].variant or not spun_ns:
        return setting
    return say("waiting.lasting", setting=setting, spin=numbers.duration(spun_ns))


def _cell(column: str, c: Conclusion) -> str:
    if c.kind is Kind.keep:
        return say("common.no_gain")
    name = f"waiting.cells.{column}"
    longer = c.condition("longer_wait")
    is_rough = longer is not None and (longer.compared is None or c.grade is Grade.rough)
    if column == "longer" and is_rough and not c.condition("at_most_twice"):
        name += "_unknown"
    return say(name, **_values(c))


def _conditions(c: Conclusion) -> list[str]:
    """Returns half sentences for the notes below the table."""
    names = [f"waiting.conditions.{x.name}" for x in c.conditions]
    if c.kind is Kind.keep and not c.condition("least_setting"):
        names.append("waiting.conditions.keeps_spinning")
    elif c.kind is Kind.use and c.grade is not Grade.rough:
        x = c.condition("longer_wait")
        if x and x.compared is None:
            names.append("waiting.conditions.no_scatter")
    return [say(name, **_values(c)) for name in names if has(name)]


def _choice(shown: Sequence[Conclusion]) -> list[str]:
    """Returns which of the two spins of own code to take, if both are shown."""
    own = {c.question: c for c in shown if c.question != "runtime"}
    if len(own) < 2:
        return []
    effects = (own[question].effect for question in ("own_code", "own_code_long"))
    short, long = (numbers.duration(e.value or 0.0) if e else "" for e in effects)
    return [say("waiting.choice", short=short, long=long)]


def _reason(c: Conclusion) -> str:
    return say(f"waiting.reasons.{c.reason.name}", **_values(c)) if c.reason else ""


def _sentence(c: Conclusion) -> str:
    if c.question in _rows and c.kind is not Kind.undecided:
        own = "" if c.question == "runtime" else "own_"
        setting = c.kind is Kind.use and c.condition("cpu_time_freed")
        name = f"waiting.sentences.{own}{c.kind}" + ("" if setting else "_bare") * (not own)
    else:
        name = f"waiting.sentences.{c.question}_{c.kind}"
        name += "_rough" if c.grade is Grade.rough and has(f"{name}_rough") else ""
    return say(name, **_values(c))


def _values(c: Conclusion) -> dict[str, Any]:
    """Returns what the templates may name."""

    def of(name: str) -> tuple[float, float]:
        x = c.condition(name)
        return (x.value or 0.0, x.compared or 0.0) if x else (0.0, 0.0)

    freed_ns, wait_ns = of("cpu_time_freed")
    longer, at_most = of("longer_wait")
    longest = longer if c.grade is Grade.rough else max(at_most, longer)
    twice, _ = of("at_most_twice")
    resumes = (c.reason.value or 0.0, c.reason.compared or 0.0) if c.reason else (0.0, 0.0)
    e = c.effect
    ratios = [e.value, e.high] if e and e.quantity == "slowdown" else []
    place = f"waiting.places.{c.situation.work}"
    old = c.condition("whole_ms") or c.condition("least_setting")
    return {
        "threads": c.situation.threads,
        "cpus": f"{c.situation.cpus:g}",
        "place": say(place) if has(place) else "",
        "api": library_of(c.subjects[0]) if c.subjects else "",
        "subject": _named(c.subjects[0]) if c.subjects else "",
        "default": numbers.duration(of("default_spin")[0]),
        "spin": _lasting(c),
        "least_spin": numbers.duration(of("least_setting")[0]),
        "wait": numbers.duration(wait_ns),
        "freed": numbers.duration(freed_ns),
        "longer": numbers.percent(twice - 1 if twice else longest),
        "awake": numbers.duration(resumes[1]),
        "asleep": numbers.duration(resumes[0]),
        "ratio": numbers.factor(ratios[0]) if ratios and ratios[0] else "",
        "at_most": numbers.factor_up(ratios[1]) if ratios and ratios[1] else "",
        "least": name_of(old.subject) if old and old.subject else "",
    }


def _named(subject: Subject) -> str:
    """Returns the setting, or for own code the time to spin before the sleeping call."""
    if not subject.op.startswith("wait_"):
        return name_of(subject)
    if not subject.variant:
        return say("waiting.sleep_at_once", name=name_of(subject))
    spin = numbers.duration(float(subject.variant))
    return say("waiting.spin_then_sleep", spin=spin, name=name_of(subject))


def _lasting(c: Conclusion) -> str:
    e = c.effect
    if e is None or e.quantity != "threshold":
        return ""
    low, high = (numbers.duration(x or 0.0) for x in (e.low, e.high))
    if e.low is None or e.high is None or low == high:
        return numbers.duration(e.value or 0.0)
    return say("waiting.range", low=low, high=high)
