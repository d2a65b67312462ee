"""Updates of variables that many threads of a GPU share: ways to add to few or many addresses, memory
orders and scopes, and widths."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from syncmeter_analysis.conclude.studies.gpu_updates import cuda_way, form, wide_form
from syncmeter_analysis.relate import point_text
from syncmeter_analysis.relate.gpu_updates import (
    Launch,
    Orders,
    Updates,
    Widths,
    action_of,
    adds_of_op,
    width_of,
)
from syncmeter_analysis.relate.gpu_updates import rows as rows
from syncmeter_analysis.relate.group import grouped
from syncmeter_analysis.relate.summary import Measured, code_of
from syncmeter_analysis.studies.blocks import Block, Line, Table, pivot, table
from syncmeter_analysis.studies.cells import over_best, rate
from syncmeter_analysis.studies.figures import Axis, Figure, courses, dots
from syncmeter_analysis.voice.words import name_of

title = "Atomic updates of a GPU"
order = 25

#: Names for --study: the driver's studies with these points.
studies = ("accumulate", "atomics", "defaults", "widths")


def text(found: Updates) -> list[Block]:
    """Returns the tables of all updates, then their machine code."""
    return [*_ways(found.ways), *_orders(found.orders), *_widths(found)]


def figures(found: Updates) -> list[Figure]:
    """Returns a figure for each kind of updates."""
    return [
        *_figure_of_ways(found.ways),
        *_figure_of_orders(found.orders),
        *_figure_of_widths(found.widths),
    ]


def _way(op: str) -> str:
    return name_of(cuda_way(op))


def adds_per_ns(s: Measured) -> float | None:
    """Returns the adds per ns by all threads."""
    if not s.usable or s.cost is None:
        return None
    return s.point.blocks * s.point.lanes * adds_of_op / s.cost.value


def _ways(launches: Sequence[Launch]) -> Iterator[Table]:
    rates: list[Line] = []
    errors: list[Line] = []
    for one in launches:
        for op in one.ops:
            at = [one.name, one.type, _way(op)]
            measured = {str(size.count): size.by_op[op] for size in one.sizes if op in size.by_op}
            code = next((code for s in measured.values() if (code := code_of(s.census))), "")
            rates.append((at, {n: adds_per_ns(s) or s for n, s in measured.items()}, [code]))
            error = {str(x.count): f"{x.errors[op]:.1e}" for x in one.sizes if op in x.errors}
            errors += [(at, error, ())] * bool(error)
    what = f"Adds of all threads per ns ({adds_of_op} of each) by number of random addresses"
    keys = "blocks x threads|type|way"
    yield pivot(what, keys, rates, "instructions")
    yield pivot("Largest error over the sum, for floats from 0.5 to 1", keys, errors)


def _figure_of_ways(launches: Sequence[Launch]) -> list[Figure]:
    """Draws adds per ns by address count, with a panel for each launch."""
    lines: list[Line] = [
        ([f"{one.name} threads, {one.type}s", size.count], {_way(op): adds_per_ns(s)}, ())
        for one in launches
        for size in one.sizes
        for op, s in size.by_op.items()
    ]
    x, y = Axis("distinct addresses", "powers"), Axis("adds per ns")
    panels = courses(lines, x, y, 2, legend="way")
    ids = [s.id for one in launches for size in one.sizes for s in size.by_op.values()]
    note, title = "Both axes are logarithmic.", "Ways to add to shared addresses"
    return [Figure("accumulate", title, note, panels, ids, wide=True)] if panels else []


# Orders, scopes and widths: forms for one update in one launch


def _launched(s: Measured, device: int | None) -> str:
    """Returns `132 x 1024, own variables`."""
    p = s.point
    layouts = {0: "one variable", 1: "own variables", 16: "own variables, 16 apart"}
    layout = "" if p.op == "fence" else layouts[p.stride or 0]
    memory = "shared memory" if p.space == "shared_memory" else ""
    where = "" if device is None else f"device {device}"
    return ", ".join(filter(None, (point_text.blocks_by_threads(p), layout, memory, where)))


def _device(places: Sequence[Orders | Widths], device: int) -> int | None:
    return device if len({place.device for place in places}) > 1 else None


def form_of(s: Measured) -> str:
    """Returns the form with an order or a scope as its API has it: `fetch_add(relaxed), device`."""
    return name_of(form(s))


def order_of(s: Measured) -> str:
    """Returns the order. CUDA's own fence is sequentially consistent."""
    p = s.point
    if p.op.startswith("plain_"):
        return "none"
    return "seq_cst" if p.op == "fence" and p.order == "unordered" else p.order


def _orders(places: Sequence[Orders]) -> Iterator[Table]:
    lines = [
        [
            place.update.replace("_", " "),
            _launched(s, _device(places, place.device)),
            form_of(s),
            order_of(s),
            s.point.scope,
            s,
            1 if s is place.enough else place.over_enough(s),
            code_of(s.census),
        ]
        for place in places
        for s in place.forms
    ]
    yield table(
        "Orders and scopes: ns for an update, and over relaxed at device scope",
        "update|blocks x threads|form|order|scope|ns/op>|over weakest (95 % CI)>|machine code",
        lines,
        keys=3,
    )


def _figure_of_orders(places: Sequence[Orders]) -> list[Figure]:
    by_update = grouped(places, lambda place: place.update)
    largest = [max(alike, key=_launch_of_figure) for alike in by_update.values()]
    note = (
        "ns for an update with the 95 % interval, logarithmic, each thread with its own variable."
    )
    lines: list[Line] = [
        ([form_of(s)], {p.update.replace("_", " "): s}, ()) for p in largest for s in p.forms
    ]
    looks = {"title": "ns per op", "what": "form", "legend": "update"}
    return dots("defaults", "Updates by order and scope", note, lines, **looks)


def _launch_of_figure(place: Orders) -> tuple[bool, int]:
    return not place.is_shared, place.threads


def _kind_of(s: Measured) -> str:
    """Returns `add, half`, `fetch add, float`, `exchange, word`."""
    return f"{action_of(s)}, {width_of(s).kind}".replace("_", " ")


def _width_form(s: Measured) -> str:
    return name_of(wide_form(s))


def _widths(found: Updates) -> Iterator[Table]:
    lines = []
    for place in found.widths:
        parts = {s.id: s for s in place.parts.points}
        for s in place.forms:
            lines.append(
                [
                    _kind_of(s),
                    _launched(s, _device(found.widths, place.device)),
                    _width_form(s),
                    s,
                    parts.get(s.id),
                    rate(s),
                    rate(s, width_of(s).bytes),
                    over_best(place.parts, parts.get(s.id)),
                    code_of(s.census),
                ]
            )
    yield table(
        "Widths: ns for an update and for an element (a number, or 4 bytes of an exchange)",
        "update|blocks x threads|form|ns/op>|ns/element>|updates/s>|bytes/s>"
        "|element over fastest (95 % CI)>|machine code",
        lines,
        keys=3,
    )
    scopes = [
        [
            *(_kind_of(s), _launched(s, None), _width_form(s), s.point.scope, s),
            *(over_device, code_of(s.census)),
        ]
        for s, over_device in found.scopes
    ]
    columns = "update|blocks x threads|form|scope|ns/op>|over device (95 % CI)>|machine code"
    yield table("Other scopes, over device scope", columns, scopes, keys=4)


def _figure_of_widths(places: Sequence[Widths]) -> list[Figure]:
    chosen: dict[str, Widths] = {}
    for place in places:
        p = place.first.point
        if p.space == "global" and p.stride == 1 and not p.op.startswith("fetch_"):
            chosen.setdefault(_kind_of(place.first), place)
    note = (
        "ns for an element with the 95 % interval, logarithmic, each thread with its own variable."
    )
    lines: list[Line] = [
        ([_width_form(s)], {kind: s}, ()) for kind, p in chosen.items() for s in p.parts.points
    ]
    looks = {"title": "ns per element", "what": "form", "legend": "update"}
    return dots("widths", "Updates by width", note, lines, **looks)
