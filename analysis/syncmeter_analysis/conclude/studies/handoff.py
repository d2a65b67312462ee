"""Concludes the study `handoff`: how to hand a flag with data from one warp to another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from syncmeter_analysis.conclude.choice import (
    choose,
    nearest_of,
    situation_of,
    with_conditions,
)
from syncmeter_analysis.conclude.conclusion import Conclusion, Condition, Kind, Subject
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import Contest, contest
from syncmeter_analysis.relate.group import grouped, place_in
from syncmeter_analysis.relate.handoffs import Launch, in_cluster, objects, rows
from syncmeter_analysis.relate.relation import Verdict, ratio, verdict
from syncmeter_analysis.relate.summary import Measured

#: The API for CUDA C++ is first.
_apis = ("atomic_ref", "ptx")

#: Scopes inside a block or a cluster.
_inside = {"block": "same_block", "cluster": "same_cluster"}

_next = ("study_levels",)


def conclude(campaign: Campaign) -> list[Conclusion]:
    """Returns a conclusion for each ring, then for each one-shot chain."""
    found = rows(campaign)
    return [c for launch in (*found.rings, *found.chains) for c in _of_launch(launch)]


def subject_of(s: Measured) -> Subject:
    """Returns the API with its scope, or the object that replaces the flag."""
    p = s.point
    op = p.op if p.op in objects else f"flag_{p.flavour}"
    return Subject(p.backend, op, p.scope, s.id)


def _of_launch(launch: Launch) -> Iterator[Conclusion]:
    """Compares flags with acquire and release at device scope, which is correct everywhere on a GPU."""
    is_chain = launch.handoffs[0].s.point.op == "handoff_chain"
    points = launch.in_order.points
    one = contest(sorted(points, key=lambda s: place_in(_apis, s.point.flavour)))
    if len(one.points) < 2 or one.best is None:
        return
    mine, api = _default(one), _api(one)
    is_one = bool(api) or len({s.point.flavour for s in one.points if _is_flag(s)}) == 1

    def named(s: Measured) -> Subject:
        subject = subject_of(s)
        return replace(subject, op="flag") if is_one and s.point.flavour in _apis else subject

    def conditions(s: Measured) -> list[Condition]:
        return [Condition(_inside[s.point.scope])] if s.point.scope in _inside else []

    # The chain has one flag: two scopes on one flag are a race in CUDA's memory model.
    legal = contest([s for s in one.points if not (is_chain and s.point.scope in _inside)])
    made = choose(
        legal,
        "handoff",
        situation_of(one.first, _work(launch, is_chain), size=launch.blocks),
        mine,
        name=named,
        conditions=conditions,
        next=_next,
    )
    polls = next((h.polls for h in launch.handoffs if h.s is mine), None)
    borders = [Condition("one_flag", polls), Condition("start_order")] if is_chain else []
    more = [*api, *nearest_of(made, legal, mine, named), *borders]
    yield made if made.kind is Kind.undecided else with_conditions(made, *more)


def _api(one: Contest) -> list[Condition]:
    """Returns whether both APIs cost the same at each scope up to device."""
    usable = (s for s in one.points if _is_flag(s) and s.usable and s.cost)
    by_scope = grouped(usable, lambda s: s.point.scope).values()
    both = [alike for alike in by_scope if len(alike) == 2]
    is_same = both and all(verdict(ratio(a, b)) is Verdict.same for a, b in both)
    return [Condition("either_api")] if is_same else []


def _is_flag(s: Measured) -> bool:
    return s.point.flavour in _apis and s.point.scope != "system"


def _default(one: Contest) -> Measured | None:
    """Returns acquire and release at device scope."""
    found = [s for s in one.points if s.point.scope == "device" and s.point.flavour in _apis]
    return next((s for s in found if s.usable), None)


def _work(launch: Launch, is_chain: bool) -> str:
    if is_chain:
        return "chain"
    if launch.blocks == 1:
        return "block"
    return "cluster" if launch.handoffs[0].s.point.op in in_cluster else "grid"
