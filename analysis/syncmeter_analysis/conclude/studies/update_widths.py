"""Finds and concludes how wide an atomic update of a GPU should be (the driver's study `widths`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from syncmeter_analysis.conclude.choice import choose, situation_of, subject_of
from syncmeter_analysis.conclude.conclusion import Conclusion, Condition, Subject
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import Contest, Over, contest, over
from syncmeter_analysis.relate.group import grouped, place_in
from syncmeter_analysis.relate.summary import Measured


@dataclass(frozen=True)
class Width:
    """The `parts` of one update that costs are compared by, its bytes and the type of its elements
    (words if it has no type)."""

    kind: str
    parts: int
    bytes: int


#: Widths by the end of an op's name, as tables are sorted. A program has the first width.
widths = {
    "f16": Width("half", 1, 2),
    "f16x2": Width("half", 2, 4),
    "f16x8": Width("half", 8, 16),
    "bf16": Width("bfloat16", 1, 2),
    "bf16x2": Width("bfloat16", 2, 4),
    "bf16x8": Width("bfloat16", 8, 16),
    "f32": Width("float", 1, 4),
    "f32x2": Width("float", 2, 8),
    "f32x4": Width("float", 4, 16),
    "u32": Width("integer", 1, 4),
    "u16": Width("integer", 1, 2),
    "u8": Width("integer", 1, 1),
    "b32": Width("word", 1, 4),
    "b64": Width("word", 2, 8),
    "b128": Width("word", 4, 16),
}
_actions = ("add", "fetch_add", "exchange", "compare_exchange")


@dataclass
class Place:
    """The forms of one update in one launch and layout. The contest has costs for one part, such as an
    element."""

    device: int
    forms: list[Measured]
    parts: Contest

    @property
    def first(self) -> Measured:
        return self.forms[0]


@dataclass
class Scope:
    """An update at a scope other than the device's, over the same at the device's."""

    s: Measured
    over_device: Over


@dataclass
class Widths:
    """All updates, place by place. It is empty if no two widths can be compared."""

    places: list[Place] = field(default_factory=list)
    scopes: list[Scope] = field(default_factory=list)

    def __bool__(self) -> bool:
        return any(place.parts.best and len(place.forms) > 1 for place in self.places)


def width_of(s: Measured) -> Width:
    return widths[s.point.op.rpartition("_")[2]]


def action_of(s: Measured) -> str:
    """Returns `add`, `fetch_add`, `exchange` or `compare_exchange`."""
    return s.point.op.rpartition("_")[0]


def of_one_part(s: Measured) -> Measured:
    """Returns the point with the costs for one part, such as a half in a `__half2`."""
    share = 1 / width_of(s).parts
    visits = {
        number: {state: (ns * share, rounds) for state, (ns, rounds) in states.items()}
        for number, states in s.by_visit.items()
    }
    return replace(s, cost=s.cost.scaled(share) if s.cost else None, by_visit=visits)


def widths_in(campaign: Campaign) -> Widths:
    """Returns the places by update, full launches first, and updates at scopes beside the device's."""
    found = [s for s in campaign.points.values() if _belongs(s)]
    of_device = [s for s in found if s.point.scope == "device"]

    def place(s: Measured) -> tuple[int, int, bool, int, int, int]:
        p = s.point
        where = p.space != "global", -p.blocks, -p.lanes
        return (_rank(s), s.device or 0, *where, place_in((1, 0, 16), p.stride or 0))

    def same(s: Measured) -> tuple[object, ...]:
        p = s.point
        return s.device, p.op, p.flavour, p.space, p.stride, p.blocks, p.lanes

    device = {same(s): s for s in of_device}
    return Widths(
        [
            _place(number, forms)
            for (_, number, *_), forms in sorted(grouped(of_device, place).items())
        ],
        [
            Scope(s, over(s, device.get(same(s))))
            for s in sorted(found, key=_form_rank)
            if s.point.scope != "device"
        ],
    )


def _belongs(s: Measured) -> bool:
    p = s.point
    action, _, width = p.op.rpartition("_")
    usual = not (p.repeat or p.active or p.waves or s.doubt or p.arm)
    known = action in _actions and width in widths and p.stride in (0, 1, 16)
    return bool(s.on_gpu and known and usual and s.visits)


def _rank(s: Measured) -> int:
    kinds = list(dict.fromkeys(width.kind for width in widths.values()))
    return _actions.index(action_of(s)) * len(kinds) + kinds.index(width_of(s).kind)


def _form_rank(s: Measured) -> tuple[object, ...]:
    p = s.point
    return _rank(s), list(widths).index(p.op.rpartition("_")[2]), p.flavour, p.scope


def _place(device: int, alike: Sequence[Measured]) -> Place:
    forms = sorted(alike, key=_form_rank)
    return Place(device, forms, contest(map(of_one_part, forms)))


def subject(s: Measured) -> Subject:
    """Returns the update with the API, `function` or `ptx`, as variant."""
    return replace(subject_of(s), variant=s.point.flavour)


def conclusions_of(found: Widths) -> Iterator[Conclusion]:
    """Yields the width to use by update, in the largest launch on the first device. Updates with a
    variable for each thread come first, before updates with a shared variable."""
    first = min((place.device for place in found.places), default=0)
    for stride in (1, 0):
        shown = set()
        for place in found.places:
            p = place.first.point
            here = p.space == "global" and p.stride == stride and place.device == first
            if here and len(place.forms) > 1 and (rank := _rank(place.first)) not in shown:
                shown.add(rank)
                yield _width(place, is_shared=not stride)


def _width(place: Place, is_shared: bool) -> Conclusion:
    first = place.first
    functions = [s for s in place.parts.points if s.point.flavour == "function"]
    mine = next((s for s in functions if s.usable and s.cost), None)

    def conditions(s: Measured) -> Iterator[Condition]:
        if width_of(s).parts > 1:
            name = "adjacent_words" if width_of(s).kind == "word" else "adjacent_elements"
            yield Condition(name, width_of(s).parts)
        if s.point.flavour == "ptx":
            yield Condition("inline_ptx")

    return choose(
        place.parts,
        "width_shared" if is_shared else "width",
        situation_of(first, f"{action_of(first)}_{width_of(first).kind}"),
        mine,
        name=subject,
        conditions=lambda s: list(conditions(s)),
        next=["advise_program"],
    )
