"""Finds and concludes which memory order and scope an update of a GPU needs (the driver's studies
`defaults` and `atomics`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from syncmeter_analysis.conclude.choice import choose, situation_of, subject_of
from syncmeter_analysis.conclude.conclusion import Conclusion, Condition, Kind, Subject
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import Over, over
from syncmeter_analysis.relate.group import grouped, place_in
from syncmeter_analysis.relate.relation import fastest_of
from syncmeter_analysis.relate.summary import Measured

#: Updates by op, as their rows are sorted. A plain access is volatile and not atomic.
updates = {
    "atomic_add": "add",
    "atomic_exchange": "exchange",
    "atomic_cas_pass": "compare_exchange",
    "atomic_read": "load",
    "plain_read": "load",
    "atomic_write": "store",
    "plain_write": "store",
    "fence": "fence",
}

#: Order and scope without arguments, by backend. CUDA has libcu++.
_defaults = {
    "cuda": ("seq_cst", "system"),
    "triton": ("acq_rel", "device"),
    "omp-target": ("relaxed", "device"),
}

#: The least order for each op. A fence must order something.
_enough_orders = {"fence": "acq_rel"}


@dataclass
class Form:
    """One way to write an update. `over_enough` is None for the form that is enough."""

    s: Measured
    over_enough: Over = None

    @property
    def is_default(self) -> bool:
        """Returns whether it has no arguments in libcu++, Triton or OpenMP."""
        p = self.s.point
        of_library = p.flavour == "atomic_ref" or p.backend in ("triton", "omp-target")
        return of_library and (p.order, p.scope) == _defaults.get(p.backend, _defaults["cuda"])


@dataclass
class Place:
    """The forms of one update in one launch with variables of one layout. `enough` is the fastest form
    that is relaxed at device scope, of fences acquire and release, or None."""

    update: str
    device: int
    is_shared: bool
    forms: list[Form]
    enough: Measured | None = None

    @property
    def defaults(self) -> list[Form]:
        return [form for form in self.forms if form.is_default]

    @property
    def threads(self) -> int:
        p = self.forms[0].s.point
        return p.blocks * p.lanes


def places_of(campaign: Campaign) -> list[Place]:
    """Returns the places of each update, the smallest launch first and one variable for all last, or
    nothing without a default to compare."""
    found = [s for s in campaign.points.values() if _belongs(s)]

    def place(s: Measured) -> tuple[int, int, bool, int, int]:
        p = s.point
        return _rank(s), s.device or 0, _is_shared(s), p.blocks, p.lanes

    places = [_place(alike) for _, alike in sorted(grouped(found, place).items())]
    return places if any(one.enough and one.defaults for one in places) else []


def _belongs(s: Measured) -> bool:
    p = s.point
    usual = not (p.repeat or p.active or p.waves or s.doubt or p.arm)
    variables = (p.placement == "strided" and p.stride in (0, 1)) or p.op == "fence"
    form = p.flavour in ("function", "atomic_ref", "") and p.scope in ("system", "device", "")
    kind = p.type in ("int32", "") and p.space in ("global", "none", "")
    return bool(s.on_gpu and p.op in updates and usual and variables and form and kind and s.visits)


def _rank(s: Measured) -> int:
    return list(dict.fromkeys(updates.values())).index(updates[s.point.op])


def _is_shared(s: Measured) -> bool:
    return s.point.op != "fence" and s.point.stride == 0


def _place(alike: Sequence[Measured]) -> Place:
    first = alike[0]
    won = fastest_of([s for s in alike if _is_enough(s)])
    enough = won.best if won else None
    forms = [Form(s, over(s, enough) if s is not enough else None) for s in alike]
    forms.sort(key=lambda form: _form_rank(form.s))
    return Place(updates[first.point.op], first.device or 0, _is_shared(first), forms, enough)


def _is_enough(s: Measured) -> bool:
    p = s.point
    return p.order == _enough_orders.get(p.op, "relaxed") and p.scope == "device" and s.usable


def _form_rank(s: Measured) -> tuple[object, ...]:
    p = s.point
    flavours = ("function", "", "atomic_ref")
    orders = ("seq_cst", "acq_rel", "acquire", "release", "relaxed", "unordered", "")
    return (
        p.backend,
        place_in(flavours, p.flavour),
        p.scope != "system",
        place_in(orders, p.order),
        p.op,
    )


def subject(s: Measured) -> Subject:
    """Returns the update. Its variant is `function` or `function_system`, or order and scope of a
    library, or the order of an OpenMP clause."""
    p = s.point
    variant = "function_system" if p.scope == "system" else "function"
    if p.flavour == "atomic_ref" or p.backend == "triton":
        variant = f"{p.order}, {p.scope}"
    elif p.backend == "omp-target":
        variant = p.order
    return replace(subject_of(s), variant=variant)


def conclusions_of(places: Sequence[Place]) -> Iterator[Conclusion]:
    """Yields for each default whether a weaker form is faster, in the largest launch on the first
    device."""
    first = min((one.device for one in places), default=0)
    here = [one for one in places if one.device == first and one.enough and one.defaults]
    for _, alike in sorted(
        grouped(here, lambda one: (one.is_shared, _rank(one.forms[0].s))).items()
    ):
        largest = max(alike, key=lambda one: one.threads)
        yield from (_order(largest, form.s) for form in largest.defaults)


def _order(place: Place, mine: Measured) -> Conclusion:
    """Compares the default with the enough forms of its library, or with CUDA's if it has no other."""
    enough = [form.s for form in place.forms if _is_enough(form.s) and form.s is not mine]
    own = [s for s in enough if s.point.backend == mine.point.backend]
    # A tie should not make a program leave its library.
    known = sorted(own or enough, key=lambda s: s.point.flavour != mine.point.flavour)

    def conditions(s: Measured) -> list[Condition]:
        weaker = "weaker_fence" if place.update == "fence" else "weaker_order"
        found = [] if (s.point.order, s.point.scope) == default else [Condition(weaker)]
        return found + [Condition("cuda_code")] * (s.point.backend != mine.point.backend)

    default = mine.point.order, mine.point.scope
    made = choose(
        [mine, *known],
        "order_shared" if place.is_shared else "order",
        situation_of(mine, place.update),
        mine,
        name=subject,
        conditions=conditions,
        next=["advise_program"],
    )
    is_hidden = place.is_shared and made.kind in (Kind.keep, Kind.any)
    return replace(made, reason=Condition("one_after_the_other")) if is_hidden else made
