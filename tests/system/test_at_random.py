"""A few of the trials at random that kill_storm.py, random_commands.py and hostile_workers.py make by hand in any number."""

import pytest

from conftest import driver_path
from hostile_workers import run_campaigns
from kill_storm import run_storms
from random_commands import run_lines
from short_campaign import copy_programs

#: Most campaigns of a dozen are met by two kills; where processes start slowly, fewer.
KILLS, CAMPAIGNS_AT_ONCE, MOST_CAMPAIGNS = 50, 12, 120

needs_worker = pytest.mark.skipif(not (driver_path().parent / "syncmeter-omp").exists(), reason="no OpenMP worker was built")


@needs_worker
def test_campaigns_that_are_killed_at_random_lose_nothing(tmp_path):
    programs = copy_programs(driver_path().parent, tmp_path / "bin")
    met, seed = 0, 1
    while met < KILLS and seed <= MOST_CAMPAIGNS:
        table, flaws = run_storms(programs, tmp_path / str(seed), count=CAMPAIGNS_AT_ONCE, seed=seed, jobs=4)
        assert not flaws, flaws
        met += sum(row["met"] for row in table.values())
        seed += CAMPAIGNS_AT_ONCE
    assert met >= KILLS, f"of the kills of {MOST_CAMPAIGNS} campaigns {met} came in time"


@needs_worker
def test_random_command_lines_end_in_a_documented_status_and_a_sentence(tmp_path):
    programs = copy_programs(driver_path().parent, tmp_path / "bin")
    ends = list(run_lines(programs, tmp_path / "home", range(60), jobs=2))
    assert not [(words, flaw) for words, _, flaw in ends if flaw]
    assert {0, 2} <= {status for _, status, _ in ends}


def test_hostile_workers_cost_visits_alone(tmp_path):
    ends = [end for _, end in run_campaigns(driver_path(), tmp_path, range(3), jobs=3)]
    assert not [flaw for *_, flaw in ends if flaw]
    assert sum(len(did) for did, *_ in ends) >= 3, "they were hostile"
