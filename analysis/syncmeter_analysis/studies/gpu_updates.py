"""Updates of variables that many threads of a GPU share: ways to add to few or many addresses, memory
orders and scopes, and widths."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from syncmeter_analysis.conclude.studies import update_orders, update_ways, update_widths
from syncmeter_analysis.conclude.studies.gpu_updates import Updates
from syncmeter_analysis.conclude.studies.gpu_updates import rows as rows
from syncmeter_analysis.conclude.studies.update_ways import Addresses, Launch, adds_of_op
from syncmeter_analysis.relate import point_text
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.group import grouped
from syncmeter_analysis.relate.summary import Measured, code_of
from syncmeter_analysis.studies.blocks import Block, Cell, Table, Text, table
from syncmeter_analysis.studies.cells import cost
from syncmeter_analysis.studies.figures import (
    Axis,
    Dots,
    Figure,
    Panel,
    Row,
    curve,
    most_colours,
    rows_of,
)
from syncmeter_analysis.voice.words import name_of

title = "Atomic updates of a GPU"
order = 25

#: Names for --study: the driver's studies with these points.
studies = ("accumulate", "atomics", "defaults", "widths")


def text(found: Updates) -> list[Block]:
    """Returns the tables of all updates, then their machine code."""
    return [*_ways(found.ways), *_orders(found.orders), *_widths(found.widths)]


def figures(found: Updates) -> list[Figure]:
    """Returns a figure for each kind of updates."""
    return [
        *_figure_of_ways(found.ways),
        *_figure_of_orders(found.orders),
        *_figure_of_widths(found.widths),
    ]


# Ways to add to few or many addresses


def adds_per_ns(s: Measured) -> float | None:
    """Returns the adds of all threads together."""
    if not s.usable or s.cost is None:
        return None
    return s.point.blocks * s.point.lanes * adds_of_op / s.cost.value


def _way(op: str) -> str:
    return name_of(update_ways.subject_of_way(op))


def _ways(launches: Sequence[Launch]) -> Iterator[Block]:
    for one in launches:
        yield _rates(one)
    for one in launches:
        if any(size.errors for size in one.sizes):
            yield _errors(one)
    if launches:
        yield from _codes(launches)
        yield Text(
            f"Each thread adds {adds_of_op} values to random addresses. With as many addresses as "
            "threads or more each thread has its own address. A table per block is in shared memory. "
            f"Clearing it and adding it to the addresses is included, once for {adds_of_op} adds of "
            "each thread. Error: the largest of an address over its sum, for floats from 0.5 to 1. "
            "Scaled integers have no error if 32 bits hold the fractions. Sums of these floats in "
            "doubles have no error."
        )


def _rates(one: Launch) -> Table:
    def cell(size: Addresses, op: str) -> Cell:
        s = size.by_op.get(op)
        if s is None:
            return Cell("")
        rate = adds_per_ns(s)
        shown = formats.nanoseconds(rate) if rate else formats.cost(s)
        return Cell(shown, [s.id], kind="good" if s in size.found.leaders else "")

    columns = ["way", *(f"{size.count}>" for size in one.sizes)]
    lines = [[_way(op), *(cell(size, op) for size in one.sizes)] for op in one.ops]
    caption = f"Adds of {one.type}s per ns by {one.name} threads, by the number of addresses"
    return table(caption, columns, lines)


def _errors(one: Launch) -> Table:
    columns = ["way", *(f"{size.count}>" for size in one.sizes)]
    lines = [
        [_way(op), *(_error(size.errors.get(op)) for size in one.sizes)]
        for op in one.ops
        if any(op in size.errors for size in one.sizes)
    ]
    return table(f"Largest error over the sum of {one.type}s, {one.name} threads", columns, lines)


def _error(error: float | None) -> str:
    return "" if error is None else "0" if error == 0 else f"{error:.1e}"


def _codes(launches: Sequence[Launch]) -> list[Table]:
    lines = {
        (one.type, op): code
        for one in launches
        for op in one.ops
        for size in one.sizes
        if (s := size.by_op.get(op)) and (code := code_of(s.census))
    }
    found = [[f"{_way(op)}, {type}", code] for (type, op), code in lines.items()]
    return [table("Machine code of each way", "way|instructions", found)] if found else []


def _figure_of_ways(launches: Sequence[Launch]) -> list[Figure]:
    """Draws adds per ns over the number of addresses, a panel for each launch. The ways nearest to the
    fastest somewhere have a colour, the others are left out."""
    nearest: dict[str, float] = {}
    panels = []
    sizes = [(one, [_drawn(size) for size in one.sizes]) for one in launches]
    for row in (row for _, drawn in sizes for alike in drawn for row in alike):
        nearest[row["name"]] = max(nearest.get(row["name"], 0.0), row["near"])
    kept = set(sorted(nearest, key=lambda name: -nearest[name])[:most_colours])
    names = [name for name in map(_way, update_ways.ways) if name in kept]
    for one, drawn in sizes:
        panels += curve(
            f"{one.name} threads, {one.type}s",
            [row for alike in drawn for row in alike if row["name"] in kept],
            Axis("distinct addresses", "powers"),
            Axis("adds per ns"),
            names,
            2,
            legend="way",
        )
    if not panels:
        return []
    note = "Adds of all threads per ns, both logarithmic."
    if left_out := [name for name in nearest if name not in kept]:
        note += f" Left out because never near the fastest: {', '.join(left_out)}."
    return [Figure("accumulate", "Ways to add to shared addresses", note, panels, wide=True)]


def _drawn(size: Addresses) -> list[Row]:
    """Returns rows in which `near` is the rate over the fastest one."""
    rates = [(s, rate) for s in size.found.points if (rate := adds_per_ns(s)) is not None]
    best = max((rate for _, rate in rates), default=1.0)
    return [
        {
            "x": size.count,
            "value": rate,
            "near": rate / best,
            "name": _way(s.point.op),
            "id": s.id,
        }
        for s, rate in rates
    ]


# Orders, scopes and widths: forms for one update in one launch


def _launched(s: Measured, device: int | None) -> str:
    """Returns `132 x 1024, own variables`."""
    p = s.point
    layouts = {0: "one variable", 1: "own variables", 16: "own variables, 16 apart"}
    layout = "" if p.op == "fence" else layouts[p.stride or 0]
    memory = "shared memory" if p.space == "shared_memory" else ""
    where = "" if device is None else f"device {device}"
    return ", ".join(filter(None, (point_text.blocks_by_threads(p), layout, memory, where)))


def _dots(
    id: str, title: str, note: str, unit: str, shown: Sequence[tuple[str, str, Measured]]
) -> list[Figure]:
    """Draws one dot for each update, form and cost."""
    drawn = [row for group, form, s in shown for row in rows_of(s, row=form, group=group)]
    groups = list(dict.fromkeys(group for group, _, _ in shown))
    panel = Panel("by form", Dots(drawn, unit, groups, "form", "update"))
    return [Figure(id, title, note, [panel], wide=True)] if drawn else []


def _device(places: Sequence[update_orders.Place | update_widths.Place], device: int) -> int | None:
    return device if len({place.device for place in places}) > 1 else None


def form_of(s: Measured) -> str:
    """Returns the form with an order or a scope as its API has it: `fetch_add(relaxed), device`."""
    return name_of(update_orders.subject(s))


def order_of(s: Measured) -> str:
    """Returns the order. CUDA's own fence is sequentially consistent."""
    p = s.point
    if p.op.startswith("plain_"):
        return "none"
    return "seq_cst" if p.op == "fence" and p.order == "unordered" else p.order


def _orders(places: Sequence[update_orders.Place]) -> Iterator[Block]:
    lines = [
        [
            place.update.replace("_", " "),
            _launched(form.s, _device(places, place.device)),
            form_of(form.s),
            order_of(form.s),
            form.s.point.scope,
            cost(form.s),
            *formats.ratio_fields(form.over_enough, itself=form.s is place.enough),
            Cell(code_of(form.s.census)),
        ]
        for place in places
        for form in place.forms
    ]
    if lines:
        yield table(
            "Orders and scopes: ns for an update, and over the weakest form",
            "update|blocks x threads|form|order|scope|ns/op>|over weakest>|95 % CI>|machine code",
            lines,
            keys=3,
        )
        yield Text(
            "Weakest: relaxed at device scope, which counts and orders no other data, and for fences "
            "acquire and release at device scope. (): no arguments, seq_cst at system scope in libcu++ "
            "and acq_rel at device scope in Triton. OpenMP's atomics are relaxed without a clause. "
            "int32 in global memory."
        )


def _figure_of_orders(places: Sequence[update_orders.Place]) -> list[Figure]:
    by_update = grouped(places, lambda place: place.update)
    largest = [max(alike, key=_launch_of_figure) for alike in by_update.values()]
    note = (
        "ns for an update with the 95 % interval, logarithmic, in the largest launch, each thread with "
        "its own variable. (): libcu++ or Triton without arguments."
    )
    shown = [(p.update.replace("_", " "), form_of(f.s), f.s) for p in largest for f in p.forms]
    return _dots("defaults", "Updates by order and scope", note, "ns per op", shown)


def _launch_of_figure(place: update_orders.Place) -> tuple[bool, int]:
    return not place.is_shared, place.threads


def _kind_of(s: Measured) -> str:
    """Returns `add, half`, `fetch add, float`, `exchange, word`."""
    return f"{update_widths.action_of(s)}, {update_widths.width_of(s).kind}".replace("_", " ")


def _width_form(s: Measured) -> str:
    return name_of(update_widths.subject(s))


def _rate(s: Measured, each: int = 1) -> str:
    per_s = s.ops_per_s_total
    return "" if per_s is None else formats.rate(per_s * each)


def _widths(found: update_widths.Widths) -> Iterator[Block]:
    lines = []
    for place in found.places:
        parts = {s.id: s for s in place.parts.points}
        best = place.parts.best
        for s in place.forms:
            is_best = best is not None and s.id == best.id
            lines.append(
                [
                    _kind_of(s),
                    _launched(s, _device(found.places, place.device)),
                    _width_form(s),
                    cost(s),
                    cost(parts.get(s.id)),
                    _rate(s),
                    _rate(s, update_widths.width_of(s).bytes),
                    *formats.ratio_fields(place.parts.over(s), itself=is_best),
                    Cell(code_of(s.census)),
                ]
            )
    if lines:
        yield table(
            "Widths: ns for an update and for an element, and over the fastest form",
            "update|blocks x threads|form|ns/op>|ns/element>|updates/s>|bytes/s>"
            "|element over fastest>|95 % CI>|machine code",
            lines,
            keys=3,
        )
        yield Text(
            "Element: a number of an add, or 4 bytes of an exchange and compare-and-swap. All are "
            "relaxed at device scope. fetch add: the result is used."
        )
    if found.scopes:
        yield table(
            "Other scopes, over the device's",
            "update|blocks x threads|form|scope|ns/op>|over device>|95 % CI>|machine code",
            [
                [
                    _kind_of(scope.s),
                    _launched(scope.s, None),
                    _width_form(scope.s),
                    scope.s.point.scope,
                    cost(scope.s),
                    *formats.ratio_fields(scope.over_device),
                    Cell(code_of(scope.s.census)),
                ]
                for scope in found.scopes
            ],
            keys=4,
        )


def _figure_of_widths(found: update_widths.Widths) -> list[Figure]:
    chosen: dict[str, update_widths.Place] = {}
    for place in found.places:
        p = place.first.point
        if p.space == "global" and p.stride == 1 and not p.op.startswith("fetch_"):
            chosen.setdefault(_kind_of(place.first), place)
    note = (
        "ns for an element of an add, or for 4 bytes of an exchange or compare-and-swap, with the 95 % "
        "interval, logarithmic, in the largest launch, each thread with its own variable."
    )
    shown = [(kind, _width_form(s), s) for kind, p in chosen.items() for s in p.parts.points]
    return _dots("widths", "Updates by width", note, "ns per element", shown)
