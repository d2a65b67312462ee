"""One update of a GPU as each API writes it where the author says nothing of order and scope: what that
is in machine code, and how many times as long it takes as the form that is enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from syncmeter_analysis.relate import point_text
from syncmeter_analysis.relate import text as formats
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import Over, over
from syncmeter_analysis.relate.group import grouped
from syncmeter_analysis.relate.relation import Ratio, Verdict, fastest_of, verdict
from syncmeter_analysis.relate.summary import Measured, code_of
from syncmeter_analysis.studies.blocks import Block, Cell, Text, table
from syncmeter_analysis.studies.cells import cost, cost_alone
from syncmeter_analysis.studies.figures import Dots, Figure, Panel, rows_of

title = "What an update is by default"
order = 25

#: Updates in the order of their rows, by op; a plain access is volatile, and no atomic one.
updates = {
    "atomic_add": "add",
    "atomic_exchange": "exchange",
    "atomic_cas_pass": "compare-and-swap",
    "atomic_read": "load",
    "plain_read": "load",
    "atomic_write": "store",
    "plain_write": "store",
    "fence": "fence",
}

#: How an author writes an op by function, at device scope, and what it is by libcu++ and by Kokkos.
_by_function = {
    "atomic_add": "atomicAdd",
    "atomic_exchange": "atomicExch",
    "atomic_cas_pass": "atomicCAS",
    "plain_read": "volatile load",
    "plain_write": "volatile store",
    "fence": "__threadfence",
}
_by_library = {
    "atomic_add": "fetch_add",
    "atomic_exchange": "exchange",
    "atomic_cas_pass": "compare_exchange_strong",
    "atomic_read": "load",
    "atomic_write": "store",
    "fence": "atomic_thread_fence",
}
_by_kokkos = {
    "atomic_add": "Kokkos::atomic_add",
    "atomic_exchange": "Kokkos::atomic_exchange",
    "atomic_cas_pass": "Kokkos::atomic_compare_exchange",
    "atomic_read": "Kokkos::atomic_load",
    "atomic_write": "Kokkos::atomic_store",
    "fence": "Kokkos::memory_fence",
}

_by_triton = {
    "atomic_add": "tl.atomic_add",
    "atomic_exchange": "tl.atomic_xchg",
    "atomic_cas_pass": "tl.atomic_cas",
    "plain_read": "tl.load(volatile)",
}

_by_openmp = {
    "atomic_add": "omp atomic update",
    "atomic_exchange": "omp atomic capture",
    "atomic_cas_pass": "omp atomic compare capture",
    "atomic_read": "omp atomic read",
    "atomic_write": "omp atomic write",
}
#: How OpenMP names acq_rel where there is but one side.
_sides_of_openmp = {"atomic_add": "release", "atomic_read": "acquire", "atomic_write": "release"}

#: What an API takes where the author gives no argument, by the library's name, order and scope.
by_default = ("seq_cst", "system")
_default_of_triton = ("acq_rel", "device")
_default_of_openmp = ("relaxed", "device")

#: A fence that orders nothing is none: what is enough for it is what data handed over need.
_enough_orders = {"fence": ("acq_rel",)}


@dataclass
class Form:
    """One way to write an update at one place. `over_enough` is None for the form that is enough."""

    s: Measured
    over_enough: Over = None

    @property
    def is_default(self) -> bool:
        """Of libcu++, Triton or OpenMP, without arguments."""
        p = self.s.point
        if p.backend == "omp-target":
            return (p.order, p.scope) == _default_of_openmp
        if p.backend == "triton":
            return (p.order, p.scope) == _default_of_triton
        return p.flavour == "atomic_ref" and (p.order, p.scope) == by_default


@dataclass
class Place:
    """The forms of one update in one launch on cells of one kind. `enough` is the fastest that is
    relaxed at device scope, of fences acquire and release at device scope; None: not measured.
    `as_good` are others that are enough and not shown to be slower."""

    update: str
    device: int
    name: str
    forms: list[Form]
    enough: Measured | None = None
    as_good: Sequence[Measured] = ()

    @property
    def defaults(self) -> list[Form]:
        return [form for form in self.forms if form.is_default]


@dataclass
class Defaults:
    """All updates, place by place; falsy where no default stands beside what is enough."""

    places: list[Place] = field(default_factory=list)

    def __bool__(self) -> bool:
        return any(place.enough and place.defaults for place in self.places)


def rows(campaign: Campaign) -> Defaults:
    """The places of each update, the smallest launch first, one cell for all last."""
    found = [s for s in campaign.points.values() if _belongs(s)]

    def place(s: Measured) -> tuple[int, int, bool, int, int]:
        p = s.point
        return _rank(s), s.device or 0, _is_one_cell(s), p.blocks, p.lanes

    return Defaults(
        [_place(device, alike) for (_, device, *_), alike in sorted(grouped(found, place).items())]
    )


def _belongs(s: Measured) -> bool:
    p = s.point
    usual = not (p.repeat or p.active or p.waves or s.doubt or p.arm)
    cells = (p.placement == "strided" and p.stride in (0, 1)) or p.op == "fence"
    form = p.flavour in ("function", "atomic_ref", "") and p.scope in ("system", "device", "")
    kind = p.type in ("int32", "") and p.space in ("global", "none", "")
    return bool(s.on_gpu and p.op in updates and usual and cells and form and kind and s.visits)


def _rank(s: Measured) -> int:
    return list(dict.fromkeys(updates.values())).index(updates[s.point.op])


def _is_one_cell(s: Measured) -> bool:
    return s.point.op != "fence" and s.point.stride == 0


def _place(device: int, alike: Sequence[Measured]) -> Place:
    first = alike[0]
    own = "" if first.point.op == "fence" else ", own cells"
    cells = ", one cell" if _is_one_cell(first) else own
    won = fastest_of([s for s in alike if _is_enough(s)])
    enough = won.best if won else None
    forms = [Form(s, over(s, enough) if s is not enough else None) for s in alike]
    forms.sort(key=lambda form: _form_rank(form.s))
    name = f"{point_text.blocks_by_threads(first.point)}{cells}"
    return Place(updates[first.point.op], device, name, forms, enough, won.ties if won else ())


def _is_enough(s: Measured) -> bool:
    p = s.point
    orders = _enough_orders.get(p.op, ("relaxed",))
    return p.order in orders and p.scope == "device" and s.usable


def _form_rank(s: Measured) -> tuple[object, ...]:
    p = s.point
    flavours = ("function", "", "atomic_ref")
    orders = ("seq_cst", "acq_rel", "acquire", "release", "relaxed", "unordered", "")
    return p.backend, flavours.index(p.flavour), p.scope != "system", orders.index(p.order), p.op


def written(s: Measured) -> str:
    """How an author writes it: `atomicAdd`, `fetch_add()`, `fetch_add(relaxed), device`."""
    p = s.point
    if p.backend.startswith("kokkos"):
        return _by_kokkos.get(p.op, p.op)
    if p.backend == "omp-target":
        clause = _sides_of_openmp.get(p.op, p.order) if p.order == "acq_rel" else p.order
        return _by_openmp.get(p.op, p.op) + (f" {clause}" if p.order != "relaxed" else "")
    if p.backend == "triton":
        arguments = "" if (p.order, p.scope) == _default_of_triton else p.order
        name = _by_triton.get(p.op, p.op)
        form = name if p.op.startswith("plain_") else f"{name}({arguments})"
        return form + (f", {p.scope}" if p.scope == "system" else "")
    if p.flavour != "atomic_ref":
        return _by_function.get(p.op, p.op) + ("_system" if p.scope == "system" else "")
    name = _by_library.get(p.op, p.op)
    if p.op == "fence":
        return f"{name}({p.order})" + (f", {p.scope}" if p.scope != "system" else "")
    arguments = "" if p.order == "seq_cst" else p.order
    return f"{name}({arguments})" + (f", {p.scope}" if p.scope != "system" else "")


def order_of(s: Measured) -> str:
    """The order that it has; CUDA's own fence is one of seq_cst."""
    p = s.point
    if p.op.startswith("plain_"):
        return "none"
    return "seq_cst" if p.op == "fence" and p.order == "unordered" else p.order


def answer(found: Defaults) -> list[str]:
    """For each update the place where the default takes the longest beside what is enough, then the
    places where it takes no longer, of each library."""
    worst: dict[tuple[str, str], tuple[Ratio, Form, Place]] = {}
    alike = []
    for place in found.places:
        for form in place.defaults:
            r = form.over_enough
            if not isinstance(r, Ratio):
                continue
            key = place.update, _library(form.s)
            if verdict(r) is Verdict.same:
                alike.append(_as_long(form, place))
            elif verdict(r) is Verdict.slower and (
                key not in worst or r.value > worst[key][0].value
            ):
                worst[key] = r, form, place
    return [_sentence(*found) for found in worst.values()] + alike


def _library(s: Measured) -> str:
    return {"triton": "Triton", "omp-target": "OpenMP"}.get(s.point.backend, "libcu++")


def _written_default(form: Form) -> str:
    p = form.s.point
    return f"{written(form.s)} of {_library(form.s)} ({p.order} at {p.scope} scope)"


def _sentence(r: Ratio, default: Form, place: Place) -> str:
    assert place.enough is not None
    p = place.enough.point
    form = formats.listed([written(s) for s in (place.enough, *place.as_good)], last="or")
    what = "" if p.order in form else f"{p.order} at {p.scope} scope, "
    return (
        f"{place.update} ({place.name}): take {form} "
        f"({what}{cost_alone(place.enough)}) where that is enough, because "
        f"{_written_default(default)} takes {formats.times_as_long(r)}"
    )


def _as_long(default: Form, place: Place) -> str:
    assert place.enough is not None
    return (
        f"{place.update} ({place.name}): {_written_default(default)} takes as long as "
        f"{written(place.enough)} ({cost_alone(place.enough)})"
    )


def text(found: Defaults) -> list[Block]:
    """One table: the forms of each update, with what they compile to and cost in each place."""
    several = len({place.device for place in found.places}) > 1
    lines = []
    for place in found.places:
        where = place.name + (f", device {place.device}" if several else "")
        for form in place.forms:
            s = form.s
            lines.append(
                [
                    place.update,
                    where,
                    written(s),
                    order_of(s),
                    s.point.scope,
                    cost(s),
                    *formats.ratio_fields(form.over_enough, itself=s is place.enough),
                    Cell(code_of(s.census)),
                ]
            )
    return [
        table(
            "Updates by how they are written: ns, and over the form that is enough",
            "update|blocks x threads|written|order|scope|ns/op>|over enough>|95 % interval>"
            "|compiles to",
            lines,
            keys=3,
        ),
        Text(
            "enough: relaxed at device scope, which counts and hands no other data over; of fences "
            "acquire and release at device scope. (): without arguments, which is seq_cst at system "
            "scope in libcu++ and acq_rel at device scope in Triton; a scope behind it is the atomic's "
            "own. OpenMP's atomics are relaxed without a clause. int32 in global memory; one cell: by "
            "data, the compiler does not know it."
        ),
    ]


def figures(found: Defaults) -> list[Figure]:
    """The costs of all forms of each update, in the largest launch on own cells."""
    by_update = grouped(found.places, lambda place: place.update)
    chosen = [max(places, key=_launched) for places in by_update.values()]
    rows = [
        row
        for place in chosen
        for form in place.forms
        for row in rows_of(form.s, row=written(form.s), group=place.update)
    ]
    if not rows:
        return []
    groups = [place.update for place in chosen]
    first, *_ = answer(found) or ["What an update costs, by how it is written"]
    note = (
        "ns per op with the 95 % interval, logarithmic, in the largest launch, each thread on a cell "
        "of its own. (): libcu++ or Triton without arguments."
    )
    panel = Panel("by form", Dots(rows, "ns per op", groups, "written", "update"))
    return [Figure("defaults", first, note, [panel], wide=True)]


def _launched(place: Place) -> tuple[bool, int]:
    p = place.forms[0].s.point
    return not _is_one_cell(place.forms[0].s), p.blocks * p.lanes
