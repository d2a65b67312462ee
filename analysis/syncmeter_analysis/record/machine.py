"""The machine that a results file names in its first line."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any


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
            parts.append(f"{self.pus} CPUs")
        names = sorted({name for _, name in self.gpus})
        return ", ".join(parts + names) + (f" (imported: {self.imported})" if self.imported else "")


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _gpu_name(gpu: dict[str, Any] | str) -> str:
    """A GPU's name: the driver writes it with the UUID behind, as "NVIDIA H200 (GPU-...)"."""
    if isinstance(gpu, dict):
        return str(gpu.get("name") or "GPU")
    return re.sub(r" \((?:GPU|MIG)-[^()]*\)$", "", gpu) or "GPU"


def machine_of(campaign: dict[str, Any]) -> Machine:
    """The machine of a campaign line; a member that is missing or of a wrong type is unknown."""
    found, gpus = object_of(campaign, "machine"), object_of(campaign, "gpus")
    imported = campaign.get("imported")
    quota = campaign.get("quota_cpus")
    names = {n: _gpu_name(gpu) for n, gpu in gpus.items() if isinstance(gpu, (dict, str))}
    counts = ("packages", "cores", "pus", "line_bytes")
    members: dict[str, Any] = {name: _whole(found.get(name)) for name in counts}
    for name in ("host", "architecture", "virtualization"):
        members[name] = str(found.get(name) or "")
    return Machine(
        cpu=str(found.get("cpu_model") or ""),
        smt=found["smt"] if isinstance(found.get("smt"), bool) else None,
        hypervisor=found.get("hypervisor") is True,
        governor=str(found.get("governor") or "unknown"),
        turbo=str(found.get("turbo") or "unknown"),
        quota_cpus=float(quota) if isinstance(quota, (int, float)) else None,
        gpus=tuple(sorted((str(backend), name) for backend, name in names.items())),
        imported=str(imported.get("from") or "elsewhere") if isinstance(imported, dict) else "",
        **members,
    )


def object_of(line: dict[str, Any], member: str) -> dict[str, Any]:
    """What a member of a campaign line holds; empty where it is no object."""
    value = line.get(member)
    return value if isinstance(value, dict) else {}


def same_machine(a: Machine, b: Machine) -> bool:
    """CPU, PUs and host agree, and where both name a backend's GPU, the GPU."""
    gpus_a, gpus_b = dict(a.gpus), dict(b.gpus)
    return (a.cpu, a.host, a.pus, a.imported) == (b.cpu, b.host, b.pus, b.imported) and all(
        gpus_a[k] == gpus_b[k] for k in gpus_a.keys() & gpus_b.keys()
    )
