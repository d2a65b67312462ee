"""Words a comparison: the few pairs that matter, the counts, the differences between both sides, the
result and the next step. The whole table of pairs comes after them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import isfinite
from pathlib import Path
from typing import Any

from syncmeter_analysis.conclude.compare import Change, Comparison
from syncmeter_analysis.record.point import Point
from syncmeter_analysis.relate import text
from syncmeter_analysis.relate.fleet import fewest_nodes
from syncmeter_analysis.relate.pairs import Fact, Outcome, Pair
from syncmeter_analysis.relate.point_text import words_of
from syncmeter_analysis.relate.relation import Verdict
from syncmeter_analysis.voice import numbers
from syncmeter_analysis.voice.screen import Field, Grid, Screen
from syncmeter_analysis.voice.words import counted, cut, has, say, templates

#: Longer names of sides are no column headings.
_longest_head = 8

#: So many names stand in a line, so many reasons and notes on a screen, and so many characters of a
#: compiler's flags.
_most_named, _most_lines, _longest_value = 2, 4, 60

#: Nobody asks whether a larger change would have been seen, nor how far a wider interval reaches.
vast, farthest = 100.0, 10.0


def screen(c: Comparison, others: Sequence[Grid] = ()) -> Screen:
    """Returns the screen below the result, followed by the grids in `others`."""
    grid = _node_grid(c) if c.source == "nodes" else _change_grid(c)
    counted = [counts(c)] * bool(c.compared or c.source != "nodes")
    lines = [*_changed(c), *counted, *_insensitive(c), *_apart(c)]
    lines += filter(None, [_spread(c), _differences(c), *_notes(c)])
    grids = [grid] if grid.rows else []
    return Screen(grids, [], lines, details=_reliability(c), next=_next(c), other_grids=others)


def first_line(c: Comparison) -> str:
    """Returns `old.jsonl -> new.jsonl; all: omp, close`."""
    if c.source == "nodes":
        return counted("compare.caption_nodes", sum(c.counts.values()), kind=c.names[0])
    usual = ("none", "active", "")
    shared = ", ".join(v for axis, v in c.shared.items() if v not in usual)
    name = "caption_shared" if shared else "caption"
    return say(f"compare.{name}", old=c.names[0], new=c.names[1], shared=shared)


def name_of(point: Point, c: Comparison) -> str:
    """Returns `critical_add, 2 threads`, without the axes that all pairs share."""
    found = ", ".join(words_of(point, (*c.shared, "arm")))
    for internal, word in templates()["compare"]["words"].items():
        found = found.replace(internal, word)
    return found


def _head(name: str, c: Comparison, side: int = 0) -> str:
    old, new = c.names if max(map(len, c.names)) <= _longest_head else ("old", "new")
    return say(f"compare.heads.{name}", side=(old, new)[side], old=old, new=new)


def ratio_cells(change: Change) -> tuple[str, str]:
    """Returns the ratio and its interval with the digits that the interval supports."""
    if change.value is None:
        return "", ""
    if change.low is None or change.high is None:
        return f"{numbers.ratio(change.value)}x", say("common.not_measured")
    ends = [_end(x, change) for x in (change.low, change.high)]
    return f"{numbers.ratio(change.value, change.low, change.high)}x", "-".join(ends)


def _end(x: float, change: Change) -> str:
    """Returns an interval end. Nobody asks how far an interval around 1 reaches."""
    if (change.low or 0.0) <= 1 <= (change.high or 0.0) and not 1 / farthest <= x <= farthest:
        return f">{farthest:g}" if x > 1 else f"<{1 / farthest:g}"
    return numbers.ratio(x, change.low, change.high)


def costs_of(change: Change) -> list[str]:
    if change.costs_ns is None:
        return ["", ""]
    return [numbers.plain(ns, 3) if isfinite(ns) else "" for ns in change.costs_ns]


def _change_grid(c: Comparison) -> Grid:
    heads = ["verdict", "configuration", "ns", "ns", "ratio", "ci"]
    changed = [(say(f"compare.verdicts.{x.outcome}"), x) for x in c.changes if x.costs_ns]
    unknown = [(say("compare.verdicts.undecided"), x) for x in c.undecided]
    rows = [
        [
            Field(word),
            Field(name_of(x.point, c), x.evidence),
            *map(Field, (*costs_of(x), *ratio_cells(x))),
        ]
        for word, x in (*changed, *unknown)
        if x.point
    ]
    columns = [_head(head, c, i == 3) for i, head in enumerate(heads)]
    if changed:
        return Grid("", columns, rows, (2, 3, 4, 5))
    caption = say("compare.caption_undecided")
    return Grid(caption, columns[1:], [row[1:] for row in rows], (1, 2, 3, 4))


def _node_grid(c: Comparison) -> Grid:
    heads = ["verdict", "node", "part", "median", "quartiles", "at", "failed", "unlike"]
    rows = [
        [
            Field(say(f"compare.verdicts.{x.outcome}")),
            Field(x.node),
            Field(x.part),
            *map(Field, ratio_cells(x)),
            Field(str(x.at or ""), x.evidence),
            Field(str(x.failed or ""), x.evidence),
            Field("; ".join(x.facts)),
        ]
        for x in c.changes
    ]
    return Grid("", [_head(head, c) for head in heads], rows, (3, 4, 5, 6))


def _listed(names: Sequence[str], count: int = 0, most: int = _most_named) -> str:
    shown = "; ".join(names[:most])
    left = max(count, len(names)) - min(len(names), most)
    return say("compare.and_more", names=shown, count=left) if left else shown


def _changed(c: Comparison) -> Iterator[str]:
    """Returns the lines of broken and missing pairs, and how many changes are left out."""
    if c.source == "nodes":
        return
    for outcome in (Outcome.broken, Outcome.missing):
        named = [x for x in c.changes if x.outcome is outcome and x.point]
        is_broken = outcome is Outcome.broken
        names = [name_of(x.point, c) + _reason(x) * is_broken for x in named if x.point]
        if names:
            listed = _listed(names, c.count(outcome))
            yield say(f"compare.lines.{outcome}", new=c.names[1], names=listed)
    left = {o: c.left_out(o) for o in (Outcome.slower, Outcome.faster)}
    left[Outcome.undecided] = _undecided(c) - len(c.undecided)
    parts = [f"{n} {say(f'compare.verdicts.{outcome}')}" for outcome, n in left.items() if n]
    if parts:
        yield say("compare.lines.more", parts=", ".join(parts))


def _reason(x: Change) -> str:
    reason = str(x.why.values.get("reason") or x.why.values.get("status") or "") if x.why else ""
    return say("compare.reason_of", reason=reason) if reason else ""


def counts(c: Comparison) -> str:
    """Returns how many pairs have which verdict."""
    undecided = _undecided(c)
    parts = {
        "undecided": undecided,
        "insensitive": c.count(Outcome.not_sensitive),
        "broken_count": c.count(Outcome.broken),
        "missing_count": c.count(Outcome.missing),
        "apart_count": c.count(Outcome.not_comparable),
    }
    more = "".join(
        say(f"compare.lines.{name}", count=n, compared=c.compared, sees=numbers.percent(c.sees))
        for name, n in parts.items()
        if n
    )
    return say(
        "compare.lines.nodes" if c.source == "nodes" else "compare.lines.counts",
        slower=c.count(Outcome.slower),
        faster=c.count(Outcome.faster),
        unchanged=c.count(Outcome.unchanged),
        margin=numbers.percent(c.threshold),
        more=more,
    )


def _undecided(c: Comparison) -> int:
    return c.count(Outcome.undecided) + c.count(Outcome.not_sensitive)


def _spread(c: Comparison) -> str:
    """Returns what costs differ by between nodes."""
    if c.widest is None:
        return ""
    usual, most = (numbers.percent(share) for share in c.spreads)
    name = name_of(c.widest, c)
    return say("compare.lines.spread", points=c.points, usual=usual, most=most, name=name)


def _insensitive(c: Comparison) -> Iterator[str]:
    """Returns which pairs could have missed the change asked for."""
    sees = numbers.percent(c.sees)
    if c.source == "nodes":
        for outcome, line in (
            (Outcome.not_sensitive, "insensitive_nodes"),
            (Outcome.not_comparable, "unjudged_nodes"),
        ):
            if nodes := [x.node for x in c.undecided if x.outcome is outcome]:
                yield say(f"compare.lines.{line}", sees=sees, names=_listed(nodes, most=3))
        return
    if c.detects and not c.count(Outcome.not_sensitive):
        yield say("compare.lines.sensitive", sees=sees, least=numbers.ratio(c.detects))
    for x in [x for x in c.undecided if x.why and x.point][:_most_named]:
        yield _scattered(x, name_of(x.point, c) if x.point else "")


def _scattered(x: Change, name: str) -> str:
    """Returns why the costs of a pair scatter."""
    values = x.why.values if x.why else {}
    if "costs" not in values:
        return say("compare.lines.neighbour", name=name)
    low, high = map(numbers.duration, values["costs"])
    return say("compare.lines.modes", name=name, low=low, high=high, side=values["side"])


def _apart(c: Comparison) -> Iterator[str]:
    """Returns why pairs have no ratio."""
    for why, pairs in c.reasons[:_most_lines]:
        names = _listed([name_of(pair.point, c) for pair in pairs])
        reason = say(f"compare.reasons.{why.name}", **_values(why))
        yield say("compare.lines.apart", count=len(pairs), reason=reason, names=names)
    for side, count, ops in zip(c.names, c.only, c.only_ops, strict=True):
        if count:
            shown = say("compare.reason_of", reason=", ".join(ops)) if ops else ""
            yield counted("compare.lines.only", count, side=side, ops=shown)


def _differences(c: Comparison) -> str:
    parts = [_difference(note) for note in c.differences[: 2 * _most_lines]]
    if c.source == "files":
        found = {(note.name, note.values.get("what")) for note in c.differences}
        if not {note.name for note in c.differences} & {"differs", "machine"}:
            parts.insert(0, say("compare.differences.none"))
        if not any(name == "machine" for name, _ in found):
            same = "same_model" if ("differs", "host") in found else "same_machine"
            parts.append(say(f"compare.differences.{same}"))
    return say("compare.lines.differences", parts="; ".join(parts)) if parts else ""


def _difference(note: Fact) -> str:
    values = _values(note)
    if note.name == "hop":
        old, new = (numbers.plain(ns, 2) for ns in note.values["hops"])
        name = "same_hop" if old == new else "hop"
        return say(f"compare.differences.{name}", old=old, new=new)
    return say(f"compare.differences.{note.name}", **values)


def _notes(c: Comparison) -> Iterator[str]:
    for note in c.notes[:_most_lines]:
        yield say("compare.lines.note", text=say(f"compare.notes.{note.name}", **_values(note)))


def result(c: Comparison, several: bool = False) -> str:
    """Returns the result with its exit status, unless there are `several`, and what decided it."""
    counts = {str(outcome): c.count(outcome) for outcome in Outcome}
    return say(
        f"compare.results.{c.result}",
        **counts,
        exit="" if several else say("compare.results.exit", status=c.status),
        sees=numbers.percent(c.sees),
        new=c.names[1],
        compared=c.compared,
        differing=len({x.node for x in c.changes}),
        count=sum(c.counts.values()),
        fewest=fewest_nodes,
    )


def _reliability(c: Comparison) -> str:
    """Returns how many pairs are decided, and the correction."""
    name = "nodes" if c.source == "nodes" else "pairs"
    return say(
        f"compare.reliability.{name if c.tests else 'none'}",
        decided=c.compared - _undecided(c),
        compared=c.compared,
        tests=f"{c.tests:,}",
    )


def _next(c: Comparison) -> str:
    file = next((Path(x.file).name for x in c.changes if x.file), "")
    return say(f"compare.next.{c.next}", file=file) if c.next else ""


def _values(note: Fact) -> dict[str, Any]:
    """Returns the values of a reason or note as a screen prints them."""
    v = dict(note.values)
    for name in ("old", "new"):
        if name in v:
            v[name] = cut(str(v[name] or "unknown"), _longest_value)
    if "what" in v:
        v["what"] = templates()["compare"]["words"].get(v["what"], v["what"])
    if "status" in v:
        known = f"compare.statuses.{v['status']}"
        v["status"] = say(known) if has(known) else v["status"]
    if "share" in v:
        v["share"] = numbers.percent(v["share"])
    if "kinds" in v:
        kinds = v["kinds"].items()
        v["kinds"] = ", ".join(f"{kind} {numbers.percent(share)}" for kind, share in kinds)
    v |= _of_both(v)
    return {n: "; ".join(map(str, x)) if isinstance(x, (list, tuple)) else x for n, x in v.items()}


def _of_both(v: dict[str, Any]) -> dict[str, Any]:
    found = {}
    if isinstance(v.get("names"), tuple):
        found["a"], found["b"] = v["names"]
    if "versions" in v:
        found["version_a"], found["version_b"] = v["versions"]
    if "states" in v:
        found["old"], found["new"] = map(str, v["states"])
    return found


# The whole table


def pair_grid(c: Comparison, changes: Iterable[tuple[Change, Pair]]) -> Grid:
    """Returns a table with all figures of these pairs."""
    heads = ["verdict", "configuration", "ns", "ns", "ratio", "ci", "detectable", "p", "hop", "id"]
    rows = []
    for x, pair in changes:
        state = pair.ratio.state
        hop = numbers.plain(state.hop_ns, 2) if state and state.hop_ns > 0 else ""
        rows.append(
            [
                Field(say(f"compare.verdicts.{x.outcome}")),
                Field(name_of(x.point or pair.point, c), x.evidence),
                *map(Field, (*costs_of(x), *ratio_cells(x), _detectable(pair), f"{pair.p:.2g}")),
                Field(hop),
                Field((x.point or pair.point).id),
            ]
        )
    columns = [_head(head, c, i == 3) for i, head in enumerate(heads)]
    caption = say("compare.caption_all")
    return Grid(caption, columns, rows, (2, 3, 4, 5, 6, 7, 8), (9, 7, 8, 6), 2)


def _detectable(pair: Pair) -> str:
    if pair.verdict is not Verdict.cannot_tell or not isfinite(pair.detectable):
        return ""
    return f"{numbers.factor_up(pair.detectable)}x"


def verdict_text(pair: Pair, table: str = "sentences") -> str:
    """Returns the verdict, and the smallest change that an undecided pair would have shown."""
    verdict = str(pair.verdict.value)
    if pair.verdict is not Verdict.cannot_tell:
        return verdict
    name = "unlimited" if pair.detectable >= vast else "limited"
    least = text.ratio(pair.detectable)
    return say(f"compare.{table}.{name}", verdict=verdict, least=least, vast=f"{vast:g}")


# Exact texts for programs


def program_text(note: Fact) -> str:
    """Returns a reason or note with the words that `--format json` and `junit` keep."""
    v, name = dict(note.values), note.name
    if "count" in v:
        v["points"], v["pairs"] = text.count(v["count"], "point"), text.count(v["count"], "pair")
        v["verb"] = say("compare.json.is" if v["count"] == 1 else "compare.json.are")
    for end in ("old", "new"):
        if end in v:
            v[end] = v[end] or "unknown"
    if name == "status":
        v["status"] = say("compare.json.no_cost") if v["status"] == "no_cost" else v["status"]
        v["reason_of"] = say("compare.reason_of", reason=v["reason"]) if v["reason"] else ""
    if name == "side_status" and v["reason"]:
        name = "side_status_reason"
    if "share" in v:
        v["share"] = text.percent(v["share"])
    if "kinds" in v:
        kinds = v["kinds"].items()
        v["kinds"] = ", ".join(f"{kind} {text.percent(share, 1)}" for kind, share in kinds)
    if "axes" in v:
        v["axes"] = ", ".join(v["axes"])
    v |= _of_both(v)
    if "rounds" in v:
        v["old"], v["new"] = map(_queue, v["rounds"])
    if isinstance(v.get("names"), list):
        v["names"] = "; ".join(v["names"])
    return say(f"compare.json.{name}", **v)


def _queue(rounds: int) -> str:
    return say("compare.json.in_queue" if rounds > 1 else "compare.json.one_by_one", count=rounds)
