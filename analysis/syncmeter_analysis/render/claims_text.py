"""The table of claims for a terminal, Markdown or JSON: a row each, a column for each machine."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Sequence

from syncmeter_analysis.claims import all_claims, judged
from syncmeter_analysis.claims.claim import Claim, differs, fails, holds, not_measured
from syncmeter_analysis.conclude.finding import Finding
from syncmeter_analysis.record.machine import machine_of, same_machine
from syncmeter_analysis.record.reader import ResultsFile, read_results
from syncmeter_analysis.relate.campaign import Campaign, campaign_of
from syncmeter_analysis.relate.evidence import Evidence
from syncmeter_analysis.render import junit
from syncmeter_analysis.render.junit import Case
from syncmeter_analysis.render.precision import precision_of
from syncmeter_analysis.render.report import Section
from syncmeter_analysis.render.terminal import lines_of
from syncmeter_analysis.studies.blocks import Bullets, Cell, Text, lines_md, table
from syncmeter_analysis.voice import claims as voice
from syncmeter_analysis.voice.words import say

#: For each machine, in file order: the campaign and each claim's finding.
Judged = list[tuple[Campaign, list[tuple[Claim, Finding]]]]


def judge_files(paths: Sequence[str]) -> Judged:
    """The claims on each machine that the files are of. Raises Unusable as the reader does."""
    groups: list[list[ResultsFile]] = []
    for file in map(read_results, paths):
        machine = machine_of(file.campaign)
        known = (g for g in groups if same_machine(machine_of(g[0].campaign), machine))
        if group := next(known, None):
            group.append(file)
        else:
            groups.append([file])
    campaigns = map(campaign_of, groups)
    return [(campaign, judged(Evidence(campaign))) for campaign in campaigns]


def _machine_lines(found: Judged) -> list[str]:
    return [f"{chr(ord('A') + i)}: {c.name}" for i, (c, _) in enumerate(found)]


def as_text(found: Judged, everything: bool = False, width: int = 80) -> str:
    """Returns a verdict for each claim and machine with its evidence, then the commands that measure
    the other claims. `everything` shows these with the rest."""
    about = _machine_lines(found) + [f"note: {note}" for c, _ in found for note in c.notes] + [""]
    lines = [line for text in about for line in lines_of(text, width, "   ")]
    left: dict[str, list[str]] = defaultdict(list)
    for row, claim in enumerate(all_claims()):
        findings = [judgements[row][1] for _, judgements in found]
        if all(f.verdict == not_measured for f in findings) and not everything:
            left[claim.command].append(claim.id)
            continue
        text = say("claims.claim", id=claim.id, statement=voice.statement(claim.id))
        lines += lines_of(text, width, "  ")
        for i, f in enumerate(findings):
            if f.verdict == not_measured and len(findings) > 1:
                continue
            lines += lines_of(f"  {chr(ord('A') + i)}: {_said(claim.id, f)}", width, "     ")
            for doubt in voice.doubts(f):
                lines += lines_of(f"     {say('claims.unreliable', doubt=doubt)}", width, "     ")
    if left:
        lines += ["", say("claims.table.measured_by", count=sum(map(len, left.values())))]
    for command, names in left.items():
        lines += lines_of(f"- {command}: {', '.join(names)}", width, "  ")
    return "\n".join(lines)


def of_point(found: Judged, key: str, width: int = 80) -> str:
    """Returns how far the cost of this point varies from run to run, and the claims with the point as
    evidence, each with its verdict. `key` is the canonical text of the point."""
    lines: list[str] = []
    precision: list[str] = []
    for campaign, judgements in found:
        measured = [s for s in campaign.points.values() if s.point.key == key]
        points = {s.id for s in measured}
        for sentence in (each for s in measured for each in precision_of(campaign, s)):
            precision += lines_of(sentence, width, "")
        for claim, f in judgements:
            for op, part in f.named_parts.items():
                if points.isdisjoint(part.points):
                    continue
                name = f"- {claim.id}{f' ({op})' * bool(op)}"
                lines += lines_of(f"{name}: {_said(claim.id, part)}", width, "  ")
    heading = say("claims.table.uses" if lines else "claims.table.unused")
    return "\n".join([*precision, heading, *lines])


def _said(id: str, f: Finding) -> str:
    """`confirmed. a critical section over an atomic add: 3.0 (2.9 to 3.1).`"""
    return ". ".join(filter(None, (voice.verdict(f.verdict), voice.evidence(id, f)))) + "."


def as_markdown(found: Judged) -> str:
    """Returns a table with verdict and effect on each machine."""
    columns = ["claim", *(chr(ord("A") + i) for i in range(len(found)))]
    rows = [
        [voice.statement(claim.id), *(_verdict(*judged[row]) for _, judged in found)]
        for row, claim in enumerate(all_claims())
    ]
    blocks = Bullets(_machine_lines(found)), table("", columns, rows)
    return "\n".join(line for block in blocks for line in lines_md(block)).rstrip()


def _verdict(claim: Claim, f: Finding) -> str:
    text = voice.verdict(f.verdict)
    text = say("claims.doubtful", text=text) if f.doubts else text
    return ": ".join(filter(None, (text, voice.evidence(claim.id, f))))


def as_junit(found: Judged) -> str:
    """Returns a suite for each machine and a case for each claim. A refuted claim is a failure, and an
    undecided claim is skipped."""
    results = {holds: "", fails: "failure", differs: "failure"}
    suites = [
        (c.name, [_case(claim, f, results.get(f.verdict, "skipped")) for claim, f in judgements])
        for c, judgements in found
    ]
    return junit.as_junit("claims", suites)


def _case(claim: Claim, f: Finding, result: str) -> Case:
    said = voice.statement(claim.id), voice.verdict(f.verdict), voice.evidence(claim.id, f)
    return Case("claims", claim.id, result, ". ".join(s.rstrip(".") for s in said if s))


def claims_section(campaign: Campaign, judgements: Sequence[tuple[Claim, Finding]]) -> Section:
    """Returns one table of all claims that were measured, and behind them those that this machine could
    measure."""
    shown = [(c, f) for c, f in judgements if f.verdict != not_measured]
    machine, gpus, on_gpu = campaign.machine, _gpus(campaign), [s.on_gpu for s in campaign.measured]
    open_ = [
        (c, f)
        for c, f in judgements
        if f.verdict == not_measured
        and not machine.imported
        and c.can_run_on(machine, gpus)
        and (c.gpus or not all(on_gpu))
    ]
    open_.sort(key=lambda item: item[0].command)
    if not shown:
        return Section("claims", say("claims.table.title"))
    rows = [_row(c, f) for c, f in (*shown, *open_)]
    counts = Counter(voice.verdict(f.verdict) for _, f in judgements)
    said = (say("claims.table.count", count=n, verdict=v) for v, n in counts.items())
    about = Text(say("claims.table.about", counts=", ".join(said)))
    heads = ("claim", "verdict", "compared", "ratio", "doubt", "command")
    columns = [say(f"claims.heads.{head}") for head in heads]
    title = say("claims.table.title")
    return Section("claims", title, [about, table("", columns, rows, folded=len(shown))])


def _row(claim: Claim, f: Finding) -> list[Cell]:
    kind = {holds: "good", fails: "bad", not_measured: "dim"}.get(f.verdict, "unclear")
    return [
        Cell(voice.statement(claim.id), note=claim.source),
        Cell(voice.verdict(f.verdict), kind=kind),
        Cell(voice.compared(claim.id, f)),
        Cell(voice.ratios(f), f.points, note="; ".join(voice.notes(f))),
        Cell("; ".join(voice.doubts(f))),
        Cell(claim.command),
    ]


def _gpus(campaign: Campaign) -> int:
    """Returns the number of GPUs that points used, or 1 if the machine names some."""
    used = max((s.devices for s in campaign.points.values() if s.on_gpu), default=0)
    return max(used, len(campaign.machine.gpus) > 0)


def _effect(id: str, f: Finding) -> dict[str, object] | None:
    if f.effect is None:
        return None
    return {
        "value": f.effect.value,
        "low": f.effect.low if f.effect.bounded else None,
        "high": f.effect.high if f.effect.bounded else None,
        "of": voice.compared(id, f),
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
        "statement": voice.statement(claim.id),
        "source": claim.source,
        "verdict": f.verdict,
        "effect": _effect(claim.id, f),
        "by_op": {
            op: {"verdict": part.verdict, "effect": _effect(claim.id, part)}
            for op, part in f.parts.items()
        },
        "note": "; ".join(voice.notes(f)),
        "doubts": voice.doubts(f),
        "points": f.points,
        "command": claim.command,
    }
