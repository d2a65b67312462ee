"""The studies, by name: what the points of each mean. A module NAME.py (underscores for dashes) has

- `title`: the heading of its section;
- `order`: its place among the sections;
- `rows(campaign)`: what the section is about, found once; something falsy where the campaign holds no
  points for it;
- `studies`: the driver's studies that --study accepts as names.
- `text(rows)`: the blocks of the section, for a terminal and for Markdown;
- `figures(rows)`, where there is something to draw: figures as data.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib import import_module
from itertools import product
from pkgutil import iter_modules
from typing import Any

from syncmeter_analysis.conclude.conclusion import Conclusion
from syncmeter_analysis.conclude.reliability import Reliability, reliability
from syncmeter_analysis.conclude.studies import concluding
from syncmeter_analysis.record.errors import Unusable, quoted
from syncmeter_analysis.relate.campaign import Campaign, parts_by_arm
from syncmeter_analysis.relate.completeness import unfinished
from syncmeter_analysis.relate.known_costs import known_costs
from syncmeter_analysis.relate.text import count
from syncmeter_analysis.studies.blocks import Block, Bullets, Table, Text, legend
from syncmeter_analysis.studies.figures import Figure
from syncmeter_analysis.studies.screen import screen_blocks
from syncmeter_analysis.voice.overview import resume_line
from syncmeter_analysis.voice.screen import Screen
from syncmeter_analysis.voice.screens import screen_of
from syncmeter_analysis.voice.study import more_line


@dataclass(frozen=True)
class StudySection:
    """A study's part of a campaign, or of one arm of it: its rows, its conclusions with their screen,
    and its text."""

    name: str
    title: str
    rows: Any
    arm: str = ""
    left_out: Sequence[str] = ()
    conclusions: Sequence[Conclusion] = ()
    reliability: Reliability | None = None
    screen: Screen | None = None

    @cached_property
    def text(self) -> list[Block]:
        """Returns the tables, and what the study leaves out."""
        left_out = [f"left out by the study: {text}" for text in self.left_out]
        found = study(self.name).text(self.rows)
        tables = [b for b in found if not isinstance(b, Table) or b.rows]
        return [*tables, *legend(tables), *[Bullets(left_out)] * bool(left_out)]

    @property
    def first(self) -> list[Block]:
        """Returns the blocks before the text."""
        return screen_blocks(self.screen) if self.screen else []

    @property
    def blocks(self) -> list[Block]:
        return [*self.first, *self.text]

    @property
    def figures(self) -> list[Figure]:
        draw: Callable[[Any], list[Figure]] = getattr(study(self.name), "figures", lambda _: [])
        return draw(self.rows)


#: Rows of a table that a first screen shows.
_most_rows = 12


def first_screen(section: StudySection, others: Sequence[str] = ()) -> list[Block]:
    """Returns the study's screen, or the beginning of its first table. The last line names the
    `others`, studies of the same file, and how to see more."""
    if section.screen:
        return screen_blocks(section.screen, more_line(others), with_others=False)
    tables = [block for block in section.text if isinstance(block, Table) and block.rows]
    first = [replace(t, rows=t.rows[:_most_rows]) for t in tables[:1]]
    rows = sum(len(table.rows) for table in tables) - sum(len(table.rows) for table in first)
    if not rows:
        return section.text
    left = f"{count(rows, 'more row')} of {count(len(tables), 'table')}"
    return [*first, Text(f"{left}, and what they mean: syncmeter text FILE --tables")]


@cache
def names() -> tuple[str, ...]:
    """The studies in the order of their sections: the modules here that have a title."""
    modules = {m.name: import_module(f"{__name__}.{m.name}") for m in iter_modules(__path__)}
    found = {name: module.order for name, module in modules.items() if hasattr(module, "title")}
    return tuple(name.replace("_", "-") for name in sorted(found, key=found.__getitem__))


@cache
def _sections_of_studies() -> dict[str, str]:
    """Returns the section's name by each name for --study."""
    return {each: name for name in names() for each in (name, *studies_in(name))}


def studies_in(name: str) -> Sequence[str]:
    """Returns the driver's studies with the points that a section shows."""
    return getattr(_module(name), "studies", (name,))


def section_of(name: str) -> str:
    """Returns the name of the section that a name for --study asks for. Raises Unusable for an unknown
    name."""
    if name not in _sections_of_studies():
        known = ", ".join(_sections_of_studies())
        raise Unusable(f"--study: {quoted(name)} is not a study; there are: {known}")
    return _sections_of_studies()[name]


def study(name: str) -> Any:
    """Returns the study's module. Raises Unusable for an unknown name."""
    return _module(section_of(name))


def _module(name: str) -> Any:
    return import_module(f"{__name__}.{name.replace('-', '_')}")


def sections(campaign: Campaign, only: Sequence[str] = ()) -> list[StudySection]:
    """Returns a section for each study with points in the campaign (only these, in order), and for
    each arm of `syncmeter ab`."""
    found = []
    asked = dict.fromkeys(map(section_of, only)) or names()
    for name, (arm, part) in product(asked, list(parts_by_arm(campaign))):
        module = study(name)
        if rows := module.rows(part):
            title = f"{module.title}, in {arm}" if arm else module.title
            left_out = [text for each in studies_in(name) for text in part.left_out(each)]
            found.append(_concluded(StudySection(name, title, rows, arm, left_out), part))
    return found


def _concluded(section: StudySection, campaign: Campaign) -> StudySection:
    """Returns the section with its conclusions, if the study has some."""
    conclude = concluding().get(section.name)
    conclusions = conclude(campaign) if conclude else []
    if not conclusions:
        return section
    found = reliability_of(campaign, conclusions)
    screen = screen_of(section.name, conclusions, found)
    if rest := next(filter(None, map(unfinished, campaign.files)), None):
        screen = replace(screen, next=resume_line(rest))
    return replace(section, conclusions=conclusions, reliability=found, screen=screen)


def reliability_of(campaign: Campaign, conclusions: Sequence[Conclusion]) -> Reliability:
    """Returns the reliability of these conclusions, by the known-cost controls, too."""
    controls = known_costs(campaign)
    miss = controls.miss
    if not controls:
        found = "not_measured"
    elif not controls.of("bad"):
        found = "passed"
    else:
        found = "failed" if miss.doubts_all(campaign) else "missed"
    return reliability(campaign, conclusions, found, (miss.ns, miss.share))
