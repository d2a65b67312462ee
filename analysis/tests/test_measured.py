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
from syncmeter_analysis.render.report import Drawing
from syncmeter_analysis.render.terminal import as_plain
from syncmeter_analysis.studies import names, sections
from syncmeter_analysis.studies.blocks import Bullets, Lines, Table, escaped_md

DATA = Path(__file__).parent / "data"

#: Of each study its file, and what the text and the titles of its figures must say among the rest.
FILES = {
    # test_conclusions.py tests the conclusions.
    "locks": ("xeon-64-vcpu-locks", [], []),
    "contention": (
        "2-vcpu-contention",
        [
            # A lone lane has no hop, and is compared all the same.
            "- omp atomic_add, 2 threads, close, spread, smt: give each thread a cell of its own, "
            "because 2 cells give 5.87 times the throughput of one cell (95 % "
            "sure: 5.05 to 6.40, 5 visits); one cell gives "
            "0.356 times that of one thread alone (0.307 to 0.395)\n",
            "here are in one domain (same L3), so that there are no lanes farther apart",
        ],
        [
            "omp atomic_add, 2 threads, close, spread, smt: give each thread a cell of its own, "
            "because 2 cells give 5.87 times the throughput of one cell (95 % "
            "sure: 5.05 to 6.40, 5 visits); one cell gives "
            "0.356 times that of one thread alone (0.307 to 0.395)",
            "omp lock_add, 2 threads, close, spread, smt: give each thread a cell of its own, because "
            "2 cells give 19.1 times the throughput of one cell (95 % sure: 12.9 to 28.4, 4 visits); "
            "one cell gives 0.101 times that of one thread alone (0.075 to 0.137)",
        ],
    ),
    "barrier": (
        "xeon-64-vcpu-barrier",
        [
            "- omp passive is 11.7 to 22.4 times slower than omp active at 2 to 64 threads, as fast at "
            "1 thread (close, spread, smt)\n",
            # std::barrier waits in its one way: the control finds no difference.
            "- std passive against std active: cannot tell (at 64 threads 0.118 to 5.94 "
            "times as long) at 1 to 64 threads (close, spread, smt)\n",
        ],
        [
            "a barrier of 64 threads 141 ns apart (close, spread, smt): take omp active "
            "(4452 ns, 3525 to 9006), because std passive takes 16.5 times as long (95 % "
            "sure: 6.85 to 29.2, 2 visits); 4452 ns is 31.5 times what a cache line takes "
            "from thread to thread"
        ],
    ),
    "false-sharing": (
        "2-vcpu-false-sharing",
        [
            # The ratio at 64 B is not resolved, so that 64 B are not said to be enough.
            "Keep data of different threads more than 32 bytes apart, because nearer they take up to "
            "6.96 times as long; the least is not known: at 64 B the ratio is 1.03 (0.935..1.13), 5 "
            "visits: neither the same nor more",
        ],
        [
            "atomic_add: threads that share a line take up to 6.96 times as long; more than 32 bytes "
            "apart are needed"
        ],
    ),
    "core-to-core": (
        "core-to-core",
        [
            "omp handoff: ns one way, half a round trip",
            "250.3 to 265.3 ns from pass to pass (6.0 % apart)",
        ],
        1,
    ),
    "portability": (
        "portability",
        ["kokkos-threads is as fast as omp (within 5 %) at 0 of 2 points"],
        1,
    ),
    "levels": (
        "h200-levels",
        [
            "cluster              cluster_sync                2            2 x 32   171.2    170.4..17"
        ],
        2,
    ),
    "launch": (
        "h200-levels",
        [
            # Costs of launches repeat within 13 %: the interval is wide as it is of three visits.
            "64 launches take 4.91 times as long as a built graph of 64 (95 % sure: 3.12 to "
            "7.73, 3 visits); graphs are faster from 1 kernel on"
        ],
        1,
    ),
    "handoff": (
        "h200-handoff",
        ["ld.acquire, st.release          block        299.0         264.2            0.103"],
        2,
    ),
    "divergence": (
        "h200-divergence",
        [
            "paths inside a warp: each further path adds 50.16 ns (94.90 ns to 1622 ns, 1 to 32 paths)"
        ],
        1,
    ),
    "defaults": (
        "h100-defaults",
        [
            # 913.0 / 3.028.
            "- add (1 x 32, own cells): take atomicAdd (relaxed at device scope, 3.028 ns) "
            "where that is enough, because fetch_add() of libcu++ (seq_cst at system scope) "
            "takes 302 times as long (95 % sure: 275 to 331, 3 visits)\n",
        ],
        1,
    ),
    "widths": (
        "h200-widths",
        [
            # 969.0 over 709.0 / 8.
            "- halves (132 x 1024, own cells): take red.v4.f16x2 (88.62 ns a half), which "
            "changes 8 at once; atomicAdd(__half) takes 10.9 times as long (95 % sure: 10.6 "
            "to 11.1, 3 visits), red.f16x2 1.28 (1.22 to 1.35)\n",
        ],
        1,
    ),
    "accumulate": (
        "h200-accumulate",
        [
            # 132 * 1024 * 16 adds in 12.27 us.
            "- 132 x 1024 threads, one address: take privatized and warp-aggregated (176.2 "
            "adds per ns, atomicAdd 0.5695), because warp-aggregated by reduction takes 9.64 "
            "times as long (95 % sure: 9.54 to 9.71, 3 visits)\n",
            "- 132 x 1024 threads, 32768 addresses: take 64-bit fixed point (82.62 adds per ns, "
            "atomicAdd 67.31), because ",
            "- 1 x 1024 threads, 32 addresses (the same up to 1024): keep atomicAdd (4.132 adds per "
            "ns): none of 8 others is shown to be faster; ",
        ],
        1,
    ),
    "coalescing": (
        "h200-coalescing",
        [
            "L2: read coalesced (9444 useful bytes per ns), because strided by 32 and strided by 31 "
            "and random take 14.7 times as long (",
        ],
        1,
    ),
    "regions": (
        "2-vcpu-regions",
        [
            "- 2 threads 249 ns apart: leave less than 2261 ns (2139 to 2390) of serial work to one "
            "thread, "
            "226 iterations of 10 ns, because a region with a loop costs 1131 ns with omp active; from "
            "20.35 us on its threads are 90 % busy\n",
            "- 2 threads 58 ns apart, a loop in dynamic chunks of one: take omp active (2777 "
            "ns, 2654 to 2902), because omp-llvm active takes 15.1 times as long (95 % sure: "
            "13.9 to 16.5, 2 visits)\n",
            "- omp active, 2 threads 58 ns apart: give a chunk of a dynamic loop 179.2 ns (169.6 to "
            "188.9) of work or more, 18 iterations of 10 ns, because it costs 19.91 ns: ",
        ],
        1,
    ),
    "read-mostly": (
        "2-vcpu-read-mostly",
        [
            "- 2 threads 238 ns apart, 64 bytes: at 1 read a write undecided which is "
            "fastest: std mutex, std snapshot or std seqlock (85.76 to 136.9 ns); at 100 and 10000 "
            "take std seqlock",
            "2     64              1       85.76        133.3           < 598.1         136.9",
        ],
        [],
    ),
    "waiting": (
        "2-vcpu-waiting",
        [
            "- your own code, 2 threads 26 to 236 ns apart: spin (pause) for 32 us, then "
            "sleep (atomic, futex or condition), because a sleeper resumes so much later (95 % "
            "sure: 17 to 62 us, 2 visits): by theory no wait takes over about twice the time or "
            "the CPU time of the better way",
            "- omp, 2 threads 26 to 236 ns apart (no larger team was measured): spin for 410 "
            "us (GOMP_SPINCOUNT; spin_pause was not measured), so that no wait takes over "
            "about 10 % longer than with the better of spinning and sleeping (scatter unknown)",
        ],
        1,
    ),
    "processes": (
        "2-vcpu-processes",
        [
            "- 2 lanes 57 ns apart, one cell: mpi rma_accumulate takes 10.2 times as long as std "
            "atomic_add (9.58 to 12.3)\n",
            "- 2 lanes 57 ns apart, one cell: mpi barrier takes 0.407 times as long as std barrier "
            "(0.337 to 0.462)\n",
        ],
        [],
    ),
    "control": (
        "../../../docs/measurements/h200-control",
        [
            "- trust costs and ratios within their intervals here, because 8 of 8 known costs came out"
        ],
        [],
    ),
    "scaling": (
        "../../../docs/measurements/xeon-16-vcpu-scaling",
        [
            "- 16 threads: count in a variable of each thread, because an atomic add on one "
            "variable takes 19.7 times as long (14.3 to 30.2), 364.3 ns against 18.54 ns",
            "- a barrier takes 8.58 times as long with 16 threads as with 1 thread (7.40 to 9.93)",
        ],
        [],
    ),
    "reductions": (
        "h200-reductions",
        [
            "- 2^22 int32: take cuda reduce_max_persistent in blocks of 256 (5047 ns, 92 % of the "
            "reads' bandwidth), because "
        ],
        2,
    ),
    "multi-gpu": (
        "h200-x4-multi-gpu",
        [
            "- 4 devices, a barrier inside kernels of 132 x 32 threads: take barrier_flags (2220 ns), "
            "because barrier_counter (counter on the second) takes 1.74 times as long ("
        ],
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
    assert [b for b in section.blocks if not isinstance(b, Drawing)] == of_study.blocks
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
    # A passive barrier of 88 us (13 to 578 over visits) is a cost.
    assert "not_resolved" not in as_plain(of_study.title, of_study.blocks)


def test_files_are_small_and_name_no_host():
    for path in DATA.glob("*.jsonl.xz"):
        first = json.loads(text_of(path).partition(b"\n")[0])
        assert first["machine"]["host"] in ("", "anonymous")
        assert path.stat().st_size < 20_000
