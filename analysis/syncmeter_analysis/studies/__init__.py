"""The studies, by name: what the points of each mean. A module NAME.py (underscores for dashes) has

- `title`: the heading of its section;
- `order`: its place among the sections;
- `rows(campaign)`: what the section is about, found once; something falsy where the campaign holds no
  points for it;
- `answer(rows)`: sentences that say what to do, under which condition and how sure that is, the most
  important first; they stand first in the section, and figures have one of them as their title. A study
  in conclude/studies/ has a screen instead;
- `text(rows)`: the blocks of the section, for a terminal and for Markdown;
- `figures(rows)`, where there is something to draw: figures as data.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from itertools import product
from pkgutil import iter_modules
from typing import Any, Generic, Protocol, TypeVar

from syncmeter_analysis.conclude.conclusion import Conclusion
from syncmeter_analysis.conclude.reliability import Reliability, reliability
from syncmeter_analysis.conclude.studies import concluding
from syncmeter_analysis.record.errors import Unusable, quoted
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.compare_arms import parts_by_arm
from syncmeter_analysis.relate.completeness import without_answer
from syncmeter_analysis.relate.ladder import ladder, ladder_sentence
from syncmeter_analysis.relate.text import count
from syncmeter_analysis.studies.blocks import Block, Bullets, Table, Text
from syncmeter_analysis.studies.control import known_costs
from syncmeter_analysis.studies.figures import Figure
from syncmeter_analysis.studies.screen import screen_blocks
from syncmeter_analysis.voice.screen import Screen
from syncmeter_analysis.voice.screens import screens

#: The findings of a study. Each module has a type.
Rows = TypeVar("Rows")


class Study(Protocol[Rows]):
    """What a study's module offers."""

    title: str
    order: int

    def rows(self, campaign: Campaign) -> Rows: ...

    def text(self, rows: Rows) -> list[Block]: ...


@dataclass(frozen=True)
class StudySection(Generic[Rows]):
    """A study's part of a campaign, or of one arm of it: its rows, its answer and its text. A study
    with conclusions has a screen instead of the answer."""

    name: str
    title: str
    rows: Rows
    answer: list[str]
    text: list[Block]
    arm: str = ""
    conclusions: Sequence[Conclusion] = ()
    reliability: Reliability | None = None
    screen: Screen | None = None

    @property
    def first(self) -> list[Block]:
        """Returns the blocks before the text."""
        if self.screen:
            return screen_blocks(self.screen)
        return [Bullets(self.answer)] if self.answer else []

    @property
    def blocks(self) -> list[Block]:
        return [*self.first, *self.text]

    @property
    def figures(self) -> list[Figure]:
        draw: Callable[[Rows], list[Figure]] = getattr(study(self.name), "figures", lambda _: [])
        return draw(self.rows)


#: Rows of a table, and answers, that a first screen shows.
_most_rows, _most_answers = 12, 9


def answers(campaign: Campaign, found: Sequence[StudySection[Any]]) -> list[str]:
    """What a campaign begins with: the costs of its ladder, and of each study as many answers as there
    is room for, the most important first."""
    rungs = ladder(campaign)
    each = max(1, _most_answers // max(1, sum(bool(section.answer) for section in found)))
    first = [ladder_sentence(rungs)] if rungs else []
    of_studies = [sentence for section in found for sentence in section.answer[:each]]
    if len(campaign.files) == 1 or not (first or of_studies):
        is_answered = [bool(first or of_studies)] * len(campaign.files)
    else:
        is_answered = [_is_answered(alone) for alone in campaign.alone()]
    return [*first, *of_studies, *without_answer(campaign, is_answered)]


def _is_answered(campaign: Campaign) -> bool:
    return bool(ladder(campaign)) or any(section.answer for section in sections(campaign))


def first_screen(section: StudySection[Any], shown: Sequence[str] = ()) -> list[Block]:
    """A study's answer, unless its sentences are `shown` above, and the beginning of its first table; a
    line says what else there is."""
    if section.screen:
        return screen_blocks(section.screen, not shown, "All locks, waits and fairness: --tables")
    tables = [block for block in section.text if isinstance(block, Table) and block.rows]
    # What has a narrower form of its own, a map, is nothing without its lower half.
    first = [t if t.narrowed else replace(t, rows=t.rows[:_most_rows]) for t in tables[:1]]
    rows = sum(len(table.rows) for table in tables) - sum(len(table.rows) for table in first)
    open_ = [sentence for sentence in section.answer if sentence not in shown]
    answer: list[Block] = [Bullets(section.answer)] if section.answer and not shown else []
    if not rows and not (shown and open_):
        return [*answer, *section.text]
    left = [count(len(open_), "more answer")] * bool(shown and open_)
    left += [f"{count(rows, 'more row')} of {count(len(tables), 'table')}"] * bool(rows)
    return [*answer, *first, Text(f"{', '.join(left)}, and what they mean: --tables")]


@cache
def names() -> tuple[str, ...]:
    """The studies in the order of their sections: the modules here that have a title."""
    modules = {m.name: import_module(f"{__name__}.{m.name}") for m in iter_modules(__path__)}
    found = {name: module.order for name, module in modules.items() if hasattr(module, "title")}
    return tuple(name.replace("_", "-") for name in sorted(found, key=found.__getitem__))


def study(name: str) -> Study[Any]:
    """The module of a study. Raises Unusable for another name."""
    if name not in names():
        raise Unusable(f"--study: {quoted(name)} is not a study; there are: {', '.join(names())}")
    found: Any = import_module(f"{__name__}.{name.replace('-', '_')}")
    return found  # type: ignore[no-any-return]


def sections(campaign: Campaign, only: Sequence[str] = ()) -> list[StudySection[Any]]:
    """Returns a section for each study with points in the campaign (only these, in order), and for
    each arm of `syncmeter ab`."""
    found = []
    for name, (arm, part) in product(only or names(), list(parts_by_arm(campaign))):
        module = study(name)
        if rows := module.rows(part):
            said = _concluded(name, part)
            answer = list(said.screen.answers) if said else _answer(module, rows)
            blocks = module.text(rows)
            if left_out := part.left_out(name):
                blocks.append(Bullets([f"left out by the study: {text}" for text in left_out]))
            title = f"{module.title}, in {arm}" if arm else module.title
            more = (said.conclusions, said.reliability, said.screen) if said else ()
            found.append(StudySection(name, title, rows, answer, blocks, arm, *more))
    return found


def _answer(module: Study[Any], rows: Any) -> list[str]:
    answer: Callable[[Any], list[str]] = getattr(module, "answer", lambda _: [])
    return answer(rows)


@dataclass(frozen=True)
class _Concluded:
    """Conclusions and their screen."""

    conclusions: Sequence[Conclusion]
    reliability: Reliability
    screen: Screen


def _concluded(name: str, campaign: Campaign) -> _Concluded | None:
    """Returns None if the study has no conclusions."""
    conclusions = concluding[name](campaign) if name in concluding else []
    if not conclusions:
        return None
    found = reliability(campaign, conclusions, _controls(campaign))
    return _Concluded(conclusions, found, screens[name](conclusions, found))


def _controls(campaign: Campaign) -> str:
    """Returns the result of the known-cost controls."""
    controls = known_costs(campaign)
    if not controls:
        return "not_measured"
    if not controls.of("bad"):
        return "passed"
    return "failed" if controls.miss.doubts_all(campaign) else "missed"
