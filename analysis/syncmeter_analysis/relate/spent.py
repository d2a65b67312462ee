"""What the sites of a program take of its time, for synchronization and else."""

from __future__ import annotations

from dataclasses import dataclass

from syncmeter_analysis.record.advice_file import AdviceFile
from syncmeter_analysis.record.members import Members


@dataclass(frozen=True, slots=True)
class Spent:
    """Seconds on one thread's path: waiting for the last thread, the primitive itself where threads
    meet, the calls that take locks, fetch chunks of loops or wait for another thread's work in OpenMP,
    going on after a signal, the work under locks, of chunks and of kernels of Kokkos, waiting for a
    signal or in other calls, such as join, and the calls that give a GPU work or wait for it."""

    late: float
    after: float
    calls: float
    woken: float
    work: float
    idle: float
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


_calls_of_cuda = {
    "kernel_launch",
    "graph_launch",
    "device_sync",
    "stream_sync",
    "event_sync",
    "blocking_copy",
}
# Others that the driver counts as synchronization, though only the whole call is timed.
_calls = {"create", "doacross", "ordered", "taskwait", "yield"}

# Whose time is that of their work.
_kernels_of_kokkos = {"kokkos_for", "kokkos_reduce", "kokkos_scan"}


def spent_at(site: Members) -> Spent | None:
    """None where its times are not those of the program."""
    if (takes := site.get("takes_s")) is None:
        return None
    late, after, locking, section = (
        takes.get(name) or 0.0 for name in ("lateness", "mechanism", "wait", "section")
    )
    if takes.get("wait") is not None and takes.get("section") is None:
        if site["kind"] in _calls_of_cuda:
            return Spent(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, locking)
        if site["kind"] in _calls:
            return Spent(0.0, 0.0, locking, 0.0, 0.0, 0.0)
        if site["kind"] in _kernels_of_kokkos:
            return Spent(0.0, 0.0, 0.0, 0.0, locking, 0.0)
        return Spent(0.0, 0.0, 0.0, 0.0, 0.0, locking)
    work = max(0.0, section - locking)
    if site["kind"] == "cond_wait":
        return Spent(0.0, 0.0, 0.0, after, 0.0, late)
    return Spent(late, after, locking, 0.0, work, 0.0)


def spent_in(file: AdviceFile) -> Spent | None:
    """Over all sites; None where no site's time is known."""
    found = [spent for site in file.sites if (spent := spent_at(site))]
    if not found:
        return None
    return Spent(*(sum(getattr(s, part) for s in found) for part in Spent.__slots__))
