"""What two PUs share, by the driver's rule."""

import pytest

from syncmeter_analysis.record.topology import pair_class, pair_classes, units_of

SMALL = {"core": 0, "l2": 0, "l3": 0, "numa": 0, "package": 0}


@pytest.mark.parametrize(
    ("other", "shared"),
    [
        ({}, "same core"),
        ({"core": 1}, "same L2"),
        ({"core": 1, "l2": 1}, "same L3"),
        ({"core": 1, "l2": 1, "l3": 1}, "same NUMA node"),
        ({"core": 1, "l2": 1, "l3": 1, "numa": 1}, "same package"),
        # Indices of caches may repeat from package to package.
        ({"package": 1}, "other package"),
    ],
)
def test_the_narrowest_thing_they_share_names_the_pair(other, shared):
    assert pair_class(SMALL, {**SMALL, **other}) == shared
    assert shared in pair_classes


def test_pus_whose_core_is_unknown_are_not_known_and_share_no_unknown_cache():
    unknown = {"core": -1, "package": -1, "l3": 0}
    assert pair_class(unknown, unknown) == pair_class({}, {}) == "not known"
    no_cache = {"core": 0, "l2": -1, "l3": -1, "numa": 0, "package": 0}
    assert pair_class(no_cache, {**no_cache, "core": 1}) == "same NUMA node"


def test_units_are_found_in_the_campaign_line_and_foreign_ones_are_left_out():
    units = [{"pu": 3, "core": 1, "kind": "x"}, {"core": 2}, "nonsense"]
    assert units_of([{"units": units}, {"units": 7}, {}]) == {3: {"pu": 3, "core": 1}}
