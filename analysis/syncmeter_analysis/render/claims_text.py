"""The table of claims for a terminal, Markdown or JSON: a row each, a column for each machine."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence

from syncmeter_analysis.claims import all_claims, judged
from syncmeter_analysis.claims.claim import Claim, Finding, differs, fails, holds, not_measured
from syncmeter_analysis.record.machine import machine_of, same_machine
from syncmeter_analysis.record.reader import read_results
from syncmeter_analysis.relate.campaign import Campaign, campaign_of
from syncmeter_analysis.relate.evidence import Evidence
from syncmeter_analysis.render import junit
from syncmeter_analysis.render.junit import Case
from syncmeter_analysis.render.precision import precision_of
from syncmeter_analysis.render.terminal import lines_of
from syncmeter_analysis.studies.blocks import Bullets, lines_md, table

#: For each machine, in the order of their files: its campaign, and each claim's finding.
Judged = list[tuple[Campaign, list[tuple[Claim, Finding]]]]


def judge_files(paths: Sequence[str]) -> Judged:
    """The claims on each machine that the files are of. Raises Unusable as the reader does."""
    groups: list[list[int]] = []
    files = [read_results(path) for path in paths]
    for i, file in enumerate(files):
        machine = machine_of(file.campaign)
        known = (g for g in groups if same_machine(machine_of(files[g[0]].campaign), machine))
        if group := next(known, None):
            group.append(i)
        else:
            groups.append([i])
    campaigns = [campaign_of([files[i] for i in group]) for group in groups]
    return [(campaign, judged(Evidence(campaign))) for campaign in campaigns]


def _machine_lines(found: Judged) -> list[str]:
    return [f"{chr(ord('A') + i)}: {c.name}" for i, (c, _) in enumerate(found)]


def as_text(found: Judged, everything: bool = False, width: int = 80) -> str:
    """A verdict for each claim and machine with the evidence where there is any, then what measures
    the other claims; `everything`: these among the rest."""
    about = _machine_lines(found) + [f"note: {note}" for c, _ in found for note in c.notes] + [""]
    lines = [line for text in about for line in lines_of(text, width, "   ")]
    left: dict[str, list[str]] = defaultdict(list)
    for row, claim in enumerate(all_claims()):
        findings = [judgements[row][1] for _, judgements in found]
        if all(f.verdict == not_measured for f in findings) and not everything:
            left[claim.command].append(claim.id)
            continue
        lines += lines_of(f"{claim.id}: {claim.statement}", width, "  ")
        for i, f in enumerate(findings):
            if f.verdict == not_measured and len(findings) > 1:
                continue
            lines += lines_of(f"  {chr(ord('A') + i)}: {_sentence(f)}", width, "     ")
            for doubt in f.doubts:
                lines += lines_of(f"     doubt: {doubt}", width, "     ")
    if left:
        lines += ["", f"not measured ({sum(map(len, left.values()))}), and what measures it:"]
    for command, names in left.items():
        lines += lines_of(f"- {command}: {', '.join(names)}", width, "  ")
    return "\n".join(lines)


def of_point(found: Judged, key: str, width: int = 80) -> str:
    """How far the cost of the point, by its canonical text, lands when it is measured again, and
    the claims whose evidence holds it, each with its verdict."""
    lines: list[str] = []
    precision: list[str] = []
    for campaign, judgements in found:
        measured = [s for s in campaign.points.values() if s.point.key == key]
        points = {s.id for s in measured}
        for sentence in (each for s in measured for each in precision_of(campaign, s)):
            precision += lines_of(sentence, width, "")
        for claim, f in judgements:
            for op, part in f.parts.items() or [("", f)]:
                if points.isdisjoint(part.points):
                    continue
                name = f"- {claim.id}{f' ({op})' * bool(op)}"
                lines += lines_of(f"{name}: {_sentence(part)}", width, "  ")
    heading = "Claims that use it:" if lines else "No claim uses it."
    return "\n".join([*precision, heading, *lines])


def _sentence(f: Finding) -> str:
    return f"{f.verdict}. {f.sentence}".rstrip(". ") + "."


def as_markdown(found: Judged) -> str:
    """The table side by side: claim, verdict and effect of each machine."""
    columns = ["claim", *(chr(ord("A") + i) for i in range(len(found)))]
    rows = [
        [claim.statement, *(_verdict(judgements[row][1]) for _, judgements in found)]
        for row, claim in enumerate(all_claims())
    ]
    blocks = Bullets(_machine_lines(found)), table("", columns, rows)
    return "\n".join(line for block in blocks for line in lines_md(block)).rstrip()


def _verdict(f: Finding) -> str:
    return f.verdict + " (doubtful)" * bool(f.doubts) + (f": {f.sentence}" if f.sentence else "")


def as_junit(found: Judged) -> str:
    """A case for each claim, which fails where it does not hold and is skipped where the data cannot
    tell: a suite for each machine."""
    results = {holds: "", fails: "failure", differs: "failure"}
    suites = [
        (c.name, [_case(claim, f, results.get(f.verdict, "skipped")) for claim, f in judgements])
        for c, judgements in found
    ]
    return junit.as_junit("claims", suites)


def _case(claim: Claim, f: Finding, result: str) -> Case:
    says = ". ".join(filter(None, (claim.statement.rstrip("."), f.verdict, f.sentence)))
    return Case("claims", claim.id, result, says)


def _effect(f: Finding) -> dict[str, object] | None:
    if f.effect is None:
        return None
    return {
        "value": f.effect.value,
        "low": f.effect.low if f.effect.bounded else None,
        "high": f.effect.high if f.effect.bounded else None,
        "of": f.of,
        "pairs": f.pairs,
    }


def as_json(found: Judged) -> str:
    """Everything, for programs: a list of machines, each with its claims."""
    machines = [
        {
            "machine": campaign.name,
            "files": [f.path for f in campaign.files],
            "notes": campaign.notes,
            "claims": [_as_object(claim, f) for claim, f in judgements],
        }
        for campaign, judgements in found
    ]
    return json.dumps(machines, indent=1)


def _as_object(claim: Claim, f: Finding) -> dict[str, object]:
    return {
        "id": claim.id,
        "statement": claim.statement,
        "source": claim.source,
        "verdict": f.verdict,
        "effect": _effect(f),
        "by_op": {
            op: {"verdict": part.verdict, "effect": _effect(part)} for op, part in f.parts.items()
        },
        "note": f.note,
        "doubts": f.doubts,
        "points": f.points,
        "command": claim.command,
    }
