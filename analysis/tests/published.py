"""Made-up tables in the formats of SyncPerformance and of EPCC's benchmarks: the layout is theirs, no
figure is."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def table(
    name: str,
    lanes: list[int],
    by_type: dict[str, list[float]],
    step: int | None = None,
    blocks: list[int] | None = None,
) -> str:
    """One runtimes.csv; every aggregate but `max` is half of it."""
    lines = [name, "n iter,1000", f"arr step,{step}" if step else '""']
    for n_blocks in blocks or [0]:
        if n_blocks:
            lines += ['""', f"n_blocks,{n_blocks}"]
        elif not step:
            lines = [*lines[:2], '""']
        lines.append("type mode,aggregate," + ",".join(map(str, lanes)))
        for kind, values in by_type.items():
            for aggregate in ("max", "min", "med", "avg"):
                factor = 1 if aggregate == "max" else 0.5
                lines.append(f"{kind},{aggregate}," + ",".join(repr(v * factor) for v in values))
    return "\n".join(lines) + "\n"


def put(folder: Path, text: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "runtimes.csv").write_text(text)


def system(root: Path) -> Path:
    """A machine of 4 PUs with a GPU."""
    lanes = [1, 2, 3, 4, 5, 6, 7, 8]
    put(root / "omp_barrier", table("omp_barrier", lanes, {"int": [1e-7 * n for n in lanes]}))
    put(root / "omp_barrier_close", table("omp_barrier_close", lanes, {"int": [2e-7] * 8}))
    put(
        root / "omp_atomicadd_array_v2" / "step16",
        table("omp_atomicadd_array_v2", lanes, {"int": [5e-9] * 8, "double": [0.0, -1e-9] * 4}, 16),
    )
    put(
        root / "GPU_X" / "cuda_shfl_sync",
        table("cuda_shfl_sync", [32, 64], {"int": [24 / 2.625e6, 24 / 2.625e6]}, blocks=[1, 2]),
    )
    put(
        root / "GPU_X" / "cuda_vote_all_sync",
        table("cuda_vote_all_sync", [32], {"int": [1e-6]}, blocks=[1]),
    )
    return root


def epcc_run(threads: int, *tests: tuple[Any, ...], version: str = "3.0") -> str:
    """One run's output: a name and its overhead in microseconds, with version 4 also its median."""
    lines = [f"Running OpenMP benchmark version {version}", f"\t{threads} thread(s)", ""]
    for name, mean, *median in tests:
        lines += [
            "-" * 56,
            f"Computing {name} time using 20 reps",
            "",
            "Sample_size       Average     Min         Max          S.D.          Outliers",
            " 10                2.387615   0.515800   8.314400    2.528580      0",
            "",
            f"{name} time     = 9.900000 microseconds +/- 4.956017",
            f"{name} overhead = {mean} microseconds +/- 5.928572",
            *(f"{name} median_ovrhd = {value} microseconds " for value in median),
        ]
    return "\n".join(lines) + "\n"
