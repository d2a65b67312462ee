"""How points are named: by their axes that are not the ordinary, and by those in which two differ."""

from __future__ import annotations

from collections.abc import Sequence

from syncmeter_analysis.record.point import Point
from syncmeter_analysis.relate.op_groups import called
from syncmeter_analysis.relate.text import count


def cells(p: Point) -> str:
    """Where the cells lie: `shared`, `64 B apart`, or '' for an op without any. Of a GPU whether the
    compiler knows that all lanes use one cell, or data decide it: other machine code."""
    if p.on_gpu and p.placement == "shared":
        return "shared, known to the compiler"
    if p.on_gpu and p.placement == "strided" and p.stride == 0:
        return "shared, by data"
    if p.placement == "strided":
        apart = f"{p.stride_bytes} B apart" if p.type else f"{p.stride} apart"
        text = "one address" if p.stride == 0 else apart
        shared_out = f" ({count(p.cells, 'variable')})" if p.cells else ""
        return text + (f" from {p.base_offset} B" if p.base_offset else "") + shared_out
    return "" if p.placement == "none" else p.placement


def launch(p: Point) -> str:
    """`16 threads`, `132 x 1024 threads`."""
    threads = f"{p.blocks} x {p.lanes}" if p.blocks != 1 else str(p.lanes)
    some = f", {p.active} of each warp" if p.active else ""
    return f"{threads} thread{'' if threads == '1' else 's'}{some}"


def blocks_by_threads(p: Point) -> str:
    """`132 x 1024`: the launch of a kernel, for a column that says so."""
    return f"{p.blocks} x {p.lanes}"


#: What the size of an op counts, by what its name begins with: one of it, and several.
_sizes = (
    ("multi_gpu_", "1 GPU", "{} GPUs"),
    ("gpu_handoff", "on 1 GPU", "between {} GPUs"),
    ("branch_", "1 path", "{} paths"),
    ("load_strided", "with a stride of 1 word", "with a stride of {} words"),
    ("load_latency_strided", "with a stride of 1 word", "with a stride of {} words"),
    ("load_misaligned", "1 byte off", "{} bytes off"),
    ("load_latency_misaligned", "1 byte off", "{} bytes off"),
    ("bank_conflict", "1 thread on one bank", "{} threads on one bank"),
    ("tile_", "of 1 thread", "of {} threads"),
    ("coalesced_", "of 1 thread", "of {} threads"),
    ("cluster_", "of 1 block", "of {} blocks"),
    ("for_static_chunk", "in chunks of 1", "in chunks of {}"),
    ("for_static", "1 iteration a thread", "{} iterations a thread"),
    ("for_", "in chunks of 1", "in chunks of {}"),
    ("task", "1 task a thread", "{} tasks a thread"),
    ("accumulate_", "on 1 address", "on {} addresses"),
    ("reduce_max_", "of 1 element", "of {} elements"),
    ("additional_graph_launch", "of 1 kernel", "of {} kernels"),
    ("graph_launch", "of 1 kernel", "of {} kernels"),
)


def _size(p: Point) -> str:
    """What the size of an op counts."""
    if not p.size:
        return ""
    one, several = next((words for start, *words in _sizes if p.op.startswith(start)), ("", ""))
    return (one if p.size == 1 else several.format(p.size)) or f"size {p.size}"


_memory = {"first": "in its own memory", "second": "in a peer's memory", "other": "in the host's"}


def _home(p: Point) -> str:
    """In whose memory the cells lie: of the GPU that works on them, or of the first lane."""
    if p.op.startswith("remote_") and p.home in _memory:
        return _memory[p.home]
    return f"home {p.home}" if p.home else ""


def _parts(p: Point) -> list[tuple[str, str]]:
    """Each axis of a point with its words for a reader; '' where it is the ordinary."""
    parts = [
        ("backend", p.backend),
        ("op", p.op),
        ("type", p.type),
        ("placement", cells(p)),
        ("lanes", launch(p)),
        ("size", _size(p)),
        ("scope", p.scope),
        ("flavour", p.flavour),
        ("space", "" if p.space == "global" else p.space),
        ("order", "" if p.order in ("unordered", "relaxed") else p.order),
        ("affinity", "" if p.affinity == "none" else p.affinity),
        ("wait", "" if p.wait == "active" else p.wait),
        ("home", _home(p)),
        ("pus", "CPUs " + ",".join(map(str, p.pus)) if p.pus else ""),
        ("late_us", f"one thread {p.late_us} us late" if p.late_us else ""),
        ("section_ns", f"{p.section_ns} ns inside" if p.section_ns else ""),
        ("think_ns", f"{p.think_ns} ns outside" if p.think_ns else ""),
        (
            "reads_per_write",
            f"{count(p.reads_per_write, 'read')} a write" if p.reads_per_write else "",
        ),
        ("gap_us", f"after {p.gap_us} us of serial work" if p.gap_us else ""),
        ("repeat", f"no. {p.repeat}" if p.repeat else ""),
        ("arm", f"in {p.arm}" if p.arm else ""),
    ]
    return parts + [(name, f"{name} {value}") for name, value in p.others]


def _named_parts(p: Point) -> dict[str, str]:
    """The same by axis, with what the API calls the op."""
    name = called(p.backend, p.op)
    return {**dict(_parts(p)), "op": f"{p.op} ({name})" if name else p.op}


def short_name(p: Point, without: Sequence[str] = ()) -> str:
    """The point for a reader: op, then what is not the ordinary; axes in `without` are left out."""
    return " ".join(words_of(p, without))


def words_of(p: Point, without: Sequence[str] = ()) -> list[str]:
    """Returns the op and all unusual axes."""
    return [text for axis, text in _parts(p) if text and axis not in without]


def op_of(p: Point) -> str:
    """Returns the op, with an unusual order."""
    return short_name(p, ("backend", "type", "placement", "lanes", "affinity", "wait"))


def names_apart(a: Point, b: Point) -> tuple[str, str]:
    """Both points by the axes in which they differ."""
    ours, theirs = _named_parts(a), _named_parts(b)
    if not a.on_gpu and {a.placement, b.placement} == {"shared", "strided"}:
        for p, parts in ((a, ours), (b, theirs)):
            one = p.placement == "shared"
            parts["placement"] = "one variable" if one else f"a variable each ({cells(p)})"
    differing = [axis for axis in {**ours, **theirs} if ours.get(axis) != theirs.get(axis)]

    def named(p: Point, parts: dict[str, str]) -> str:
        # What is the ordinary has no words above, but is named here.
        words = [parts.get(axis) or str(getattr(p, axis, "") or "") for axis in differing]
        return " ".join(filter(None, words)) or p.op

    return named(a, ours), named(b, theirs)
