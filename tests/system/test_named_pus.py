"""Lanes on named PUs, from the command line through the worker to the file and back."""

import os

import pytest

PU = sorted(os.sched_getaffinity(0))[0]


def named(campaign, *more):
    return campaign.call("run", "--backend", "fake", "--op", "atomic_add", "--type", "int32", "--layout", "shared",
                         "--order", "relaxed", "--repetitions", "2", "--cpus", str(PU), "--output", str(campaign.file), *more)


def test_a_named_pu_is_in_the_point_the_key_and_the_campaign_line(campaign):
    status, out, err = named(campaign)
    assert status == 0, err
    for visit in campaign.visits():
        assert visit["point"]["pus"] == visit["pus"] == [PU]
        assert visit["point"]["affinity"] == "none" and f" pus={PU}" in visit["key"]
    line = campaign.lines("campaign")[0]
    assert line["options"]["pus"] == [PU] and [unit["pu"] for unit in line["units"]] == [PU]
    assert "\x1b" not in out, "no colours in a pipe"


def test_without_named_pus_nothing_is_said_of_them(campaign):
    assert campaign.run()[0] == 0
    assert "units" not in campaign.lines("campaign")[0]
    assert all("pus" not in visit["point"] and "pus=" not in visit["key"] for visit in campaign.visits())


def test_a_resumed_campaign_goes_on_with_the_same_pus(campaign):
    named(campaign)
    whole = [visit["key"] for visit in campaign.visits()]
    campaign.cut_at_visit(-1)
    assert [visit["key"] for visit in campaign.visits()] == whole[:-1]
    assert campaign.resume()[0] == 0
    assert [visit["key"] for visit in campaign.visits()] == whole


@pytest.mark.parametrize("arguments, text", [
    (["--cpus", "65000"], "--cpus: this machine has no CPU 65000; this process may use "),
    (["--study", "core-to-core", "--cpus", str(PU)], f"--cpus names only CPU {PU}"),
])
def test_what_cannot_be_is_wrong_usage(campaign, arguments, text):
    status, _, err = campaign.call("run", "--backend", "fake", "--output", str(campaign.file), *arguments,
                                   "--op", "barrier")
    assert status == 2 and text in err
    assert not campaign.file.exists()
