"""All claims, in the order of the report: those about CPUs, about regions and tasks, about GPUs, and
what is widely held."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib import import_module

from syncmeter_analysis.claims.claim import Claim
from syncmeter_analysis.conclude.finding import Finding
from syncmeter_analysis.relate.evidence import Evidence

modules = ("cpu", "regions", "cuda", "levels", "beliefs")


@cache
def all_claims() -> tuple[Claim, ...]:
    """Every claim, in the order in which the modules define them."""
    found = (import_module(f"{__name__}.{name}") for name in modules)
    return tuple(
        replace(entry, id=name.replace("_", "-"))
        for module in found
        for name, entry in vars(module).items()
        if isinstance(entry, Claim)
    )


def judged(data: Evidence) -> list[tuple[Claim, Finding]]:
    """Every claim with what the data say of it."""
    return [(claim, claim.judge(data)) for claim in all_claims()]
