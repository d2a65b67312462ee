"""Who may include whom: layering.py SOURCE.

A folder's rooms stand in order, in groups: a file includes its own room and those of earlier groups; two rooms of
one group do not include each other.
"""

import re
import sys
from pathlib import Path

SOURCE = Path(sys.argv[1])
#: "." is what lies in the folder itself: in core the seam, elsewhere main.
ROOMS = {
    "core": [".", "ops harness machine", "worker", "host"],
    "backends/cuda": ["runtime", "ops", "lane", "rig", "levels handoff divergence coalescing accumulate launch reduction widths multi",
                      "worker", "."],
    "driver": ["text", "workers", "census/isa", "census/tools", "census/rule", "plan", "results", "campaign show", "ab advise", "commands", "."],
}
#: What a folder includes of others; where nothing is said, core.
OTHERS = {
    "core": (),
    # Preloaded into other programs: it needs nothing, and the driver knows its files alone.
    "probe": (),
    # Programs that link the C library alone. The driver passes arguments.
    "models": (),
    "driver": ("core", "probe/tables.hpp", "probe/device_counts.hpp", "probe/swaps.hpp", "probe/wrapped.def"),
    # Processes with memory in common reach it by the same words as threads.
    "backends/mpi": ("core", *(f"backends/std/std_{part}.hpp" for part in ("atomics", "backend"))),
    "backends/omp_target": ("core", "backends/cuda/lane/cell_places.hpp", "backends/omp/omp_flush.hpp"),
    "backends/kokkos": ("core", *(f"backends/cuda/{room}" for room in ("runtime", "lane", "rig", "worker"))),
}
WITHOUT_AN_API = ("core", "driver")
APIS = re.compile(r"omp\.h|pthread|mpi\.h|cuda|cooperative_groups|Kokkos")
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)


def room_of(path: str, folder: str) -> str:
    """The longest room that it lies in, or the first folder below `folder`."""
    inside = path.removeprefix(folder + "/")
    rooms = (room for group in ROOMS.get(folder, []) for room in group.split() if inside.startswith(room + "/"))
    return max(rooms, key=len, default=inside.split("/")[0] if "/" in inside else ".")


def allowed(folder: str, file: str, header: str) -> bool:
    if header.startswith(folder + "/"):
        position = {room: i for i, group in enumerate(ROOMS.get(folder, [])) for room in group.split()}
        own, other = room_of(file, folder), room_of(header, folder)
        return own == other or folder not in ROOMS or position.get(other, 99) < position.get(own, -1)
    if header.split("/")[0] in ("core", "backends", "probe", "models", "driver", "analysis", "tests"):
        return any(header == other or header.startswith(other + "/") for other in OTHERS.get(folder, ("core",)))
    # Everybody may read the record, which includes nothing.
    return folder not in WITHOUT_AN_API or not APIS.match(header)


folders = ["core", "driver", "probe", "models", *(f"backends/{path.name}" for path in (SOURCE / "backends").iterdir() if path.is_dir())]
wrong = []
for folder in folders:
    if folder == "backends/triton":  # of Python
        continue
    files = [path for path in (SOURCE / folder).rglob("*") if path.suffix in (".hpp", ".cpp", ".cuh", ".cu")]
    if not files:
        wrong.append(f"{folder}: no sources")
    for path in files:
        file = path.relative_to(SOURCE).as_posix()
        headers = INCLUDE.findall(path.read_text())
        wrong += [f"{file}: includes {header}" for header in headers if not allowed(folder, file, header)]
wrong += [f"record/{path.name}: includes a file" for path in (SOURCE / "record").glob("*.def")
          if INCLUDE.search(path.read_text())]
sys.exit("\n".join(sorted(wrong)) or None)
