"""What a contest comes to in words: what to take or to keep, what is as fast or undecided, and how many
times as long others take."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import product
from operator import attrgetter
from textwrap import wrap

from syncmeter_analysis.relate import text
from syncmeter_analysis.relate.contest import Contest
from syncmeter_analysis.relate.op_groups import is_default
from syncmeter_analysis.relate.relation import (
    NotComparable,
    Ratio,
    Verdict,
    default_margin,
    ratio,
    verdict,
)
from syncmeter_analysis.relate.summary import Measured
from syncmeter_analysis.relate.text import listed, ns_of, percent, verb_of

#: So many leaders are all named where there is room.
_most_leaders = 5

#: A sentence is to fit into three lines of a list on a terminal, or four where these leave no room for
#: a slower point: so many leaders and slower points are named, the cost of each in full or of all as
#: a range, the first that fit.
_lines, _width = (3, 4), 78
_Layout = tuple[int, int, bool]
_shorter_and_shorter: tuple[_Layout, ...] = (
    *((5, 2, True), (5, 1, True), (5, 1, False), (5, 0, True), (5, 0, False)),
    *((4, 2, True), (4, 1, True), (4, 1, False), (4, 0, True), (4, 0, False)),
    *((3, 1, False), (2, 1, False), (3, 0, False), (2, 0, False), (1, 0, False)),
)

#: No ratio up to this is printed as more than 1.00.
_least_shown = 1.005

#: What is no difference between ties.
_margin = percent(default_margin)

Name = Callable[[Measured], str]


def sentence(
    one: Contest,
    where: str,
    name: Name,
    amount: Name,
    what: str = "lock",
    usual: Iterable[Measured] = (),
    why: str = "",
    but: str = "",
) -> str:
    """`where`, which one to take or to keep, or between which no difference could be shown, and how
    many times as long what is `usual` takes and the next best, or each where there are few; without
    another reason that is why, of one alone. `amount` is its cost, then a comma and what goes first
    where there is no room. `why` stands where that one is the fastest alone, then `but`, what there
    is to say against it. Points of one name are one thing."""
    if one.best is None:
        return f"{where}: cannot tell which {what} to take: none has a cost"
    if one.is_open or len(one.points) == 1:
        return f"{where}: {_open(one, name, amount, what)}"
    is_alone = not (one.ties or one.below)
    why, next_first = why if is_alone else "", is_alone and not why
    leading = _by_name(one.kept or one.leaders, name)
    several = bool(one.ties) and not one.kept and len(leading) > 1
    apart = [f"{name(s)} ({reason})" for s, reason in one.apart]
    slower = _slower_to_name(one, usual, next_first)
    slower = [(s, r) for s, r in slower if name(s) not in leading]
    if len(leading) == 2 and not one.kept and not _is_same(one) and _one_of_two(one):
        slower = []  # the other one of the two is the nearest

    def short(s: Measured) -> str:
        return amount(s).partition(",")[0]

    # Of several OpenMP runtimes each is named with its library later.
    openmp = {s.point.backend for s in one.points if s.point.backend.startswith("omp")}
    for lines, with_but, (most_named, most_slower, in_full) in _layouts(
        min(1, len(slower)), len(leading) if len(leading) <= _most_leaders else 0, is_alone
    ):
        long = amount if in_full and len(one.kept or one.leaders) == 1 else short
        longer = _they_take(one, name, short, slower[:most_slower])
        taken = advice(one, name, long, most_named, each=in_full, surely=not longer)
        found = [f"{where}: {_below(one, what, name)}{taken}"]
        if why:
            found[0] += f", {why}"
        if longer:
            if one.ties or why:
                found.append(longer)
            else:
                found[0] += f", because {longer}"
        found += [but] * bool(but and with_but)
        words = "; ".join(found)
        named = sum(f"{backend} " in words for backend in openmp) if len(openmp) > 1 else 0
        libraries = " (library)" * named
        if len(wrap(words + libraries, _width, break_on_hyphens=False)) <= lines:
            break
    if apart:
        found.append(f"{listed(apart)} cannot be compared with {'them' if several else 'it'}")
    return "; ".join(found)


def _layouts(slower: int, named: int, with_but: bool) -> list[tuple[int, bool, _Layout]]:
    """In so many lines, with what is against it: first those that name as many slower points and
    leaders as these, then those that leave out what is against it, unless `with_but`, then names."""
    few, many = _lines
    tries = [(lines, but, slower, named) for but in (True, with_but) for lines in (few, many)]
    tries += [(few, with_but, slower, 0), (many, with_but, slower, 0), (many, with_but, 0, 0)]
    return [
        (lines, but, layout)
        for lines, but, least_slower, least_named in tries
        for layout in _shorter_and_shorter
        if layout[0] >= least_named and layout[1] >= least_slower
    ]


def advice(
    one: Contest,
    name: Name,
    amount: Name | None = None,
    most: int = _most_leaders,
    each: bool = True,
    surely: bool = True,
) -> str:
    """`take A (9 ns)` of one that is the fastest alone; of several `keep A (9 ns): none of 4 others
    is shown to be faster`, `take A (9 ns) or B (9 ns), the same within 5 %`, `take B (9 ns): A (10 ns)
    takes 2 % to 20 % longer`, or to take one of them, as it is undecided which is faster. Where not
    `each` has its own cost these are a range, and `any of` them says the same in less room. `surely`:
    how sure it is of its figure; else that follows."""

    def named(found: Sequence[Measured], each: bool) -> list[str]:
        by_name = _by_name(found, name).items()
        if not amount or not each:
            return [as_named for as_named, _ in by_name]
        # The first of them names what the costs are of.
        return [
            f"{as_named} ({_cost_of(alike, amount, in_full=i == 0)})"
            for i, (as_named, alike) in enumerate(by_name)
        ]

    if one.is_open:
        return _open(one, name, amount)
    names = named(one.leaders, each)
    cost = f" ({costs(one.leaders, amount)})" if amount and not each else ""
    if len(names) == 1:
        return f"take {names[0]}{cost}"
    if kept := one.kept:
        compared = [s for s in one.points if s is one.best or isinstance(one.over(s), Ratio)]
        others = [other for other in _by_name(compared, name) if other not in _by_name(kept, name)]
        keep = f"keep {listed(named(kept, each=True), last='or')}"
        if not others:
            return keep
        none = f"none of {len(others)} others is" if len(others) > 1 else f"{others[0]} is not"
        return f"{keep}: {none} shown to be faster{_at_most(one, kept, surely)}"
    if _is_same(one):
        same = f"the same within {_margin}{_surely_of(one.over(one.ties[0])) * surely}"
        return f"take {listed(names, max(2, most), last='or')}{cost}, {same}"
    if faster := _probably_faster(one, named(one.leaders, each=True), surely):
        return faster
    if cost and one.are_near:
        any_of = listed(names, max(2, most), last="or")
        found = f"take {any_of}{cost}"
        return found + _at_most(one, one.leaders, surely)
    between = _between_two(one, surely) or _at_most(one, one.leaders, surely, "; they are")
    return undecided(names, one.are_near, max(2, most), cost) + between


def _open(one: Contest, name: Name, amount: Name | None, what: str = "") -> str:
    """`cannot tell which lock to take: only A (9 ns) of 6 has a cost`, or that no two with a cost
    were compared in two visits."""
    found = sorted((s for s in one.points if s.usable and s.cost), key=ns_of)
    which = " ".join(filter(None, ["cannot tell which", what, "to take"]))
    if len(found) == 1:
        cost = f" ({amount(found[0]).partition(',')[0]})" if amount else ""
        has = f"of {len(one.points)} has a cost" if len(one.points) > 1 else "was measured"
        return f"{which}: only {name(found[0])}{cost} {has}"
    names = list(_by_name(found, name))
    span = f" ({costs(found, lambda s: amount(s).partition(',')[0])})" if amount else ""
    return f"{which}: {listed(names, 3)}{span} were not compared in two visits or more"


def undecided(
    names: Sequence[str], are_near: bool, most: int = _most_leaders, costs: str = ""
) -> str:
    """`take a or b: undecided which is faster`, `take a, b, c or d (30 to 35 ns): undecided which is
    fastest` with the `costs` of all; `undecided which is faster: a or b` of what is not near enough to
    take any."""
    which = f"undecided which is {'faster' if len(names) == 2 else 'fastest'}"
    listing = listed(names, most, last="or") + costs
    return f"take {listing}: {which}" if are_near else f"{which}: {listing}"


def costs(found: Sequence[Measured], amount: Name) -> str:
    """`2164 to 2310 ns for 16 sections`: what these cost."""
    by_cost = sorted(found, key=ns_of)
    least, most = by_cost[0], by_cost[-1]
    if text.duration(ns_of(least)) == text.duration(ns_of(most)):
        return amount(least)
    of = _of(amount(least), least)
    if of is None:
        return f"{amount(least)} to {amount(most)}"
    return text.duration_range(ns_of(least), ns_of(most)) + of


def _cost_of(alike: Sequence[Measured], amount: Name, in_full: bool) -> str:
    cost = costs(alike, amount)
    return cost if in_full else cost.removesuffix(_of(amount(alike[0]), alike[0]) or "")


def _by_name(found: Sequence[Measured], name: Name) -> dict[str, list[Measured]]:
    """The points by their names, in their order: several APIs have the same lock."""
    by_name: dict[str, list[Measured]] = {}
    for s in found:
        by_name.setdefault(name(s), []).append(s)
    return by_name


def _of(amount: str, s: Measured) -> str | None:
    """` for 16 sections` of `1168 ns for 16 sections`; None of what does not begin with the cost."""
    ns = text.duration(s.cost.value) if s.cost else ""
    return amount.removeprefix(ns) if ns and amount.startswith(ns) else None


def _is_same(one: Contest) -> bool:
    """Whether all leaders are the same within the margin, also in repeats."""
    same = all(verdict(one.over_best[s.id]) is Verdict.same for s in one.ties)
    return same and one.is_repeated(one.leaders)


def _of_two(one: Contest) -> Ratio | None:
    """The first of two leaders over the second; None of others, and without an interval."""
    r = ratio(*one.leaders) if len(one.leaders) == 2 else None
    return r if isinstance(r, Ratio) and r.bounded and r.low > 0 else None


def _one_of_two(one: Contest) -> Ratio | None:
    """The first of two leaders over the second, where all of the interval has the same one as the
    faster."""
    r = _of_two(one)
    return None if r is None or r.low <= 1 <= r.high else r


def _probably_faster(one: Contest, names: Sequence[str], surely: bool) -> str:
    """Of two leaders the one that the whole interval has as the faster, be it by less than the
    margin; '' of others."""
    r = _one_of_two(one)
    if r is None:
        return ""
    (slower, faster), low, high = names, r.low, r.high
    if high < 1:
        (slower, faster), (low, high) = (faster, slower), (1 / high, 1 / low)
    longer = text.percent_range(low - 1, high - 1)
    return f"take {faster}: {slower} takes {longer} longer{_surely_of(r) * surely}"


def _between_two(one: Contest, surely: bool) -> str:
    """Of two leaders what their ratio may be; '' of others, and where that is not known."""
    r = _of_two(one)
    if r is None:
        return ""
    times = f"{text.ratio(r.low)} to {text.ratio(r.high)} times"
    return f", as the first takes {times} as long{_surely_of(r) * surely}"


def _at_most(one: Contest, found: Sequence[Measured], surely: bool, these: str = ",") -> str:
    """`, up to 1.22 times apart (95 % sure, 8 visits)`: what the wrong one of these, beside every
    leader, costs; of those to keep `, at most 1.05 times as long`; '' where one is not known."""
    pairs = [(s, other) for s, other in product(found, one.leaders) if s is not other]
    ratios = [r for pair in pairs if isinstance(r := ratio(*pair), Ratio) and r.bounded]
    if not pairs or len(ratios) < len(pairs):
        return ""
    worst = max(ratios, key=attrgetter("high"))
    most = text.ratio(worst.high)
    differ = f", at most {most} times as long" if one.kept else f"{these} up to {most} times apart"
    return f"{differ * (worst.high > _least_shown)}{_surely_of(worst) * surely}"


def _surely_of(r: Ratio | NotComparable | None) -> str:
    return text.surely_of(r) if isinstance(r, Ratio) else ""


def _below(one: Contest, what: str, name: Name) -> str:
    """Why the fastest is not known; '' where it is."""
    if not one.below:
        return ""
    near = [f"{name(s)} ({text.cost(s)} ns)" for s in one.below]
    return (
        f"cannot tell which {what} is the fastest: {verb_of(near)} too near to nothing to be "
        "resolved; of the others "
    )


def _they_take(
    one: Contest, name: Name, short: Name, slower: Sequence[tuple[Measured, Ratio]]
) -> str:
    """`std mutex takes 1.72 times as long (1.38 to 1.88), omp critical 2.10 (1.93 to 2.31)`; beside
    several leaders `nearest shown slower: omp critical (23 ns), at least 1.50 times as long`. Where
    not all were compared at one distance, each has its own."""
    if not slower:
        return ""
    found: list[str] = []
    for s, r in slower:
        as_long = " times as long" * (not found)
        if one.ties:
            surely = text.surely_of(r) * (not found)
            much = f"at least {text.ratio(r.low)}{as_long}{surely}"
        else:
            much = f"{text.times(r)}{as_long}{text.bounds(r) if found else text.sure(r)}"
        where = f" where {apart}" if (apart := one.apart_of(r)) else ""
        cost = f" ({_cost_of([s], short, in_full=False)})" * bool(one.ties)
        takes = " " if found else ", " if one.ties else " takes "
        found.append(f"{name(s)}{cost}{takes}{much}{where}")
    nearest = "nearest shown slower: " * bool(one.ties)
    return nearest + ", ".join(found)


def _slower_to_name(
    one: Contest, usual: Iterable[Measured], next_first: bool
) -> list[tuple[Measured, Ratio]]:
    """What is usual and the next best, which may be the same and is first where several lead, or the
    next best alone; all where there are few."""
    ascending = one.slower_than_all[::-1]
    if len(one.points) <= text.most_names:
        return ascending
    known = {s.id for s in (*usual, *(s for s in one.points if is_default(s.point.op)))}
    best, known_best = ascending[:1], [(s, r) for s, r in ascending if s.id in known][:1]
    found = best if next_first else best + known_best if one.ties else known_best + best
    return found[:1] if len({s.id for s, _ in found}) < len(found) else found
