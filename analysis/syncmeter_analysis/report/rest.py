"""The other sections: figures with their tables, the census, the machine and the method."""

from __future__ import annotations

import shlex
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from syncmeter_analysis.figures.backends import backend_pairs
from syncmeter_analysis.figures.core_to_core import latency_classes
from syncmeter_analysis.figures.figure import Figure
from syncmeter_analysis.report.blocks import Block, Cell, Drawing, Section, Table, Text
from syncmeter_analysis.statistics import text
from syncmeter_analysis.statistics.campaign import Campaign
from syncmeter_analysis.statistics.evidence import Evidence
from syncmeter_analysis.statistics.relation import verdict
from syncmeter_analysis.statistics.stats import median

_bookkeeping = ("move", "alu", "jump", "address", "nop")


def drawn(
    id: str, title: str, figures: list[Figure], otherwise: str, more: Sequence[Block] = ()
) -> Section:
    """A section of figures, or what would measure them."""
    blocks: list[Block] = [Drawing(figure) for figure in figures]
    return Section(id, title, [*blocks, *more] if blocks or more else [Text(otherwise)])


def core_table(campaign: Campaign) -> list[Block]:
    """Median and range of each class of pairs."""
    rows = []
    for op, name, points in latency_classes(campaign):
        costs = [s.cost.value for s in points if s.cost]
        rows.append(
            [
                Cell(op),
                Cell(name),
                Cell(str(len(points)), [s.id for s in points]),
                Cell(text.nanoseconds(median(costs))),
                Cell(f"{text.nanoseconds(min(costs))}..{text.nanoseconds(max(costs))}"),
            ]
        )
    return (
        [Table(["op", "class", "pairs", "median ns", "range ns"], rows, right=(2, 3, 4))]
        if rows
        else []
    )


def backend_table(data: Evidence) -> list[Block]:
    """Every pair of a portable and a native point with its ratio."""
    rows = []
    for backend, pairs in backend_pairs(data).items():
        for p in sorted(pairs.found, key=lambda p: -p.ratio.value):
            assert p.over.cost is not None and p.under.cost is not None
            rows.append(
                [
                    Cell(text.short_name(p.over.point, without=("backend",))),
                    Cell(backend),
                    Cell(text.nanoseconds(p.over.cost.value), [p.over.id]),
                    Cell(p.under.point.backend),
                    Cell(text.nanoseconds(p.under.cost.value), [p.under.id]),
                    Cell(text.ratio_interval(p.ratio)),
                    Cell(verdict(p.ratio).value),
                    Cell(code_of(p.over.census)),
                    Cell(code_of(p.under.census)),
                ]
            )
    if not rows:
        return []
    return [
        Table(
            [
                "point",
                "backend",
                "ns",
                "over",
                "ns",
                "ratio, 95 %",
                "",
                "compiled to",
                "and native to",
            ],
            rows,
            right=(2, 4, 5),
            folded=15,
            caption=f"{text.count(len(rows), 'pair')}, the dearest first",
        )
    ]


def code_of(census: dict[str, Any] | None) -> str:
    """What one op compiled to, without moves and addresses: `lock_add 1`."""
    per_op = census.get("per_op") if census else None
    if not isinstance(per_op, dict):
        return ""
    return ", ".join(
        f"{name} {count:g}"
        for name, count in sorted(per_op.items())
        if isinstance(count, (int, float)) and count and name not in _bookkeeping
    )


def census_section(campaign: Campaign) -> Section:
    """One row for each piece of machine code of each op."""
    rows: dict[tuple[str, str, str, str, str], list[str]] = defaultdict(list)
    ids: dict[tuple[str, str, str, str, str], list[str]] = defaultdict(list)
    for s in campaign.points.values():
        if s.census is None or s.measured_as:
            continue
        code = code_of(s.census)
        said = str(s.census.get("verdict") or "unknown")
        reason = str(s.census.get("reason") or "")
        form = " ".join(
            x
            for x in (
                s.point.order if s.point.order not in ("unordered", "relaxed") else "",
                s.point.scope,
                s.point.flavour,
            )
            if x
        )
        key = (s.point.backend, s.point.op, form, code, said + (f": {reason}" if reason else ""))
        kind = s.point.type or "any"
        if kind not in rows[key]:
            rows[key].append(kind)
        ids[key].append(s.id)
    if not rows:
        return Section(
            "census",
            "What it compiled to",
            [
                Text(
                    "These files hold no census; `syncmeter census` proves what each op compiled to."
                )
            ],
        )
    cells = [
        [
            Cell(k[1]),
            Cell(k[0]),
            Cell(k[2]),
            Cell(", ".join(sorted(types))),
            Cell(k[3] or "nothing", ids[k]),
            Cell(k[4], kind="good" if k[4] == "proven" else "bad" if "fail" in k[4] else "unclear"),
        ]
        for k, types in sorted(rows.items())
    ]
    return Section(
        "census",
        "What it compiled to",
        [
            Text(
                "The instructions of one op: test loop minus baseline loop, per op, without moves and "
                "addresses. `proven` says that the difference is what the op declares and nothing else."
            ),
            Table(["op", "backend", "form", "types", "one op", "verdict"], cells, folded=40),
        ],
    )


def machine_section(campaign: Campaign) -> Section:
    """Enough to repeat the run."""
    blocks: list[Block] = []
    for file in campaign.files:
        blocks.append(
            Table(["", ""], [[Cell(a), Cell(b)] for a, b in _about(file.campaign, file.path)])
        )
        workers = {
            (
                str(w.get("worker")),
                str((w.get("build") or {}).get("compiler")),
                str((w.get("build") or {}).get("flags")),
                str((w.get("build") or {}).get("id")),
                " ".join(f"{k}={v}" for k, v in sorted((w.get("environment") or {}).items())),
            )
            for w in file.workers
            if isinstance(w.get("build"), dict)
            and isinstance(w.get("environment"), (dict, type(None)))
        }
        if workers:
            blocks.append(
                Table(
                    ["worker", "compiler", "flags", "build", "environment"],
                    [[Cell(x) for x in w] for w in sorted(workers)],
                )
            )
        for end in file.ends:
            wall = end.get("wall_ns")
            took = f" after {text.duration(float(wall))}" if isinstance(wall, (int, float)) else ""
            blocks.append(Text(f"It ended {end.get('reason', 'somehow')}{took}."))
        if not file.ends:
            blocks.append(
                Text("It has no last line: the campaign was killed, or is still running.")
            )
    blocks.append(
        Text(
            "Method: each cost is the paired difference between a test loop and a baseline "
            "loop from one template, in rounds, in visits spread over the campaign; the "
            "median over visits with Student's t. An interval that holds 0 is not resolved."
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
