"""The machine in one line."""

from __future__ import annotations

import re

from syncmeter_analysis.record.machine import object_of
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.voice.words import no_break, say


def machine_of(campaign: Campaign) -> str:
    """`Intel Xeon, 2 CPUs (KVM guest), Debian 12, GNU 12.2`: what costs depend on."""
    m = campaign.machine
    gpus = sorted({name for _, name in m.gpus})
    cpu = _short_cpu(m.cpu) or say("machine.unknown")
    named = ", ".join([*gpus, cpu, *([say("machine.cpus", count=m.pus)] if m.pus else [])])
    if m.hypervisor:
        kind = m.virtualization
        name = "machine.guest" if kind else "machine.unknown_guest"
        named = say(name, machine=named, kind=kind.upper())
    if m.imported:
        named = say("machine.imported", machine=named, source=m.imported)
    return ", ".join(filter(None, [named, _system_of(campaign), *_compilers_of(campaign)]))


def _short_cpu(cpu: str) -> str:
    """Shortens `Intel(R) Xeon(R) Processor` to `Intel Xeon`."""
    return " ".join(re.sub(r"\((?:R|TM|r|tm)\)|\bProcessor\b", " ", cpu).split())


def _system_of(campaign: Campaign) -> str:
    """Shortens `Debian GNU/Linux 12 (bookworm)` to `Debian 12`."""
    about = object_of(campaign.files[0].campaign, "machine")
    system = str(about.get("os") or about.get("kernel") or "")
    return _short(re.sub(r"GNU/Linux|\([^()]*\)|\bLTS\b", " ", system))


def _compilers_of(campaign: Campaign) -> list[str]:
    """Returns each compiler once, as in `GNU 12.2`."""
    builds = (build for file in campaign.files for build in file.builds)
    names = {str(build["compiler"]) for build in builds if build.get("compiler")}
    return sorted(map(_short, names))


def _short(version: str) -> str:
    """Shortens `GNU 12.2.0` to `GNU 12.2`."""
    return no_break.join(re.sub(r"(\d+\.\d+)(?:\.\d+)+", r"\1", version).split())
