"""What a report says of the surroundings in which its numbers were taken."""

from syncmeter_analysis.report.build import build
from syncmeter_analysis.report.markdown import as_markdown
from tests.made import around, campaign, point, read, visits, write


def test_a_gpu_that_was_busy_is_said_once(tmp_path):
    busy = "GPU 1 (NVIDIA H200) was busy 97 % of the time just before this run"
    first = campaign(gpu_notes=[busy, busy, 7])
    lines = visits(around(10.0), point())
    text = as_markdown(build(read(write(tmp_path / "f.jsonl", *lines, first=first))))
    assert text.count(busy) == 1
    calm = as_markdown(build(read(write(tmp_path / "g.jsonl", *lines, first=campaign()))))
    assert busy not in calm
