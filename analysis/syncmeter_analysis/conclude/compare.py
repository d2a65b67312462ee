"""Concludes a comparison: the number of pairs by verdict, the few pairs that matter, the differences
between both sides, and the next step. Both sides are files, builds, axis values, or a node and the
median node."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from statistics import median

from syncmeter_analysis.record.point import Point
from syncmeter_analysis.relate.fleet import Fleet, Group, fewest_nodes
from syncmeter_analysis.relate.group import grouped
from syncmeter_analysis.relate.pairs import Fact, Outcome, Pair, PairTable, fact

#: A screen shows at most as many pairs, by outcome.
most_shown = {Outcome.broken: 5, Outcome.slower: 12, Outcome.faster: 4, Outcome.missing: 3}

#: Undecided pairs fill a screen up to as many pairs.
most_pairs = 8

#: The operation in a point's text.
_op = r"\bop=(\S+)"

#: Notes about differences between the sides.
differences = ("differs", "machine", "machines", "hop", "odd_node")


@dataclass(frozen=True, slots=True)
class Change:
    """A pair that matters. `value` is the ratio new over old with its interval. For a node it is the
    median over configurations, compared with the median node, and `low` and `high` are quartiles. `at`
    and `failed` count configurations in which a node differs or failed."""

    outcome: Outcome
    point: Point | None = None
    node: str = ""
    costs_ns: tuple[float, float] | None = None
    value: float | None = None
    low: float | None = None
    high: float | None = None
    detectable: float | None = None
    confidence: float = 0.95
    why: Fact | None = None
    evidence: tuple[str, ...] = ()
    file: str = ""
    part: str = ""
    at: int = 0
    failed: int = 0
    facts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Comparison:
    """The answer. `result` is an outcome, or `none_shown` if nothing changed but pairs are undecided.
    It is `undecided` if a change of `sees` may have been missed. Pairs without a ratio may hide a
    change: `not_compared`. `nothing_compared` has no pairs. Nodes also have `differs`,
    `undecided_nodes`, `left_out`, `few_nodes` and `no_common_point`. `undecided` are the undecided
    pairs with the largest ratios, or nodes that could not be judged. `shared` are axes with the same
    value in all pairs. `reasons` are why pairs have no ratio. `only` counts points that one side alone
    has."""

    source: str
    names: tuple[str, str]
    result: str
    status: int
    threshold: float
    sees: float
    compared: int
    tests: int
    counts: Mapping[Outcome, int]
    changes: Sequence[Change] = ()
    undecided: Sequence[Change] = ()
    detects: float = 0.0
    shared: Mapping[str, str] = field(default_factory=dict)
    reasons: Sequence[tuple[Fact, Sequence[Pair]]] = ()
    differences: Sequence[Fact] = ()
    notes: Sequence[Fact] = ()
    only: tuple[int, int] = (0, 0)
    only_ops: tuple[Sequence[str], Sequence[str]] = ((), ())
    next: str = ""
    points: int = 0
    spreads: tuple[float, float] = (0.0, 0.0)
    widest: Point | None = None

    def count(self, outcome: Outcome) -> int:
        return self.counts.get(outcome, 0)

    def left_out(self, outcome: Outcome) -> int:
        """Returns how many pairs with this outcome are not among the changes."""
        return self.count(outcome) - sum(c.outcome is outcome for c in self.changes)


def conclude(table: PairTable) -> Comparison:
    """Returns the conclusion of a table of pairs."""
    counts = table.counts
    changes = [
        change_of(table, pair)
        for outcome, most in most_shown.items()
        for pair in _most_important(table, outcome)[:most]
    ]
    found = [note for note in table.notes if note.name in differences]
    if table.hops_ns and max(table.hops_ns) > 0 and table.source == "files":
        found.append(fact("hop", hops=table.hops_ns))
    unknown = sorted(table.undecided, key=lambda pair: -pair.ratio.value)
    result = _result(table, counts)
    equal = table.arms.equal if table.arms else 0
    return Comparison(
        table.source,
        table.names,
        result,
        table.status,
        table.threshold,
        table.sees,
        len(table.compared),
        len(table.compared),
        counts,
        changes,
        [change_of(table, pair) for pair in unknown[: max(0, most_pairs - len(changes))]],
        max((pair.detectable for pair in unknown), default=0.0),
        shared_axes([pair.point for pair in table.pairs], _ignored(table)),
        _by_reason([p for p in table.apart if not p.is_broken]),
        found,
        [
            *[fact("equal_code", count=equal)] * bool(equal),
            *(note for note in table.notes if note.name not in differences),
        ],
        (table.only[0] - len(table.lost) if table.lost else table.only[0], table.only[1]),
        _only_ops(table),
        _next(table, result, counts),
    )


def _only_ops(table: PairTable) -> tuple[list[str], list[str]]:
    """Returns the operations that one side of a file alone has."""
    keys = table.arms.only if table.arms else ((), ())
    a, b = (sorted({op for key in k for op in re.findall(_op, key)}) for k in keys)
    return a, b


def _most_important(table: PairTable, outcome: Outcome) -> list[Pair]:
    """Returns the pairs with this outcome, the largest change first."""
    pairs = table.resolved if outcome in (Outcome.slower, Outcome.faster) else table.pairs
    return [pair for pair in pairs if table.outcome(pair) is outcome]


def change_of(table: PairTable, pair: Pair) -> Change:
    """Returns the pair as the screens show it."""
    r, point = pair.ratio, pair.point.without("arm")
    ids = tuple(dict.fromkeys((pair.old.id, pair.new.id)))
    if not pair.is_compared:
        return Change(table.outcome(pair), point, why=pair.why, evidence=ids)
    return Change(
        table.outcome(pair),
        point,
        costs_ns=(r.under_ns, r.over_ns),
        value=r.value,
        low=r.low if r.bounded else None,
        high=r.high if r.bounded else None,
        detectable=pair.detectable,
        confidence=pair.confidence,
        why=_why_insensitive(table, pair),
        evidence=ids,
    )


def _why_insensitive(table: PairTable, pair: Pair) -> Fact | None:
    """Returns why the costs of a pair scatter, or None."""
    if pair.ratio.beside_neighbour:
        return fact("neighbour")
    for s, side in zip((pair.old, pair.new), table.names, strict=True):
        if s.modes:
            return fact("modes", side=side, costs=[mode.cost_ns for mode in s.modes])
    return None


def _result(table: PairTable, counts: Mapping[Outcome, int]) -> str:
    if table.status == 1:
        return str(Outcome.broken if table.broken else Outcome.slower)
    if table.status in (2, 3):
        why = "undecided" if table.blind else "not_compared"
        return "nothing_compared" if table.status == 2 else why
    # A comparison by an axis may hide changes.
    if table.slower or counts.get(Outcome.faster):
        return str(Outcome.slower if table.slower else Outcome.faster)
    return "none_shown" if table.undecided else str(Outcome.unchanged)


def _next(table: PairTable, result: str, counts: Mapping[Outcome, int]) -> str:
    """Returns the name of the next step."""
    differ = {note.name for note in table.notes} & {"machine", "differs"}
    if table.source == "axis":
        return "axis"
    if table.undecided or result in ("nothing_compared", "undecided", "not_compared"):
        # Builds of two machines, or one build, cannot be measured alternately.
        is_repeated = table.source == "files" and differ != {"differs"}
        return "repeat" if is_repeated else f"undecided_{table.source}"
    if "machine" in differ:
        return "axis"
    return "changed" if counts.get(Outcome.slower) or table.broken else ""


def shared_axes(points: Sequence[Point], ignored: Sequence[str] = ()) -> dict[str, str]:
    """Returns the axes with one value in all points, which the names leave out."""
    found = {}
    for axis in ("backend", "type", "affinity", "wait"):
        values = {getattr(point, axis) for point in points}
        if axis in ignored or len(values) == 1:
            found[axis] = "" if axis in ignored else str(*values)
    return found


def _ignored(table: PairTable) -> tuple[str, ...]:
    """Returns the axes that both sides differ in."""
    any_backend, any_wait = (table.arms.any_backend, table.arms.any_wait) if table.arms else (0, 0)
    return (*["backend"] * bool(any_backend), *["wait"] * bool(any_wait), "arm")


def _by_reason(pairs: Sequence[Pair]) -> list[tuple[Fact, list[Pair]]]:
    """Returns the pairs by the name of their reason, the most frequent first."""
    reasons = [(pair.why, pair) for pair in pairs if pair.why]
    found = grouped(reasons, lambda reason: (reason[0].name, reason[0].values.get("status")))
    ordered = sorted(found.values(), key=lambda alike: -len(alike))
    return [(alike[0][0], [pair for _, pair in alike]) for alike in ordered]


# Nodes


def conclude_nodes(fleet: Fleet, group: Group) -> Comparison:
    """Returns the conclusion for the nodes of one kind."""
    outcomes = group.outcomes(fleet.sees)
    counts = Counter(outcomes)
    differing = group.differing
    odd = [i for i in group.facts if i not in set(differing)]
    result = "differs" if differing else "unchanged"
    if not group.judged:
        result = "few_nodes" if len(group.nodes) < fewest_nodes else "no_common_point"
    elif not differing and (counts[Outcome.not_sensitive] or counts[Outcome.not_comparable]):
        result = "undecided_nodes"
    elif not differing and fleet.left_out:
        result = "left_out"
    spreads = [point.spread for point in group.points if isfinite(point.spread)]
    return Comparison(
        "nodes",
        (group.kind, ""),
        result,
        fleet.status,
        fleet.threshold,
        fleet.sees,
        len(group.nodes) - counts[Outcome.not_comparable],
        group.tests,
        counts,
        [change for i in differing for change in _node_changes(group, i, outcomes[i])],
        [
            Change(outcome, node=group.names[i])
            for i, outcome in enumerate(outcomes)
            if outcome in (Outcome.not_sensitive, Outcome.not_comparable) and group.judged
        ],
        shared=shared_axes([point.point for point in group.points]),
        differences=[fact("odd_node", node=group.names[i], facts=group.facts[i]) for i in odd],
        notes=list(_node_notes(group)),
        next="node" if differing else "more_nodes" * (result != "unchanged"),
        points=len(group.points),
        spreads=(median(spreads), max(spreads)) if spreads else (0.0, 0.0),
        widest=next((p.point for p in group.points if spreads and p.spread == max(spreads)), None),
    )


def _node_changes(group: Group, i: int, outcome: Outcome) -> list[Change]:
    """Returns a row for each part (CPU, GPU)."""
    wholes = [whole for whole in group.wholes if whole.node == i]
    several = len({whole.part for whole in group.wholes}) > 1
    at = [p.point.id for p in group.points if any(odd.node == i for odd in p.odd)]
    failed = [p.point.id for p in group.points if i in p.failed]
    more = {
        "node": group.names[i],
        "file": group.nodes[i].path,
        "at": len(at),
        "failed": len(failed),
        "evidence": (*failed, *at),
        "facts": tuple(group.facts.get(i, ())),
    }
    if not wholes:
        return [Change(outcome, **more)]  # type: ignore[arg-type]
    return [
        Change(
            outcome,
            value=whole.quartiles[1],
            low=whole.quartiles[0],
            high=whole.quartiles[2],
            part=whole.part * several,
            **more,  # type: ignore[arg-type]
        )
        for whole in wholes
    ]


def _node_notes(group: Group) -> list[Fact]:
    names, notes = group.names, []
    missing = group.missing.most_common()
    notes += [fact("lacks", node=names[i], count=n) for i, n in missing]
    elsewhere = Counter(i for p in group.points for i in p.elsewhere).most_common()
    notes += [fact("elsewhere", node=names[i], count=n) for i, n in elsewhere]
    texts = (fact("file", file=node.path, text=note) for node in group.nodes for note in node.notes)
    return [*notes, *texts]
