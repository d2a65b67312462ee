"""Made-up tables in the format of SyncPerformance: the layout is theirs, no figure is."""

from __future__ import annotations

from pathlib import Path


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
