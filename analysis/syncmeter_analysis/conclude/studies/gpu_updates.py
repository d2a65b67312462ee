"""Concludes which update to use on a GPU, from the driver's studies `accumulate`, `defaults`, `atomics`
and `widths`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from syncmeter_analysis.conclude import references
from syncmeter_analysis.conclude.choice import choose, situation_of, subject_of
from syncmeter_analysis.conclude.conclusion import Conclusion, Condition, Kind, Subject
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.gpu_updates import (
    Addresses,
    Launch,
    Orders,
    Widths,
    action_of,
    has_table,
    is_enough,
    rows,
    update_rank,
    way_of,
    width_of,
    width_rank,
)
from syncmeter_analysis.relate.group import grouped, on_first_device
from syncmeter_analysis.relate.summary import Measured

_next = ("advise_program",)


def conclude(campaign: Campaign) -> list[Conclusion]:
    """Returns the ways, then orders and scopes, then widths, each on the first device with them."""
    found = rows(campaign)
    made = [
        *_ways(on_first_device(found.ways)),
        *_orders(on_first_device(found.orders)),
        *_widths(on_first_device(found.widths)),
    ]
    # Half of the alternatives are slower, and none of the others is worth a change.
    return [replace(c, kind=Kind.keep) if c.kind is Kind.any and c.reference else c for c in made]


# Ways to add to few or many addresses


def way(s: Measured) -> Subject:
    """Returns the way, the same for floats and doubles."""
    return replace(subject_of(s), op=way_of(s.point.op))


def cuda_way(op: str) -> Subject:
    return Subject("cuda", way_of(op))


def _ways(launches: Sequence[Launch]) -> Iterator[Conclusion]:
    largest = max((one.all_threads for one in launches), default=0)
    for one in launches:
        is_first = one.type == "float" and one.all_threads == largest
        for size in one.sizes:
            if len(size.found.points) > 1:
                yield _way(one, size, "way" if is_first else "way_other")


def _way(one: Launch, size: Addresses, question: str) -> Conclusion:
    return choose(
        size.found,
        question,
        situation_of(size.found.first, _addresses(one, size), size=size.count, type=one.type),
        references.accumulate.among(size.found.points),
        name=way,
        conditions=lambda s: _of_way(one, size, way_of(s.point.op)),
        next=_next,
    )


def _addresses(one: Launch, size: Addresses) -> str:
    """Returns how this number of addresses differs from the others. With as many addresses as threads
    each thread has its own (backends/cuda/accumulate/updates.hpp)."""
    if size.count == 1:
        return "one_address"
    if size.count >= one.all_threads:
        return "own_addresses"
    return "no_table" if size.count > one.most_of_tables > 0 else "addresses"


def _of_way(one: Launch, size: Addresses, op: str) -> Iterator[Condition]:
    if op.endswith("_reduce"):
        yield Condition("warp_sum")
    if op.endswith("_match"):
        yield Condition("match_sum")
    if has_table(op):
        yield Condition("shared_memory", size.count * one.bytes)
    if op == "accumulate_fixed":
        yield Condition("fixed_point")
    if op == "accumulate_block_by_bulk":
        yield Condition("bulk")


# Orders and scopes


def form(s: Measured) -> Subject:
    """Returns the update. Its variant is `function` or `function_system`, or order and scope of a
    library, or the order of an OpenMP clause."""
    p = s.point
    variant = "function_system" if p.scope == "system" else "function"
    if p.flavour == "atomic_ref" or p.backend == "triton":
        variant = f"{p.order}, {p.scope}"
    elif p.backend == "omp-target":
        variant = p.order
    return subject_of(s, variant)


def _orders(places: Sequence[Orders]) -> Iterator[Conclusion]:
    """Yields for each default whether a weaker form is faster, in the largest launch."""
    here = [one for one in places if one.enough and one.defaults]
    by_update = grouped(here, lambda one: (one.is_shared, update_rank(one.first)))
    for _, alike in sorted(by_update.items()):
        largest = max(alike, key=lambda one: one.threads)
        yield from (_order(largest, mine) for mine in largest.defaults)


def _order(place: Orders, mine: Measured) -> Conclusion:
    """Compares the default with the enough forms of its library, or with CUDA's if it has no other."""
    enough = [s for s in place.forms if is_enough(s) and s is not mine]
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
        name=form,
        conditions=conditions,
        next=_next,
    )
    is_hidden = place.is_shared and made.kind in (Kind.keep, Kind.any)
    return replace(made, reason=Condition("one_after_the_other")) if is_hidden else made


# Widths


def wide_form(s: Measured) -> Subject:
    """Returns the update with the API, `function` or `ptx`, as variant."""
    return subject_of(s, s.point.flavour)


def _widths(places: Sequence[Widths]) -> Iterator[Conclusion]:
    """Yields the width to use by update, in the largest launch. Updates with a variable for each thread
    come first, before updates with a shared variable."""
    for stride in (1, 0):
        shown = set()
        for place in places:
            p, rank = place.first.point, width_rank(place.first)
            here = p.space == "global" and p.stride == stride and len(place.forms) > 1
            if here and rank not in shown:
                shown.add(rank)
                yield _width(place, is_shared=not stride)


def _width(place: Widths, is_shared: bool) -> Conclusion:
    functions = [s for s in place.parts.points if s.point.flavour == "function"]
    mine = next((s for s in functions if s.usable and s.cost), None)

    def conditions(s: Measured) -> list[Condition]:
        width, found = width_of(s), []
        if width.parts > 1:
            name = "adjacent_words" if width.kind == "word" else "adjacent_elements"
            found = [Condition(name, width.parts)]
        return found + [Condition("inline_ptx")] * (s.point.flavour == "ptx")

    return choose(
        place.parts,
        "width_shared" if is_shared else "width",
        situation_of(place.first, f"{action_of(place.first)}_{width_of(place.first).kind}"),
        mine,
        name=wide_form,
        conditions=conditions,
        next=_next,
    )
