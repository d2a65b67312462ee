"""Plans of machines larger than anybody's at hand: every study of CPUs ends in time there."""

import lzma
import re

import pytest
from conftest import HERE, driver_path

TOPOLOGIES = HERE.parent / "data" / "topologies"
STUDIES = ("quick", "scaling", "control", "paper", "false-sharing", "core-to-core", "barrier", "locks", "contention")


@pytest.fixture(scope="module", params=[256, 1024])
def machine(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("machine") / f"{request.param}.xml"
    path.write_bytes(lzma.decompress((TOPOLOGIES / f"{request.param}-pus.xml.xz").read_bytes()))
    return path


@pytest.fixture
def real_workers(campaign):
    campaign.environment["PATH"] = f"{driver_path().parent}:{campaign.environment['PATH']}"
    return campaign


@pytest.mark.parametrize("study", STUDIES)
def test_a_study_is_planned_for_less_than_ten_minutes(real_workers, machine, study):
    status, out, err = real_workers.call("run", "--study", study, "--backend", "omp", "--topology", str(machine), "--dry-run")
    assert status == 0, err
    points, seconds = re.search(r"Configurations to measure: (\d+).*; about ([\d.e+]+) s", out).groups()
    assert int(points) > 50
    assert float(seconds) <= 600
