"""Campaigns of one machine, summarized: what everything but the reader works on."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from statistics import median

from syncmeter_analysis.record.errors import Unusable, quoted
from syncmeter_analysis.record.machine import Machine, machine_of, object_of, same_machine
from syncmeter_analysis.record.reader import ResultsFile, read_results
from syncmeter_analysis.record.visit import Visit
from syncmeter_analysis.relate.group import grouped
from syncmeter_analysis.relate.summary import Measured, measured_from


@dataclass
class Conduct:
    """How the measuring went, over all visits: rounds, drops by reason, stolen time, and rounds by
    file, class of placement states in it, and busy or quiet. A noisy visit lost most of its rounds."""

    visits: int = 0
    noisy_visits: int = 0
    rounds_taken: int = 0
    rounds_kept: int = 0
    drops: Counter[str] = field(default_factory=Counter)
    rounds_by_state: Counter[tuple[str, int, bool]] = field(default_factory=Counter)
    stolen_ns: float = 0.0

    @property
    def busy_share(self) -> float | None:
        """Returns the disturbed share, or None without rounds."""
        rounds = self.rounds_by_state
        busy = sum(n for (_, _, is_busy), n in rounds.items() if is_busy)
        return busy / rounds.total() if rounds.total() else None


@dataclass(eq=False)
class Campaign:
    """One or more results files of one machine. `points` by key, in the order of their files;
    `by_file` those of each file, for what must not mix them."""

    files: list[ResultsFile]
    machine: Machine
    points: dict[str, Measured]
    conduct: Conduct
    by_file: list[list[Measured]]
    notes: list[str]

    @property
    def name(self) -> str:
        return self.machine.name

    @property
    def measured(self) -> list[Measured]:
        """Points with a cost to compare, each measurement and each that shares one."""
        return [s for s in self.points.values() if s.usable]

    @cached_property
    def visits(self) -> dict[tuple[str, str], list[Visit]]:
        """The visits behind each measurement (`Measured.measured_at`), in the order of its file."""
        found: dict[tuple[str, str], list[Visit]] = defaultdict(list)
        for file in self.files:
            for visit in file.visits.values():
                found[file.path, visit.point.key].append(visit)
        return found

    def remarks(self, s: Measured, name: str) -> list[float]:
        """What the visits behind a point remark by this name, of those that do."""
        visits = self.visits.get(s.measured_at, [])
        return [float(v.remarks[name]) for v in visits if name in v.remarks]

    def parts(self) -> list[tuple[ResultsFile, list[Measured], str]]:
        """Each file with its points and, where there are several, its name: files have their own drift
        and are not mixed in a table."""
        return [
            (file, points, file.path if len(self.files) > 1 else "")
            for file, points in zip(self.files, self.by_file, strict=True)
        ]

    def asked(self, study: str) -> list[ResultsFile]:
        """The files whose campaigns were asked for this study."""
        return [file for file in self.files if study_of(file) == study]

    def left_out(self, study: str) -> list[str]:
        """What the study says it leaves out, of the campaigns that were asked for it; once each."""
        texts = [file.campaign.get("left_out") for file in self.asked(study)]
        return list(dict.fromkeys(text for text in texts if isinstance(text, str) and text))


def study_of(file: ResultsFile) -> str:
    """The study that the campaign of a file was asked for; '' where the file does not say."""
    name = object_of(file.campaign, "options").get("study")
    return name if isinstance(name, str) else ""


def _count_rounds(conduct: Conduct, file: ResultsFile, points: Iterable[Measured]) -> None:
    conduct.visits += len(file.visits)
    for visit in file.visits.values():
        conduct.noisy_visits += visit.status == "noisy"
        conduct.rounds_taken += visit.rounds_taken
        conduct.rounds_kept += visit.rounds_kept
        conduct.stolen_ns += visit.stolen_ns
        for why, rounds in visit.drops.items():
            conduct.drops[why] += rounds
    for s in points:
        if s.measured_as:  # it shares a measurement, and has no rounds of its own
            continue
        for state, rounds in s.states.items():
            conduct.rounds_by_state[file.path, state.number, state.busy] += rounds


def _points_of(file: ResultsFile) -> dict[str, Measured]:
    file.estimate()
    visits = grouped(file.visits.values(), lambda visit: visit.point.key)
    is_virtual = machine_of(file.campaign).hypervisor
    found: dict[str, Measured] = {}
    for key, (point, line) in file.estimates.items():
        own = visits.get(key, [])
        checked = [visit for visit in own if visit.census is not None]
        first = min(checked, key=lambda visit: visit.number, default=None)
        s = found[key] = measured_from(point, line, file.path, first.census if first else None)
        s.on_hypervisor = is_virtual and not s.on_gpu
        for visit in own:
            if cycles := _cycles_by_state(s, visit):
                s.cycles_by_visit.append((cycles, visit.slowest_over_fastest))
            if visit.p999_wait_ns:
                s.p999_wait_by_visit[visit.number] = visit.p999_wait_ns
    _set_hops_of_teams(found.values())
    for point, measured_as, _ in file.same:
        if measured_as.key in found and point.key not in found:
            found[point.key] = found[measured_as.key].standing_for(point)
    for point, status, reason in file.refused:
        found.setdefault(point.key, Measured(point, status, reason))
    return found


def _set_hops_of_teams(points: Iterable[Measured]) -> None:
    every = (each for s in points for each in (s, *s.other_states) if each.hop_ns > 0)
    teams = grouped(every, lambda each: (each.state.number, each.point.lanes))
    for alike in teams.values():
        hop_ns = median(each.hop_ns for each in alike)
        for each in alike:
            each.team_hop_ns = hop_ns


def _cycles_by_state(s: Measured, visit: Visit) -> dict[tuple[int, bool], float]:
    """The visit's costs in cycles by class of placement states and busy or not: the class that the
    estimate of the point gives them, as a placement may come that the start-up probe did not see."""
    found = {}
    for state, (cost_ns, _) in s.by_visit.get(visit.number, {}).items():
        for ns, cycles in visit.cycles.items():
            # Both are written with seven digits.
            if math.isclose(ns, cost_ns, rel_tol=1e-6):
                found[state.number, state.busy] = cycles
    return found


def campaign_of(files: list[ResultsFile]) -> Campaign:
    """The files of one machine as one campaign; of a point in several, the one with more visits.

    Raises Unusable where the files are of different machines.
    """
    machine = machine_of(files[0].campaign)
    points: dict[str, Measured] = {}
    by_file: list[list[Measured]] = []
    conduct, notes, twice = Conduct(), [], 0
    for file in files:
        other = machine_of(file.campaign)
        if not same_machine(machine, other):
            raise Unusable(
                f"{files[0].path} is of {quoted(machine.name)} on host {quoted(machine.host)} and "
                f"{file.path} of {quoted(other.name)} on host {quoted(other.host)}: a report is "
                f"about one machine; make one for each, or use `claims` or `compare` on both"
            )
        machine = replace(
            machine, gpus=tuple(sorted({**dict(machine.gpus), **dict(other.gpus)}.items()))
        )
        found = _points_of(file)
        by_file.append(list(found.values()))
        twice += len(found.keys() & points.keys())
        for key, s in found.items():
            points[key] = max(s, points.get(key, s), key=lambda s: (s.usable, s.visits))
        _count_rounds(conduct, file, by_file[-1])
        prefix = f"{file.path}: " if len(files) > 1 else ""
        notes += [prefix + note for note in file.notes]
    if twice:
        notes.append(
            f"{twice} points are in several of the files; of each, the one with more visits is used"
        )
    return Campaign(files, machine, points, conduct, by_file, notes)


def read_campaign(paths: list[str]) -> Campaign:
    """Reads the files and makes them one campaign. Raises Unusable as reader and campaign_of do."""
    return campaign_of([read_results(path) for path in paths])


def parts_by_arm(campaign: Campaign) -> Iterator[tuple[str, Campaign]]:
    """Yields the name and the points for each side in a file from `syncmeter ab`. Another file has one
    part, named ''."""
    names = list(dict.fromkeys(s.point.arm for s in campaign.points.values()))
    if len(names) < 2:
        yield "", campaign
        return
    for name in names:
        points = {k: s for k, s in campaign.points.items() if s.point.arm == name}
        by_file = [[s for s in of if s.point.arm == name] for of in campaign.by_file]
        yield name, replace(campaign, points=points, by_file=by_file)
