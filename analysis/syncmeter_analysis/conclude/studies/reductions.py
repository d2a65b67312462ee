"""Concludes the study `reductions`: how to find the maximum of an array, on a GPU and on a CPU."""

from __future__ import annotations

from dataclasses import replace

from syncmeter_analysis.conclude import choice, references
from syncmeter_analysis.conclude.choice import choose, situation_of
from syncmeter_analysis.conclude.conclusion import Conclusion, Condition, Kind, Subject
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import Contest
from syncmeter_analysis.relate.op_groups import is_default, is_own_code
from syncmeter_analysis.relate.reductions import Array, rows
from syncmeter_analysis.relate.relation import Ratio
from syncmeter_analysis.relate.summary import Measured

#: Types of the intrinsics for a whole warp (`__reduce_max_sync`).
_of_intrinsics = ("int32", "uint32")

#: From this share of the read bandwidth on, no form can gain much.
_enough_share = 0.8

_next = ("advise_program",)


def conclude(campaign: Campaign) -> list[Conclusion]:
    """Returns a conclusion for each array on the GPU, then on the CPU: the first type first, the
    largest array first. Only the first one has a reason, because the others have the same reason."""
    arrays = rows(campaign)
    found = sorted(arrays, key=lambda array: (array.type != arrays[0].type, -array.size))
    on_gpu = [_on_gpu(array, array.on_gpu) for array in found if array.on_gpu]
    on_gpu = [*on_gpu[:1], *(replace(c, reason=None) for c in on_gpu[1:])]
    return [*on_gpu, *(_on_cpu(array, array.on_cpu) for array in found if array.on_cpu)]


def subject_of(s: Measured) -> Subject:
    """Returns the op. Only an integer type can have the intrinsic in its name, and only a CPU has the
    number of threads."""
    if not s.on_gpu:
        return choice.subject_of(s, str(s.point.lanes))
    return choice.subject_of(s, "int" * (s.point.type in _of_intrinsics))


def _on_gpu(array: Array, one: Contest) -> Conclusion:
    mine = references.reduction.among(one.points)

    made = choose(
        one,
        "gpu",
        situation_of(one.first, "array", size=array.size),
        mine,
        name=subject_of,
        conditions=lambda s: [Condition("own_code", s.point.lanes)] * is_own_code(s.point.op),
        next=_next,
    )
    share = _share(array, mine) if made.kind in (Kind.keep, Kind.any) else None
    return replace(made, reason=share) if share else made


def _share(array: Array, mine: Measured | None) -> Condition | None:
    """Returns the share of the read bandwidth if it is a reason to keep the default."""
    share = array.form(mine).share if mine and is_default(mine.point.op) else None
    if not isinstance(share, Ratio) or share.value < _enough_share:
        return None
    return Condition("bandwidth", min(share.value, 1.0))


def _on_cpu(array: Array, one: Contest) -> Conclusion:
    """Compares the forms with one thread, which a serial loop has."""
    mine = next((s for s in one.points if s.point.lanes == 1 and s.usable), None)
    situation = situation_of(one.first, "array", size=array.size)
    return choose(one, "cpu", situation, mine, name=subject_of, next=_next)
