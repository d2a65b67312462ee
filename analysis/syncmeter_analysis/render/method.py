"""The other sections: the census, the machine and the method."""

from __future__ import annotations

import shlex
from collections import defaultdict
from operator import itemgetter
from typing import Any

from syncmeter_analysis.relate import text
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.summary import Measured, code_of
from syncmeter_analysis.render.report import Block, Section
from syncmeter_analysis.studies.blocks import Cell, Text, table


def census_section(campaign: Campaign) -> Section:
    """One row for each piece of machine code of each op."""
    found: dict[tuple[str, str, str, str, str], list[Measured]] = defaultdict(list)
    for s in campaign.points.values():
        if s.census is None or s.measured_as:
            continue
        verdict = str(s.census.get("verdict") or "unknown")
        reason = str(s.census.get("reason") or "")
        p, order = s.point, s.point.order if s.point.order not in ("unordered", "relaxed") else ""
        form = " ".join(filter(None, (order, p.scope, p.flavour)))
        says = verdict + (f": {reason}" if reason else "")
        found[p.backend, p.op, form, code_of(s.census), says].append(s)
    rows = []
    for (backend, op, form, code, says), points in sorted(found.items(), key=itemgetter(0)):
        types = sorted({s.point.type or "any" for s in points})
        kind = "good" if says == "proven" else "bad" if "fail" in says else "unclear"
        one_op = Cell(code or "nothing", [s.id for s in points])
        rows.append([op, backend, form, ", ".join(types), one_op, Cell(says, kind=kind)])
    about = Text(
        "The instructions of one op: test loop minus baseline loop, per op, without moves and "
        "addresses. `proven` says that the difference is what the op declares and nothing else."
    )
    compiled = table("", "op|backend|form|types|one op|verdict", rows, folded=40)
    return Section("census", "What it compiled to", [about, compiled] if rows else [])


def machine_section(campaign: Campaign) -> Section:
    """Enough to repeat the run."""
    blocks: list[Block] = []
    for file in campaign.files:
        blocks.append(table("", ["", ""], _about(file.campaign, file.path)))
        workers = {
            (
                str(w.get("worker")),
                *(str(build.get(member)) for member in ("compiler", "flags", "id")),
                " ".join(f"{k}={v}" for k, v in sorted((w.get("environment") or {}).items())),
            )
            for w in file.workers
            if isinstance(build := w.get("build"), dict)
            and isinstance(w.get("environment"), (dict, type(None)))
        }
        if workers:
            columns = "worker|compiler|flags|build|environment"
            blocks.append(table("", columns, sorted(workers)))
        for end in file.ends:
            wall = end.get("wall_ns")
            took = f" after {text.duration(float(wall))}" if isinstance(wall, (int, float)) else ""
            blocks.append(Text(f"It ended {end.get('reason', 'somehow')}{took}."))
        if not file.ends:
            blocks.append(
                Text("The file has no end line: the campaign was killed, or is still running.")
            )
    blocks.append(
        Text(
            "Method: each cost is the paired difference between a test loop and a baseline "
            "loop from one template, in rounds, in visits spread over the campaign; the "
            "median over visits, with a 95 % interval of the visits' ranks (of fewer than five visits "
            "Student's t, on logarithms). A cost whose interval contains 0 is not resolved."
        )
    )
    return Section("machine", "The machine and the method", blocks)


def _about(campaign: dict[str, Any], path: str) -> list[tuple[str, str]]:
    m = campaign.get("machine")
    machine: dict[str, Any] = m if isinstance(m, dict) else {}
    argv = campaign.get("argv")
    git = campaign.get("git")
    rows = [
        ("file", path),
        ("command", shlex.join(map(str, argv)) if isinstance(argv, list) else ""),
        ("seed", str(campaign.get("seed", ""))),
        ("time", str(campaign.get("time", ""))),
        (
            "version",
            str(campaign.get("version", ""))
            + (
                f" ({git.get('sha', '')}{', dirty' if git.get('dirty') else ''})"
                if isinstance(git, dict)
                else ""
            ),
        ),
    ]
    imported = campaign.get("imported")
    if isinstance(imported, dict):
        rows.append(("imported from", str(imported.get("from", ""))))
    for name, value in sorted(machine.items()):
        if name == "caches" and isinstance(value, list):
            value = "; ".join(
                f"L{c.get('level')} {c.get('bytes')} B x {c.get('count')}, shared by "
                f"{c.get('shared_by')}"
                for c in value
                if isinstance(c, dict)
            )
        rows.append((name.replace("_", " "), "unknown" if value is None else str(value)))
    gpus = campaign.get("gpus")
    for backend, gpu in sorted(gpus.items()) if isinstance(gpus, dict) else []:
        rows.append((f"GPU of {backend}", str(gpu.get("name") if isinstance(gpu, dict) else gpu)))
    return [(name, value) for name, value in rows if value]
