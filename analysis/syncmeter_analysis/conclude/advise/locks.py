"""Two causes of lost time at locks: threads contend for a lock, or do too much work under it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from syncmeter_analysis.conclude.advise.effects import (
    Prediction,
    Sign,
    all_sections_s,
    bound,
    predictions,
)
from syncmeter_analysis.conclude.advise.facts import Lock, Program, merged
from syncmeter_analysis.conclude.advise.limits import Cause, cause_of, common
from syncmeter_analysis.conclude.conclusion import (
    Conclusion,
    Condition,
    Cost,
    Effect,
    Grade,
    Kind,
    Situation,
    Subject,
)
from syncmeter_analysis.relate.group import grouped


def conclude_locks(locks: Sequence[Lock], program: Program) -> list[Conclusion]:
    """Returns the conclusions on these locks. Each lock is a subject of one conclusion at most."""
    contended, section = cause_of("contended_lock"), cause_of("work_under_lock")
    found: list[Conclusion] = []
    rest = []
    for lock in locks:
        if conclusion := work_under_lock(lock, program, section):
            found.append(conclusion)
        elif not is_read_lock(lock, program, contended):
            rest.append(lock)
    for lock in subjects_of(rest, contended.limits["dominant_share"]):
        if conclusion := contended_lock(lock, program, contended):
            found.append(conclusion)
    return found


def contended_lock(lock: Lock, program: Program, cause: Cause) -> Conclusion | None:
    """Returns the conclusion that threads lose time because they share a lock, or None."""
    if lock.acquisitions < cause.limits["min_acquisitions"] or not _loses_time(lock, program):
        return None
    if lock.waits:
        remedies = ["batch"]
    else:
        remedies = [r for r in cause.remedies if r != "shards" or len(lock.ids) == 1]
    return _concluded(lock, program, cause, remedies, all_sections_s(lock, program))


def work_under_lock(lock: Lock, program: Program, cause: Cause) -> Conclusion | None:
    """Returns the conclusion that threads wait because a lock is held for long, or None."""
    if program.is_perturbed or lock.is_mostly_hidden:
        return None
    if not _loses_time(lock, program) or not is_held_long(lock, program, cause):
        return None
    if not (_is_saturated(lock, cause) or _waits_for_holders(lock, cause)):
        return None
    return _concluded(lock, program, cause, cause.remedies, _saves_at_most_s(lock, program))


def _loses_time(lock: Lock, program: Program) -> bool:
    return lock.threads >= 2 and lock.lost_share(program) >= common["min_lost_share"]


# Held time


def is_held_long(lock: Lock, program: Program, cause: Cause) -> bool:
    """Returns whether most of the held time is at call sites whose shortest holds are work."""
    limit = program.long_hold_ns
    if not lock.uses:
        return (lock.short_held_ns or 0.0) >= limit
    known = [
        (use.held_ns, use.short_held_ns)
        for use in lock.uses
        if use.held_ns is not None and use.short_held_ns is not None
    ]
    long = sum(held for held, short in known if short >= limit)
    return long > 0 and long >= cause.limits["long_share"] * sum(held for held, _ in known)


def is_read_lock(lock: Lock, program: Program, cause: Cause) -> bool:
    """Returns whether readers share the lock and hardly wait: the driver's cause `readers`."""
    share = lock.contended_share or 0.0
    is_short = not is_held_long(lock, program, cause_of("work_under_lock"))
    return lock.has_readers_only and is_short and share < cause.limits["reader_contended_share"]


def _is_saturated(lock: Lock, cause: Cause) -> bool:
    return (lock.utilization or 0.0) >= cause.limits["saturated"]


def _waits_for_holders(lock: Lock, cause: Cause) -> bool:
    """Returns whether threads wait for as long as other threads hold the lock."""
    if lock.call_ns is None or lock.exclusive_ns is None:
        return False
    about = cause.limits["waits_like_holds"]
    others_ns = lock.exclusive_ns * max(1, lock.threads - 1)
    return lock.call_ns >= about * lock.exclusive_ns and about * lock.call_ns <= others_ns


def _saves_at_most_s(lock: Lock, program: Program) -> float | None:
    """Returns the most that less work under the lock saves: no more than all threads wait, and a
    thread keeps its own work. Hidden acquisitions may wait as well."""
    if program.wall_s is None or lock.exclusive_ns is None:
        return None
    own_s = lock.exclusive_ns * 1e-9 / max(1, lock.threads)
    at_most_s = max(0.0, program.wall_s - own_s)
    if lock.hidden or lock.call_ns is None:
        return at_most_s
    return min(lock.call_ns * 1e-9, at_most_s)


# Groups


def subjects_of(locks: Sequence[Lock], dominant_share: float) -> Iterator[Lock]:
    """Yields a subject for each group of locks that share call sites: the lock with nearly all of the
    group's time, and then the groups without it. Without such a lock the whole group is the subject."""
    waiting = [list(locks)]
    while waiting:
        for group in groups_of(waiting.pop()):
            top = max(group, key=lambda lock: lock.time_ns)
            total_ns = sum(lock.time_ns for lock in group)
            if len(group) > 1 and 0 < dominant_share * total_ns <= top.time_ns:
                yield top
                waiting.append([lock for lock in group if lock is not top])
            else:
                yield merged(group)


def groups_of(locks: Sequence[Lock]) -> list[list[Lock]]:
    """Returns the locks by shared call sites: directly, or by way of another lock."""
    parents = list(range(len(locks)))

    def root(i: int) -> int:
        while parents[i] != i:
            parents[i] = parents[parents[i]]
            i = parents[i]
        return i

    first_at: dict[int, int] = {}
    for i, lock in enumerate(locks):
        for site in lock.call_sites:
            parents[root(i)] = root(first_at.setdefault(site, i))
    by_root = grouped(range(len(locks)), root)
    return [[locks[i] for i in alike] for alike in by_root.values()]


# Effects


def _concluded(
    lock: Lock,
    program: Program,
    cause: Cause,
    remedies: Sequence[str],
    saves_at_most_s: float | None,
) -> Conclusion | None:
    """Returns the conclusion with the best known effect, or None if no remedy can gain enough."""
    run_s, least = program.wall_s, common["min_gain_share"]
    if run_s is None or run_s <= 0:
        return _said(lock, program, cause, remedies[0], Grade.unknown, Condition("no_plain_run"))
    least_s = bound(lock, program, saves_at_most_s)
    if least_s is not None and run_s - least_s < least * run_s:
        return None
    predicted = predictions(lock, program) if program.allows_models_of(lock) else {}
    known = {r: p for r, p in predicted.items() if r in remedies}
    facts = tuple(_of_prediction(remedy, p) for remedy, p in known.items())
    for remedy in remedies:
        p = known.get(remedy)
        if p and p.sign is Sign.faster and run_s - p.low >= least * run_s:
            return _said(lock, program, cause, remedy, Grade.predicted, None, facts, p, "change")
    if program.disturbance:
        reason = Condition(*program.disturbance)
        return _said(lock, program, cause, remedies[0], Grade.rough, reason, facts, next="repeat")
    open_ = [r for r in remedies if r not in known or known[r].sign is not Sign.slower]
    if not open_:
        return None
    both = [r for r in open_ if r in known and known[r].sign is Sign.both]
    if both:
        return _said(lock, program, cause, both[0], Grade.unknown, Condition("both_signs"), facts)
    if least_s is None or least_s < least * run_s:
        return _said(lock, program, cause, open_[0], Grade.unknown, Condition("no_bound"), facts)
    ends = Prediction(least_s, run_s, Sign.wide, ())
    return _said(lock, program, cause, open_[0], Grade.bound, None, facts, ends, "change")


def _of_prediction(remedy: str, p: Prediction) -> Condition:
    """Returns the predicted wall time as a fact about a change, or about a change to avoid."""
    name = "avoid" if p.sign is Sign.slower else "change"
    return Condition(name, p.low, p.high, Subject(op=remedy))


def _said(
    lock: Lock,
    program: Program,
    cause: Cause,
    remedy: str,
    grade: Grade,
    reason: Condition | None,
    facts: Sequence[Condition] = (),
    after: Prediction | None = None,
    next: str = "try",
) -> Conclusion:
    """Returns the conclusion with the facts about other remedies, and the models behind the effect."""
    models = after.models if after else ()
    subjects = tuple(Subject(lock=id) for id in lock.ids)
    conditions = []
    if len(lock.ids) > 1:
        conditions.append(Condition("several_locks", len(lock.ids)))
    if cause.name == "work_under_lock" and _is_saturated(lock, cause):
        conditions.append(Condition("saturated", lock.utilization))
    conditions += [x for x in facts if not (models and x.subject == Subject(op=remedy))]
    return Conclusion(
        Kind.change,
        "advise",
        Situation(max(1, program.threads, lock.threads), "program", program.cpus),
        subjects,
        None if program.wall_s is None else Subject(wall_s=program.wall_s),
        Effect("wall_time", after_s=(after.low, after.high)) if after else None,
        grade,
        (_cost(lock, program, subjects[0]),),
        tuple(conditions),
        reason,
        (
            *(f"call_site {id}" for id in lock.call_sites),
            *(f"lock {id}" for id in lock.ids),
            *(f"model {number}" for number in models),
        ),
        (next,),
        cause.name,
        remedy,
    )


def _cost(lock: Lock, program: Program, subject: Subject) -> Cost:
    calls = max(1, lock.acquisitions)
    return Cost(
        subject,
        (lock.call_ns or 0.0) / calls,
        acquisitions=lock.acquisitions,
        threads=lock.threads,
        contended_share=lock.contended_share,
        held_ns=None if lock.held_ns is None else lock.held_ns / calls,
        utilization=lock.utilization,
        lost_share=lock.lost_share(program),
    )
