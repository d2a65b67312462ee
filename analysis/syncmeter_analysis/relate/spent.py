"""What the sites of a program take of its time, for synchronization and else."""

from __future__ import annotations

from dataclasses import dataclass

from syncmeter_analysis.record.advice_file import AdviceFile
from syncmeter_analysis.record.members import Members
from syncmeter_analysis.record.tables import waits_of_calls


@dataclass(frozen=True, slots=True)
class Spent:
    """Seconds on one thread's path: waiting for the last thread, the primitive itself where threads
    meet, the calls that take locks, fetch chunks of loops or wait for another thread's work in OpenMP,
    going on after a signal, the work under locks, of chunks and of kernels of Kokkos, waiting for a
    signal or in other calls, such as join, and the calls that give a GPU work or wait for it."""

    late: float = 0.0
    after: float = 0.0
    calls: float = 0.0
    woken: float = 0.0
    work: float = 0.0
    idle: float = 0.0
    gpu: float = 0.0

    @property
    def in_all(self) -> float:
        """Synchronization: work under a lock or of a chunk is none, nor a thread that has none."""
        return self.late + self.then

    @property
    def then(self) -> float:
        """All but waiting for the last thread."""
        return self.after + self.calls + self.woken + self.gpu

    @property
    def with_all(self) -> float:
        """All that is drawn."""
        return self.in_all + self.work + self.idle


# What the whole call is, by what is timed of it; else its thread is idle.
_parts = {"calls": "calls", "launch": "gpu", "gpu": "gpu", "work": "work"}


def spent_at(site: Members) -> Spent | None:
    """None where its times are not those of the program."""
    if (takes := site.get("takes_s")) is None:
        return None
    late, after, call, held, work = (
        takes.get(name) or 0.0 for name in ("lateness", "mechanism", "call", "held", "work")
    )
    if takes.get("call") is not None and not takes.keys() & {"held", "work"}:
        waits = waits_of_calls.get(site["kind"], "")
        return Spent(**{_parts.get(waits, "idle"): call})
    if site["kind"] == "cond_wait":
        return Spent(woken=after, idle=late)
    return Spent(late, after, call, work=held + work)


def spent_in(file: AdviceFile) -> Spent | None:
    """Over all sites; None where no site's time is known."""
    found = [spent for site in file.call_sites if (spent := spent_at(site))]
    if not found:
        return None
    return Spent(*(sum(getattr(s, part) for s in found) for part in Spent.__slots__))
