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

from syncmeter_analysis.conclude.conclusion import Conclusion, Grade, Kind
from syncmeter_analysis.conclude.reliability import Reliability
from syncmeter_analysis.voice import numbers
from syncmeter_analysis.voice.gains import adds_of, bound_of, figure_of, gain_of, narrow, width_of
from syncmeter_analysis.voice.reliability import (
    is_from_repetitions,
    reliability_details,
    reliability_line,
)
from syncmeter_analysis.voice.screen import Field, Grid, Screen
from syncmeter_analysis.voice.sentences import conditions, label, reason_of, sentence, values_of
from syncmeter_analysis.voice.words import (
    explanation_of,
    has,
    name_of,
    say,
    templates,
    text_of_name,
)

#: The tables on a first screen have at most so many rows together, or the first table alone.
most_rows = 16


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
    if reliability.grade == "poor":
        if "programs" in reliability.causes:
            return say("next.stop_programs")
        return say("next.more_repetitions" if is_from_repetitions(reliability) else "next.repeat")
    steps = list(dict.fromkeys(step for c in conclusions for step in c.next))
    return say(f"next.{steps[-1]}") if steps else ""


def more_line(studies: Sequence[str] = ()) -> str:
    """Returns how to see all figures, and these studies of the same file."""
    name = "more.studies" if studies else "more.tables"
    return say(name, studies=", ".join(studies))


def rough(c: Conclusion) -> Conclusion:
    """Returns the conclusion as in a poor run: costs without intervals, in two digits."""
    costs = (replace(x, ns=numbers.rounded(x.ns, 2), low=None, high=None) for x in c.costs)
    return replace(c, grade=Grade.rough, costs=tuple(costs))


def as_sure(conclusions: Iterable[Conclusion], reliability: Reliability) -> list[Conclusion]:
    """Returns the conclusions, rough if the run was poor."""
    return [rough(c) if reliability.grade == "poor" else c for c in conclusions]


class Marks:
    """Assigns letters to conditions by first use."""

    def __init__(self) -> None:
        self._letters: dict[str, str] = {}

    def letters_of(self, texts: Iterable[str]) -> str:
        """Returns ` (a,b)` or ''."""
        return joined(sorted(map(self.letter_of, texts)))

    def letter_of(self, text: str) -> str:
        """Returns the condition's letter."""
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
    unit = "adds" if any(adds_of(study, c) for c in rows) else "ns"
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
    """Explains gains in all tables. Only a good run has a limit for gains that it did not show."""
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
