"""A few of the trials at random that trials.py makes by hand in any number."""

import hostile_workers
import kill_storm
import lane_deaths
import pytest
import random_commands
from conftest import driver_path
from short_campaign import copy_programs

#: Most campaigns of a dozen are met by two kills; where processes start slowly, fewer.
KILLS, CAMPAIGNS_AT_ONCE, MOST_CAMPAIGNS = 50, 12, 120

needs_worker = pytest.mark.skipif(not (driver_path().parent / "syncmeter-omp").exists(), reason="no OpenMP worker was built")


@pytest.fixture
def programs(tmp_path):
    return copy_programs(driver_path().parent, tmp_path / "bin")


def happened(trials):
    """What happened in all of them, where no promise was broken."""
    ends = list(trials)
    assert not [(seed, flaw) for seed, _, flaw in ends if flaw]
    return [what for _, each, _ in ends for what in each]


@needs_worker
def test_campaigns_that_are_killed_at_random_lose_nothing(programs, tmp_path):
    met = 0
    for seed in range(1, MOST_CAMPAIGNS, CAMPAIGNS_AT_ONCE):
        met += len(happened(kill_storm.trials(programs, tmp_path / str(seed), range(seed, seed + CAMPAIGNS_AT_ONCE), jobs=4)))
        if met >= KILLS:
            return
    pytest.fail(f"of the kills of {MOST_CAMPAIGNS} campaigns {met} came in time")


@pytest.mark.skipif(not (driver_path().parent / lane_deaths.WORKER).exists(), reason="no syncmeter-posix-shared was built")
def test_lanes_that_are_killed_at_random_are_named_and_cost_visits_alone(tmp_path):
    programs = copy_programs(driver_path().parent, tmp_path / "bin", lane_deaths.WORKER)
    assert len(happened(lane_deaths.trials(programs, tmp_path / "home", range(1, 5), jobs=1))) >= 3


@needs_worker
def test_random_command_lines_end_in_a_documented_status_and_a_sentence(programs, tmp_path):
    ends = happened(random_commands.trials(programs, tmp_path / "home", range(60), jobs=2))
    assert {"0", "2"} <= {end.rpartition(" ")[2] for end in ends}


def test_hostile_workers_cost_visits_alone(tmp_path):
    ends = happened(hostile_workers.trials(driver_path().parent, tmp_path, range(3), jobs=3))
    assert sum(not end.startswith("status ") for end in ends) >= 3, "they were hostile"
