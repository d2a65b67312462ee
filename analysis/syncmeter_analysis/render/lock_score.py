"""Scores of rules for the choice of a lock, as a table for a terminal, Markdown or JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence

from syncmeter_analysis.relate.lock_score import (
    Machine,
    Rule,
    harm,
    least_kept,
    most_harmed,
    worth,
)
from syncmeter_analysis.studies.blocks import Block, Bullets, Cell, Text, table

title = "Rules for the choice of a lock, on LiTL's programs"


def score_blocks(machines: Sequence[Machine], rules: Sequence[Rule]) -> list[Block]:
    """What the data are, a row for each rule, what was fitted, and which programs the rules harm that
    may know only what a run shows."""
    of = [
        f"{m.name} {s.programs} ({s.to_gain})"
        for m, s in zip(machines, rules[0].scores, strict=True)
    ]
    facts = (
        f"Programs of each machine, and those with more than {worth - 1:.0%} to gain: {', '.join(of)}. "
        f"Cells: programs made more than {1 - harm:.0%} slower, share of possible gain kept. Asked: "
        f"at most {most_harmed}, and {least_kept:.0%}."
    )
    rows = [
        [rule.name, *(Cell(f"{len(s.harmed)}, {s.kept:.0%}") for s in rule.scores), _verdict(rule)]
        for rule in rules
    ]
    found: list[Block] = [
        Text(facts),
        table("", ["rule", *(f"{m.name}>" for m in machines), "as asked on"], rows),
    ]
    details = [f"{rule.name}: {_details(machines, rule)}." for rule in rules if rule.detail]
    return [*found, Bullets(details)]


def _verdict(rule: Rule) -> str:
    return f"{sum(s.is_good for s in rule.scores)} of {len(rule.scores)}"


def _details(machines: Sequence[Machine], rule: Rule) -> str:
    """What was chosen, for each machine where that differs, and the programs that it harms."""
    parts = []
    for i, (m, s) in enumerate(zip(machines, rule.scores, strict=True)):
        chosen = f"{rule.detail[i]}" if len(rule.detail) == len(machines) else ""
        slower = f"slower: {', '.join(s.harmed)}" if s.harmed else "none slower"
        parts.append(f"{m.name} {'; '.join(filter(None, (chosen, slower)))}")
    shared = f"{rule.detail[0]}. " if len(rule.detail) == 1 else ""
    return shared + ". ".join(parts)


def as_json(machines: Sequence[Machine], rules: Sequence[Rule]) -> str:
    found = {
        "kind": "lock-score",
        "rules": [
            {
                "rule": rule.name,
                "fitted": list(rule.detail),
                "machines": [
                    {
                        "machine": m.name,
                        "programs": s.programs,
                        "to_gain": s.to_gain,
                        "harmed": list(s.harmed),
                        "kept": s.kept,
                    }
                    for m, s in zip(machines, rule.scores, strict=True)
                ],
            }
            for rule in rules
        ],
    }
    return json.dumps(found, indent=1)
