"""What a report says of the surroundings in which its numbers were taken."""

import pytest

from syncmeter_analysis.render.build import build
from syncmeter_analysis.render.markdown import as_markdown
from tests.made import answers_in, around, campaign, point, read, visits, write


def test_a_gpu_that_was_busy_is_said_once(tmp_path):
    busy = "GPU 1 (NVIDIA H200) was busy 97 % of the time just before this run"
    first = campaign(gpu_notes=[busy, busy, 7])
    lines = visits(around(10.0), point())
    text = as_markdown(build(read(write(tmp_path / "f.jsonl", *lines, first=first))))
    assert text.count(f"\n- {busy}\n") == 1
    assert text.count(busy) == 2  # and in the reliability
    calm = as_markdown(build(read(write(tmp_path / "g.jsonl", *lines, first=campaign()))))
    assert busy not in calm


def test_planted_multiplies_are_compared_in_one_placement_state(tmp_path):
    """In the busy half of its visits one multiply took twice as long: no quotient of headlines."""

    def planted(k, quiet):
        lines = visits(
            [k * (1.0 if i < quiet else 2.0) for i in range(8)],
            point(f"control_multiply_{k}", type="int32"),
            family="control",
        )
        for line in lines[quiet:]:
            line["estimates"][0]["busy"] = True
        return lines

    path = write(tmp_path / "f.jsonl", planted(1, 3), planted(4, 5))
    text = as_markdown(build(read(path)))
    assert "| 4 planted multiplies (omp) | 4 times one | 4.00 times | as expected |" in text


@pytest.mark.parametrize(
    ("architecture", "cycles", "verdict"),
    [
        ("x86_64", 12.1, "as expected"),
        ("x86_64", 13.0, "not as expected"),
        ("x86_64", 16.0, "undecided"),
        ("aarch64", 12.1, None),
    ],
)
def test_the_cycles_of_a_multiply_are_known_on_x86(tmp_path, architecture, cycles, verdict):
    interval = {"value": cycles, "low": cycles - 0.1, "high": cycles + 0.1}
    planted = visits(
        around(3.2),
        point("control_multiply_4", type="int32"),
        family="control",
        estimate={"cost_cycles": interval},
    )
    first = campaign(machine={"architecture": architecture})
    text = as_markdown(build(read(write(tmp_path / "f.jsonl", planted, first=first))))
    row = "| a dependent multiply of int32 (omp) | 3 cycles |"
    assert (row in text) == (verdict is not None)
    if verdict:
        each = f"{cycles / 4:.2f}"
        assert f"{row} {each} cycles | {verdict} |" in text


def test_rounds_count_once_where_two_points_share_a_measurement(tmp_path):
    shared = point(affinity="spread")
    same = {"kind": "same", "point": shared, "measured_as": point(), "why": "the same PUs"}
    quiet = visits(around(10.0, n=3), point())
    busy = visits(around(20.0, n=1), point("barrier"), estimate={"busy": True})
    conduct = read(write(tmp_path / "f.jsonl", quiet, busy, same)).conduct
    rounds = {busy: n for (_, _, busy), n in conduct.rounds_by_state.items()}
    assert rounds == {False: 3 * 11, True: 11}
    assert (conduct.visits, conduct.drops) == (4, {"preempted": 4})


def test_points_that_failed_are_said_beside_the_answers(tmp_path):
    """More visits were advised where every point had failed."""
    bad = visits([1.0], point("x"), status="failed", reason="wrong value 3", estimates=[])
    first = campaign(options={"study": "quick"})
    for good in (visits(around(10.0), point("control_aa")), []):
        c = read(write(tmp_path / "f.jsonl", bad, good, first=first))
        said = answers_in(c)[-1]
        assert "1 configuration failed (wrong value 3)" in said
