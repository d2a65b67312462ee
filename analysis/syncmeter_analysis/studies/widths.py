"""Atomic updates of a GPU by their width: what one element costs where an update has one, two or eight
of them, and which form to take.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from syncmeter_analysis.relate import contest_text, point_text
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import Contest, Over, contest, over
from syncmeter_analysis.relate.group import grouped
from syncmeter_analysis.relate.summary import Measured, code_of
from syncmeter_analysis.studies.blocks import Block, Cell, Text, table
from syncmeter_analysis.studies.cells import cost, cost_alone
from syncmeter_analysis.studies.figures import Dots, Figure, Panel, rows_of

title = "Atomic updates by their width"
order = 27


@dataclass(frozen=True)
class Width:
    """What an update of one width changes: `parts` of what its kind is compared by, and so many bytes.
    `written` is the type that CUDA's function takes, `ptx` the name of PTX."""

    kind: str
    part: str
    parts: int
    bytes: int
    written: str
    ptx: str = ""


#: By the end of an op's name, in the order of tables.
widths = {
    "f16": Width("halves", "a half", 1, 2, "__half"),
    "f16x2": Width("halves", "a half", 2, 4, "__half2", "f16x2"),
    "f16x8": Width("halves", "a half", 8, 16, "", "v4.f16x2"),
    "bf16": Width("bfloat16", "a bfloat16", 1, 2, "__nv_bfloat16"),
    "bf16x2": Width("bfloat16", "a bfloat16", 2, 4, "__nv_bfloat162", "bf16x2"),
    "bf16x8": Width("bfloat16", "a bfloat16", 8, 16, "", "v4.bf16x2"),
    "f32": Width("floats", "a float", 1, 4, "float"),
    "f32x2": Width("floats", "a float", 2, 8, "float2"),
    "f32x4": Width("floats", "a float", 4, 16, "float4"),
    "u8": Width("integers", "an add", 1, 1, "8 bits"),
    "u16": Width("integers", "an add", 1, 2, "16 bits"),
    "u32": Width("integers", "an add", 1, 4, "unsigned"),
    "b32": Width("", "for 4 bytes", 1, 4, "32 bits"),
    "b64": Width("", "for 4 bytes", 2, 8, "64 bits"),
    "b128": Width("", "for 4 bytes", 4, 16, "128 bits"),
}
_actions = {
    "add_": "add",
    "fetch_add_": "add, result used",
    "exchange_": "exchange",
    "compare_exchange_": "compare-and-swap",
}
_functions = {"exchange": "atomicExch", "compare-and-swap": "atomicCAS"}

#: What an author writes who looks for no other: one element at a time.
_usual = ("f16", "bf16", "f32", "u32", "b32")


@dataclass
class Place:
    """The forms of one kind of update, in one launch, on cells that lie in one way. The costs of the
    contest are of one part, such as an element."""

    update: str
    device: int
    name: str
    forms: list[Measured]
    parts: Contest

    @property
    def part(self) -> str:
        return width_of(self.forms[0]).part


@dataclass
class Scope:
    """An update at a scope that is not the device's, over the same at the device's."""

    s: Measured
    over_device: Over


@dataclass
class Widths:
    """All updates, place by place; falsy where no two widths can be compared."""

    places: list[Place] = field(default_factory=list)
    scopes: list[Scope] = field(default_factory=list)

    def __bool__(self) -> bool:
        return any(place.parts.best and len(place.forms) > 1 for place in self.places)


def width_of(s: Measured) -> Width:
    return widths[s.point.op.rpartition("_")[2]]


def action_of(s: Measured) -> str:
    return _actions[s.point.op.rpartition("_")[0] + "_"]


def update_of(s: Measured) -> str:
    """`halves`, `floats, result used`, `exchange`."""
    kind = width_of(s).kind
    return action_of(s).replace("add", kind) if kind else action_of(s)


def of_one_part(s: Measured) -> Measured:
    """The same with the costs of one part: of an update's two halves, of one."""
    share = 1 / width_of(s).parts
    visits = {
        number: {state: (ns * share, rounds) for state, (ns, rounds) in states.items()}
        for number, states in s.by_visit.items()
    }
    return replace(s, cost=s.cost.scaled(share) if s.cost else None, by_visit=visits)


def rows(campaign: Campaign) -> Widths:
    """The places of each update, full launches first, cells of one's own before one cell."""
    found = [s for s in campaign.points.values() if _belongs(s)]
    of_device = [s for s in found if s.point.scope == "device"]

    def place(s: Measured) -> tuple[int, int, bool, int, int, int]:
        p = s.point
        where = p.space != "global", -p.blocks, -p.lanes
        return (_rank(s), s.device or 0, *where, (1, 0, 16).index(p.stride or 0))

    alike = grouped(of_device, place)
    device = {(s.device, s.point.op, s.point.flavour, _launch(s)): s for s in of_device}
    return Widths(
        [_place(number, forms) for (_, number, *_), forms in sorted(alike.items())],
        [
            Scope(s, over(s, device.get((s.device, s.point.op, s.point.flavour, _launch(s)))))
            for s in sorted(found, key=_form_rank)
            if s.point.scope != "device"
        ],
    )


def _belongs(s: Measured) -> bool:
    p = s.point
    action, _, width = p.op.rpartition("_")
    usual = not (p.repeat or p.active or p.waves or s.doubt or p.arm)
    known = action + "_" in _actions and width in widths and p.stride in (0, 1, 16)
    return bool(s.on_gpu and known and usual and s.visits)


def _launch(s: Measured) -> tuple[object, ...]:
    p = s.point
    return p.space, p.stride, p.blocks, p.lanes


def _rank(s: Measured) -> int:
    kinds = list(dict.fromkeys(width.kind for width in widths.values()))
    return list(_actions.values()).index(action_of(s)) * len(kinds) + kinds.index(width_of(s).kind)


def _form_rank(s: Measured) -> tuple[object, ...]:
    p = s.point
    return _rank(s), list(widths).index(p.op.rpartition("_")[2]), p.flavour, p.scope


def _cells(s: Measured) -> str:
    name = {1: "own cells", 16: "own cells 16 apart"}.get(s.point.stride or 0, "one cell")
    return name if s.point.space == "global" else f"{name} of shared memory"


def _place(device: int, alike: Sequence[Measured]) -> Place:
    forms = sorted(alike, key=_form_rank)
    first = forms[0]
    name = f"{point_text.blocks_by_threads(first.point)}, {_cells(first)}"
    return Place(update_of(first), device, name, forms, contest(map(of_one_part, forms)))


def written(s: Measured) -> str:
    """How an author writes it: `atomicAdd(__half2)`, `red.v4.f16x2`, `atomicCAS of 64 bits`."""
    width, action = width_of(s), action_of(s)
    if s.point.flavour == "ptx":
        return f"{'red' if action == 'add' else 'atom'}.{width.ptx}"
    if action in _functions:
        return f"{_functions[action]} of {width.written}"
    if width.kind == "integers" and width.bytes < 4:
        return f"CAS loop of {width.written}"
    return f"atomicAdd({width.written})"


def answer(found: Widths) -> list[str]:
    """For each kind of update which form to take for one part of it, in the largest launch: on cells of
    one's own, then on one cell."""
    chosen: dict[tuple[int, str, str], Place] = {}
    for stride in (1, 0):
        for place in found.places:
            p = place.forms[0].point
            if p.space == "global" and p.stride == stride and len(place.forms) > 1:
                chosen.setdefault((stride, place.update, str(place.device)), place)
    return [_sentence(place) for place in chosen.values() if place.parts.best]


def _sentence(place: Place) -> str:
    usual = [s for s in place.parts.points if s.point.op.rpartition("_")[2] in _usual]
    best = place.parts.best
    assert best is not None
    at_once = width_of(best).parts if width_of(best).kind else 1
    return contest_text.sentence(
        place.parts,
        f"{place.update} ({place.name})",
        written,
        lambda s: f"{cost_alone(s)} {place.part}",
        what="form",
        usual=usual,
        why=f"which changes {at_once} at once" if at_once > 1 else "",
    )


def updates_per_s(s: Measured) -> str:
    per_s = s.ops_per_s_total
    return "" if per_s is None else formats.rate(per_s)


def bytes_per_s(s: Measured) -> str:
    per_s = s.ops_per_s_total
    return "" if per_s is None else formats.rate(per_s * width_of(s).bytes)


def text(found: Widths) -> list[Block]:
    """The forms of each update, with what they compile to and cost for one part, and scopes."""
    several = len({place.device for place in found.places}) > 1
    lines = []
    for place in found.places:
        where = place.name + (f", device {place.device}" if several else "")
        parts = {s.id: s for s in place.parts.points}
        for s in place.forms:
            best = place.parts.best
            is_best = best is not None and s.id == best.id
            lines.append(
                [
                    place.update,
                    where,
                    written(s),
                    cost(s),
                    cost(parts.get(s.id)),
                    updates_per_s(s),
                    bytes_per_s(s),
                    *formats.ratio_fields(place.parts.over(s), itself=is_best),
                    Cell(code_of(s.census)),
                ]
            )
    blocks: list[Block] = [
        table(
            "Updates by their width: ns, and over the form that is the fastest for one part",
            "update|blocks x threads|written|ns/op>|ns/part>|updates/s>|bytes/s>|part over best>"
            "|95 % interval>|compiles to",
            lines,
            keys=3,
        ),
        Text(
            "part: of additions one element, of exchange and compare-and-swap 4 bytes, of integers one "
            "addition. All are relaxed at device scope. own cells: each thread has one beside its "
            "neighbour's; one cell: by data, the compiler does not know it."
        ),
    ]
    if found.scopes:
        blocks.append(
            table(
                "Updates at another scope, over the device's",
                "update|blocks x threads|written|scope|ns/op>|over device>|95 % interval>|compiles to",
                [
                    [
                        update_of(scope.s),
                        f"{point_text.blocks_by_threads(scope.s.point)}, {_cells(scope.s)}",
                        written(scope.s),
                        scope.s.point.scope,
                        cost(scope.s),
                        *formats.ratio_fields(scope.over_device),
                        Cell(code_of(scope.s.census)),
                    ]
                    for scope in found.scopes
                ],
                keys=4,
            )
        )
    return blocks


def figures(found: Widths) -> list[Figure]:
    """What one part costs in each form, in the largest launch on cells of one's own."""
    chosen: dict[str, Place] = {}
    for place in found.places:
        p = place.forms[0].point
        if p.space == "global" and p.stride == 1 and "used" not in place.update:
            chosen.setdefault(place.update, place)
    rows = [
        row
        for place in chosen.values()
        for s in place.parts.points
        for row in rows_of(s, row=written(s), group=place.update)
    ]
    if not rows:
        return []
    first, *_ = answer(found) or ["What an update costs, by its width"]
    note = (
        "ns for one part of an update with the 95 % interval, logarithmic: an element of an addition, "
        "4 bytes of an exchange or compare-and-swap. Each thread on a cell of its own, the largest "
        "launch."
    )
    panel = Panel("by form", Dots(rows, "ns per part", list(chosen), "written", "update"))
    return [Figure("widths", first, note, [panel], wide=True)]
