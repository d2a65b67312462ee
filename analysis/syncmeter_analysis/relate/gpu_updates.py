"""Updates of variables that many threads of a GPU share (the driver's studies `accumulate`, `defaults`,
`atomics` and `widths`): ways to add to few or many addresses, memory orders and scopes, and widths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median

from syncmeter_analysis.record.point import type_bytes
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import Contest, Over, contest, over
from syncmeter_analysis.relate.group import grouped, place_in
from syncmeter_analysis.relate.summary import Measured

#: The ways to add floats, as their rows are sorted. An op for doubles has `of_doubles` at the end.
ways = (
    "accumulate_atomic",
    "accumulate_cas",
    "accumulate_exchange",
    "accumulate_warp_match",
    "accumulate_warp_reduce",
    "accumulate_fixed",
    "accumulate_block",
    "accumulate_block_reduce",
    "accumulate_block_match",
    "accumulate_block_by_bulk",
)
of_doubles = "_double"

#: Adds by each thread in one op, as many as in the worker.
adds_of_op = 16

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


# Ways to add to few or many addresses


@dataclass
class Addresses:
    """The ways of one launch for one number of distinct addresses. `errors` are the largest relative
    errors of a sum by op, if values have to be rounded."""

    count: int
    found: Contest
    errors: dict[str, float]

    @property
    def by_op(self) -> dict[str, Measured]:
        return {s.point.op: s for s in self.found.points}


@dataclass
class Launch:
    """One launch over all numbers of addresses, the fewest first. `place` has the device if there are
    several."""

    blocks: int
    threads: int
    type: str
    device: int
    place: str
    sizes: list[Addresses]

    @property
    def name(self) -> str:
        return f"{self.blocks} x {self.threads}{self.place}"

    @property
    def all_threads(self) -> int:
        return self.blocks * self.threads

    @property
    def bytes(self) -> int:
        return type_bytes[self.type]

    @property
    def ops(self) -> list[str]:
        all_ways = [op + of_doubles * (self.type == "double") for op in ways]
        return [op for op in all_ways if any(op in size.by_op for size in self.sizes)]

    @property
    def most_of_tables(self) -> int:
        """Returns the most addresses for which a table per block was measured."""
        return max((x.count for x in self.sizes if any(map(has_table, x.by_op))), default=0)


def way_of(op: str) -> str:
    """Returns the op for floats, or '' for an op of another study."""
    name = op.removesuffix(of_doubles)
    return name if name in ways else ""


def has_table(op: str) -> bool:
    """Returns whether each block has a copy of the table."""
    return way_of(op).startswith("accumulate_block")


def launches_of(campaign: Campaign) -> list[Launch]:
    """Returns the launches, floats and the largest first, or nothing without two ways to compare."""
    found = [s for s in campaign.points.values() if s.on_gpu and way_of(s.point.op) and not s.doubt]
    places = {(s.point.backend, s.device or 0) for s in found}

    def launch(s: Measured) -> tuple[bool, int, int, int, str, int]:
        p = s.point
        doubles = p.op.endswith(of_doubles)
        return doubles, -p.blocks * p.lanes, p.blocks, p.lanes, p.backend, s.device or 0

    launches = []
    for key, alike in sorted(grouped(found, launch).items()):
        doubles, _, blocks, lanes, backend, device = key
        place = f", {backend}:{device}" if len(places) > 1 else ""
        by_size = sorted(grouped(alike, lambda s: s.point.size).items())
        sizes = [_addresses(count, points, campaign) for count, points in by_size]
        type = "double" if doubles else "float"
        launches.append(Launch(blocks, lanes, type, device, place, sizes))
    several = any(size.found.over_best for one in launches for size in one.sizes)
    return launches if several else []


def _addresses(count: int, points: Sequence[Measured], campaign: Campaign) -> Addresses:
    in_order = sorted(points, key=lambda s: ways.index(way_of(s.point.op)))
    errors = {
        s.point.op: median(found)
        for s in in_order
        if (found := campaign.remarks(s, "relative_error"))
    }
    return Addresses(count, contest(in_order), errors)


# Updates in several forms, with equal launch and layout


@dataclass
class Place:
    """The forms on one device."""

    device: int
    forms: list[Measured]

    @property
    def first(self) -> Measured:
        return self.forms[0]


@dataclass
class Orders(Place):
    """The forms by order and scope. `enough` is the fastest form that is relaxed at device scope, of
    fences acquire and release, or None."""

    enough: Measured | None

    @property
    def update(self) -> str:
        return updates[self.first.point.op]

    @property
    def is_shared(self) -> bool:
        return _is_shared(self.first)

    @property
    def defaults(self) -> list[Measured]:
        return list(filter(_is_default, self.forms))

    @property
    def threads(self) -> int:
        return self.first.point.blocks * self.first.point.lanes

    def over_enough(self, s: Measured) -> Over:
        return over(s, self.enough)


@dataclass
class Widths(Place):
    """The forms by width. The contest has costs for one part, such as an element."""

    parts: Contest


@dataclass
class Updates:
    """Ways to add to shared addresses, orders and scopes, widths, and updates at scopes beside the
    device's over the same at the device's. Each kind is empty if nothing can be compared."""

    ways: list[Launch] = field(default_factory=list)
    orders: list[Orders] = field(default_factory=list)
    widths: list[Widths] = field(default_factory=list)
    scopes: list[tuple[Measured, Over]] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.ways or self.orders or self.widths)


def rows(campaign: Campaign) -> Updates:
    """Returns all updates of the campaign."""
    orders, forms = orders_of(campaign), widths_of(campaign)
    return Updates(launches_of(campaign), orders, forms, _scopes(campaign) if forms else [])


def _usual(campaign: Campaign) -> list[Measured]:
    found = (s for s in campaign.points.values() if s.on_gpu and s.visits and not s.doubt)
    return [
        s for s in found if not (s.point.repeat or s.point.active or s.point.waves or s.point.arm)
    ]


def orders_of(campaign: Campaign) -> list[Orders]:
    """Returns the orders of each update, the smallest launch first and one variable for all last, or
    nothing without a default to compare."""

    def place(s: Measured) -> tuple[int, int, bool, int, int]:
        p = s.point
        return update_rank(s), s.device or 0, _is_shared(s), p.blocks, p.lanes

    found = grouped(filter(_has_order, _usual(campaign)), place)
    places = []
    for (_, device, *_), alike in sorted(found.items()):
        enough = contest(filter(is_enough, alike)).best
        places.append(Orders(device, sorted(alike, key=_order_rank), enough))
    return places if any(one.enough and one.defaults for one in places) else []


def _has_order(s: Measured) -> bool:
    p = s.point
    variables = (p.placement == "strided" and p.stride in (0, 1)) or p.op == "fence"
    form = p.flavour in ("function", "atomic_ref", "") and p.scope in ("system", "device", "")
    return (
        p.op in updates
        and variables
        and form
        and p.type in ("int32", "")
        and p.space in ("global", "none", "")
    )


def update_rank(s: Measured) -> int:
    return list(dict.fromkeys(updates.values())).index(updates[s.point.op])


def _is_shared(s: Measured) -> bool:
    return s.point.op != "fence" and s.point.stride == 0


def _is_default(s: Measured) -> bool:
    """Returns whether it has no arguments in libcu++, Triton or OpenMP."""
    p = s.point
    of_library = p.flavour == "atomic_ref" or p.backend in ("triton", "omp-target")
    return of_library and (p.order, p.scope) == _defaults.get(p.backend, _defaults["cuda"])


def is_enough(s: Measured) -> bool:
    p = s.point
    return p.order == _enough_orders.get(p.op, "relaxed") and p.scope == "device" and s.usable


def _order_rank(s: Measured) -> tuple[object, ...]:
    p = s.point
    flavours = ("function", "", "atomic_ref")
    orders = ("seq_cst", "acq_rel", "acquire", "release", "relaxed", "unordered", "")
    places = place_in(flavours, p.flavour), p.scope != "system", place_in(orders, p.order)
    return (p.backend, *places, p.op)


def width_of(s: Measured) -> Width:
    return widths[s.point.op.rpartition("_")[2]]


def action_of(s: Measured) -> str:
    """Returns `add`, `fetch_add`, `exchange` or `compare_exchange`."""
    return s.point.op.rpartition("_")[0]


def _with_widths(campaign: Campaign) -> list[Measured]:
    found = []
    for s in _usual(campaign):
        action, _, width = s.point.op.rpartition("_")
        if action in _actions and width in widths and s.point.stride in (0, 1, 16):
            found.append(s)
    return sorted(found, key=_form_rank)


def widths_of(campaign: Campaign) -> list[Widths]:
    """Returns the forms by update, full launches first, or nothing if no two widths can be compared."""

    def place(s: Measured) -> tuple[int, int, bool, int, int, int]:
        p = s.point
        where = p.space != "global", -p.blocks, -p.lanes
        return (width_rank(s), s.device or 0, *where, place_in((1, 0, 16), p.stride or 0))

    found = grouped((s for s in _with_widths(campaign) if s.point.scope == "device"), place)
    places = [
        Widths(device, forms, contest(s.per_part(width_of(s).parts) for s in forms))
        for (_, device, *_), forms in sorted(found.items())
    ]
    return places if any(p.parts.best and len(p.forms) > 1 for p in places) else []


def _scopes(campaign: Campaign) -> list[tuple[Measured, Over]]:
    def same(s: Measured) -> tuple[object, ...]:
        p = s.point
        return s.device, p.op, p.flavour, p.space, p.stride, p.blocks, p.lanes

    found = _with_widths(campaign)
    device = {same(s): s for s in found if s.point.scope == "device"}
    return [(s, over(s, device.get(same(s)))) for s in found if s.point.scope != "device"]


def width_rank(s: Measured) -> int:
    kinds = list(dict.fromkeys(width.kind for width in widths.values()))
    return _actions.index(action_of(s)) * len(kinds) + kinds.index(width_of(s).kind)


def _form_rank(s: Measured) -> tuple[object, ...]:
    p = s.point
    return width_rank(s), list(widths).index(p.op.rpartition("_")[2]), p.flavour, p.scope
