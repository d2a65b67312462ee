"""What measured files of CPUs tell: the same on a terminal and in the report."""

from pathlib import Path

import pytest

from syncmeter_analysis.report.build import build
from syncmeter_analysis.report.markdown import as_markdown
from syncmeter_analysis.statistics.campaign import read_campaign
from syncmeter_analysis.studies import sections
from syncmeter_analysis.studies.blocks import Table, as_plain, escaped_md

DATA = Path(__file__).parent / "data"
FILES = {
    "locks": "xeon-64-vcpu-locks.jsonl",
    "contention": "2-vcpu-contention.jsonl",
    "barrier": "xeon-64-vcpu-barrier.jsonl",
}


def told(study):
    campaign = read_campaign([str(DATA / FILES[study])])
    (section,) = sections(campaign, [study])
    return campaign, section


@pytest.mark.parametrize("study", FILES)
def test_text_and_report_tell_the_same_rows(study):
    campaign, section = told(study)
    report = build(campaign)
    (drawn,) = [s for s in report.sections if s.id == study]
    assert drawn.title == section.title
    assert drawn.blocks[-len(section.blocks) :] == section.blocks
    assert len(drawn.blocks) > len(section.blocks)  # and a figure
    page = as_markdown(report)
    text = as_plain(section.title, section.blocks)
    tables = [block for block in section.blocks if isinstance(block, Table)]
    assert tables
    for cell in (cell for table in tables for row in table.rows for cell in row):
        assert cell.text in text
        assert escaped_md(cell.text) in page


@pytest.mark.parametrize("study", FILES)
def test_of_several_files_a_table_says_which_it_is_of(study, tmp_path):
    other = tmp_path / "other.jsonl"
    other.write_text((DATA / FILES[study]).read_text())
    campaign = read_campaign([str(DATA / FILES[study]), str(other)])
    (section,) = sections(campaign, [study])
    captions = [block.caption for block in section.blocks if isinstance(block, Table)]
    for file in campaign.files:
        assert sum(file.path in caption for caption in captions) == 1
    alone = told(study)[1]
    assert not any("jsonl" in b.caption for b in alone.blocks if isinstance(b, Table))


def test_locks_of_64_busy_vcpus():
    campaign, section = told("locks")
    text = as_plain(section.title, section.blocks)
    assert (
        "- 64 lanes on one lock: omp spin_lock_add is the cheapest, 18265 ns (16847..19836), "
        "9.13 (8.48..10.3) times omp atomic_add; omp nest_lock_add costs 4.09 (3.63..4.33) times"
    ) in text
    assert (
        "- uncontended (1 lane): omp ticket_lock_add is the cheapest, 8.345 ns (8.075..10.16), "
        "1.39 (1.25..1.69) times omp atomic_add; not resolved to be more than 5% above it: "
        "omp spin_lock_add; "
    ) in text
    figures = [f.title for f in build(campaign).figures if f.id.startswith("locks")]
    assert figures == [
        "omp spin_lock_add is the cheapest lock of 64 lanes on one lock; omp nest_lock_add costs "
        "4.09 times as much (int32, 64 lanes, affinity close)"
    ]


def test_contention_of_two_busy_vcpus():
    campaign, section = told("contention")
    text = as_plain(section.title, section.blocks)
    # A lone lane has no hop, and is compared all the same.
    assert (
        "- omp atomic_add, 2 lanes, close, spread, smt: on one cell 0.36 (0.31..0.39) times what one "
        "lane alone does; on 2 cells 5.87 (5.05..6.40) times that on one cell\n"
    ) in text
    assert "here are in one domain (same L3), so that there are no farther ones" in text
    figures = [f.title for f in build(campaign).figures if f.id.startswith("contention")]
    assert figures[0] == (
        "omp atomic_add: 2 lanes on one cell do 0.36 (0.31..0.39) times as many operations per "
        "second as one lane alone"
    )


def test_barriers_of_64_busy_vcpus():
    campaign, section = told("barrier")
    text = as_plain(section.title, section.blocks)
    placed = "close, spread, smt, by lanes: "
    assert f"- omp, {placed}slower at 2 64 (11.7 to 21.8 times); the same within 5% at 1" in text
    # std::barrier waits in its one way: the control finds no difference.
    assert f"- std, {placed}cannot tell at 1 2 64" in text
    assert "not_resolved" not in text  # 88 us (13 to 578) is a cost
    figures = [f.title for f in build(campaign).figures if f.id.startswith("barrier")]
    assert figures == [
        "omp, passive waiting over active: 11.7 to 21.8 times slower at 2 to 64 lanes, the same at "
        "1 lane (close, spread, smt); std, passive waiting over active: cannot tell at 1 to 64 "
        "lanes (close, spread, smt)"
    ]
