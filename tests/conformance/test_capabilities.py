"""The capability matrix against the golden one of its compiler: a misspelt word reads "unsupported"
and nothing else would notice."""

import json
import os
import pathlib
import re

import pytest

GOLDEN = pathlib.Path(__file__).parent / "capabilities"


def matrix(capabilities):
    """One line for each op: its types, and its orders with the unsupported ones in brackets."""
    rows = {}
    for c in capabilities["ops"]:
        row = rows.setdefault((c["backend"], c["op"]), {"types": [], "orders": {}, "placements": [], "forms": []})
        row["placements"] += [p for p in c["placements"] if p not in row["placements"]]
        form = "/".join(c[axis] for axis in ("flavour", "scope", "space") if axis in c) + " some" * c.get("some_lanes", False)
        if form and c["supported"] and form not in row["forms"]:
            row["forms"].append(form)
        if c.get("type") and c["type"] not in row["types"]:
            row["types"].append(c["type"])
        row["orders"].setdefault(c["order"], set()).add(c["supported"])
    lines = []
    for (backend, op), row in rows.items():
        orders = [o if s == {True} else f"[{o}]" if s == {False} else f"{o}?" for o, s in row["orders"].items()]
        parts = [backend, op, " ".join(row["types"]) or "-", " ".join(orders), " ".join(row["placements"]) or "-"]
        lines.append(" | ".join(parts + [" ".join(row["forms"])] * bool(row["forms"])) + "\n")
    return "".join(lines)


def golden_for(capabilities):
    """One file for a worker whose ops are a library's. Where they are the compiler's, GNU from 12 on has everything,
    and each version of others has a file of its own; omp-llvm is omp by clang."""
    if (of_library := GOLDEN / f"{capabilities['worker']}.txt").exists():
        return of_library
    name, version = re.match(r"(\w+) (\d+)", capabilities["build"]["compiler"]).groups()
    file = "gnu.txt" if name == "GNU" else f"{name.lower()}-{version}.txt"
    return GOLDEN / f"{capabilities['worker'].removesuffix('-llvm')}-{file}"


def expected(file, capabilities):
    """A line that begins with "*" is there for each backend of the worker, which are compared one after the other.
    Of an op whose library was not found when the worker was built, all that is known is that it is unsupported."""
    absent = {c["op"] for c in capabilities["ops"] if "was not found when this was built" in c.get("reason", "")}
    own = {line.split(" | ")[1]: line for line in matrix(capabilities).splitlines(keepends=True)} if absent else {}
    lines = [own[op] if (op := line.split(" | ")[1]) in absent else line
             for line in file.read_text(encoding="utf-8").splitlines(keepends=True)]
    if not lines[0].startswith("*"):
        return "".join(lines)
    return "".join(b["name"] + line[1:] for b in capabilities["backends"] for line in lines)


def chosen(worker, option):
    """What the build compiled a worker's ops for (SM_TYPES; SM_CUDA_TYPES, SM_CUDA_ROOMS); none where it was all."""
    cache = pathlib.Path(os.environ["SYNCMETER_BIN"]).parent / "CMakeCache.txt"
    option = f"SM_CUDA_{option}" if worker == "cuda" else f"SM_{option}"
    found = re.search(rf"^{option}:STRING=(.+)$", cache.read_text(encoding="utf-8"), re.MULTILINE) if cache.exists() else None
    return set(found[1].split(";")) if found and not worker.startswith("kokkos") else set()


def may_be_left_out(golden, rooms):
    """The ops of a CUDA worker that has only some rooms which the sources of those, and of what every worker has, do not
    name: they are of other rooms."""
    root = pathlib.Path(__file__).parents[2]
    folders = [root / "core/ops", *(root / "backends/cuda" / room for room in ("ops", *rooms))]
    built = "".join(path.read_text(encoding="utf-8") for folder in folders for path in folder.iterdir())
    return {op for op in (line.split(" | ")[1] for line in golden.splitlines()) if not re.search(rf"\b{op}\b", built)} if rooms else set()


def lacks_no_more_than_was_left_out(own, golden, compiled, left_out):
    """The part of a matrix that a worker with tables of some types, and without some rooms, has: no line is changed but by
    what those types lack. Rows outside the tables have all types."""
    def words(column):
        return {word.strip("[]?") for word in column.replace(" some", "+some").split()}
    lines = {line.split(" | ")[1]: [words(column) for column in line.split(" | ")[2:]] for line in own.splitlines()}
    for line in golden.splitlines():
        _, op, *columns = line.split(" | ")
        whole = [words(column) for column in columns]
        if op in left_out and op not in lines:
            continue
        if whole[0] == {"-"}:
            assert line in own.splitlines(), op
        elif op in lines or whole[0] & compiled:
            assert whole[0] & compiled <= lines[op][0], op
            assert all(some <= every for some, every in zip(lines[op], whole)), op
        lines.pop(op, None)
    assert not lines


def test_locks_made_by_hints_are_never_taken_for_each_other(capabilities):
    """The calls are the same ones; points of equal code would be measured once."""
    codes = {}
    for c in capabilities["ops"]:
        if c["supported"] and (c["op"] == "lock_add" or c["op"].startswith("lock_hint_")):
            codes.setdefault(c["type"], []).append(tuple(c.get("code", c["symbols"])))
    for kind, loops in codes.items():
        assert len(set(loops)) == len(loops), kind


def test_the_matrix_is_the_golden_one(capabilities):
    file = golden_for(capabilities)
    if not file.exists():
        pytest.skip(f"no golden matrix {file.name}; this one would be\n{matrix(capabilities)}")
    types, rooms = (chosen(capabilities["worker"], option) for option in ("TYPES", "ROOMS"))
    if types or rooms:
        golden = expected(file, capabilities)
        lacks_no_more_than_was_left_out(matrix(capabilities), golden, types, may_be_left_out(golden, rooms))
    else:
        assert matrix(capabilities) == expected(file, capabilities)


def test_every_backend_says_whether_it_is_portable(capabilities):
    for backend in capabilities["backends"]:
        assert backend["portable"] == ("native_of" in backend), backend["name"]


def test_what_a_worker_can_do_is_far_below_the_longest_line(capabilities):
    """A worker whose ops outgrow the line that the driver reads is not found at all."""
    page = (pathlib.Path(__file__).parents[2] / "docs/reference/worker-protocol.md").read_text(encoding="utf-8")
    longest = int(re.search(r"at most\s+(\d+) MiB", page)[1]) << 20
    assert len(json.dumps(capabilities)) < longest / 4


def test_the_page_of_the_protocol_shows_members_that_there_are(capabilities):
    """The example of a CPU's worker is one that a worker could say."""
    if capabilities["worker"] != "omp":
        pytest.skip("the example is of omp")
    page = (pathlib.Path(__file__).parents[2] / "docs/reference/worker-protocol.md").read_text(encoding="utf-8")
    shown = json.loads(re.search(r"## capabilities\n\n```json\n(.*?)```", page, re.DOTALL)[1])
    assert shown.keys() <= capabilities.keys()
    assert shown["build"].keys() <= capabilities["build"].keys()
    assert shown["backends"][0].keys() <= capabilities["backends"][0].keys()
    for entry in shown["ops"]:
        own = next(op for op in capabilities["ops"] if all(op.get(axis) == entry.get(axis) for axis in ("op", "type", "order")))
        assert entry.keys() <= own.keys() | {"reason"}, entry["op"]
        if "x86-64" in own.get("declares", {}):
            assert entry.get("declares", own["declares"]) == own["declares"], entry["op"]
