"""Writes shapes.jsonl, a results file with a point for each shape of visits that an estimate can meet,
and expected.json, what must be said of each: column of the CSV (driver/show/csv.cpp) by column.

Both readers are held to it, the driver's and the package's. Nothing here is computed by either: costs
are chosen so that their intervals are closed forms (docs/estimates.md), written out in building.py.
Shapes are told apart by `repeat`; each one whose lanes meet has its own number of lanes, since state
classes are found for each number. Run it again after a change, and commit what it writes.
"""

import shapes_of_points  # noqa: F401
import shapes_of_visits  # noqa: F401
from building import write

write()
