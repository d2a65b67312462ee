"""Ops that do the same job: a developer chooses among them."""

from __future__ import annotations

alternatives = tuple(
    (job, tuple(ops.split()))
    for job, ops in (
        (
            "update",
            "atomic_add atomic_fetch_add critical_add critical_named_add lock_add nest_lock_add "
            "spin_lock_add ticket_lock_add shared_mutex_add",
        ),
        ("barrier", "barrier block_barrier named_barrier"),
        ("write", "atomic_write plain_write"),
        ("read", "atomic_read plain_read"),
        ("handoff", "handoff handoff_cas handoff_wait"),
    )
)


def job_of(op: str, otherwise: str) -> str:
    """The job that an op does; `otherwise` where it has no alternative."""
    return next((name for name, ops in alternatives if op in ops), otherwise)
