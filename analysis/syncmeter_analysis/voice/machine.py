"""The machine in one line."""

from __future__ import annotations

from syncmeter_analysis.record.machine import Machine
from syncmeter_analysis.voice.words import say


def machine_of(m: Machine) -> str:
    """`Intel(R) Xeon(R) Processor, 2 CPUs (virtual machine: kvm)`."""
    cpu = m.cpu or say("machine.unknown")
    cpus = say("machine.cpus", count=m.pus) if m.pus else ""
    guest = say("machine.guest", kind=m.virtualization or say("machine.unknown_guest"))
    named = ", ".join(filter(None, [cpu, cpus]))
    return f"{named} ({guest})" if m.hypervisor else named
