"""Pairs for `compare --by`: points that differ in backend, device, compiler or affinity only. Those of
two backends measure the same thing on the same device: what a portable API makes of a primitive beside
what the native one does."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

from syncmeter_analysis.record.errors import Unusable
from syncmeter_analysis.record.machine import machine_of
from syncmeter_analysis.record.point import Point, native_of
from syncmeter_analysis.record.reader import ResultsFile
from syncmeter_analysis.relate.campaign import Campaign, campaign_of
from syncmeter_analysis.relate.compare import Comparison, compare_points
from syncmeter_analysis.relate.group import grouped
from syncmeter_analysis.relate.relation import default_margin
from syncmeter_analysis.relate.summary import Measured

#: The native APIs; a CPU's comes first.
native_backends = ("omp", "cuda")


def counterpart_key(p: Point) -> str:
    """What points of a native and a portable backend share: all axes that both APIs have."""
    kind = "gpu" if p.on_gpu else "cpu"
    return f"{kind} {p.without('backend', 'flavour', 'scope', 'space').key}"


def pairs_of_backends(names: Sequence[str]) -> list[tuple[str, str]]:
    """Each of these backends behind the native one of its hardware, where that is among them."""
    references = [name for name in native_backends if name in names] or list(names[:1])
    pairs = []
    for name in names:
        reference = native_of.get(name)
        if reference is None and name not in references:
            reference = references[0]
        if reference in names and reference != name:
            pairs.append((str(reference), name))
    return pairs


def counterparts(
    native: Iterable[Measured], others: Iterable[Measured]
) -> list[tuple[Measured, Measured]]:
    """Each of `others` behind its native counterpart. Where one API alone can say a scope, a spelling
    or a memory, several native points fit: the one that has a cost and says the same, else the
    device's scope and the plain spelling."""
    by_key = grouped(native, lambda s: counterpart_key(s.point))

    def farness(s: Measured, other: Point) -> tuple[object, ...]:
        p = s.point
        same = (p.scope != other.scope, p.flavour != other.flavour, p.space != other.space)
        plain = (p.scope not in ("", "device"), p.scope, p.flavour, p.space)
        return not s.usable, *same, *plain

    pairs = []
    for s in others:
        fitting = by_key.get(counterpart_key(s.point))
        if fitting:
            pairs.append((min(fitting, key=lambda n: farness(n, s.point)), s))
    return pairs


def _device(campaign: Campaign, s: Measured) -> str:
    gpus = dict(campaign.machine.gpus)
    return gpus.get(s.point.backend, "GPU") if s.point.on_gpu else campaign.machine.cpu


def compare_by(
    what: str, files: list[ResultsFile], threshold: float = default_margin
) -> list[Comparison]:
    """One comparison for each other value of `what` against the reference.

    Points of one file are compared visit by visit, of several as independent. Raises Unusable where
    all points have one value, or none has a counterpart.
    """
    campaigns = [campaign_of([f]) for f in files]
    compilers = {build: name for f in files for build, name in f.compilers.items()}
    label: dict[str, Callable[[Campaign, Measured], str]] = {
        "backend": lambda _, s: s.point.backend,
        "affinity": lambda _, s: s.point.affinity,
        "device": _device,
        "compiler": lambda _, s: compilers.get(s.build, "unknown compiler"),
    }
    sides: dict[str, dict[str, list[Measured]]] = defaultdict(lambda: defaultdict(list))
    for campaign in campaigns:
        for s in campaign.points.values():
            if s.usable:
                p = s.point
                key = counterpart_key(p) if what == "backend" else p.without(what).key
                sides[label[what](campaign, s)][key].append(s)
    if len(sides) < 2:
        raise Unusable(f"not comparable: every point has one {what} ({', '.join(sides) or 'none'})")
    result = []
    for old, new in _pairs_of_sides(what, list(sides)):
        common = [k for k in sides[new] if k in sides[old]]
        if not common:
            continue
        if what == "backend":
            natives = [s for k in common for s in sides[old][k]]
            pairs = counterparts(natives, [s for k in common for s in sides[new][k]])
        else:
            pairs = [(sides[old][k][0], sides[new][k][0]) for k in common]
        found = compare_points(pairs, (old, new), threshold)
        found.only = (len(sides[old]) - len(common), len(sides[new]) - len(common))
        if len(files) > 1 and what != "device":
            machines = sorted({machine_of(f.campaign).name for f in files})
            if len(machines) > 1:
                found.notes.append(f"the machines differ: {'; '.join(machines)}")
        result.append(found)
    if not result:
        raise Unusable(
            f"not comparable: no point has a counterpart of another {what} ({', '.join(sides)})"
        )
    return result


def _pairs_of_sides(what: str, names: list[str]) -> list[tuple[str, str]]:
    """Each side behind its reference."""
    if what == "backend":
        return pairs_of_backends(names)
    # Others are compared with threads that are packed, where there are such.
    reference = "close" if what == "affinity" and "close" in names else names[0]
    return [(reference, name) for name in names if name != reference]
