"""The report's estimates are those of `syncmeter show`, with states and busy rounds."""

import csv
import json
import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.made import campaign, point, read, visits, write

folder = os.environ.get("SYNCMETER_BIN")
driver = Path(folder) / "syncmeter" if folder else shutil.which("syncmeter")


@pytest.mark.skipif(not driver, reason="SYNCMETER_BIN is not set and syncmeter is not on PATH")
def test_estimates_are_those_of_show(tmp_path):
    rng = random.Random(5)
    lines = []
    for lanes in range(1, 9):
        costs = [20 * lanes * rng.lognormvariate(0, 0.1) for _ in range(5)]
        made = visits(costs, point(type="int32", placement="shared", lanes=lanes))
        for line in made:
            hop = rng.choice([20.0, 21.0, 100.0])
            line["estimates"][0].update(
                hop_ns=hop, busy=rng.random() < 0.3, rounds=rng.choice([3, 11])
            )
        lines += made
    gpu = visits(
        [9.0, 9.1, 9.05],
        point(backend="cuda", affinity="none", lanes=64),
        device=0,
        rounds=[[3200.0, 3200.0 + 3200 * c, 0, False] for c in (8.9, 9, 9.1, 9.2, 9.3)],
        spread=0.05,
    )
    path = write(tmp_path / "f.jsonl", lines, gpu, first=campaign())
    table = tmp_path / "f.csv"
    subprocess.run(
        [str(driver), "show", str(path), "--csv", str(table)], check=True, capture_output=True
    )
    rows = list(csv.DictReader(table.open()))
    ours = {(s.point.backend, s.point.lanes): s for s in read(path).points.values()}
    assert len(rows) == len(ours) == 9
    for row in rows:
        s = ours[row["backend"], int(row["lanes"])]
        assert row["status"] == s.status, json.dumps(row)
        if row["cost_ns"]:
            assert float(row["cost_ns"]) == pytest.approx(s.cost.value, rel=1e-6)
            assert float(row["cost_low_ns"]) == pytest.approx(s.cost.low, rel=1e-6)
            assert float(row["cost_high_ns"]) == pytest.approx(s.cost.high, rel=1e-6)
