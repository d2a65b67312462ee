"""Which points differ between two campaigns, or between the backends (devices, compilers,
affinities) of one: matched on every axis and on the placement state.

A difference is resolved when its 95 % interval lies beyond the threshold, and its probability under
"no more than the threshold" stays below 5 % after Holm's correction over all points compared; of two
campaigns whose points say what campaigns of one thing differ by, that under "no change". A point is
blind where the comparison could not have resolved a change of the size asked for: that nothing is
slower says nothing of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import log
from pathlib import Path
from typing import Any, ClassVar

from syncmeter_analysis.record.errors import Unusable
from syncmeter_analysis.record.machine import machine_of, object_of
from syncmeter_analysis.record.point import Point
from syncmeter_analysis.record.reader import ResultsFile
from syncmeter_analysis.relate import text
from syncmeter_analysis.relate.campaign import Campaign, campaign_of
from syncmeter_analysis.relate.group import once_each
from syncmeter_analysis.relate.relation import (
    Ratio,
    Verdict,
    default_margin,
    detectable,
    ratio,
    verdict,
)
from syncmeter_analysis.relate.scatter import ratios_of_campaigns
from syncmeter_analysis.relate.stats import holm
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.relate.text import percent
from syncmeter_analysis.relate.visit_pairs import kind_of

#: Adjusted probabilities below this are resolved.
alpha = 0.05

#: Between campaigns in a virtual machine contended points wander by up to 8 % (standard deviation) in
#: one placement state, which the visits of one campaign do not show: where there are too few of them
#: to say by how much, so much is no difference.
contended_threshold = 0.15

#: What a neighbour on its core adds to a lone lane at most: on 16 vCPUs of a busy host one program that
#: stayed for a campaign made lone lanes up to 1.5 times slower, while their visits agreed.
neighbour_threshold = 0.5

#: Less than this between campaigns is not worth a note.
_least_wander = 0.01

#: The change that every point is to show, as a share.
default_sees = 0.5

#: Axes that can be compared across, by the name of the option.
axes = ("affinity", "wait", "order", "home", "flavour", "scope", "space", "type", "backend")


@dataclass(frozen=True)
class Candidate:
    """Two points that have a ratio, to be judged with the others: a difference up to `margin` is none,
    and the judgement takes `share` of the chance of a false alarm, where it is one of several looks."""

    old: Measured
    new: Measured
    ratio: Ratio
    margin: float
    share: float = 1.0


@dataclass(frozen=True)
class Difference:
    """One pair of points: `ratio` new over old in their common state, with Holm's adjusted p, at
    `confidence`.

    `detectable` is the smallest change, as a ratio above 1, that would have been resolved here;
    infinite where nothing is known of the scatter.
    """

    old: Measured
    new: Measured
    ratio: Ratio
    p: float
    verdict: Verdict
    detectable: float
    confidence: float = 1 - alpha


@dataclass(frozen=True)
class Apart:
    """Two points that match and cannot be compared, with the reason. `in_both`: neither side has a
    cost, for one reason, which hides no change of it."""

    point: Point
    why: str
    in_both: bool = False


@dataclass
class Comparison:
    """All of it. `only` counts points of one side alone by side; `lost` are those of the old one that
    the new one was asked for too and lacks; `broken` are points that failed in the new one alone;
    `notes` are sentences. A change of `sees` is to be found: 0.5 for half as much again."""

    names: tuple[str, str]
    threshold: float
    sees: float = default_sees
    blind_is_fine: bool = False
    differences: list[Difference] = field(default_factory=list)
    apart: list[Apart] = field(default_factory=list)
    lost: list[Apart] = field(default_factory=list)
    broken: list[Point] = field(default_factory=list)
    only: tuple[int, int] = (0, 0)
    notes: list[str] = field(default_factory=list)

    #: What lets a blind point show more.
    cures: ClassVar[str] = "More visits (`run --visits`, `--resume`), quiet hours or `syncmeter ab`"

    @property
    def title(self) -> str:
        return f"{self.names[1]} against {self.names[0]}"

    @property
    def resolved(self) -> list[Difference]:
        """What changed, the largest change first."""
        changed = [d for d in self.differences if d.verdict in (Verdict.slower, Verdict.faster)]
        return sorted(changed, key=lambda d: -abs(log(d.ratio.value)))

    @property
    def slower(self) -> list[Difference]:
        return [d for d in self.resolved if d.verdict is Verdict.slower]

    @property
    def undecided(self) -> list[Difference]:
        """Neither changed nor the same: the widest first."""
        unknown = [d for d in self.differences if d.verdict is Verdict.cannot_tell]
        return sorted(unknown, key=lambda d: -d.detectable)

    @property
    def blind(self) -> list[Difference]:
        """Those that could not have shown the change asked for, the widest first."""
        return [d for d in self.undecided if d.detectable > 1 + self.sees]

    @property
    def blind_apart(self) -> list[Apart]:
        """What could not be compared, to be named with the blind points."""
        return [a for a in self.apart if a.point not in self.broken]

    @property
    def status(self) -> int:
        """Exit status: 0 nothing slower and no point blind, 1 something slower or broken, 2 nothing
        comparable, 3 nothing slower among the points that are not blind."""
        if self.broken:
            return 1
        if not self.differences:
            return 2
        if self.slower:
            return 1
        return 3 if self.hides_changes and not self.blind_is_fine else 0

    @property
    def hides_changes(self) -> bool:
        """A change of the size asked for may have been missed at some point."""
        return bool(self.blind or self.lost) or any(not a.in_both for a in self.apart)


def short_names(paths: Sequence[str]) -> list[str]:
    """Files without their folders, where that tells them apart."""
    names = [Path(path).name for path in paths]
    return names if len(set(names)) == len(set(paths)) else list(paths)


def _why_apart(old: Measured, new: Measured, names: tuple[str, str]) -> str:
    for s, name in zip((old, new), names, strict=True):
        if not s.usable:
            reason = f" ({s.reason})" if s.reason else ""
            status = "no cost above 0" if s.status in ("ok", "busy") else s.status
            return f"{status} in {name}{reason}"
    why = f"no placement state in common: {old.state} in {names[0]}, {new.state} in {names[1]}"
    if min(old.hop_ns, new.hop_ns) <= 0 or old.state.busy != new.state.busy:
        return why
    return f"{why}; --across hop compares costs in hops"


def has_failed(s: Measured) -> bool:
    """It gave a wrong result, or never ended."""
    return s.status == "failed" or (s.status == "timeout" and s.cost is None)


def is_broken(old: Measured, new: Measured) -> bool:
    """The new one failed where the old one could be measured. A point at the limit of its time is
    `too_slow` in one campaign and a `timeout` in the next."""
    measured = old.usable or old.status in ("ok", "busy", "not_resolved", "interferes")
    return has_failed(new) and measured


def hides_no_change(old: Measured, new: Measured) -> bool:
    """Neither side has a cost, for one reason, which is the point's; noise is the machine's."""
    return not (old.usable or new.usable) and old.status == new.status != "noisy"


def _queued_otherwise(old: Measured, new: Measured) -> bool:
    """A round that waits in a GPU's queue costs something else than one that the host waits for."""
    return old.usable and new.usable and old.rounds_at_once != new.rounds_at_once


def _why_queued(old: Measured, new: Measured, names: tuple[str, str]) -> str:
    how = (
        f"up to {s.rounds_at_once} rounds in a queue in {name}"
        if s.rounds_at_once > 1
        else f"one by one in {name}"
        for s, name in zip((old, new), names, strict=True)
    )
    return f"samples of the GPU were taken otherwise: {', '.join(how)}"


def compare_points(
    pairs: Sequence[tuple[Measured, Measured]],
    names: tuple[str, str],
    threshold: float,
    in_cycles: bool = False,
    per_hop: bool = False,
) -> Comparison:
    """Compares each pair (old, new), with one Holm correction over all of them.

    Points that share their measurements on both sides are one comparison, made at the first. Of two
    campaigns lanes may be compared in cycles, and, where they met in different placements, in hops.
    """
    result = Comparison(names, threshold)
    once = {(old.measured_at, new.measured_at): (old, new) for old, new in reversed(pairs)}
    for key, (old, new) in list(reversed(once.items())):
        if _queued_otherwise(old, new):
            result.apart.append(Apart(new.point, _why_queued(old, new, names)))
            del once[key]
    several = [pair for pair in reversed(once.values()) if pair[0].source != pair[1].source]
    apart = iter(ratios_of_campaigns(several, in_cycles, per_hop))
    found: list[Candidate] = []
    contended = clocked = in_hops = beside = 0
    for old, new in reversed(once.values()):
        r = next(apart) if old.source != new.source else ratio(new, old)
        if isinstance(r, Ratio):
            wanders = _wanders(r, old, new)
            contended += wanders
            clocked += r.in_cycles
            in_hops += per_hop and r.state is None and min(old.hop_ns, new.hop_ns) > 0
            margin = max(threshold, contended_threshold) if wanders else threshold
            if r.beside_neighbour:
                beside, margin = beside + 1, max(margin, neighbour_threshold)
            found.append(Candidate(old, new, r, margin))
        elif not hides_no_change(old, new):
            result.apart.append(Apart(new.point, _why_apart(old, new, names)))
            if is_broken(old, new):
                result.broken.append(new.point)
    if contended and threshold < contended_threshold:
        result.notes.append(
            f"{contended} points that were contended in a virtual machine, or beside a neighbour "
            f"on the core, vary between campaigns: for these, differences up to "
            f"{percent(contended_threshold)} count as none"
        )
    if beside and threshold < neighbour_threshold:
        result.notes.append(
            f"{text.count(beside, 'point')} of one thread shared the core with another program in "
            "nearly all visits of a campaign: for these, differences up to "
            f"{percent(neighbour_threshold)} count as none; `syncmeter ab` or another hour tells"
        )
    if wander := _wander_text(found):
        result.notes.append(wander)
    if clocked:
        result.notes.append(
            f"{clocked} points of CPU lanes are compared in cycles: another clock is no change of "
            "theirs"
        )
    if in_hops:
        result.notes.append(
            f"{in_hops} points met in different placements and are compared in hops: the cost over "
            "the time that a cell takes from lane to lane"
        )
    result.differences = judged(found, threshold)
    return result


def _wander_text(found: Sequence[Candidate]) -> str:
    """What the two campaigns differ by beyond their visits, by kind of points: a sentence, or ''."""
    most: dict[str, float] = {}
    for c in found:
        kind, wander = kind_of(c.new), c.ratio.wander or 0.0
        if wander > _least_wander:
            most[kind] = max(wander, most.get(kind, 0.0))
    kinds = ", ".join(f"{kind} {percent(wander, 1)}" for kind, wander in most.items())
    return kinds and (
        f"beyond what their visits say the two campaigns differ by (standard deviation): {kinds}; "
        "so much counts as scatter"
    )


def _wanders(r: Ratio, old: Measured, new: Measured) -> bool:
    """Lanes that meet where a pair probe runs, which is under a hypervisor; and lanes of which one
    shared its core, in each campaign with another neighbour."""
    if r.paired or new.on_gpu or r.wander is not None or new.point.lanes == 1:
        return False
    return (old.hop_ns > 0 and new.hop_ns > 0) or old.state.busy or new.state.busy


def judged(found: Sequence[Candidate], threshold: float) -> list[Difference]:
    """What each ratio says, by its interval and by Holm's correction over all of them; the same within
    the threshold, or within 1 % where none was allowed."""
    adjusted = holm([min(1.0, c.ratio.p(c.margin) / c.share) for c in found])
    differences = []
    for c, p in zip(found, adjusted, strict=True):
        confidence = 1 - alpha * c.share
        r = c.ratio if c.share == 1 else replace(c.ratio, interval=c.ratio.at(confidence))
        judgement = verdict(r, c.margin)
        changed = judgement in (Verdict.slower, Verdict.faster)
        if not changed or p >= alpha:
            same = not changed and verdict(r, max(threshold, 0.01)) is Verdict.same
            judgement = Verdict.same if same else Verdict.cannot_tell
        least = detectable(r, c.margin, round(len(found) / c.share))
        differences.append(Difference(c.old, c.new, r, p, judgement, least, confidence))
    return differences


def _environment(files: Sequence[ResultsFile]) -> dict[str, str]:
    campaign = files[0].campaign
    m = machine_of(campaign)

    def of_builds(member: str) -> str:
        return ", ".join(sorted({str(build.get(member)) for f in files for build in f.builds}))

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


def _machines_differ(old: Campaign, new: Campaign) -> list[str]:
    a, b = old.machine, new.machine
    differ = [
        f"{what} ({before or 'unknown'} against {after or 'unknown'})"
        for what, before, after in (
            ("CPU", a.cpu, b.cpu),
            ("PUs", a.pus, b.pus),
            ("architecture", a.architecture, b.architecture),
        )
        if before != after
    ]
    gpus = dict(b.gpus)
    others = ((name, gpus[backend]) for backend, name in a.gpus if backend in gpus)
    return differ + [f"GPU ({ours} against {other})" for ours, other in others if ours != other]


def compare_campaigns(
    old_files: list[ResultsFile],
    new_files: list[ResultsFile],
    threshold: float = default_margin,
    across: Sequence[str] = (),
) -> Comparison:
    """OLD against NEW. `across` names axes that may differ (or `machine`, or `hop`).

    Raises Unusable, saying what differs, where the machines are not the same kind or no point is in
    both campaigns.
    """
    old, new = campaign_of(old_files), campaign_of(new_files)
    old_name, new_name = short_names([old_files[0].path, new_files[0].path])
    names = old_name, new_name
    machines = _machines_differ(old, new)
    if machines and "machine" not in across:
        raise Unusable(
            f"not comparable: {names[0]} and {names[1]} are of different machines: "
            f"{'; '.join(machines)} (--across machine compares them anyway)"
        )
    ignored = [axis for axis in across if axis in axes]
    before, twice_before = _by_key(old, ignored)
    after, twice_after = _by_key(new, ignored)
    common = [key for key in after if key in before]
    if not common:
        raise Unusable(f"not comparable: no point is in both files; {_axes_that_differ(old, new)}")
    points = [(before[k], after[k]) for k in common]
    result = compare_points(points, names, threshold, "machine" not in across, "hop" in across)
    result.only = (len(before) - len(common), len(after) - len(common))
    environments = _environment(old_files), _environment(new_files)
    asked = _asked_for(old_files)
    if "machine" not in across and asked and asked == _asked_for(new_files):
        gone = _lost(before, after, new_files)
        versions = [about["version"] or "unknown" for about in environments]
        if versions[0] == versions[1]:
            result.lost = [Apart(s.point, f"not in {new_name}") for s in gone]
        elif gone:
            result.notes.append(
                f"{text.count(len(gone), 'point')} with a cost in {old_name} (syncmeter {versions[0]}) "
                f"{'is' if len(gone) == 1 else 'are'} not in {new_name} (syncmeter {versions[1]}), "
                "which was asked for the same: another version may have other points"
            )
    for what, was in environments[0].items():
        if was != environments[1][what]:
            result.notes.append(
                f"the {what} differs: {was or 'unknown'} -> {environments[1][what] or 'unknown'}"
            )
    if twice_before + twice_after:
        result.notes.append(
            f"{twice_before + twice_after} points differ from another point of the same file in "
            f"{', '.join(ignored)} only; the first of them is compared"
        )
    result.notes += machines + old.notes + new.notes
    return result


def _asked_for(files: Sequence[ResultsFile]) -> list[dict[str, Any]] | None:
    """The options that choose points: the study, those with a list of values, in whatever order, and
    two that add points; None where a file does not say its study, as old and imported ones."""
    every = [object_of(file.campaign, "options") for file in files]
    if not all(of.get("study") for of in every):
        return None
    alone = ("study", "oversubscribe", "waves")
    return [
        {
            name: sorted(map(str, value)) if isinstance(value, list) else value
            for name, value in of.items()
            if value and (name in alone or isinstance(value, list))
        }
        for of in every
    ]


def _lost(
    before: dict[str, Measured], after: dict[str, Measured], new_files: Sequence[ResultsFile]
) -> list[Measured]:
    """What has a cost in the old campaign alone, once for each measurement. Of pairs of PUs beyond a
    sample a campaign measures as many as its time lasts for, which ones is chance."""
    by_time = any(f.ends and f.ends[-1].get("reason") == "budget" for f in new_files)
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
