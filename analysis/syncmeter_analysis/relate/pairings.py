"""Makes the table of pairs for two files, for both sides of `syncmeter ab`, or for two axis values.
Points match on all other axes. Their ratio is taken in a vCPU placement common to both.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

from syncmeter_analysis.record.arms import Arms, arms_of
from syncmeter_analysis.record.errors import Unusable
from syncmeter_analysis.record.machine import machine_of, object_of
from syncmeter_analysis.record.point import Point, native_of
from syncmeter_analysis.record.reader import ResultsFile
from syncmeter_analysis.relate.campaign import Campaign, campaign_of
from syncmeter_analysis.relate.group import grouped, once_each
from syncmeter_analysis.relate.pairs import Candidate, Fact, Pair, PairTable, absent, fact, judged
from syncmeter_analysis.relate.relation import Ratio, default_margin, paired_visits, ratio
from syncmeter_analysis.relate.scatter import ratios_of_campaigns
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.relate.visit_pairs import kind_of

#: In a virtual machine contended costs vary by up to 8 % (standard deviation) between runs, but hardly
#: between repetitions. Smaller differences do not count if too few points show the variation.
contended_threshold = 0.15

#: A program on the same core slows a single thread by at most this share: on 16 busy vCPUs up to 1.5
#: times during a whole run.
neighbour_threshold = 0.5

#: Smaller differences between runs need no note.
_least_wander = 0.01

#: Fewer repetition pairs show no scatter.
enough_pairs = 3

#: Axes to compare across, by option name.
axes = ("affinity", "wait", "order", "home", "flavour", "scope", "space", "type", "backend")

#: The native APIs. A CPU's comes first.
native_backends = ("omp", "cuda")


def short_names(paths: Sequence[str]) -> list[str]:
    """Files without their folders, where that tells them apart."""
    names = [Path(path).name for path in paths]
    return names if len(set(names)) == len(set(paths)) else list(paths)


def _why_apart(old: Measured, new: Measured, names: tuple[str, str]) -> Fact:
    for s, name in zip((old, new), names, strict=True):
        if not s.usable:
            status = "no_cost" if s.status in ("ok", "busy") else s.status
            return fact("status", status=status, side=name, reason=s.reason)
    in_hops = min(old.hop_ns, new.hop_ns) > 0 and old.state.busy == new.state.busy
    states = old.state, new.state
    return fact("placements_hop" if in_hops else "placements", states=states, names=names)


def has_failed(s: Measured) -> bool:
    """It gave a wrong result, or never ended."""
    return s.status == "failed" or (s.status == "timeout" and s.cost is None)


def is_broken(old: Measured, new: Measured) -> bool:
    """The new one failed where the old one could be measured. A point at the limit of its time is
    `too_slow` in one campaign and a `timeout` in the next."""
    measured = old.usable or old.status in ("ok", "busy", "not_resolved", "interferes")
    return has_failed(new) and measured


def hides_no_change(old: Measured, new: Measured) -> bool:
    """Returns whether both sides lack a cost because of the point. Noise comes from the machine."""
    return not (old.usable or new.usable) and old.status == new.status != "noisy"


def _queued_otherwise(old: Measured, new: Measured) -> bool:
    """A sample that waits in a GPU's queue costs something else than one that the host waits for."""
    return old.usable and new.usable and old.rounds_at_once != new.rounds_at_once


def pairs_of_points(
    pairs: Sequence[tuple[Measured, Measured]],
    names: tuple[str, str],
    threshold: float,
    in_cycles: bool = False,
    per_hop: bool = False,
    source: str = "files",
) -> PairTable:
    """Returns the table of these points (old, new). Points that share their measurements on both sides
    are one pair. Threads of two files may be compared in cycles, and in multiples of the core-to-core
    latency if their placements differ."""
    table = PairTable(names, threshold, source)
    once = {(old.measured_at, new.measured_at): (old, new) for old, new in reversed(pairs)}
    alike = [pair for pair in reversed(once.values()) if not _queued_otherwise(*pair)]
    apart = []
    for old, new in reversed(once.values()):
        if _queued_otherwise(old, new):
            why = fact("queued", rounds=(old.rounds_at_once, new.rounds_at_once), names=names)
            apart.append(Pair(new.point, old, new, why=why))
    several = [pair for pair in alike if pair[0].source != pair[1].source]
    ratios = iter(ratios_of_campaigns(several, in_cycles, per_hop))
    found: list[Candidate] = []
    for old, new in alike:
        r = next(ratios) if old.source != new.source else ratio(new, old)
        if isinstance(r, Ratio):
            found.append(Candidate(old, new, r, _margin(r, old, new, threshold)))
        elif not hides_no_change(old, new):
            why, is_bad = _why_apart(old, new, names), is_broken(old, new)
            apart.append(Pair(new.point, old, new, why=why, is_broken=is_bad))
    table.notes += _notes(found, threshold, per_hop)
    table.pairs = [*judged(found, threshold), *apart]
    return table


def _margin(r: Ratio, old: Measured, new: Measured, threshold: float) -> float:
    margin = max(threshold, contended_threshold) if _wanders(r, old, new) else threshold
    return max(margin, neighbour_threshold) if r.beside_neighbour else margin


def _notes(found: Sequence[Candidate], threshold: float, per_hop: bool) -> list[Fact]:
    """Returns how the pairs were compared."""
    notes = []
    contended = sum(_wanders(c.ratio, c.old, c.new) for c in found)
    if contended and threshold < contended_threshold:
        notes.append(fact("contended", count=contended, share=contended_threshold))
    beside = sum(c.ratio.beside_neighbour for c in found)
    if beside and threshold < neighbour_threshold:
        notes.append(fact("neighbour", count=beside, share=neighbour_threshold))
    most: dict[str, float] = {}
    for c in found:
        kind, wander = kind_of(c.new), c.ratio.wander or 0.0
        if wander > _least_wander:
            most[kind] = max(wander, most.get(kind, 0.0))
    notes += [fact("wander", kinds=most)] if most else []
    if clocked := sum(c.ratio.in_cycles for c in found):
        notes.append(fact("cycles", count=clocked))
    met = (c.ratio.state is None and min(c.old.hop_ns, c.new.hop_ns) > 0 for c in found)
    if per_hop and (in_hops := sum(met)):
        notes.append(fact("hops", count=in_hops))
    return notes


def _wanders(r: Ratio, old: Measured, new: Measured) -> bool:
    """Returns whether threads contend in a virtual machine, or shared a core in both runs."""
    if r.paired or new.on_gpu or r.wander is not None or new.point.lanes == 1:
        return False
    return (old.hop_ns > 0 and new.hop_ns > 0) or old.state.busy or new.state.busy


def _environment(file: ResultsFile) -> dict[str, str]:
    campaign = file.campaign
    m = machine_of(campaign)

    def of_builds(member: str) -> str:
        return ", ".join(sorted({str(build.get(member)) for build in file.builds}))

    return {
        "kernel": str(object_of(campaign, "machine").get("kernel", "")),
        "governor": m.governor,
        "turbo": m.turbo,
        "host": m.host,
        "quota": str(m.quota_cpus),
        "compiler": of_builds("compiler"),
        "flags": of_builds("flags"),
        "version": str(campaign.get("version", "")),
        "hypervisor": m.virtualization if m.hypervisor else "none",
    }


def _machines_differ(old: Campaign, new: Campaign) -> list[Fact]:
    a, b = old.machine, new.machine
    pairs = [
        ("CPU", a.cpu, b.cpu),
        ("CPUs", a.pus, b.pus),
        ("architecture", a.architecture, b.architecture),
    ]
    gpus = dict(b.gpus)
    pairs += [("GPU", name, gpus[backend]) for backend, name in a.gpus if backend in gpus]
    return [
        fact("machine", what=what, old=before, new=after)
        for what, before, after in pairs
        if before != after
    ]


def machine_difference(note: Fact) -> str:
    """Returns `CPU (Xeon against EPYC)`."""
    what, before, after = (note.values[name] for name in ("what", "old", "new"))
    return f"{what} ({before or 'unknown'} against {after or 'unknown'})"


def pairs_of_files(
    old_file: ResultsFile,
    new_file: ResultsFile,
    threshold: float = default_margin,
    across: Sequence[str] = (),
) -> PairTable:
    """Compares OLD with NEW. `across` names axes that may differ (or `machine`, or `hop`).

    Raises Unusable if the machines are of different kinds or no point is in both files.
    """
    old, new = campaign_of([old_file]), campaign_of([new_file])
    old_name, new_name = short_names([old_file.path, new_file.path])
    machines = _machines_differ(old, new)
    if machines and "machine" not in across:
        raise Unusable(
            f"not comparable: {old_name} and {new_name} are of different machines: "
            f"{'; '.join(map(machine_difference, machines))} (--across machine compares them anyway)"
        )
    ignored = [axis for axis in across if axis in axes]
    before, twice_before = _by_key(old, ignored)
    after, twice_after = _by_key(new, ignored)
    common = [key for key in after if key in before]
    if not common:
        raise Unusable(f"not comparable: no point is in both files; {_axes_that_differ(old, new)}")
    points, names = [(before[k], after[k]) for k in common], (old_name, new_name)
    table = pairs_of_points(points, names, threshold, "machine" not in across, "hop" in across)
    table.only = (len(before) - len(common), len(after) - len(common))
    table.hops_ns = _hop_of(a for a, _ in points), _hop_of(b for _, b in points)
    environments = _environment(old_file), _environment(new_file)
    asked = _asked_for(old_file)
    if "machine" not in across and asked and asked == _asked_for(new_file):
        gone = _lost(before, after, new_file)
        versions = tuple(about["version"] or "unknown" for about in environments)
        if versions[0] == versions[1]:
            why = fact("missing", side=new_name)
            table.pairs += [
                Pair(s.point, s, absent(s.point), why=why, is_missing=True) for s in gone
            ]
        elif gone:
            table.notes.append(fact("gone", count=len(gone), names=names, versions=versions))
    for what, was in environments[0].items():
        if was != environments[1][what]:
            table.notes.append(fact("differs", what=what, old=was, new=environments[1][what]))
    if twice := twice_before + twice_after:
        table.notes.append(fact("twice", count=twice, axes=ignored))
    texts = (fact("text", text=note) for note in (*old.notes, *new.notes))
    table.notes += [*machines, *texts]
    return table


def _hop_of(points: Iterable[Measured]) -> float:
    """Returns the median core-to-core latency, or 0 without any."""
    return median([s.hop_ns for s in points if s.hop_ns > 0] or [0.0])


def _asked_for(file: ResultsFile) -> dict[str, Any] | None:
    """Returns the options that choose points: the study, sorted lists, and two options that add points.
    Returns None if the file has no study. Old and imported files have none."""
    options = object_of(file.campaign, "options")
    if not options.get("study"):
        return None
    alone = ("study", "oversubscribe", "waves")
    return {
        name: sorted(map(str, value)) if isinstance(value, list) else value
        for name, value in options.items()
        if value and (name in alone or isinstance(value, list))
    }


def _lost(
    before: dict[str, Measured], after: dict[str, Measured], new_file: ResultsFile
) -> list[Measured]:
    """Returns the points with a cost in the old file alone, once for each measurement. A run with a
    time limit measures a random part of the CPU pairs, and these are not lost."""
    by_time = bool(new_file.ends) and new_file.ends[-1].get("reason") == "budget"
    return once_each(
        s
        for key, s in before.items()
        if key not in after and s.usable and not (by_time and s.point.pus)
    )


def _by_key(campaign: Campaign, ignored: Sequence[str]) -> tuple[dict[str, Measured], int]:
    found: dict[str, Measured] = {}
    for s in campaign.points.values():
        found.setdefault(s.point.without(*ignored).key, s)
    return found, len(campaign.points) - len(found)


def _axes_that_differ(old: Campaign, new: Campaign) -> str:
    parts = []
    for axis in ("backend", "op", "type", "placement", "lanes", "affinity", "wait", "order"):
        a = {str(getattr(s.point, axis)) for s in old.points.values()}
        b = {str(getattr(s.point, axis)) for s in new.points.values()}
        if not a & b:
            hint = f", --across {axis} compares across it" if axis in axes else ""
            parts.append(
                f"{axis} differs ({', '.join(sorted(a)[:4])} against "
                f"{', '.join(sorted(b)[:4])}{hint})"
            )
    return "; ".join(parts) or "no single axis tells them apart"


def share_of_look(visits: int, arms: Arms) -> float:
    """The share of the chance of a false alarm that looking at so many visits may take.

    Undecided points are repeated until the number of repetitions is half as large again. Looking
    until something shows would raise false alarms: the first look takes half of the chance, each
    further one a tenth (docs/evidence/comparisons.md has why). All of it where there is one look only.
    """
    if visits <= max(arms.planned, 1):
        return 0.5 if arms.looks_again else 1.0
    return 0.1


def _obstacle(s: Measured, side: str) -> Fact | None:
    if s.status == "missing":
        return fact("no_visit", side=side)
    if s.status in ("not_resolved", "interferes") or (s.status in ("ok", "busy") and not s.usable):
        return fact("unresolved", side=side)
    return None if s.usable else fact("side_status", side=side, status=s.status, reason=s.reason)


def _candidate(arms: Arms, a: Measured, b: Measured) -> Candidate | Fact:
    """Returns the points to judge, or why they cannot be judged."""
    # A busy machine makes a repetition time out. The remaining repetitions count.
    a, b = (replace(s, status="ok") if s.status == "timeout" and s.cost else s for s in (a, b))
    for s, name in zip((a, b), arms.names, strict=True):
        if why := _obstacle(s, name):
            return why
    r = ratio(b, a)
    # GPUs have no vCPU placements, and a ratio uses all repetitions.
    if isinstance(r, Ratio) and r.visits >= enough_pairs and (r.paired or a.device is not None):
        visits = max([*a.by_visit, *b.by_visit])
        return Candidate(a, b, r, arms.threshold, share_of_look(visits, arms))
    return fact("few_pairs", count=paired_visits(a, b), least=enough_pairs)


def pairs_of_sides(file: ResultsFile, threshold: float | None = None) -> PairTable | None:
    """Compares side B with side A of a file of `syncmeter ab`, by its threshold or another one. Returns
    None for another file."""
    arms = arms_of(file.campaign, file.path)
    if arms is None:
        return None
    if threshold is not None:
        arms = replace(arms, threshold=threshold)
    refused = {point.key for point, *_ in file.refused}
    sides: dict[str, dict[str, Measured]] = defaultdict(dict)
    for s in campaign_of([file]).points.values():
        # Points with a common measurement make a single pair.
        if s.measured_as or s.point.key in refused or s.point.arm not in arms.names:
            continue
        sides[arms.common(s.point).key][s.point.arm] = s
    table = PairTable(arms.names, arms.threshold, "sides", arms=arms)
    table.only = (len(arms.only[0]), len(arms.only[1]))
    found, apart = [], []
    for by_side in sides.values():
        first = by_side.get(arms.names[0]) or by_side[arms.names[1]]
        point = first.point.without("arm")
        a, b = (by_side.get(name) or absent(point) for name in arms.names)
        candidate = _candidate(arms, a, b)
        if isinstance(candidate, Candidate):
            found.append(candidate)
            continue
        in_both = a.status != "missing" and hides_no_change(a, b)
        is_bad = is_broken(a, b) if a.status != "missing" else has_failed(b)
        apart.append(Pair(point, a, b, why=candidate, in_both=in_both, is_broken=is_bad))
    table.pairs = [*judged(found, arms.threshold), *apart]
    return table


def counterpart_key(p: Point) -> str:
    """Returns all axes that native and portable APIs have."""
    kind = "gpu" if p.on_gpu else "cpu"
    return f"{kind} {p.without('backend', 'flavour', 'scope', 'space').key}"


def pairs_of_backends(names: Sequence[str]) -> list[tuple[str, str]]:
    """Returns each backend behind the native backend for the same hardware."""
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
    """Returns each of `others` behind its native counterpart. Several native points may fit, because
    one API alone has a scope, a spelling or a memory. A point with a cost and the same value is the
    first choice, then device scope and plain spelling."""
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


def pairs_by_axis(
    what: str, files: list[ResultsFile], threshold: float = default_margin
) -> list[PairTable]:
    """Returns a table for each value of `what` except the reference.

    Repetitions in the same file are paired. Raises Unusable if all points have the same value, or no
    point has a counterpart.
    """
    campaigns = [campaign_of([f]) for f in files]
    machines = sorted({campaign.name for campaign in campaigns})
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
        found = pairs_of_points(pairs, (old, new), threshold, source="axis")
        found.only = (len(sides[old]) - len(common), len(sides[new]) - len(common))
        if len(machines) > 1 and what != "device":
            found.notes.append(fact("machines", names=machines))
        result.append(found)
    if not result:
        raise Unusable(
            f"not comparable: no point has a counterpart of another {what} ({', '.join(sides)})"
        )
    return result


def _pairs_of_sides(what: str, names: list[str]) -> list[tuple[str, str]]:
    """Returns each side behind the reference side."""
    if what == "backend":
        return pairs_of_backends(names)
    # Packed threads are the reference for all affinities.
    reference = "close" if what == "affinity" and "close" in names else names[0]
    return [(reference, name) for name in names if name != reference]
