"""What to do here: the claims that were decided, as advice, the most consequential first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from math import isfinite, log
from typing import TYPE_CHECKING

from syncmeter_analysis.claims import judged as judged_on
from syncmeter_analysis.claims.claim import (
    Claim,
    Finding,
    cannot_tell,
    differs,
    fails,
    holds,
    not_measured,
)
from syncmeter_analysis.relate import text
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.device_differences import device_sentences
from syncmeter_analysis.relate.evidence import Evidence, busy_doubt
from syncmeter_analysis.relate.repetition import Repeats
from syncmeter_analysis.render.precision import precision
from syncmeter_analysis.render.report import Block, Card, Section
from syncmeter_analysis.render.shown_pair import bars_of, effect_of, where_of
from syncmeter_analysis.render.trust import noise_sentences, verdict_of_machine
from syncmeter_analysis.studies.blocks import Bullets, Cell, Text, table
from syncmeter_analysis.studies.control import known_costs

if TYPE_CHECKING:
    from syncmeter_analysis.studies.figures import Figure

#: Cards of the first screen: advice beyond the doubts that a busy machine leaves fills up to the least.
_least_cards, _most_cards = 4, 5
#: Sentences of advice with which a campaign ends on a terminal.
_most_advice = 3

#: What the verdict of a noisy machine calls usable, beside such a ratio.
_busy = "other work ran beside both: the ratio is usable, and may be another on a quiet machine"

Judged = Sequence[tuple[Claim, Finding]]


def consequence(f: Finding) -> float:
    """How much is at stake: the distance of the effect's interval from 1, in logarithms.

    The bound nearer to 1 counts, so that a large effect that is hardly known comes after a smaller
    one that is certain; 0 where the interval holds 1.
    """
    if f.effect is None or f.effect.value <= 0:
        return 0.0
    if not f.effect.bounded:
        return abs(log(f.effect.value)) / 10
    if f.effect.low <= 1 <= f.effect.high:
        return 0.0
    nearest = f.effect.low if f.effect.low > 1 else f.effect.high
    return abs(log(nearest)) if nearest > 0 else 10.0


Advised = tuple[str, str, Claim, Finding]


def _but_for_busy(f: Finding, verdict: str) -> list[tuple[str, Finding]]:
    """Findings of this verdict whose only doubt is that other work ran: their ratios are of visits that
    saw the same."""
    found = f.parts.items() or [("", f)]
    return [(op, p) for op, p in found if p.verdict == verdict and p.doubts == [busy_doubt]]


def advised(
    judged: Judged, evidence: Callable[[Finding, str], list[tuple[str, Finding]]] = Finding.sound
) -> list[Advised]:
    """Advice and its evidence in words, claim and finding, the most consequential first.

    Only what is decided by sound evidence advises. Where ops differ, advice names those that it is
    about.
    """
    found = []
    for claim, f in judged:
        for verdict, advice in ((holds, claim.advice), (fails, claim.otherwise)):
            sound = evidence(f, verdict)
            if not (advice and sound):
                continue
            least = min((part for _, part in sound), key=consequence)
            ops = [op for op, _ in sound if op]
            some = f.verdict == differs or len(ops) < len(f.parts)
            about = f" ({text.listed(ops, len(ops))})" if some else ""
            points = list(dict.fromkeys(id for _, part in sound for id in part.points))
            found.append(
                (
                    advice.removesuffix(".") + about + ".",
                    f.sentence,
                    claim,
                    replace(least, points=points),
                )
            )
    return sorted(found, key=lambda a: -consequence(a[3]))


#: Why a finding whose two costs differ by less than a control missed advises nothing.
_hidden = "a control missed by as much as the costs differ"
#: Why one advises nothing that fewer than 19 of 20 repeats of the campaign would decide as it does.
_changes = "a repeat of the campaign may decide otherwise"


def judged_with_doubts(campaign: Campaign) -> list[tuple[Claim, Finding]]:
    """Every claim with what the campaign says of it, doubted where a control missed by as much as the
    costs differ, and where a repeat may decide otherwise."""
    judged = judged_on(Evidence(campaign))
    parts = [part for _, f in judged for part in f.parts.values() or [f]]
    repeats = Repeats(p for part in parts for p in part.compared.found)
    miss = known_costs(campaign).miss
    all_hidden = bool(miss and miss.doubts_all(campaign))

    def hidden(f: Finding) -> bool:
        if not miss or f.verdict == not_measured:
            return False
        r = f.example.ratio if f.example else None
        return (
            all_hidden or r is None or not isfinite(r.over_ns) or miss.hides(r.over_ns, r.under_ns)
        )

    def changes(f: Finding) -> bool:
        decided = f.decide if f.verdict in (holds, fails) else None
        if decided is None:
            return False
        return _was_visited_once(f) or not repeats.decide_alike(f.compared, decided)

    def doubted(f: Finding) -> Finding:
        if f.parts:
            parts = {op: doubted(part) for op, part in f.parts.items()}
            doubts = dict.fromkeys(doubt for part in parts.values() for doubt in part.doubts)
            return replace(f, parts=parts, doubts=list(doubts))
        # What alone forbids a card comes first, as it is the reason that is given.
        return replace(f, doubts=[_hidden] * hidden(f) + [_changes] * changes(f) + f.doubts)

    return [(claim, doubted(f)) for claim, f in judged]


def _was_visited_once(f: Finding) -> bool:
    """Whether nothing is known of how the costs that it shows scatter; published ones do not say."""
    if f.example is None or f.example.over.imported:
        return False
    if f.effect is None:
        return False
    # The effect of several pairs is their range, which bounds it though nothing is known of each.
    return not (f.effect.bounded and f.example.ratio.bounded)


def _compares(f: Finding) -> object:
    """The two ops that a finding compares and the axes in which they differ; without these, itself. A
    critical section is one whether it has a name or not."""
    if f.example is None:
        return id(f)
    over, under = f.example.over.point, f.example.under.point
    apart = (x.name for x in fields(over) if getattr(over, x.name) != getattr(under, x.name))
    return *_ops(f), *apart


def _ops(f: Finding) -> tuple[str, ...]:
    """The two ops that a finding compares; none where it has no example."""
    if f.example is None:
        return ()
    return f.example.over.point.op.replace("_named", ""), f.example.under.point.op


def _of_its_own(advice: Sequence[Advised]) -> list[Advised]:
    """Without advice that rests on the same comparison as advice before it."""
    kept: dict[object, Advised] = {}
    for a in advice:
        kept.setdefault(_compares(a[3]), a)
    return list(kept.values())


def chosen(judged: Judged) -> list[Advised]:
    """What the cards tell: sound advice, and where that is little the advice of a busy machine that has
    something at stake."""
    found = _of_its_own([a for a in advised(judged) if a[3].effect])[:_most_cards]
    sound = {claim.id for _, _, claim, _ in advised(judged)}
    likely = [
        a for a in advised(judged, _but_for_busy) if a[2].id not in sound and consequence(a[3]) > 0
    ]
    return found + _of_its_own(found + likely)[len(found) :][: max(0, _least_cards - len(found))]


def _further(judged: Judged) -> list[Advised]:
    """Sound advice that no card tells."""
    carded = {advice for advice, *_ in chosen(judged)}
    return [a for a in advised(judged) if a[0] not in carded]


def sentence(advice: Advised) -> str:
    """The advice with the two points that show it, and whether other work makes it only likely."""
    what, _, _, f = advice
    bars = bars_of(f)
    shown = (
        f" {', '.join(f'{bar.name} {bar.cost}' for bar in bars)}: {effect_of(f)}" if bars else ""
    )
    if not shown and f.effect:
        shown = f" {effect_of(f)}"
    where = f" ({where_of(f)})" if bars else ""
    again = f" {text.sentence(_busy)}" if f.doubts else ""
    return f"{what}{shown}{where}" + "." * bool(shown) + again


def _figure(points: Sequence[str], figures: Sequence[Figure], section: str, ids: set[str]) -> str:
    """The figure that draws most of these points, else the section, else nothing."""
    wanted = set(points)
    best = max(figures, key=lambda f: len(wanted & set(f.points)), default=None)
    if best is not None and wanted & set(best.points):
        return f"fig-{best.id}"
    return section if section in ids else ""


def cards(judged: Judged, figures: Sequence[Figure], sections: set[str]) -> list[Card]:
    """The first screen's recommendations, each with its effect, its scope and its own figure."""
    return [
        Card(
            advice,
            effect_of(f),
            where_of(f),
            _busy if f.doubts else "",
            bars_of(f),
            _figure(f.points, figures, claim.figure, sections),
            f.points,
        )
        for advice, _, claim, f in chosen(judged)
    ]


def what_to_run(campaign: Campaign, judged: Judged) -> list[tuple[str, list[str]]]:
    """Commands that this machine can run, each with the statements that it would decide; those that
    decide most first. A campaign on GPUs alone has none of CPUs."""
    by_command: dict[str, list[str]] = defaultdict(list)
    measured, gpus = campaign.measured, _gpus(campaign)
    gpus_alone = bool(measured) and all(s.on_gpu for s in measured)
    for claim, f in judged:
        if gpus_alone and not claim.needs.startswith("cuda"):
            continue
        if f.verdict == not_measured and claim.can_run_on(campaign.machine, gpus):
            by_command[claim.command].append(claim.statement + (f" ({f.note})" if f.note else ""))
    return sorted(by_command.items(), key=lambda item: -len(item[1]))


def undecided(judged: Judged) -> tuple[list[tuple[Claim, Finding]], list[tuple[Claim, Finding]]]:
    """Claims that were measured and advise nothing: those decided by doubtful figures only, and those
    that could not be decided."""
    advice = [*chosen(judged), *advised(judged)]
    advise = {claim.id for _, _, claim, _ in advice}
    # What is advised for two ops in one configuration is not doubted in the next line for another.
    answered = {ops for *_, f in advice if len(set(ops := _ops(f))) > 1}
    judged = [(c, f) for c, f in judged if c.id not in advise and _ops(f) not in answered]
    silent = [(c, f) for c, f in judged if f.verdict in (holds, fails, differs)]
    doubtful = [(c, f) for c, f in silent if f.doubts]
    differing = [c.id for c, f in silent if f.verdict == differs and not f.doubts]
    unclear = [(c, f) for c, f in judged if f.verdict == cannot_tell or c.id in differing]
    return doubtful, unclear


def not_on_cards(campaign: Campaign, judged: Judged) -> list[tuple[str, list[Block]]]:
    """What is folded below the cards: further advice, what is doubtful, cannot be told, or was not
    measured and can be measured here."""
    further = [f"{advice} {text.sentence(says)}" for advice, says, _, _ in _further(judged)]
    doubtful, unclear = (
        [f"{c.statement} {text.sentence(f.sentence)}".strip() for c, f in found]
        for found in undecided(judged)
    )
    runs = [
        f"{command}: {' '.join(statements)}"
        for command, statements in what_to_run(campaign, judged)
    ]
    folded = [
        (text.count(len(further), "further recommendation"), further),
        (f"Decided by doubtful figures only, so that no advice follows: {len(doubtful)}", doubtful),
        (f"Could not be decided (an interval straddles the bound): {len(unclear)}", unclear),
    ]
    if not campaign.machine.imported:
        folded.append(("What to run next, and what that would decide", runs))
    return [(title, [Bullets(items)]) for title, items in folded if items]


def _gpus(campaign: Campaign) -> int:
    """GPUs that are known to be there: those that a point used, or that the machine names."""
    used = max((s.devices for s in campaign.points.values() if s.on_gpu), default=0)
    return max(used, len(campaign.machine.gpus) > 0)


def claims_section(judged: Judged) -> Section:
    """Every claim that was measured, with its verdict, evidence and source."""
    kinds = {holds: "good", fails: "bad", differs: "unclear", cannot_tell: "unclear"}
    rows = [
        [
            *(c.statement, Cell(f.verdict, kind=kinds[f.verdict]), Cell(f.sentence, f.points)),
            *("; ".join(f.doubts), c.source),
        ]
        for c, f in judged
        if f.verdict != not_measured
    ]
    if not rows:
        return Section("claims", "Claims")
    counts = {v: sum(f.verdict == v for _, f in judged) for v in (*kinds, not_measured)}
    verdicts = ", ".join(f"{n} {v}" for v, n in counts.items() if n)
    about = Text(
        f"Published and widely held statements, judged on these data: {verdicts}. An effect is a "
        "ratio of costs with its 95 % interval (over visits of one pair of points, or the "
        "median over several pairs of the same op)."
    )
    found = table("", "claim|verdict|evidence|doubt|source", rows)
    return Section("claims", "Claims", [about, found])


def headline(judged: Judged) -> str:
    """For the terminal: how many recommendations the page has, and the first of its cards."""
    found = chosen(judged)
    if not found:
        return "no recommendations: no claim could be decided without doubt"
    count = text.count(len(found) + len(_further(judged)), "recommendation")
    return f"{count}, first: {sentence(found[0])}"


#: What a campaign finds of a claim that advises nothing.
_finds = {
    holds: ", which holds here",
    fails: ", which does not hold here",
    differs: ", which holds for some ops here",
}


def _open(what: str, why: str, found: Sequence[tuple[Claim, Finding]]) -> list[str]:
    """That claims advise nothing, with the first of them, what was found of it, and why."""
    if not found:
        return []
    claim, finding = found[0]
    first, finds = claim.statement.rstrip("."), _finds.get(finding.verdict, "")
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return [f'{what} the claim "{first}"{finds}{more}, as {why}.']


def findings(campaign: Campaign, with_trust: bool = True) -> list[str]:
    """What a campaign begins with on a terminal, three to seven sentences: whether the machine was
    quiet (`with_trust`; answers say it too), the advice of the first cards with its effect, what could
    not be decided, and the command that would decide most of what is open. Empty where nothing was
    measured."""
    if not campaign.measured:
        return []
    claims = judged_with_doubts(campaign)
    found = [f"{verdict_of_machine(campaign)[0]}."] * with_trust + noise_sentences(campaign)
    found += precision(campaign) * with_trust
    found += device_sentences(campaign)
    found += [sentence(advice) for advice in chosen(claims)[:_most_advice]]
    doubtful, unclear = undecided(claims)
    found += _open("Not decided is", "what was measured fits it and its opposite", unclear)
    for why in dict.fromkeys(f.doubts[0] for _, f in doubtful):
        doubted = [(c, f) for c, f in doubtful if f.doubts[0] == why]
        found += _open("No advice follows from", why, doubted)
    if runs := what_to_run(campaign, claims):
        command, (first, *_) = runs[0]
        more, first = text.count(len(runs[0][1]), "more claim"), first.rstrip(".")
        found.append(
            f'Not measured here: {command} judges {more}, the first whether "{first}" holds.'
        )
    return found
