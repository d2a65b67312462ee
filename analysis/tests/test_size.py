"""What a page takes for each point: 20,000 of them must stay below 8 MB."""

import random

import pytest

from syncmeter_analysis.render.build import build
from syncmeter_analysis.render.page import as_page, libraries
from tests.made import MACHINE, campaign, point, read, visits, write


@pytest.mark.slow
def test_a_point_takes_less_than_300_bytes_of_the_page(tmp_path):
    rng = random.Random(1)
    lines = []
    for op in range(5):
        for kind in ("int32", "uint64", "float", "double"):
            for stride in (1, 2, 4, 8, 16, 64):
                for lanes in range(1, 17):
                    costs = [5 * lanes * rng.lognormvariate(0, 0.03) for _ in range(3)]
                    lines += visits(
                        costs,
                        point(
                            f"atomic_{op}",
                            placement="strided",
                            type=kind,
                            stride=stride,
                            lanes=lanes,
                        ),
                    )
    path = write(tmp_path / "f.jsonl", lines, first=campaign(machine=MACHINE))
    report = build(read(path))
    assert len(report.points) == 1920
    own = len(as_page(report).encode()) - len(libraries().encode())
    # Besides points: sections, claims, and the sets of evidence.
    assert own < 150_000 + 300 * 1920
