"""Concludes the study `locks` for each team of threads: around one add, for each held time and
pause, for an unknown held time, and locks to avoid."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from syncmeter_analysis.conclude import references
from syncmeter_analysis.conclude.choice import (
    concluded,
    effect_of,
    kept,
    near_to,
    placements_of,
    problem,
    quotient,
    uncertain,
)
from syncmeter_analysis.conclude.conclusion import Conclusion, Condition, Effect, Grade, Kind
from syncmeter_analysis.conclude.references import Reference
from syncmeter_analysis.conclude.studies.line_moves import surprising_share
from syncmeter_analysis.conclude.studies.lock_team import (
    Team,
    choice_of,
    default_of,
    fair_of,
    leaders_of,
    lock_name,
    name_of,
    references_of,
    situation_of,
    subject_of,
    teams_of,
    unfair_from,
    unfairness,
)
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.contest import Contest
from syncmeter_analysis.relate.lock_tables import (
    LockTable,
    atomic_of,
    situations,
    tables_of,
)
from syncmeter_analysis.relate.op_groups import is_own_code, spins
from syncmeter_analysis.relate.relation import (
    Ratio,
    Verdict,
    default_margin,
    least_visits,
    ratio,
    ratio_by_visit,
    verdict,
)
from syncmeter_analysis.relate.summary import Measured

#: A conclusion warns about an unfair lock that is this much less fair than the default.
unfairer_from = 1.5

#: A conclusion warns if p99.9 waits grow by this factor.
longer_from = 2.0

#: A lock to avoid is this much slower than the default, in half the situations or more.
avoid_from = 5.0

#: At most this many locks to avoid are named: the slowest.
most_avoided = 2

#: A larger bound says nothing about the loss.
most_useful_loss = 10.0
#: Fewer situations say nothing about an unknown held time.
least_situations = 2


def conclude(campaign: Campaign) -> list[Conclusion]:
    """Returns the conclusions of each team, then of one thread without contention."""
    tables = [t for _, points, source in campaign.parts() for t in tables_of(points, source)]
    teams = teams_of(campaign.machine, tables, situations(campaign))
    found = [c for team in teams for c in _of_team(team)]
    for table in (t for t in tables if t.alone.points):
        reference = references_of([table.alone])[0]
        found.append(_which_lock(Team(campaign.machine, table), table.alone, reference, ()))
    return found


def _of_team(team: Team) -> Iterator[Conclusion]:
    known = references_of(team.contests)
    # Each situation shows the cost for each choice.
    main = known[0]
    chosen = [c for one in team.contests if (c := choice_of(team, one, main))]
    locks = [s for c in chosen for s in (c.lock, c.reserved) if s]
    shown = tuple(dict.fromkeys(map(name_of, locks)))
    for one in team.contests:
        if one is team.shared and team.table:
            yield from _atomic(team, team.table, known, shown)
        here = [r for r in known if default_of(one, r)]
        yield from (_which_lock(team, one, r, shown) for r in here or [main])
    yield from _unknown(team, main)
    yield from _avoid(team, main)


def _which_lock(
    team: Team, one: Contest, reference: Reference, shown: Sequence[tuple[str, str]]
) -> Conclusion:
    """Decides between the default and the best lock of one situation."""
    chosen = choice_of(team, one, reference)
    compared, choice = (chosen.one, chosen.lock) if chosen else (one, None)
    mine = default_of(compared, reference)
    effect: Effect | None = None
    conditions: list[Condition] = []
    subjects = [choice] if choice else []
    why = problem(one, subject_of) or uncertain(compared, subject_of)
    if why or choice is None:
        kind, subjects = Kind.undecided, [s for s in (mine or choice,) if s]
        conditions = [why or Condition("no_cost")]
    elif mine is None:
        kind = Kind.any if len(compared.leaders) > 1 else Kind.use
    elif choice is mine:
        kind, subjects, effect = _kept(compared, mine, reference)
    else:
        r = ratio(mine, choice)
        effect = effect_of(mine, choice, r)
        kind = Kind.use if verdict(r) is Verdict.slower else Kind.undecided
        subjects = [choice] if kind is Kind.use else [mine, choice]
    reserved = chosen.reserved if chosen and kind is not Kind.undecided else None
    if choice and kind is not Kind.undecided:
        if reserved:
            conditions.append(_reserved(mine or choice, reserved))
        if choice is not mine:
            conditions += _conditions(team, one, reference, mine, choice)
        conditions += _stalled(one)
    if team.table and team.table.shared is None:
        conditions.append(Condition("one_thread"))
    shown = (*shown, *([name_of(reserved)] if reserved else []))
    return _made(team, one, kind, "lock", subjects, mine, effect, shown, conditions)


def _reserved(mine: Measured, reserved: Measured) -> Condition:
    """Returns the gain of a spinning lock if the host reserves the CPUs, and its unfairness."""
    found = unfairness(reserved)
    unfair = found if found >= unfair_from else None
    return Condition("reserved_cpus", quotient(mine, reserved), unfair, subject_of(reserved))


def _kept(
    one: Contest, mine: Measured, reference: Reference
) -> tuple[Kind, list[Measured], Effect]:
    """Returns `any` if most locks are equal, and `undecided` if another leader may gain too much."""
    others = [s for s in leaders_of(one, reference) if not reference.is_same(name_of(s))]
    return kept(one, mine, others, lock_name)


def _made(
    team: Team,
    one: Contest,
    kind: Kind,
    question: str,
    subjects: Sequence[Measured],
    mine: Measured | None,
    effect: Effect | None,
    shown: Sequence[tuple[str, str]],
    conditions: Sequence[Condition],
) -> Conclusion:
    is_kept, is_one_api = kind in (Kind.keep, Kind.any), _is_one_api(one)
    if is_kept and is_one_api and mine and mine.point.backend.startswith("omp"):
        conditions = [*conditions, Condition("openmp_only")]
    return concluded(
        kind,
        question,
        situation_of(team, one),
        subjects,
        mine,
        effect,
        name=subject_of,
        conditions=(*conditions, *placements_of(one)),
        reason=_same_owner(mine) if mine else None,
        shown=[s for s in one.points if name_of(s) in shown],
        next=["study_locks" if is_one_api else "advise"],
    )


def _is_one_api(one: Contest) -> bool:
    """Returns whether only locks of one API were measured."""
    apis = {s.point.backend.partition("-")[0] for s in one.points}
    return len(apis) == 1 and one.first.point.section_ns == 0


def _conditions(
    team: Team, one: Contest, reference: Reference, mine: Measured | None, choice: Measured
) -> Iterator[Condition]:
    if spins(choice.point.op):
        yield Condition("cpu_per_thread", team.machine.pus or 0)
        if team.machine.hypervisor:
            yield Condition("no_steal")
    if is_own_code(choice.point.op):
        yield Condition("own_code")
    if choice.point.backend == references.libraries:
        yield Condition("library", subject=subject_of(choice))
    if (found := unfairness(choice)) >= unfair_from and (
        mine is None or found >= unfairer_from * unfairness(mine)
    ):
        fair = fair_of(team, one, reference)
        cost = fair.cost.value if fair and fair.cost else None
        yield Condition("unfair", found, cost, subject_of(fair) if fair else None)
    if mine and (waits := _longer_waits(choice, mine)):
        yield Condition("longer_waits", waits[0], waits[1])


def _longer_waits(choice: Measured, mine: Measured) -> tuple[float, float] | None:
    """Returns the longest of 1000 waits of both locks if repetitions show longer waits for the
    choice."""
    if not (choice.lane_waits and mine.lane_waits):
        return None
    waits = mine.p999_wait_by_visit
    both = [(ns, waits[i]) for i, ns in choice.p999_wait_by_visit.items() if waits.get(i)]
    if len(both) < least_visits or ratio_by_visit(both, None).low < longer_from:
        return None
    return choice.lane_waits.p999_ns, mine.lane_waits.p999_ns


def _stalled(one: Contest) -> list[Condition]:
    stuck = [s for s in one.points if s.status in ("timeout", "too_slow")]
    return [Condition("timeout", subject=subject_of(s)) for s in stuck]


def _same_owner(s: Measured) -> Condition | None:
    """Returns the share of owner changes if it explains a cost below the latency of one cache line.
    Only rare owner changes explain it."""
    if s.cost is None or s.point.lanes < 2:
        return None
    each_ns = s.cost.value / s.point.lanes
    if each_ns >= surprising_share * s.team_hop_ns:
        return None
    if s.owner_changes is None:
        return Condition("few_moves", None, s.team_hop_ns, subject_of(s))
    if s.owner_changes >= surprising_share:
        return None
    return Condition("same_owner", s.owner_changes, s.team_hop_ns, subject_of(s))


def _atomic(
    team: Team, table: LockTable, known: Sequence[Reference], shown: Sequence[tuple[str, str]]
) -> Iterator[Conclusion]:
    """Compares an atomic add with each default around one add."""
    one, lanes = table.shared, table.most_lanes
    if one is None:
        return
    for reference in known:
        mine = default_of(one, reference)
        rows = (atomic_of(table.rows, name[0]) for name in reference.names)
        atomic = next((s for row in rows if row and (s := row.cost_at(lanes))), None)
        if mine is None or atomic is None:
            continue
        r = ratio(mine, atomic)
        effect = effect_of(mine, atomic, r)
        near = effect.high is not None and effect.high <= near_to
        says = verdict(r)
        if says is Verdict.slower:
            kind, subjects = Kind.use, [atomic]
        elif says is Verdict.faster:
            kind, subjects = Kind.keep, [mine]
        else:
            kind, subjects = (Kind.any if near else Kind.undecided), [mine, atomic]
        yield _made(team, one, kind, "atomic_or_lock", subjects, mine, effect, shown, ())


def _unknown(team: Team, reference: Reference) -> Iterator[Conclusion]:
    """Concludes for an unknown held time: the default, unless a sleeping API lock is shown to lose less
    in its worst situation."""
    held = [one for one in team.held if one.first.point.section_ns and not one.is_crowded]
    if len(held) < least_situations:
        return
    known = [one for one in team.contests if not one.is_crowded]
    losses = {name_of(s): (r, s) for s in held[0].points if (r := _loss(s, known))}
    mine = next((losses[name] for name in reference.names if name in losses), None)
    if mine is None:
        return
    fit = [(r, s) for r, s in losses.values() if not (spins(s.point.op) or is_own_code(s.point.op))]
    best = min(fit, key=lambda loss: loss[0].high)
    better = best[0].high * (1 + default_margin) < mine[0].low
    r, chosen = best if better else mine
    yield Conclusion(
        kind=Kind.use if better else Kind.keep,
        question="lock_unknown",
        situation=situation_of(team, held[0], "unknown"),
        subjects=(subject_of(chosen),),
        reference=subject_of(mine[1]),
        effect=Effect("worst_loss", None, None, r.high),
        grade=Grade.bound if r.high <= most_useful_loss else Grade.rough,
        conditions=(Condition("default_loss", mine[0].high),) if better else (),
        evidence=tuple(
            s.id for one in known for s in one.points if lock_name(s) == lock_name(chosen)
        ),
        next=("advise",),
    )


def _loss(s: Measured, held: Sequence[Contest]) -> Ratio | None:
    """Returns the largest ratio to the fastest lock over all situations, or None if the lock has no
    ratio to some leaders."""
    found = []
    for one in held:
        over = [
            r for x in one.points if lock_name(x) == lock_name(s) and (r := _over_leaders(x, one))
        ]
        if not over:
            return None
        found.append(min(over, key=lambda r: r.high))
    return max(found, key=lambda r: r.high)


def _over_leaders(s: Measured, one: Contest) -> Ratio | None:
    """Returns the ratio to a leader with the largest upper end, or None if a ratio is unknown."""
    over = [ratio(s, leader) for leader in one.leaders if leader is not s]
    known = [r for r in over if isinstance(r, Ratio) and r.bounded]
    own = ratio(s, s)
    if len(known) < len(over) or not isinstance(own, Ratio):
        return None
    return max([*known, own], key=lambda r: r.high)


def _avoid(team: Team, main: Reference) -> list[Conclusion]:
    """Returns API locks far slower than the default in half the situations and faster never."""
    found: dict[tuple[str, str], list[tuple[Ratio, Measured, Measured, Contest]]] = {}
    better: set[tuple[str, str]] = set()
    for one in team.contests:
        mine = default_of(one, main)
        for s in one.points if mine else ():
            rival = s.point.backend in main.rivals and not is_own_code(s.point.op)
            r = ratio(s, mine) if rival and s.usable and mine and s is not mine else None
            if isinstance(r, Ratio) and verdict(r) is Verdict.faster:
                better.add(name_of(s))
            if isinstance(r, Ratio) and r.bounded and r.low >= avoid_from and mine:
                found.setdefault(name_of(s), []).append((r, s, mine, one))
    bad = {
        name: max(rows, key=lambda row: row[0].low)
        for name, rows in found.items()
        if name not in better
        and name not in main.names
        and 2 * len(rows) >= sum(name in map(name_of, one.points) for one in team.contests)
    }
    worst = sorted(bad.items(), key=lambda item: -item[1][0].low)[:most_avoided]
    compared = sum(default_of(each, main) is not None for each in team.contests)
    return [
        concluded(
            Kind.avoid,
            "slow_lock",
            situation_of(team, one),
            [s],
            mine,
            effect_of(s, mine, r, "slowdown"),
            name=subject_of,
            conditions=[Condition("rows", len(found[name]), compared)],
            shown=[s],
        )
        for name, (r, s, mine, one) in worst
    ]
