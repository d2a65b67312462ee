"""The other sections: the machine code and the machine."""

from __future__ import annotations

import shlex
from collections import defaultdict
from operator import itemgetter
from typing import Any

from syncmeter_analysis.record.machine import object_of
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.summary import Measured, code_of
from syncmeter_analysis.render.report import Block, Section
from syncmeter_analysis.studies.blocks import Cell, table


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
    what = (
        "Instructions of an operation: test loop minus baseline loop, without moves and addresses"
    )
    compiled = table(what, "operation|backend|form|types|instructions|verdict", rows, folded=40)
    return Section("census", "Machine-code check", [compiled] if rows else [])


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
        ends = [str(end.get("reason", "unknown")) for end in file.ends]
        blocks.append(
            table("", "end of the run", [[end] for end in ends or ["killed, or it runs"]])
        )
    return Section("machine", "The machine", blocks)


def _about(campaign: dict[str, Any], path: str) -> list[tuple[str, str]]:
    argv, git = campaign.get("argv"), campaign.get("git")
    version = str(campaign.get("version", ""))
    if isinstance(git, dict):
        version += f" ({git.get('sha', '')}{', dirty' if git.get('dirty') else ''})"
    rows = [
        ("file", path),
        ("command", shlex.join(map(str, argv)) if isinstance(argv, list) else ""),
        ("seed", str(campaign.get("seed", ""))),
        ("time", str(campaign.get("time", ""))),
        ("version", version),
        ("imported from", str(object_of(campaign, "imported").get("from", ""))),
    ]
    for name, value in sorted(object_of(campaign, "machine").items()):
        if name == "caches" and isinstance(value, list):
            value = "; ".join(
                f"L{c.get('level')} {c.get('bytes')} B x {c.get('count')}, shared by "
                f"{c.get('shared_by')}"
                for c in value
                if isinstance(c, dict)
            )
        rows.append((name.replace("_", " "), "unknown" if value is None else str(value)))
    for backend, gpu in sorted(object_of(campaign, "gpus").items()):
        rows.append((f"GPU of {backend}", str(gpu.get("name") if isinstance(gpu, dict) else gpu)))
    return [(name, value) for name, value in rows if value]
