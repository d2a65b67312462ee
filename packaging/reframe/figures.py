# Copyright: the syncmeter authors. SPDX-License-Identifier: BSD-3-Clause
"""What an acceptance check asks of the results files of syncmeter. Needs Python alone; syncmeter_checks.py uses it."""

import json
import math
import pathlib
import re


def lines(path):
    """The lines of a results file (docs/reference/results-file.md) as objects; a torn last line is left out."""
    found = []
    with open(path, encoding="utf-8") as file:
        for text in file:
            try:
                found.append(json.loads(text))
            except ValueError:
                continue
    return found


def problems(path):
    """Why the results file at `path` is no result, a sentence each; none: it is one.

    Asked are: the campaign ended complete, no visit of a point failed or timed out, and every timed loop that could
    be read holds what its op declares.
    """
    found = []
    ends, visits = ([line for line in lines(path) if line.get("kind") == kind] for kind in ("end", "visit"))
    if not visits:
        return [f"{path}: no point was measured"]
    if not ends or ends[-1].get("reason") != "complete":
        found.append(f"{path}: the campaign did not end: {ends[-1].get('reason') if ends else 'cut off'}")
    # A later line replaces a line with the same key.
    for line in {line.get("key", id(line)): line for line in visits}.values():
        name = f"{line['point'].get('op')} at {line['point'].get('lanes')} lanes"
        if line.get("status") in ("failed", "timeout"):
            found.append(f"{name}: {line['status']}: {line.get('reason', '')}")
        if line.get("census", {}).get("verdict") == "wrong":
            found.append(f"{name}: its timed loop is not what it declares: {line['census'].get('reason', '')}")
    return found


#: Columns in every name, with a prefix. A name has more columns if points have equal names without them.
NAMED = {"backend": "", "op": "", "type": "", "placement": "", "lanes": "", "stride_elements": "stride", "blocks": "blocks"}
AXES = pathlib.Path(__file__).resolve().parents[2] / "record/axes.def"


def others():
    """Returns the columns of the remaining axes in the order of the table, then the CPUs and the GPU.

    Raises FileNotFoundError if the folder was moved out of the clone.
    """
    places = {}
    for line in AXES.read_text(encoding="utf-8").splitlines():
        if line.startswith("SM_AXIS("):
            name, _, _, _, _, cell, unit, column = line.removeprefix("SM_AXIS(").split(", ")[:8]
            unit = unit.strip('"')
            if cell != "never" and name != "arm":
                places[name if name.endswith(unit) else f"{name}_{unit}"] = int(column)
    return [name for name in sorted(places, key=places.get) if name not in NAMED] + ["pus", "device"]


def costs(rows):
    """{figure: (ns, cycles or None)} of the rows of `syncmeter show FILE --json`: those it shows first, with a cost.

    `omp_atomic_add_int32_shared_2` is at 2 lanes. Other axes stand in a name where points differ in nothing else.
    """
    by_name = {}
    for row in rows:
        if row.get("headline") and row.get("cost_ns") is not None:
            parts = [f"{prefix}{row[axis]}" for axis, prefix in NAMED.items()
                     if row.get(axis) not in (None, "none") and not (axis == "blocks" and row[axis] == 1)]
            by_name.setdefault("_".join(parts), []).append(row)
    found, more_axes = {}, others()
    for name, same in by_name.items():
        differ = [axis for axis in more_axes if len({str(row.get(axis)) for row in same}) > 1]
        for row in same:
            more = [f"{axis}_{row.get(axis)}" for axis in differ]
            found[re.sub(r"\W+", "_", "_".join([name, *more]))] = (row["cost_ns"], row.get("cost_cycles"))
    return found


def control_ratio(rows, many=8):
    """How many times the cost of 1 multiplication `many` dependent ones take: by cycles where there are some, else ns.

    nan where either has no cost.
    """
    found = {row["op"]: row for row in rows if row["op"].startswith("control_multiply_") and row.get("headline")}
    pair = [found.get(f"control_multiply_{n}", {}) for n in (many, 1)]
    for unit in ("cost_cycles", "cost_ns"):
        if all(row.get(unit) for row in pair):
            return pair[0][unit] / pair[1][unit]
    return math.nan


def largest_empty_share(rows):
    """The largest cost measured for an empty op (A/A), over the cost measured for a multiplication; 0 where none was resolved."""
    one = [row["cost_ns"] for row in rows if row["op"] == "control_multiply_1" and row.get("cost_ns")]
    empty = [row["cost_ns"] for row in rows
             if row["op"] == "control_aa" and row.get("headline") and row["status"] == "ok" and row.get("cost_ns")]
    return max(empty, default=0.0) / min(one) if one else math.nan


def ratios(new, old):
    """{figure: new cost over old cost} of the figures that both sets of costs() have."""
    return {name: new[name][0] / old[name][0] for name in new if name in old and old[name][0] > 0}
