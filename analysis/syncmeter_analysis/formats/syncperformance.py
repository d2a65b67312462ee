"""Imports the published tables of SyncPerformance 1.0.0 (Burtchell and Burtscher, IISWC 2024).

A folder of one system holds `omp_*/[stepS/]runtimes.csv` and `GPU NAME/cuda_*/[stepS/]runtimes.csv`.
OpenMP cells are seconds per op. CUDA cells are cycles over the clock rate in kHz, which are
*milliseconds* per op (24 cycles at 2.625 GHz read 9.142857e-06 and are 9.142857 ns). Of the aggregates
over threads (max, min, med, avg) `max` is the paper's. Cells that are not positive are not resolved.
The last four lane counts of an OpenMP table are more than the machine has. A `log.txt` beside a table
is what the program printed; a line of it such as `CPU: NAME` names the machine.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from syncmeter_analysis.formats.importing import (
    campaign_line,
    members_of,
    text_of,
    visit_line,
    with_repeats,
    write_import,
)
from syncmeter_analysis.record.errors import Unusable, quoted
from syncmeter_analysis.record.point import type_bytes

source = "SyncPerformance v1.0.0"
_types = {"int": "int32", "ull": "uint64", "float": "float", "double": "double"}
_ns_per_unit = {"omp": 1e9, "cuda": 1e6}
_oversubscribed_counts = 4
_expected = (
    "give the folder of one system, with omp_*/runtimes.csv and GPU NAME/cuda_*/runtimes.csv"
)
# As printed by the programs, by lscpu or in /proc/cpuinfo; a log is read no further than this.
_named = re.compile(
    r"^[ \t]*(CPU|CPU model|GPU|GPU name|model name)[ \t]*[:=][ \t]*(\S.*)$", re.I | re.M
)
_most_of_a_log = 1 << 16


@dataclass(frozen=True)
class Test:
    """The op that a program measures. `doubt`: why the program measures something else."""

    op: str
    family: str
    placement: str = "none"
    stride: int | None = None
    order: str = "unordered"
    scope: str = ""
    typed: bool = True
    inserted: bool = False
    doubt: str = ""


def _atomic(op: str, **more: Any) -> Test:
    return Test(op, "atomic", **{"placement": "shared", "order": "relaxed", **more})


def _of_gpu(op: str, placement: str = "shared") -> Test:
    return _atomic(op, placement=placement, scope="device")


def _fence(scope: str = "", doubt: str = "", stride: int | None = None) -> Test:
    return Test(
        "fence_between_adds", "fence", "strided", stride, "unordered", scope, True, True, doubt
    )


_barrier = Test("barrier", "barrier", typed=False)

#: Its programs by folder name, without affinity and version.
tests: dict[str, Test] = {
    "omp_barrier": _barrier,
    "omp_atomicadd_scalar": _atomic("atomic_add"),
    "omp_atomicadd_array": _atomic("atomic_add", placement="strided"),
    "omp_atomiccaptureincrement": _atomic(
        "atomic_fetch_add",
        doubt="the captured value is never used, so that the compiler emitted a plain update",
    ),
    "omp_atomicread": _atomic(
        "atomic_read",
        doubt="the baseline's plain loads were deleted, and floating types measure the add that "
        "sums them",
    ),
    "omp_atomicwrite_scalar": _atomic("atomic_write_two_lines"),
    "omp_criticaladd_scalar": Test("critical_add", "critical", "shared"),
    "omp_flush": _fence(stride=1),
    "omp_flush_array": _fence(),
    "cuda_syncthreads": _barrier,
    "cuda_syncwarp": Test(
        "warp_sync",
        "warp",
        typed=False,
        doubt="of a converged warp it compiles to nothing: this is the cost of nothing",
    ),
    "cuda_atomicadd_scalar": _of_gpu("atomic_add"),
    "cuda_atomicadd_array": _of_gpu("atomic_add", "strided"),
    "cuda_atomiccas_scalar_pass": _of_gpu("atomic_cas_pass"),
    "cuda_atomiccas_array_pass": _of_gpu("atomic_cas_pass", "strided"),
    "cuda_atomiccas_scalar_fail": _of_gpu("atomic_cas_fail"),
    "cuda_atomiccas_array_fail": _of_gpu("atomic_cas_fail", "strided"),
    "cuda_atomicexch": _of_gpu("atomic_exchange"),
    "cuda_threadfence_array": _fence("device"),
    "cuda_threadfence_system_array": _fence("system"),
    "cuda_threadfence_block_array": _fence(
        "block", doubt="two fences are compared with three: it is not the first fence's cost"
    ),
}
_vote_doubt = (
    "its predicate is invariant, so that the compiler hoisted or merged the votes of the test loop"
)
for _name, _op in (("shfl", "idx"), ("shfl_up", "up"), ("shfl_down", "down"), ("shfl_xor", "xor")):
    tests[f"cuda_{_name}_sync"] = Test(f"shuffle_{_op}", "warp")
for _name in ("match_all", "match_any"):
    tests[f"cuda_{_name}_sync"] = Test(_name, "warp")
for _name in ("vote_all", "vote_any", "vote_ballot"):
    tests[f"cuda_{_name}_sync"] = Test(_name, "warp", typed=False, doubt=_vote_doubt)


@dataclass(frozen=True)
class Cell:
    """One figure of a table, in the table's own unit."""

    type: str
    lanes: int
    blocks: int
    value: float


def read_table(path: Path, aggregate: str = "max") -> tuple[list[Cell], list[str]]:
    """The cells of `aggregate`, and what was left out.

    Raises Unusable where the file is no such table.
    """
    cells: list[Cell] = []
    notes: list[str] = []
    lanes: list[int] = []
    blocks = 1
    try:
        rows = list(csv.reader(text_of(path, "utf-8", "replace")))
    except csv.Error as error:
        raise Unusable(f"{path}: cannot be read ({error})") from error
    if not rows or not rows[0] or not rows[0][0]:
        raise Unusable(f"{path} is not a table of {source}: it does not begin with a test's name")
    for number, row in enumerate(rows[1:], 2):
        if row[:1] == ["n_blocks"] and len(row) == 2:
            (blocks,) = _counts(path, number, "blocks", row[1:])
        elif row[:2] == ["type mode", "aggregate"]:
            lanes = _counts(path, number, "lanes", row[2:])
        elif len(row) > 2 and row[0] in _types and row[1] == aggregate:
            for lane_count, text in zip(lanes, row[2:], strict=False):
                with suppress(ValueError):
                    if isfinite(value := float(text)):
                        cells.append(Cell(row[0], lane_count, blocks, value))
                        continue
                notes.append(f"{path}, line {number}: {quoted(text)} is not a number")
    if not cells:
        raise Unusable(f"{path} is not a table of {source}: it holds no figures of '{aggregate}'")
    return cells, notes


def _counts(path: Path, line: int, what: str, texts: list[str]) -> list[int]:
    while texts and not texts[-1]:
        texts = texts[:-1]
    # To leave one out would give its figures to its neighbour.
    if bad := [x for x in texts if not re.fullmatch("[1-9][0-9]{0,8}", x)]:
        raise Unusable(f"{path}, line {line}: {quoted(bad[0])} is not a number of {what}")
    return list(map(int, texts))


# Name in `tests`, version, and the affinity that was asked for.
_folder = re.compile(r"(.+?)(?:_v\d+)?(?:_(close|spread))?", re.S)


def _lines_of(
    path: Path, folder: str, step: int | None, aggregate: str, pus: int | None, notes: list[str]
) -> Iterator[dict[str, Any]]:
    named = _folder.fullmatch(folder)
    name, affinity = named.groups() if named else (folder, None)
    if (test := tests.get(name)) is None:
        notes.append(f"{path}: the test {quoted(folder)} is not known; it is left out")
        return
    backend = "cuda" if name.startswith("cuda_") else "omp"
    cells, bad = read_table(path, aggregate)
    notes += bad
    for cell in cells:
        kind = _types[cell.type] if test.typed else None
        stride = test.stride if step is None else step
        stride = stride if test.placement == "strided" else None
        members = members_of(
            backend=backend,
            op=test.op,
            type=kind,
            placement=None if test.placement == "none" else test.placement,
            stride=stride,
            stride_bytes=(stride or 0) * type_bytes.get(kind or "", 0),
            lanes=cell.lanes,
            blocks=cell.blocks if cell.blocks != 1 else None,
            scope=test.scope or None,
            order=test.order,
        )
        yield visit_line(
            members,
            test.family,
            cell.value * _ns_per_unit[backend],
            inserted=test.inserted,
            doubt=test.doubt,
            oversubscribed=backend == "omp" and pus is not None and cell.lanes > pus,
            source=str(folder),
            requested_affinity=affinity,
        )


def import_syncperformance(
    folder: Path,
    output: Path,
    *,
    aggregate: str = "max",
    cpu: str = "",
    cores: int | None = None,
    pus: int | None = None,
) -> list[str]:
    """Writes `output` of one system's folder; returns what there is to say of it, in sentences.

    `cpu`, `cores` and `pus` describe the machine, which the tables do not; without `pus` it is the
    largest OpenMP lane count less four. Affinities were asked for and never took effect: such tables
    are repeats of the one without. Raises Unusable.
    """
    if not folder.is_dir():
        raise Unusable(f"{folder} is not a folder; {_expected}")
    found = sorted(p for p in folder.rglob("runtimes.csv") if p.parent != folder)
    tables = [(p, name, step) for p in found for name, step in [_place(p)] if name]
    if not tables:
        raise Unusable(f"{folder} holds no tables of {source}; {_expected}")
    parts = [(p.relative_to(folder).parts, name) for p, name, _ in tables]
    gpus = sorted({p[0] for p, name in parts if name.startswith("cuda_") and len(p) > 2})
    parents = {p[0] for p, name in parts if name.startswith("omp_")}
    if len(gpus) > 1 or any(not parent.startswith("omp_") for parent in parents):
        raise Unusable(f"{folder} holds tables of several machines; {_expected}")
    pus = _pus_of(tables) if pus is None else pus
    notes: list[str] = []
    lines = [
        line
        for path, name, step in tables
        for line in _lines_of(path, name, step, aggregate, pus, notes)
    ]
    name = folder.resolve().name
    named = _names_in_logs([path for path, _, _ in tables])
    gpu = gpus[0].replace("_", " ") if gpus else named.get("gpu")
    cpu = cpu or named.get("cpu") or name
    lines = with_repeats(lines)
    write_import(output, campaign_line(source, cpu, gpu, host=name, cores=cores, pus=pus), lines)
    unresolved = sum(line["status"] == "not_resolved" for line in lines)
    doubtful = sum("doubt" in line for line in lines)
    return [
        f"{len(lines)} points from {len(tables)} tables, {unresolved} of them not resolved, "
        f"{doubtful} of tests that measured something other than their name says",
        *notes,
    ]


def _place(path: Path) -> tuple[str, int | None]:
    """The test's folder and the stride in elements; '' where it is no test's."""
    step = re.fullmatch(r"step(\d+)", path.parent.name)
    name = path.parent.parent.name if step else path.parent.name
    return (name if name.startswith(("omp_", "cuda_")) else ""), int(step[1]) if step else None


def _names_in_logs(tables: list[Path]) -> dict[str, str]:
    """What the logs beside the tables call the CPU and the GPU; the first of each counts."""
    names: dict[str, str] = {}
    for path in tables:
        for log in (path.parent / "log.txt", path.parents[1] / "log.txt"):
            if not log.is_file():
                continue
            with log.open(encoding="utf-8", errors="replace") as file:
                for what, name in _named.findall(file.read(_most_of_a_log)):
                    names.setdefault(
                        "gpu" if what.lower().startswith("gpu") else "cpu", name.strip()
                    )
    return names


def _pus_of(tables: list[tuple[Path, str, int | None]]) -> int | None:
    for path, name, _ in tables:
        if name.startswith("omp_barrier"):
            counts = sorted({cell.lanes for cell in read_table(path)[0]})
            return counts[-1 - _oversubscribed_counts] if len(counts) > 4 else counts[-1]
    return None
