"""What to do here: the claims that were decided, as advice, the most consequential first."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from math import log

from syncmeter_analysis.claims.claim import (
    Claim,
    Finding,
    cannot_tell,
    differs,
    fails,
    holds,
    not_measured,
)
from syncmeter_analysis.report.blocks import Advice, Block, Bullets, Cell, Section, Table, Text
from syncmeter_analysis.statistics import text
from syncmeter_analysis.statistics.campaign import Campaign


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


def advised(judged: list[tuple[Claim, Finding]]) -> list[tuple[str, str, Claim, Finding]]:
    """Advice and its evidence in words, claim and finding, the most consequential first.

    Only what is decided by sound evidence advises. Where ops differ, advice names those that it is
    about.
    """
    found = []
    for claim, f in judged:
        for verdict, advice in ((holds, claim.advice), (fails, claim.otherwise)):
            sound = f.sound(verdict)
            if not sound:
                continue
            least = min((part for _, part in sound), key=consequence)
            ops = [op for op, _ in sound if op]
            about = f"{', '.join(ops)}: " if f.verdict == differs or len(ops) < len(f.parts) else ""
            points = list(dict.fromkeys(id for _, part in sound for id in part.points))
            found.append((about + advice, f.says, claim, replace(least, points=points)))
    return sorted(found, key=lambda a: -consequence(a[3]))


def recommendations(campaign: Campaign, judged: list[tuple[Claim, Finding]]) -> Section:
    """Advice with its evidence, then what is doubtful, cannot be told, or was not measured."""
    advice = advised(judged)
    blocks: list[Block] = [
        Advice(told, says, campaign.name, claim.figure, f.points) for told, says, claim, f in advice
    ]
    if not advice:
        blocks.append(
            Text(
                "Nothing can be recommended: no claim could be decided without doubt on these data."
            )
        )
    told = {claim.id for _, _, claim, _ in advice}
    decided = [(c, f) for c, f in judged if f.verdict in (holds, fails, differs)]
    doubtful = [f"{c.statement} {f.says}" for c, f in decided if c.id not in told and f.doubts]
    if doubtful:
        blocks.append(Text("Decided by doubtful figures only, so that no advice follows:"))
        blocks.append(Bullets(doubtful))
    unclear = [
        f"{c.statement} {f.says}".strip()
        for c, f in judged
        if f.verdict == cannot_tell or (f.verdict == differs and c.id not in told and not f.doubts)
    ]
    if unclear:
        blocks.append(Text("Cannot be told from these data (an interval straddles the bound):"))
        blocks.append(Bullets(unclear))
    by_command: dict[str, list[str]] = defaultdict(list)
    for claim, f in judged:
        if f.verdict == not_measured:
            by_command[claim.command].append(claim.statement + (f" ({f.note})" if f.note else ""))
    if by_command:
        blocks.append(Text("Not measured, and what would measure it:"))
        blocks.append(
            Bullets(
                [f"{command}: {' '.join(statements)}" for command, statements in by_command.items()]
            )
        )
    return Section("do", "What to do here", blocks)


def claims_section(judged: list[tuple[Claim, Finding]]) -> Section:
    """Every claim with its verdict, evidence and source."""
    kinds = {
        holds: "good",
        fails: "bad",
        differs: "unclear",
        cannot_tell: "unclear",
        not_measured: "dim",
    }
    rows = [
        [
            Cell(c.statement),
            Cell(f.verdict, kind=kinds[f.verdict]),
            Cell(f.says, points=f.points),
            Cell("; ".join(f.doubts)),
            Cell(c.source),
        ]
        for c, f in judged
    ]
    counts = {v: sum(f.verdict == v for _, f in judged) for v in kinds}
    told = ", ".join(f"{n} {v}" for v, n in counts.items() if n)
    return Section(
        "claims",
        "Claims",
        [
            Text(
                f"Published and widely held statements, judged on these data: {told}. An effect is a "
                "ratio of costs with its 95 % interval (over visits of one pair of points, or the "
                "median over several pairs of the same op)."
            ),
            Table(["claim", "verdict", "evidence", "doubt", "source"], rows),
        ],
    )


def headline(judged: list[tuple[Claim, Finding]]) -> str:
    """One line for the terminal: how many recommendations, and the first."""
    found = advised(judged)
    if not found:
        return "no recommendations: no claim could be decided without doubt"
    advice, _, _, f = found[0]
    effect = f" ({f.of}: {text.ratio_interval(f.effect)})" if f.effect else ""
    return f"{text.count(len(found), 'recommendation')}, first: {advice}{effect}"
