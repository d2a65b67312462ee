"""Words the first screen of a results file with several studies: the machine, the costs of its
operations, recommendations, reliability and the next step. templates/overview.toml has the words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import log10

from syncmeter_analysis.conclude.conclusion import Grade, Kind, Subject
from syncmeter_analysis.conclude.recommend import Recommendation, Recommendations
from syncmeter_analysis.conclude.reliability import Reliability
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.completeness import Unfinished, unfinished
from syncmeter_analysis.relate.ladder import Rung, ladder
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.voice import numbers
from syncmeter_analysis.voice.gains import ratio_of
from syncmeter_analysis.voice.machine import machine_of
from syncmeter_analysis.voice.reliability import reliability_details, reliability_line
from syncmeter_analysis.voice.screen import Field, Grid
from syncmeter_analysis.voice.screens import sentence_of
from syncmeter_analysis.voice.study import more_line, next_line, rough
from syncmeter_analysis.voice.words import counted, name_of, no_break, say, templates

#: A shared atomic add below this share of the core-to-core latency surprises.
surprising_share = 0.8

#: A bar is longer by this much for ten times the cost.
_per_decade = 4


@dataclass(frozen=True)
class Overview:
    """The screen from the top to the end: `title` has one line, each of `recommendations` and `next`
    starts a line. `left` are the lines behind the recommendations."""

    title: str
    reliability: str
    costs: Sequence[Grid]
    notes: Sequence[str]
    heading: str
    recommendations: Sequence[str]
    further: int
    left: Sequence[str]
    details: str
    next: Sequence[str]

    def first(self, most: int) -> Overview:
        """Returns the screen with at most so many recommendations."""
        further = self.further + len(self.recommendations[most:])
        return replace(self, recommendations=self.recommendations[:most], further=further)

    @property
    def advice(self) -> list[str]:
        """Returns the heading, the recommendations and how many are left."""
        more = [counted("overview.recommendations.further", self.further)] if self.further else []
        return [self.heading, *self.recommendations, *more, *self.left]


def overview(
    campaign: Campaign,
    found: Recommendations,
    reliability: Reliability,
    studies: Sequence[str],
) -> Overview:
    """Returns the screen. `studies` have more to show."""
    rungs, is_poor = ladder(campaign), reliability.grade == "poor"
    costs = [grid for on_gpu in (False, True) if (grid := _costs(rungs, on_gpu, is_poor))]
    scope = _scope(rungs, found.chosen)
    chosen = [_calm(r) for r in found.chosen] if is_poor else found.chosen
    heading = "heading" if scope and chosen else "heading_bare"
    return Overview(
        title_of(campaign),
        reliability_line(reliability),
        costs,
        list(_notes(rungs)),
        say(f"overview.recommendations.{heading}", threads=scope),
        [_item(i, r, scope) + _reduction(rungs, r) for i, r in enumerate(chosen, 1)],
        found.further,
        list(_left(campaign, found)),
        reliability_details(reliability),
        list(_next(campaign, found, reliability, studies)),
    )


def title_of(campaign: Campaign) -> str:
    """`Intel Xeon, 2 CPUs (KVM guest), Debian 12, GNU 12.2: 87 configurations, 8.2 s`."""
    machine = machine_of(campaign)
    count = counted("common.configurations", len(campaign.points))
    ends = [file.ends[-1].get("wall_ns") for file in campaign.files if file.ends]
    known = [float(ns) for ns in ends if isinstance(ns, int | float) and ns > 0]
    if len(known) < len(campaign.files):
        return say("overview.title_bare", machine=machine, count=count)
    duration = numbers.duration(sum(known)).replace(" ", no_break)
    return say("overview.title", machine=machine, count=count, duration=duration)


# Costs


def operation_of(rung: Rung) -> str:
    """Returns the name of a rung without its launch."""
    p = rung.s.point
    lock = name_of(Subject(p.backend, p.op.removesuffix("_add")))
    room = "gpu_operations" if rung.s.on_gpu else "operations"
    name = f"overview.{room}.{rung.key}"
    return say(name, name=lock, count=len(rung.others), size=p.size)


def _costs(rungs: Sequence[Rung], on_gpu: bool, is_poor: bool) -> Grid | None:
    mine = [rung for rung in rungs if rung.s.on_gpu == on_gpu]
    if not mine:
        return None
    least = mine[0].ns
    largest = max((rung.s.point.blocks, rung.s.point.lanes) for rung in mine)
    rows = [
        [
            Field(_named(rung, largest)),
            Field(_ns(rung, is_poor), tuple(s.id for s in rung.others or (rung.s,))),
            Field(say("overview.costs.bar") * round(_per_decade * log10(rung.ns / least))),
        ]
        for rung in mine
    ]
    blocks, threads = largest
    caption = "caption_gpu" if on_gpu else "caption"
    return Grid(
        say(f"overview.costs.{caption}", threads=threads, blocks=blocks),
        ["", say("overview.costs.ns"), say("overview.costs.scale")],
        rows,
        (1,),
    )


def _notes(rungs: Sequence[Rung]) -> Iterator[str]:
    """Explains figures that surprise."""
    for rung in rungs:
        hop = rung.s.team_hop_ns
        if rung.key == "shared_atomic" and rung.ns < surprising_share * hop:
            yield say("overview.costs.several_per_move")


def _named(rung: Rung, largest: tuple[int, int]) -> str:
    name, p = operation_of(rung), rung.s.point
    if (p.blocks, p.lanes) == largest or not rung.s.on_gpu:
        return name
    return say("overview.costs.smaller", name=name, blocks=p.blocks, threads=p.lanes)


def _ns(rung: Rung, is_poor: bool) -> str:
    """Returns the cost, or the lowest and the highest of several. A poor run has two digits."""
    found = rung.others or [rung.s]
    low, high = (_ns_of(s, is_poor) for s in (found[0], found[-1]))
    return low if low == high else say("overview.costs.range", low=low, high=high)


def _ns_of(s: Measured, is_poor: bool) -> str:
    i = s.cost
    if i is None:
        return ""
    if is_poor:
        return numbers.plain(i.value, 2)
    return numbers.cost(i.value, i.low, i.high) if i.bounded else numbers.cost(i.value)


# Recommendations


def _scope(rungs: Sequence[Rung], chosen: Sequence[Recommendation]) -> str:
    """Returns the most threads, for the heading."""
    situations = (r.conclusion.situation for r in chosen)
    launches = {(s.blocks, s.threads) for s in situations}
    launches |= {(r.s.point.blocks if r.s.on_gpu else 0, r.s.point.lanes) for r in rungs}
    if len({blocks > 0 for blocks, _ in launches}) != 1:
        return ""
    return _threads(*max(launches))


def _threads(blocks: int, threads: int) -> str:
    name = "launch" if blocks else "thread" if threads == 1 else "threads"
    return say(f"overview.recommendations.{name}", blocks=blocks, threads=threads)


def _item(number: int, r: Recommendation, scope: str) -> str:
    text = advice_first(sentence_of(r.study, r.conclusion), scope)
    # The heading has the threads.
    text = text.replace(f", {scope.replace('GPU ', '')}.", ".") if scope else text
    return say("overview.recommendations.item", number=number, text=text)


def _calm(r: Recommendation) -> Recommendation:
    """Leaves out intervals, and that other work disturbed the item, because the top says so."""
    calm = tuple(x for x in r.conclusion.conditions if x.name != "disturbed")
    return replace(r, conclusion=rough(replace(r.conclusion, conditions=calm)))


#: The claim that advises a variable per thread. Its two sides are atomic adds.
_own_variables = "omp-atomic-contention"


def _reduction(rungs: Sequence[Rung], r: Recommendation) -> str:
    """Returns what plain adds gain over one shared variable, behind the advice of a variable per
    thread."""
    by_key = {rung.key: rung for rung in rungs if not rung.s.on_gpu}
    plain, shared = by_key.get("plain"), by_key.get("shared_atomic")
    if r.conclusion.cause != _own_variables or r.conclusion.kind is not Kind.use:
        return ""
    if plain is None or shared is None:
        return ""
    own, one = (_ns(x, r.conclusion.grade is Grade.rough) for x in (plain, shared))
    gain = float(one.replace(",", "")) / float(own.replace(",", ""))
    ratio = ratio_of(replace(r.conclusion, effect=None), gain)
    return " " + say("overview.recommendations.sum_plain", ratio=ratio, own=own, shared=one)


def advice_first(sentence: str, scope: str = "") -> str:
    """Puts the advice before the situation, without the threads in `scope`."""
    words = templates()["overview"]["recommendations"]
    situation, mark, advice = sentence.partition(words["split"])
    firsts = [text.partition(" ")[0].lower() for text in (advice, situation)]
    if not mark or [first in words["verbs"] for first in firsts] != [True, False]:
        return sentence
    advice = advice[:1].upper() + advice[1:]
    for prefix in (f"{scope}, ", scope) if scope else ():
        situation = situation.removeprefix(prefix)
    if not situation:
        return advice
    first, stop, more = advice.partition(words["end"])
    said = first + stop.strip() if more else advice
    return say(
        "overview.recommendations.situation", advice=said, situation=situation, more=more
    ).strip()


def _left(campaign: Campaign, found: Recommendations) -> Iterator[str]:
    """Returns the sentences behind the recommendations."""
    if not found.chosen:
        yield _none(campaign)
    if found.undecided:
        yield counted("overview.recommendations.undecided", found.undecided)


def _none(campaign: Campaign) -> str:
    costs = sorted(s.cost.value for s in campaign.measured if s.cost)
    if not costs:
        return say("overview.recommendations.none")
    low, high = numbers.duration(costs[0]), numbers.duration(costs[-1])
    count = counted("common.configurations", len(costs))
    name = "none_of" if low != high else "none_of_one"
    return say(f"overview.recommendations.{name}", count=count, low=low, high=high)


# The next step


def _next(
    campaign: Campaign, found: Recommendations, reliability: Reliability, studies: Sequence[str]
) -> Iterator[str]:
    rest = next(filter(None, map(unfinished, campaign.files)), None)
    if rest:
        yield resume_line(rest)
    elif reliability.grade == "poor":
        yield next_line([], reliability)
    elif found.undecided and not found.chosen:
        yield say("overview.next.more")
    elif reliability.controls == "failed":
        yield say("overview.next.control")
    else:
        yield say("next.advise_program")
    if studies:
        yield more_line(studies)


def resume_line(rest: Unfinished) -> str:
    """Returns how to measure the rest."""
    name = "resume" if rest.file else "unpack" if rest.is_packed else "rest"
    return say(f"overview.next.{name}", file=rest.file, done=rest.done, planned=rest.planned)
