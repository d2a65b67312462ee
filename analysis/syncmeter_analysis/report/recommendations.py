"""What to do here: the claims that were decided, as advice, the most consequential first."""

from __future__ import annotations

from collections import defaultdict
from math import log

from syncmeter_analysis.claims.claim import Claim, Finding, cannot_tell, fails, holds, not_measured
from syncmeter_analysis.report.blocks import Advice, Block, Bullets, Section, Text
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


def recommendations(campaign: Campaign, judged: list[tuple[Claim, Finding]]) -> Section:
    """Advice with its evidence, then what cannot be told, then what was not measured."""
    decided = [(c, f) for c, f in judged if f.verdict in (holds, fails)]
    decided.sort(key=lambda cf: (bool(cf[1].doubts), -consequence(cf[1])))
    blocks: list[Block] = []
    for claim, f in decided:
        advice = claim.advice if f.verdict == holds else claim.otherwise
        blocks.append(Advice(advice, f.says, campaign.name, claim.figure, f.points, f.doubts))
    if not decided:
        blocks.append(Text("Nothing can be recommended: no claim could be decided on these data."))
    unclear = [f"{c.statement} {f.says}".strip() for c, f in judged if f.verdict == cannot_tell]
    if unclear:
        blocks.append(Text("Cannot be told from these data (an interval holds the bound):"))
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
    from syncmeter_analysis.report.blocks import Cell, Table

    kinds = {holds: "good", fails: "bad", cannot_tell: "unclear", not_measured: "dim"}
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
                "median over several pairs)."
            ),
            Table(["claim", "verdict", "evidence", "doubt", "source"], rows),
        ],
    )


def headline(judged: list[tuple[Claim, Finding]]) -> str:
    """One line for the terminal: how many recommendations, and the first."""
    decided = [(c, f) for c, f in judged if f.verdict in (holds, fails) and not f.doubts]
    if not decided:
        return "no recommendations: no claim could be decided"
    c, f = max(decided, key=lambda cf: consequence(cf[1]))
    effect = f" ({f.of}: {text.ratio_interval(f.effect)})" if f.effect else ""
    advice = c.advice if f.verdict == holds else c.otherwise
    return f"{text.count(len(decided), 'recommendation')}, first: {advice}{effect}"
