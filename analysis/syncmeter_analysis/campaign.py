"""Campaigns of one machine, summarized: what everything but the reader works on."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from syncmeter_analysis.errors import Unusable, quoted
from syncmeter_analysis.reader import ResultsFile, read_results
from syncmeter_analysis.states import StateClasses
from syncmeter_analysis.summary import Measured, summarize
from syncmeter_analysis.visit import Visit


@dataclass(frozen=True)
class Machine:
    """What stands in the campaign's first line of the machine; None where it does not say."""

    cpu: str
    host: str
    architecture: str
    packages: int | None
    cores: int | None
    pus: int | None
    smt: bool | None
    numa_nodes: int | None
    line_bytes: int | None
    hypervisor: bool
    virtualization: str
    governor: str
    turbo: str
    quota_cpus: float | None
    gpus: tuple[tuple[str, str], ...]
    imported: str

    @property
    def name(self) -> str:
        """The machine in a few words, without its host name."""
        parts = [self.cpu or "unknown CPU"]
        if self.pus:
            parts.append(f"{self.pus} PUs")
        names = sorted({name for _, name in self.gpus})
        return ", ".join(parts + names) + (f" (imported: {self.imported})" if self.imported else "")


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _gpu_name(gpu: dict[str, Any] | str) -> str:
    """A GPU's name: the driver writes it with the UUID behind, as "NVIDIA H200 (GPU-...)"."""
    if isinstance(gpu, dict):
        return str(gpu.get("name") or "GPU")
    return re.sub(r" \((?:GPU|MIG)-[^)]*\)$", "", gpu) or "GPU"


def machine_of(campaign: dict[str, Any]) -> Machine:
    """The machine of a campaign line; a member that is missing or of a wrong type is unknown."""
    found = campaign.get("machine")
    m: dict[str, Any] = found if isinstance(found, dict) else {}
    gpus = campaign.get("gpus")
    names = (
        tuple(
            sorted(
                (str(backend), _gpu_name(gpu))
                for backend, gpu in gpus.items()
                if isinstance(gpu, (dict, str))
            )
        )
        if isinstance(gpus, dict)
        else ()
    )
    quota = campaign.get("quota_cpus")
    imported = campaign.get("imported")
    return Machine(
        cpu=str(m.get("cpu_model") or ""),
        host=str(m.get("host") or ""),
        architecture=str(m.get("architecture") or ""),
        packages=_whole(m.get("packages")),
        cores=_whole(m.get("cores")),
        pus=_whole(m.get("pus")),
        smt=m["smt"] if isinstance(m.get("smt"), bool) else None,
        numa_nodes=_whole(m.get("numa_nodes")),
        line_bytes=_whole(m.get("line_bytes")),
        hypervisor=m.get("hypervisor") is True,
        virtualization=str(m.get("virtualization") or ""),
        governor=str(m.get("governor") or "unknown"),
        turbo=str(m.get("turbo") or "unknown"),
        quota_cpus=float(quota) if isinstance(quota, (int, float)) else None,
        gpus=names,
        imported=str(imported.get("from") or "elsewhere") if isinstance(imported, dict) else "",
    )


@dataclass
class Conduct:
    """How the measuring went, over all visits: rounds, drops by reason, states, stolen time."""

    visits: int = 0
    rounds_taken: int = 0
    rounds_kept: int = 0
    drops: Counter[str] = field(default_factory=Counter)
    rounds_by_state: Counter[tuple[int, bool]] = field(default_factory=Counter)
    stolen_ns: float = 0.0


@dataclass
class Campaign:
    """One or more results files of one machine. `points` by key, in the order of their files."""

    files: list[ResultsFile]
    machine: Machine
    points: dict[str, Measured]
    conduct: Conduct
    several_states: bool
    notes: list[str]

    @property
    def name(self) -> str:
        return self.machine.name

    @property
    def measured(self) -> list[Measured]:
        """Points with a cost to compare, each measurement and each that shares one."""
        return [s for s in self.points.values() if s.usable]

    def by_id(self) -> dict[str, Measured]:
        return {s.id: s for s in self.points.values()}


def _watch(conduct: Conduct, visits: Iterable[Visit], classes: StateClasses) -> None:
    for visit in visits:
        conduct.visits += 1
        conduct.rounds_taken += visit.rounds_taken
        conduct.rounds_kept += visit.rounds_kept
        conduct.drops.update(visit.drops)
        conduct.stolen_ns += visit.stolen_ns
        for e in visit.estimates:
            conduct.rounds_by_state[classes.of(e, visit.point.lanes), e.busy] += e.rounds


def _points_of(file: ResultsFile, classes: StateClasses) -> dict[str, Measured]:
    visits: dict[str, list[Visit]] = defaultdict(list)
    for visit in file.visits.values():
        visits[visit.point.key].append(visit)
    found = {}
    for key, of_point in visits.items():
        of_point.sort(key=lambda v: v.number)
        found[key] = summarize(of_point, classes)
    for point, measured_as, _ in file.same:
        if measured_as.key in found and point.key not in found:
            found[point.key] = replace(
                found[measured_as.key], point=point, measured_as=measured_as.key
            )
    for point, status, reason in file.refused:
        found.setdefault(point.key, Measured(point, status, reason))
    return found


def _rank(s: Measured) -> tuple[bool, int]:
    return s.usable, s.visits


def same_machine(a: Machine, b: Machine) -> bool:
    """CPU, PUs and host agree, and where both name a backend's GPU, the GPU."""
    gpus_a, gpus_b = dict(a.gpus), dict(b.gpus)
    return (a.cpu, a.host, a.pus, a.imported) == (b.cpu, b.host, b.pus, b.imported) and all(
        gpus_a[k] == gpus_b[k] for k in gpus_a.keys() & gpus_b.keys()
    )


def campaign_of(files: list[ResultsFile], classes: StateClasses | None = None) -> Campaign:
    """The files of one machine as one campaign; of a point in several, the one with more visits.

    `classes` tells placement states apart, where they must mean the same as in other campaigns;
    without it each file has its own. Raises Unusable where the files are of different machines.
    """
    machine = machine_of(files[0].campaign)
    points: dict[str, Measured] = {}
    conduct, several, notes, twice = Conduct(), False, [], 0
    for file in files:
        other = machine_of(file.campaign)
        if not same_machine(machine, other):
            raise Unusable(
                f"{files[0].path} is of {quoted(machine.name)} on host {quoted(machine.host)} and "
                f"{file.path} of {quoted(other.name)} on host {quoted(other.host)}: one report is "
                "about one machine; make one of each, or use `claims` or `compare` on both"
            )
        machine = replace(
            machine, gpus=tuple(sorted({**dict(machine.gpus), **dict(other.gpus)}.items()))
        )
        in_file = classes or StateClasses(file.visits.values())
        several = several or in_file.several()
        found = _points_of(file, in_file)
        twice += len(found.keys() & points.keys())
        for key, s in found.items():
            if key not in points or _rank(s) >= _rank(points[key]):
                points[key] = s
        _watch(conduct, file.visits.values(), in_file)
        prefix = f"{file.path}: " if len(files) > 1 else ""
        notes += [prefix + note for note in file.notes]
    if twice:
        notes.append(f"{twice} points are in several of the files; the one with more visits counts")
    return Campaign(files, machine, points, conduct, several, notes)


def read_campaign(paths: list[str]) -> Campaign:
    """Reads the files and makes them one campaign. Raises Unusable as reader and campaign_of do."""
    return campaign_of([read_results(path) for path in paths])
