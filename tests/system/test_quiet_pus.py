"""Affinity quiet, from the probe to the file and back: a resumed campaign stays where it began."""

import os

import pytest

PUS = sorted(os.sched_getaffinity(0))


def quietly(campaign, *more):
    return campaign.call("run", "--backend", "fake", "--op", "atomic_add", "--type", "int32", "--layout", "shared",
                         "--order", "relaxed", "--repetitions", "4", "--threads", "1", "--affinity", "quiet",
                         "--output", str(campaign.file), *more)


def test_the_file_and_the_table_say_what_was_busy_and_where_lanes_are(campaign):
    status, out, err = quietly(campaign)
    assert status == 0, err
    line = campaign.lines("campaign")[0]
    assert all(0.13 <= entry["share"] <= 1 and entry["pu"] in PUS for entry in line["busy_pus"])
    (pus,) = {tuple(visit["pus"]) for visit in campaign.visits()}
    assert {visit["point"]["affinity"] for visit in campaign.visits()} == {"quiet"}
    assert any(note.startswith("quiet: ") for note in line["lane_notes"]) and "- quiet: " in out
    row = next(line for line in out.splitlines() if "atomic_add" in line)
    assert f" {pus[0]} " in row and "PUs" in out


@pytest.mark.skipif(len(PUS) < 2, reason="one PU: there is no other")
@pytest.mark.parametrize("busy", [0, 1])
def test_a_resumed_campaign_avoids_what_was_busy_when_it_began(campaign, busy):
    assert quietly(campaign)[0] == 0
    campaign.edit_campaign_line(
        lambda line: line.update(busy_pus=[{"pu": PUS[busy], "share": 0.97}]))
    campaign.cut_at_visit(0)
    assert campaign.resume()[0] == 0
    assert len(campaign.visits()) == 4
    for visit in campaign.visits():
        assert visit["pus"] == [next(pu for pu in PUS if pu != PUS[busy])]


def test_a_dry_run_probes_nothing_and_says_so(campaign):
    status, out, _ = quietly(campaign, "--dry-run")
    assert status == 0 and "quiet: a probe at the start of the run chooses the CPUs" in out
    assert not campaign.file.exists()


def test_a_study_that_compares_placements_refuses_it(campaign):
    status, _, err = quietly(campaign, "--study", "scaling")
    assert status == 2 and "--affinity: quiet is not allowed in study 'scaling', which compares placements" in err
    assert not campaign.file.exists()
