"""Measured files: the text of each and its report show the same rows."""

from pathlib import Path

import pytest

from syncmeter_analysis.report.blocks import Drawing
from syncmeter_analysis.report.build import build
from syncmeter_analysis.statistics.campaign import read_campaign
from syncmeter_analysis.studies import sections
from syncmeter_analysis.studies.blocks import as_plain

DATA = Path(__file__).parent / "data"

#: File, its study, how many figures draw it, and a sentence that it must say.
FILES = [
    (
        "h200-levels",
        "levels",
        2,
        "cluster         cluster_sync                 2            2 x 32   171.2    170.4..172.0",
    ),
    (
        "h200-levels",
        "launch",
        1,
        "a graph of 64 over 64 launches: 0.20 (0.13..0.32), faster; so is every size measured from 1",
    ),
    (
        "h200-handoff",
        "handoff",
        2,
        "ld.acquire, st.release          block        299.0         264.2             0.10",
    ),
    (
        "h200-divergence",
        "divergence",
        1,
        "paths inside a warp: each further path adds 50.16 ns (94.90 to 1622 ns, 1 to 32 paths)",
    ),
    (
        "h200-coalescing",
        "coalescing",
        1,
        "L2: coalesced loads bring 9444 useful bytes per ns; strided by 32 and strided by 31 and "
        "random take the longest, 14.7",
    ),
    (
        "h200-reductions",
        "reductions",
        2,
        "2^22 int32: cuda reduce_max_persistent (256 threads a block), 5.047 µs, 92 % of the reads'",
    ),
    (
        "h200-x4-multi-gpu",
        "multi-gpu",
        2,
        "fastest inside kernels over 4 devices: multi_gpu_barrier_flags, 132 blocks of 32 threads",
    ),
]


@pytest.mark.parametrize(("file", "study", "figures", "said"), FILES)
def test_text_and_report_of_a_measured_file_show_the_same_rows(file, study, figures, said):
    campaign = read_campaign([str(DATA / f"{file}.jsonl")])
    (told,) = sections(campaign, [study])
    assert said in as_plain(told.title, told.blocks)
    section = next(s for s in build(campaign).sections if s.id == study)
    drawn = [block for block in section.blocks if isinstance(block, Drawing)]
    assert section.blocks == [*drawn, *told.blocks]
    assert len(drawn) == figures
    shown = {id for block in drawn for id in block.figure.points}
    assert shown <= campaign.by_id().keys()
