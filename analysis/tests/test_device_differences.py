"""Equal GPUs that share points: one that is slower is found, and equal ones are not told apart."""

import pytest

from syncmeter_analysis.relate.device_differences import device_differences, device_sentences
from syncmeter_analysis.relate.relation import Verdict
from tests.made import point, read, visits, write


def two_gpus(tmp_path, points, factor, gpus=(0, 1)):
    """So many points, each visited once by each of two GPUs; the second costs `factor` times as
    much."""
    lines = []
    for lanes in range(1, points + 1):
        cost = 10.0 * lanes * (1 + 0.001 * (lanes % 3))  # no two points scatter alike
        found = visits([cost, cost * factor], point(backend="cuda", lanes=lanes), device=0)
        for line, gpu in zip(found, gpus, strict=True):
            if gpu is not None:
                line["visited_device"] = gpu
        lines += found
    return read(write(tmp_path / "f.jsonl", *lines))


def test_a_slower_gpu_is_found_with_its_ratio(tmp_path):
    campaign = two_gpus(tmp_path, 8, 1.1)
    (found,) = device_differences(campaign)
    assert (found.family, found.device, found.reference, found.points) == ("atomic", 1, 0, 8)
    assert found.ratio.value == pytest.approx(1.1)
    assert found.verdict is Verdict.slower
    says = "GPU 1 is slower than GPU 0 at 8 points of atomic: 1.100 times its costs"
    assert device_sentences(campaign)[0].startswith(says)


def test_equal_gpus_do_not_differ(tmp_path):
    campaign = two_gpus(tmp_path, 8, 1.004)
    assert [d.verdict for d in device_differences(campaign)] == [Verdict.same]
    assert "cost the same in every family" in device_sentences(campaign)[0]


def test_a_median_of_too_few_points_says_nothing(tmp_path):
    assert not device_differences(two_gpus(tmp_path, 5, 1.5))


def test_a_campaign_of_one_gpu_has_none(tmp_path):
    assert not device_sentences(two_gpus(tmp_path, 8, 1.1, gpus=(None, None)))
