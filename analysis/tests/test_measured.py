"""A measured file of every study: its text on a terminal, its section of the report in Markdown and its
figures show the same rows."""

import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from syncmeter_analysis.record.text_file import text_of
from syncmeter_analysis.relate.campaign import read_campaign
from syncmeter_analysis.render.build import build
from syncmeter_analysis.render.markdown import as_markdown
from syncmeter_analysis.render.terminal import as_plain
from syncmeter_analysis.studies import names, sections
from syncmeter_analysis.studies.blocks import Bullets, Lines, Table, escaped_md
from syncmeter_analysis.studies.figures import Figure

DATA = Path(__file__).parent / "data"

#: Of each study its file, and what the text and the titles of its figures must say among the rest.
FILES = {
    # test_conclusions.py tests the conclusions.
    "locks": ("xeon-64-vcpu-locks", [], ["One add to a shared variable under each lock"]),
    "contention": (
        "2-vcpu-contention",
        ["2 threads on one variable do 2.8x fewer operations in total than one thread alone"],
        [
            "Throughput by number of variables: omp atomic_add",
            "Throughput by number of variables: omp lock_add",
        ],
    ),
    "barrier": (
        "xeon-64-vcpu-barrier",
        [
            "between two barriers of 64 threads",
            "std::barrier is slower because its threads soon sleep",
        ],
        ["Barrier cost by number of threads"],
    ),
    "false-sharing": ("2-vcpu-false-sharing", ["Whether 64 bytes are enough everywhere"], 1),
    "core-to-core": (
        "core-to-core",
        [
            "omp handoff: ns one way, half a round trip",
            "omp handoff           5      2      250.3       265.3",
        ],
        1,
    ),
    "portability": (
        "portability",
        ["Undecided whether kokkos-threads is slower than omp. As fast (within 5 %) in 0 of 2."],
        1,
    ),
    "levels": (
        "h200-levels",
        [
            "cluster              cluster_sync                2            2 x 32     171.2 (170.4..17"
        ],
        2,
    ),
    "launch": (
        "h200-levels",
        ["in a row, no wait  graph launch (a,b)    700  separate launch  3440  3.1-7.7"],
        1,
    ),
    "handoff": (
        "h200-handoff",
        ["ld.acquire, st.release          block        299.0     0.103 (0.101..0.104) <"],
        2,
    ),
    "divergence": (
        "h200-divergence",
        [
            "32     one path per warp (a)        172  branch in a warp  2060  12",
        ],
        1,
    ),
    "gpu-updates": (
        "h200-accumulate",
        [
            # 132 * 1024 * 16 adds in 12.27 us.
            "warp sum + block table (a,b)      176",
            "32,768 (no block table)  64-bit integer atomicAdd (c)     82.6",
            "1,048,576, no sharing    keep atomicAdd                    963",
        ],
        1,
    ),
    "coalescing": (
        "h200-coalescing",
        [
            "device memory  neighbouring words (a)         0.0295  random words",
        ],
        1,
    ),
    "regions": (
        "2-vcpu-regions",
        ["if its serial time is below about"],
        1,
    ),
    "read-mostly": (
        "2-vcpu-read-mostly",
        [
            "64 bytes, 100          seqlock (b)     16  std::mutex  120  ~8",
            "2     64                1       85.76        133.3           < 598.1         136.9",
        ],
        [],
    ),
    "waiting": ("2-vcpu-waiting", ["spin 32 us, then"], 1),
    "processes": (
        "2-vcpu-processes",
        ["add        atomic in a shared window (a)  10  MPI_Accumulate  120  ~10"],
        [],
    ),
    "control": (
        "../../../docs/measurements/h200-control",
        ["Trust the costs and ratios of this machine within their intervals. 8 of 8 known"],
        [],
    ),
    "scaling": (
        "../../../docs/measurements/xeon-16-vcpu-scaling",
        [
            "locked add  atomic add (b)             364  omp critical  4110  9.9-13",
            "an add takes 4110 ns with 16 threads instead of 20 ns with 1 (210x slower)",
        ],
        [],
    ),
    "reductions": (
        "h200-reductions",
        ["cub::DeviceReduce reads 2^28 int32 at 98 % of the bandwidth of plain reads."],
        2,
    ),
    "multi-gpu": (
        "h200-x4-multi-gpu",
        ["4 GPUs  own flags (a)  2220  host barrier  10,000  4.0-5.1"],
        2,
    ),
}


def test_every_study_has_a_measured_file():
    assert sorted(FILES) == sorted(names())


@cache
def of(study):
    """Campaign, section and report of the study's file."""
    measured = text_of(DATA / f"{FILES[study][0]}.jsonl.xz").decode()
    if study == "portability":
        # No measured file of a portable API is at hand: std stands for one.
        measured = measured.replace('"std"', '"kokkos-threads"')
    with TemporaryDirectory() as folder:
        path = Path(folder) / "measured.jsonl"
        path.write_text(measured)
        campaign = read_campaign([str(path)])
    (section,) = sections(campaign, [study])
    return campaign, section, build(campaign)


@pytest.mark.parametrize("study", FILES)
def test_text_and_report_show_the_same_rows(study):
    _, of_study, report = of(study)
    text, page = as_plain(of_study.title, of_study.blocks), as_markdown(report)
    (section,) = [s for s in report.sections if s.id == study]
    assert section.title == of_study.title
    assert [b for b in section.blocks if not isinstance(b, Figure)] == of_study.blocks
    assert of_study.blocks
    for block in of_study.blocks:
        if isinstance(block, Table):
            for row in block.rows:
                shown = [cell.text for cell in row if cell.text]
                assert any(_in_order(shown, line) for line in text.splitlines()), shown
                escaped = [escaped_md(cell) for cell in shown]
                assert any(_in_order(escaped, line) for line in page.splitlines()), shown
        elif isinstance(block, Lines):
            assert all(item in text and escaped_md(item) in page for item in block.items)
        elif isinstance(block, Bullets):
            for item in block.items:
                assert f"- {item}" in text
                assert f"- {escaped_md(item)}" in page
        else:
            assert block.text in text


def _in_order(cells, line):
    at = 0
    for cell in cells:
        at = line.find(cell, at)
        if at < 0:
            return False
        at += len(cell)
    return True


@pytest.mark.parametrize("study", FILES)
def test_what_was_found_is_said_and_drawn(study):
    campaign, of_study, report = of(study)
    _, sentences, titles = FILES[study]
    text = as_plain(of_study.title, of_study.blocks)
    for sentence in sentences:
        assert sentence in text
    figures = of_study.figures
    assert {f.id for f in figures} <= {f.id for f in report.figures}
    assert (len(figures) if isinstance(titles, int) else [f.title for f in figures]) == titles
    for figure in figures:
        assert figure.points
        assert set(figure.points) <= {s.id for s in campaign.points.values()}


@pytest.mark.parametrize("study", ["locks", "contention", "barrier"])
def test_of_several_files_a_table_says_which_it_is_of(study, tmp_path):
    path = DATA / f"{FILES[study][0]}.jsonl.xz"
    other = tmp_path / "other.jsonl"
    other.write_bytes(text_of(path))
    campaign = read_campaign([str(path), str(other)])
    (section,) = sections(campaign, [study])
    captions = [block.caption for block in section.blocks if isinstance(block, Table)]
    for file in campaign.files:
        assert any(file.path in caption for caption in captions)
    _, alone, _ = of(study)
    assert not any("jsonl" in b.caption for b in alone.blocks if isinstance(b, Table))


def test_a_cost_that_every_visit_saw_is_never_not_resolved():
    _, of_study, _ = of("barrier")
    # A passive barrier has a cost: 88 us (13 to 578 over visits).
    assert "not_resolved" not in as_plain(of_study.title, of_study.blocks)


def test_files_are_small_and_name_no_host():
    for path in DATA.glob("*.jsonl.xz"):
        first = json.loads(text_of(path).partition(b"\n")[0])
        assert first["machine"]["host"] in ("", "anonymous")
        assert path.stat().st_size < 20_000
