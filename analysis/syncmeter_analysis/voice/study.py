"""Words the conclusions of any study. A screen has tables of situations with the default, the choice
and the gain, then sentences, lettered conditions, reliability and the next step. Each study has a
file of templates, templates/STUDY.toml:

- `tables.NAME` names the `questions` whose conclusions are rows, a `caption` and a heading,
  `situation`. With `adds`, the adds of each thread in the time of a cost, its figures are adds per
  ns. A table with `detail` is not on the first screen.
- `situations` has the label of a row, which also begins a sentence, by the situation's work. A label
  in `in_sentences` begins sentences instead.
- `sentences` has a template by `QUESTION_WORK_KIND`, `QUESTION_KIND`, `QUESTION` or `KIND`. `common`
  has one by kind.
- `conditions` stand below a table, `only_if` behind a sentence. `reasons` explain figures.
- `notes` are lines of the legend.
- `cards` has the advice of a card by `QUESTION_KIND`. `cards` in cards.toml has it by kind.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from string import ascii_lowercase
from typing import Any

from syncmeter_analysis.conclude.conclusion import Conclusion, Condition, Cost, Grade, Kind
from syncmeter_analysis.conclude.reliability import Reliability
from syncmeter_analysis.relate.relation import default_margin
from syncmeter_analysis.voice import numbers
from syncmeter_analysis.voice.reliability import (
    is_from_repetitions,
    reliability_details,
    reliability_line,
)
from syncmeter_analysis.voice.screen import Field, Grid, Screen
from syncmeter_analysis.voice.words import (
    counted,
    explanation_of,
    has,
    library_of,
    listed,
    name_of,
    say,
    templates,
    text_of_name,
    with_article,
)

#: The tables on a first screen have at most so many rows together, or the first table alone.
most_rows = 16

#: A gain whose interval reaches farther than this share is printed as a range.
narrow = 0.1

#: A gain whose interval is wider than this factor has a lower limit only.
wide = 5.0


def screen(study: str, conclusions: Sequence[Conclusion], reliability: Reliability) -> Screen:
    """Returns the screen, which shows each conclusion once, in a table or as a sentence."""
    marks = Marks()
    grids: list[Grid] = []
    shown: list[Conclusion] = []
    first, notes = 0, 0
    for name, table in templates().get(study, {}).get("tables", {}).items():
        rows = [c for c in conclusions if c.question in table["questions"]]
        for caption, alike in _by_caption(study, name, rows).items():
            grids.append(_grid(study, name, caption, alike, marks))
            fits = sum(len(g.rows) for g in grids) <= most_rows and not table.get("detail")
            shown += alike
            if first == len(grids) - 1 and fits:
                first, notes = len(grids), len(marks.notes)
    if not first:
        first, notes = min(1, len(grids)), len(marks.notes)
    names = explained_names(shown[: sum(len(g.rows) for g in grids[:first])], grids[:first])
    more_names = [x for x in explained_names(shown, grids) if x not in names]
    legend = [
        *templates().get(study, {}).get("notes", []),
        *filter(None, [" ".join(names)]),
        *filter(None, [" ".join(legend_of(study, shown, reliability.grade == "good"))]),
    ]
    sentences = [sentence(study, c) for c in conclusions if not any(c is x for x in shown)]
    sentences += dict.fromkeys(filter(None, (reason_of(study, c) for c in shown)))
    return Screen(
        grids[:first],
        [*legend, *marks.notes[:notes]],
        sentences,
        reliability_line(reliability),
        reliability_details(reliability),
        next_line(conclusions, reliability),
        answers(study, conclusions),
        grids[first:],
        [*filter(None, [" ".join(more_names)]), *marks.notes[notes:]],
    )


def answers(study: str, conclusions: Iterable[Conclusion]) -> list[str]:
    """Returns each conclusion as a sentence, for a screen of several studies."""
    return list(dict.fromkeys(sentence(study, c) for c in conclusions))


def next_line(conclusions: Iterable[Conclusion], reliability: Reliability) -> str:
    """Returns the last next step in the conclusions. A poor run needs a repeat."""
    if reliability.grade == "poor" and "programs" in reliability.causes:
        return say("next.stop_programs")
    if reliability.grade == "poor":
        return say("next.more_repetitions" if is_from_repetitions(reliability) else "next.repeat")
    steps = list(dict.fromkeys(step for c in conclusions for step in c.next))
    return say(f"next.{steps[-1]}") if steps else ""


def more_line(studies: Sequence[str] = ()) -> str:
    """Returns how to see all figures, and these studies of the same file."""
    name = "more.studies" if studies else "more.tables"
    return say(name, studies=", ".join(studies))


def rough(c: Conclusion) -> Conclusion:
    """Returns the conclusion of a poor run: without intervals of costs, and two digits of each."""
    costs = (replace(x, ns=numbers.rounded(x.ns, 2), low=None, high=None) for x in c.costs)
    return replace(c, grade=Grade.rough, costs=tuple(costs))


def as_sure(conclusions: Iterable[Conclusion], reliability: Reliability) -> list[Conclusion]:
    """Returns the conclusions, rough if the run was poor."""
    return [rough(c) if reliability.grade == "poor" else c for c in conclusions]


class Marks:
    """Assigns letters to conditions in the order of their first use."""

    def __init__(self) -> None:
        self._letters: dict[str, str] = {}

    def letters_of(self, texts: Iterable[str]) -> str:
        """Returns ` (a,b)` or ''."""
        return joined(sorted(map(self.letter_of, texts)))

    def letter_of(self, text: str) -> str:
        """Returns the letter of this condition."""
        return self._letters.setdefault(text, _letter(len(self._letters)))

    @property
    def notes(self) -> list[str]:
        return [f"({letter}) {text}." for text, letter in self._letters.items()]


def joined(letters: Iterable[str]) -> str:
    """Returns ` (a,b)` or ''."""
    whole = ",".join(letters)
    return f" ({whole})" if whole else ""


def _letter(number: int) -> str:
    """Returns `a` to `z`, then `aa`, `bb`."""
    letters = len(ascii_lowercase)
    return ascii_lowercase[number % letters] * (number // letters + 1)


# Figures


def ns_of(cost: Cost | None) -> str:
    """Returns the cost as the screen prints it."""
    return numbers.cost(cost.ns, cost.low, cost.high) if cost else say("common.not_measured")


def figure_of(study: str, c: Conclusion, cost: Cost | None) -> str:
    """Returns the cost in the unit of the conclusion's table: ns, or adds per ns."""
    adds = _adds_of(study, c)
    if not (cost and adds):
        return ns_of(cost)
    all_adds = adds * c.situation.threads * max(1, c.situation.blocks)
    low, high = (all_adds / end if end else None for end in (cost.high, cost.low))
    return numbers.cost(all_adds / cost.ns, low, high)


def _adds_of(study: str, c: Conclusion) -> int:
    """Returns the adds of each thread, or 0 if the table has ns."""
    tables = templates().get(study, {}).get("tables", {}).values()
    return next((t["adds"] for t in tables if "adds" in t and c.question in t["questions"]), 0)


def printed_ratio(c: Conclusion, study: str = "") -> float | None:
    """Returns the quotient as the screen prints both costs."""
    over, under = c.cost_of(c.reference), c.cost_of(next(iter(c.subjects), None))
    if (c.effect and c.effect.quantity == "slowdown") != bool(_adds_of(study, c)):
        over, under = under, over
    return _shown(study, c, over) / _shown(study, c, under) if over and under else None


def _shown(study: str, c: Conclusion, cost: Cost) -> float:
    return float(figure_of(study, c, cost).replace(",", ""))


def width_of(c: Conclusion) -> float:
    """Returns the greater distance from an interval end to the effect, as a share."""
    e = c.effect
    return max(e.high / e.value, e.value / e.low) - 1 if e and e.value and e.low and e.high else 0.0


def bound_of(c: Conclusion) -> float | None:
    """Returns the upper end of the gain. Verdicts ignore gains within the margin."""
    high = c.effect.high if c.effect else None
    return None if high is None else max(high, 1 + default_margin)


def gain_of(study: str, c: Conclusion) -> str:
    """Returns the cell of the column `gain`."""
    e, ratio = c.effect, printed_ratio(c, study)
    if c.reference is None:
        return say("common.no_reference")
    if c.kind is Kind.undecided or e is None or ratio is None:
        return say("common.unknown_gain")
    if c.kind is Kind.use:
        return _gain(c, ratio)
    if c.condition("small_gain"):
        return say("common.small_gain")
    return say("common.unknown_gain" if e.high is None else "common.no_gain")


def _gain(c: Conclusion, ratio: float) -> str:
    """Returns `2.3`, `2.1-2.9`, `at least 2.6` if the interval is very wide, or in a poor run
    `~2`."""
    low, high = (c.effect.low, c.effect.high) if c.effect else (None, None)
    if c.grade is not Grade.rough and low and high and narrow < width_of(c) and high < wide * low:
        return say("common.gain_range", low=numbers.factor(low), high=numbers.factor(high))
    return ratio_of(c, ratio, "about_in_table")


def ratio_of(c: Conclusion, ratio: float, about: str = "about") -> str:
    """Returns the ratio in sentences."""
    low, high = (c.effect.low, c.effect.high) if c.effect else (None, None)
    is_rough = c.grade is Grade.rough
    if not is_rough and low and low > 1 and high and high >= wide * low:
        return say("common.at_least", value=numbers.factor_down(low, 2))
    return say(f"common.{about}", value=numbers.about(ratio)) if is_rough else numbers.factor(ratio)


def has_bound(c: Conclusion) -> bool:
    """Returns whether the screen may print how large a gain could be at most."""
    return c.grade is not Grade.rough and c.effect is not None and c.effect.high is not None


# Tables


def _by_caption(study: str, name: str, rows: Sequence[Conclusion]) -> dict[str, list[Conclusion]]:
    found: dict[str, list[Conclusion]] = {}
    for c in rows:
        caption = say(f"{study}.tables.{name}.caption", **values_of(study, c))
        if file := c.situation.file:
            caption = say("common.caption_of_file", caption=caption, file=file)
        found.setdefault(caption, []).append(c)
    return found


def _grid(study: str, name: str, caption: str, rows: Sequence[Conclusion], marks: Marks) -> Grid:
    heads = [say(f"{study}.tables.{name}.situation")]
    unit = "adds" if any(_adds_of(study, c) for c in rows) else "ns"
    heads += [say(f"common.heads.{head}") for head in ("use", unit, "instead_of", unit, "gain")]
    fields = []
    for c in rows:
        mine = c.cost_of(c.reference)
        chosen = c.cost_of(next(iter(c.subjects), None))
        other = c.kind in (Kind.use, Kind.avoid) and c.reference is not None
        points = (mine.subject.point,) if mine and other else ()
        fields.append(
            [
                Field(label(study, c)),
                Field(use_of(c) + marks.letters_of(conditions(study, c)), c.evidence),
                Field(figure_of(study, c, chosen), (chosen.subject.point,) if chosen else ()),
                Field(name_of(c.reference) if c.reference and other else ""),
                Field(figure_of(study, c, mine) if mine and other else "", points),
                Field(gain_of(study, c), c.evidence),
            ]
        )
    return Grid(caption, heads, fields, (2, 4))


def use_of(c: Conclusion) -> str:
    name = name_of(c.subjects[0]) if c.subjects else ""
    if c.kind in (Kind.keep, Kind.any, Kind.undecided):
        return say(f"common.use.{c.kind}", name=name)
    return name


def label(study: str, c: Conclusion, room: str = "situations") -> str:
    """Returns the situation as a row label. An operation without a label keeps its name."""
    work = c.situation.work
    names = [f"{c.question}_{work}", *[f"{work}_pause"] * bool(c.situation.pause_ns), work]
    name = next((x for x in names if has(f"{study}.{room}.{x}")), "")
    if not name:
        return work.replace("_", " ") if room == "situations" else label(study, c)
    return say(f"{study}.{room}.{name}", **_situation_values(c))


def _opening(study: str, c: Conclusion) -> str:
    """Returns the beginning of a sentence."""
    if has(f"{study}.opening"):
        return say(f"{study}.opening", label=label(study, c), **_situation_values(c))
    return label(study, c, "in_sentences")


def explained_names(shown: Sequence[Conclusion], grids: Sequence[Grid]) -> list[str]:
    """Explains the names in these rows, and the libraries in these tables."""
    subjects = [s for c in shown for s in (*c.subjects[:1], c.reference) if s]
    return list(dict.fromkeys([*filter(None, map(explanation_of, subjects)), *libraries_in(grids)]))


def libraries_in(grids: Sequence[Grid]) -> list[str]:
    texts = [grid.caption for grid in grids]
    texts += [field.text for grid in grids for row in grid.rows for field in row]
    names = templates()["common"]["names"]
    return [text_of_name(name, names[name]) for name in names if any(name in x for x in texts)]


def legend_of(study: str, shown: Sequence[Conclusion], is_good: bool) -> Iterator[str]:
    """Explains gains of all tables. Only a good run has a limit for gains that it did not show."""
    used = [c for c in shown if c.kind is Kind.use and c.reference]
    ends = [end for c in used if c.grade is not Grade.rough and 0 < (end := width_of(c)) <= narrow]
    if used:
        is_rough = any(c.grade is Grade.rough for c in used)
        name = "legend.gain" + ("" if ends else "_rough" if is_rough else "_bare")
        room = study if has(f"{study}.{name}") else "common"
        first = next(name_of(c.reference) for c in shown if c.reference)
        bound = numbers.percent_bound(ends) if ends else ""
        yield say(f"{room}.{name}", ends=bound, reference=first)
    equal = [c for c in shown if c.kind in (Kind.keep, Kind.any) and not c.condition("small_gain")]
    kept = [b for c in equal if c.reference and (b := bound_of(c)) and b <= most_kept]
    if kept and is_good:
        yield say("common.legend.no_gain", high=numbers.factor_up(max(kept)))
    elif kept:
        yield say("common.legend.no_gain_bare")


#: A row that keeps the default although more could be gained has a condition that says so.
most_kept = 1.5


# Conditions, reasons and sentences


def values_of(study: str, c: Conclusion) -> dict[str, Any]:
    """Returns what a template may name: the situation, subjects, costs and the effect."""
    e = c.effect
    ratio, bound = printed_ratio(c, study), bound_of(c)
    first = next(iter(c.subjects), None)
    bounded = e is not None and e.low is not None and e.high is not None
    is_threshold = e is not None and e.quantity == "threshold"
    is_shown = c.grade is not Grade.rough and not (is_threshold and width_of(c) <= narrow)
    limits = (e.low, e.high) if e and bounded and is_shown else (None, None)
    library = library_of(c.reference) if c.reference else ""
    value = e.value if e else None
    time = numbers.duration(value) if value is not None else ""
    found = {
        **_situation_values(c),
        "situation": _opening(study, c),
        "label": label(study, c),
        "subject": with_article(first) if first else "",
        "name": name_of(first) if first else "",
        "library": library_of(first) if first else "",
        "of_library": say("common.of_library", library=library) if library else "",
        "api": (library_of(first) or first.backend) if first else "",
        "subjects": _listed(c),
        "reference": name_of(c.reference) if c.reference else "",
        "reference_variant": c.reference.variant if c.reference else "",
        "subject_ns": figure_of(study, c, c.cost_of(first)),
        "reference_ns": figure_of(study, c, c.cost_of(c.reference)),
        "ratio": ratio_of(c, ratio) if ratio else "",
        "ci": _costs_and_interval(study, c, limits) or _interval(*limits, is_threshold),
        "bound": numbers.factor_up(bound) if bound and not is_threshold else "",
        "time": say("common.about", value=time) if c.grade is Grade.rough else time,
        "count": f"{value:,.0f}" if value is not None else "",
        "share": numbers.percent(value) if value is not None and value <= 1 else "",
        "variant": first.variant if first else "",
    }
    return found | (_of_claim(c, found) if c.question == "claim" else {})


def _of_claim(c: Conclusion, values: dict[str, Any]) -> dict[str, str]:
    """Returns the claim's names for both sides, and the effect with the reference's name."""
    table = templates()["claims"][c.cause]
    slower = table.get("slower", table["over"]).format(**values)
    faster = table.get("faster", table["under"]).format(**values)
    name, other = (slower, faster) if c.kind is Kind.avoid else (faster, slower)
    effect = say("claims.loss" if c.kind is Kind.avoid else "claims.gain", **values, other=other)
    return {"name": name, "reference": other, "effect": effect}


def _situation_values(c: Conclusion) -> dict[str, Any]:
    s = c.situation
    span = c.condition("work_range")
    return {
        "span": numbers.span(span.value, span.compared) if span else "",
        "from_work": numbers.duration(span.value) if span and span.value else "",
        "to_work": numbers.duration(span.compared) if span and span.compared else "",
        "threads": f"{s.threads:,}",
        "primitive": name_of(replace(c.subjects[0], variant="")) if c.subjects else "",
        "of_threads": counted("common.threads", s.threads),
        "crowded": say("common.crowded") if s.crowded else "",
        "cpus": f"{s.cpus:g}" if s.cpus else "?",
        "blocks": f"{s.blocks:,}",
        "devices": s.devices,
        "size": f"{s.size:,.0f}" if s.size is not None else "",
        "power": numbers.power_of_two(s.size) if s.size is not None else "",
        "stride": f"{s.stride_bytes:g}" if s.stride_bytes is not None else "",
        "apart": say("common.apart", stride=f"{s.stride_bytes:g}") if s.stride_bytes else "",
        "reads": f"{s.reads_per_write:,}" if s.reads_per_write is not None else "",
        "type": s.type,
        "wait": s.wait,
        "affinity": s.affinity,
        "pinned": _pinned(s.affinity),
        "hop": numbers.plain(s.hop_ns, 2) if s.hop_ns else "",
        "held": numbers.duration(s.held_ns) if s.held_ns else "",
        "work": numbers.duration(s.work_ns) if s.work_ns else "",
        "pause": numbers.duration(s.pause_ns) if s.pause_ns else "",
    }


def _pinned(affinity: str) -> str:
    """Returns the affinities, unless all of them give the threads the same CPUs."""
    name = "pinned_none" if affinity == "none" else "pinned_to"
    name = "pinned" if affinity.count(",") >= _all_affinities - 1 else name
    return say(f"common.{name}", affinity=affinity) if affinity else ""


#: `close`, `spread` and `smt`.
_all_affinities = 3


def _interval(low: float | None, high: float | None, is_time: bool) -> str:
    if low is None or high is None:
        return ""
    span = (
        numbers.span(low, high)
        if is_time
        else say("common.range", low=numbers.factor(low), high=numbers.factor(high))
    )
    return say("common.ci", span=span)


def _costs_and_interval(study: str, c: Conclusion, limits: tuple[float | None, ...]) -> str:
    """Returns both costs behind a gain or a loss with its interval, or '' without two costs."""
    first = next(iter(c.subjects), None)
    mine, chosen = c.cost_of(c.reference), c.cost_of(first)
    is_ratio = c.effect is not None and c.effect.quantity in ("speedup", "slowdown")
    if not (is_ratio and c.kind in (Kind.use, Kind.avoid) and mine and chosen):
        return ""
    low, high = (numbers.factor(end) if end is not None else "" for end in limits)
    name = "costs_adds" if _adds_of(study, c) else "costs"
    return say(
        f"common.{name}_ci" if low and high else f"common.{name}",
        subject=figure_of(study, c, chosen),
        reference=figure_of(study, c, mine),
        low=low,
        high=high,
    )


def _listed(c: Conclusion) -> str:
    """Returns `A and B`, or `A and others` if the conclusion is undecided with only one subject."""
    names = list(dict.fromkeys(map(name_of, c.subjects)))
    if len(names) == 1 and c.kind is Kind.undecided:
        return say("common.list_one", first=names[0])
    return listed(names)


def sentence(study: str, c: Conclusion) -> str:
    """Returns the conclusion as sentences that stand alone."""
    kind = str(c.kind)
    if c.kind is Kind.use and c.reference is None:
        kind = "use_best"
    elif c.kind in (Kind.keep, Kind.any) and not has_bound(c):
        kind = f"{c.kind}_bare"
    names = [f"{study}.{c.cause}.{c.remedy}"] if c.cause else []
    # Alternatives without a difference are no reason to change, as in `keep`.
    kinds = [k for x in dict.fromkeys((kind, str(c.kind))) for k in (x, x.replace("any", "keep"))]
    rooms = study, "common"
    keys = [
        (f"{q}{k}_{x.name}", x) for x in c.conditions for k in kinds for q in (f"{c.question}_", "")
    ]
    found = ((f"{room}.sentences.{key}", x) for key, x in keys for room in rooms)
    special = [(name, x) for name, x in found if has(name)]
    names += [name for name, _ in special]
    names += [f"{study}.sentences.{c.question}_{c.situation.work}_{kind}"]
    names += [f"{study}.sentences.{c.question}_{kind}"]
    names += [f"{study}.sentences.{c.question}_bare"] * (c.grade is Grade.rough)
    names += [f"{study}.sentences.{c.question}"]
    names += [*(f"{study}.sentences.{k}" for k in kinds[:2]), f"common.sentences.{kind}"]
    values = values_of(study, c)
    for _, x in special[:1]:
        values |= _condition_values(x)
    text = say(next(filter(has, names)), **values)
    if file := c.situation.file:
        text = say("common.sentence_of_file", file=file, sentence=text)
    return " ".join([text, *_texts_of(study, "only_if", c, values)])


def only_if(study: str, c: Conclusion) -> list[str]:
    """Returns the conditions as sentences."""
    return _texts_of(study, "only_if", c, values_of(study, c))


def conditions(study: str, c: Conclusion) -> list[str]:
    """Returns half sentences for the notes below a table."""
    found = _texts_of(study, "conditions", c, values_of(study, c) if c.conditions else {})
    if c.kind is Kind.undecided and not found:
        found = [say("common.conditions.undecided")]
    return found


def _texts_of(study: str, table: str, c: Conclusion, values: dict[str, Any]) -> list[str]:
    """Returns the texts for conditions with a template. In a poor run no scatter is worth a word."""
    is_rough = c.grade is Grade.rough
    shown = [x for x in c.conditions if not (is_rough and x.name == "no_scatter")]
    other = ({"other_ns": figure_of(study, c, c.cost_of(x.subject))} for x in shown)
    both = zip(shown, other, strict=True)
    return list(filter(None, (_text_of(study, table, x, values | more) for x, more in both)))


def _text_of(study: str, table: str, x: Condition, values: dict[str, Any]) -> str:
    """Returns the condition's text, or '' if no template has it."""
    for name in (f"{study}.{table}.{x.name}", f"common.{table}.{x.name}"):
        more = f"{name}_compared" if x.compared is not None else name
        if has(more) or has(name):
            return say(more if has(more) else name, **(values | _condition_values(x)))
    return ""


def _condition_values(x: Condition) -> dict[str, Any]:
    value, compared = x.value or 0.0, x.compared or 0.0
    return {
        "other": with_article(x.subject) if x.subject else "",
        "value": numbers.plain(value, 2),
        "value_ns": numbers.cost(value),
        "compared": numbers.plain(compared, 2),
        "value_time": numbers.duration(value) if value else "",
        "compared_time": numbers.duration(compared) if compared else "",
        "value_count": f"{value:,.0f}",
        "compared_count": f"{compared:,.0f}",
        "value_share": numbers.percent(value) if value > 0 else "",
        "compared_share": numbers.percent(compared) if compared > 0 else "",
    }


def reason_of(study: str, c: Conclusion) -> str:
    x = c.reason
    return _text_of(study, "reasons", x, values_of(study, c)) if x else ""
