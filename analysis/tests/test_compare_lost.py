"""Points that the new campaign lacks end a comparison with 3 where it was asked for them too."""

import pytest

from syncmeter_analysis.conclude.compare import conclude
from tests.made import around, campaign, point, visits
from tests.two_campaigns import both, notes_of, screen_of


def lacking(tmp_path, of_old, of_new, version="1.0", lost=None, more=()):
    """Two campaigns, of which the new one lacks a point of the old one."""
    calm = visits(around(5.0), point("calm"))
    lost = lost or visits(around(5.0), point("lost"))
    first = campaign(options=of_old, version="1.0"), campaign(options=of_new, version=version)
    return both(tmp_path, [*calm, *lost], [*calm, *more], *first)


QUICK = {"study": "quick", "ops": ["a", "b"]}


@pytest.mark.parametrize(
    ("of_old", "of_new", "status"),
    [
        ({**QUICK, "visits": 9, "sizes": []}, {**QUICK, "visits": 5}, 3),
        (QUICK, {**QUICK, "ops": ["b", "a"]}, 3),
        (QUICK, {**QUICK, "ops": ["a"]}, 0),
        (QUICK, {**QUICK, "oversubscribe": True}, 0),
        ({**QUICK, "waves": True}, {**QUICK, "waves": False}, 0),
        ({}, {}, 0),
        ({"ops": ["a"]}, {"ops": ["a"]}, 0),
    ],
)
def test_a_point_that_the_new_campaign_was_asked_for_and_lacks_is_no_success(
    tmp_path, of_old, of_new, status
):
    c = lacking(tmp_path, of_old, of_new)
    assert (c.status, c.only, len(c.lost)) == (status, (1, 0), status // 3)
    shown = screen_of(c)
    lost = "Missing in new.jsonl, although it was to measure the same: lost, 1 thread."
    assert (lost in shown) == bool(status)
    assert conclude(c).only == (1 - len(c.lost), 0)
    c.blind_is_fine = True
    assert c.status == 0


def test_another_version_may_have_other_points(tmp_path):
    c = lacking(tmp_path, QUICK, QUICK, version="1.1")
    assert (c.status, c.lost) == (0, [])
    assert notes_of(c)[0] == (
        "1 point with a cost in old.jsonl (syncmeter 1.0) is not in new.jsonl (syncmeter 1.1), which "
        "was asked for the same: another version may have other points"
    )


@pytest.mark.parametrize(("reason", "status"), [("budget", 0), ("complete", 3)])
def test_pairs_that_time_did_not_last_for_are_not_lost(tmp_path, reason, status):
    pair = visits(around(5.0), point("lost", lanes=2, pus=[0, 3]))
    end = {"kind": "end", "reason": reason, "visits": 5, "failed": 0, "wall_ns": 1.0}
    assert lacking(tmp_path, QUICK, QUICK, lost=pair, more=[end]).status == status


def test_points_that_share_a_measurement_are_lost_once(tmp_path):
    host = point("lost")
    same = {"kind": "same", "point": {**host, "affinity": "spread"}, "measured_as": host, "why": ""}
    c = lacking(tmp_path, QUICK, QUICK, lost=[same, *visits(around(5.0), host)])
    assert (c.only, len(c.lost)) == ((2, 0), 1)
