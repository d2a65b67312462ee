"""The type of all findings. It holds numbers and names. record/conclusion.def describes the
type, and voice/ makes text."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, fields, is_dataclass
from enum import StrEnum
from typing import Any


class Kind(StrEnum):
    """The advice (record/conclusion_kinds.def)."""

    use = "use"
    keep = "keep"
    avoid = "avoid"
    any = "any"
    change = "change"
    undecided = "undecided"
    nothing_to_gain = "nothing_to_gain"


class Grade(StrEnum):
    """The source of an effect (record/conclusion_grades.def)."""

    measured = "measured"
    predicted = "predicted"
    bound = "bound"
    rough = "rough"
    unknown = "unknown"


@dataclass(frozen=True, slots=True)
class Subject:
    """An API primitive, without the work around it, or a program's lock by its id, or a program by its
    wall time. `variant` is the value of an axis, such as a wait policy. `point` is the id of the
    measured point and no part of the identity."""

    backend: str = ""
    op: str = ""
    variant: str = ""
    point: str = ""
    lock: int | None = None
    wall_s: float | None = None

    @property
    def name(self) -> tuple[str, str]:
        return self.backend, self.op

    @property
    def identity(self) -> tuple[str, str, str]:
        return self.backend, self.op, self.variant


@dataclass(frozen=True, slots=True)
class Situation:
    """A measured situation. None and '' mean unknown or irrelevant."""

    threads: int
    work: str
    cpus: float = 0
    crowded: bool = False
    held_ns: float | None = None
    pause_ns: float | None = None
    work_ns: float | None = None
    hop_ns: float | None = None
    blocks: int = 0
    devices: int = 0
    size: float | None = None
    stride_bytes: float | None = None
    reads_per_write: int | None = None
    type: str = ""
    affinity: str = ""
    wait: str = ""
    file: str = ""


@dataclass(frozen=True, slots=True)
class Effect:
    """A ratio, which is the quotient of two costs, or a threshold, each with a 95 % confidence
    interval, or the wall time after a change."""

    quantity: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    after_s: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Cost:
    """Wall time for an operation in each thread, with a 95 % confidence interval. Only a program's
    lock has the other members."""

    subject: Subject
    ns: float
    low: float | None = None
    high: float | None = None
    acquisitions: int | None = None
    threads: int | None = None
    contended_share: float | None = None
    held_ns: float | None = None
    utilization: float | None = None
    lost_share: float | None = None


@dataclass(frozen=True, slots=True)
class Condition:
    """A requirement for the advice, or an explanation for a figure."""

    name: str
    value: float | None = None
    compared: float | None = None
    subject: Subject | None = None


@dataclass(frozen=True, slots=True)
class Conclusion:
    """One answer to one question in one situation."""

    kind: Kind
    question: str
    situation: Situation
    subjects: tuple[Subject, ...] = ()
    reference: Subject | None = None
    effect: Effect | None = None
    grade: Grade = Grade.unknown
    costs: tuple[Cost, ...] = ()
    conditions: tuple[Condition, ...] = ()
    reason: Condition | None = None
    evidence: tuple[str, ...] = ()
    next: tuple[str, ...] = ()
    cause: str = ""
    remedy: str = ""

    def cost_of(self, subject: Subject | None) -> Cost | None:
        """Returns the primitive's cost, or None."""
        found = (c for c in self.costs if subject and c.subject.identity == subject.identity)
        return next(found, None)

    def condition(self, name: str) -> Condition | None:
        return next((c for c in self.conditions if c.name == name), None)

    def ids_of(self, record: str) -> list[int]:
        """Returns the ids of these records in the evidence (`call_site 3`)."""
        names = (name.partition(" ") for name in self.evidence)
        return [int(number) for found, _, number in names if found == record]

    def to_json(self) -> dict[str, Any]:
        found: dict[str, Any] = to_json(self)
        return found


def to_json(value: Any) -> Any:
    """Converts to objects, lists and numbers. Infinite numbers become null."""
    if is_dataclass(value):
        return {f.name: to_json(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, tuple):
        return [to_json(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return str(value) if isinstance(value, StrEnum) else value


def evidence_of(costs: Iterable[Cost]) -> tuple[str, ...]:
    """Returns the point ids behind the costs, each once."""
    return tuple(dict.fromkeys(c.subject.point for c in costs if c.subject.point))
