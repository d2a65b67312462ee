"""The first screen of a file with several studies, and of stored files."""

import json
import re
from functools import cache
from pathlib import Path

import jsonschema
import pytest

from syncmeter_analysis.command import main
from syncmeter_analysis.conclude.conclusion import Conclusion, Cost, Effect, Grade, Kind, Situation
from syncmeter_analysis.conclude.conclusion import Subject as Named
from syncmeter_analysis.conclude.recommend import Recommendation, Recommendations
from syncmeter_analysis.formats.schema import conclusions_schema
from syncmeter_analysis.record.text_file import without_suffixes
from syncmeter_analysis.relate.campaign import read_campaign
from syncmeter_analysis.render.overview import as_text, recommended
from syncmeter_analysis.studies import reliability_of, sections
from syncmeter_analysis.voice.overview import advice_first, overview
from syncmeter_analysis.voice.screens import sentence_of
from tests.made import MACHINE, around, campaign, point, read, visits, write
from tests.test_first_screen import busy, controls, lock, updates
from tests.test_ladder import quick

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "docs/measurements").glob("*.jsonl.xz"))
stored = pytest.mark.parametrize("path", FILES, ids=without_suffixes)

#: A campaign that planned more than it measured.
SPENT = {"kind": "end", "reason": "budget", "visits": 2, "failed": 0, "wall_ns": 8.2e9}


@cache
def found_in(path):
    whole = read_campaign([str(path)])
    return whole, sections(whole)


def shown(tmp_path, capsys, *lines, options=(), **first):
    members = {"options": {"study": "quick"}, **first}
    path = write(tmp_path / "f.jsonl", *lines, first=campaign(**members))
    assert main(["text", str(path), *options]) == 0
    return capsys.readouterr().out


def test_the_screen_answers_in_order(tmp_path, capsys):
    text = shown(tmp_path, capsys, quick(), controls(), {**SPENT, "reason": "complete"})
    lines = text.splitlines()
    assert lines[0] == "Test CPU, 16 CPUs, Debian 12: 10 configurations, 8.2 s"
    order = (
        "Reliability: good (",
        "Wall time per operation of each thread, 2 threads that do nothing else, int32",
        "Recommendations for 2 threads",
        "1. Use an atomic add: 10x faster than omp critical (libgomp) (20.0 instead of 200 ns, ",
        "Details: ",
        "Next: syncmeter advise -- ./app",
        "More: syncmeter text FILE --tables",
    )
    whole = " ".join(text.split())
    at = [whole.index(" ".join(words.split())) for words in order]
    assert at == sorted(at)
    assert len(lines) <= 40 and all(len(line) <= 80 for line in lines)
    assert "Locks" not in text


def test_bars_are_logarithms(tmp_path, capsys):
    text = shown(tmp_path, capsys, quick(), controls())
    bars = {
        cells[0]: (cells[1], cells[2:])
        for line in text.splitlines()
        if len(cells := re.split(r"  +", line)) in (2, 3)
    }
    assert bars["plain add, a variable per thread"] == ("0.300", [])
    assert bars["atomic add, shared variable"] == ("20.0", ["======="])
    assert bars["barrier"] == ("600", ["============="])


def test_tables_follow_only_on_request(tmp_path, capsys):
    whole = shown(tmp_path, capsys, quick(), controls(), options=["--tables"])
    assert whole.index("Recommendations") < whole.index("\nLocks\n")
    one = shown(tmp_path, capsys, quick(), controls(), options=["--study", "locks"])
    assert one.startswith("Locks\n") and "Recommendations" not in one


def test_the_only_study_is_its_own_screen(tmp_path, capsys):
    path = write(tmp_path / "f.jsonl", updates(), first=campaign(options={"study": "locks"}))
    assert main(["text", str(path)]) == 0
    text = capsys.readouterr().out
    assert text.startswith("Locks: Test CPU, 16 CPUs, Debian 12\n")
    assert "Recommendations" not in text


def test_a_file_without_conclusions_says_what_was_measured(tmp_path, capsys):
    text = shown(tmp_path, capsys, visits(around(5.0), point("fence")))
    assert "No recommendation. Costs of 1 configuration: 5.0 ns." in text


def test_a_campaign_that_ended_early_is_resumed(tmp_path, capsys):
    plan = {"points": 4, "visits": 40, "same": 0, "refused": 0, "predicted_s": 1.0}
    text = shown(tmp_path, capsys, visits([5.0], point("fence")), SPENT, plan=plan)
    whole = " ".join(text.split())
    assert f"Next: syncmeter run --resume {tmp_path}/f.jsonl (1 of 40 repetitions were" in whole


def test_a_disturbed_run_is_repeated(tmp_path, capsys):
    text = shown(tmp_path, capsys, busy(updates()))
    assert "Reliability: poor (100 % of samples disturbed)" in " ".join(text.split())
    assert "\nNext: repeat this on an idle machine, or at another hour.\n" in text
    assert "trust only ratios above 1.5x" in " ".join(text.split())
    assert "95 % CI" not in text
    assert "Other work disturbed both sides" not in " ".join(text.split())


def test_the_locks_of_openmp_are_named_as_the_set_that_was_compared():
    whole, found = found_in(ROOT / "docs/measurements/xeon-64-vcpu-quick.jsonl.xz")
    text = " ".join(as_text(whole, found, width=80).split())
    assert "Any lock will do" not in text
    assert "Keep omp critical (libgomp): faster locks, such as a spin lock, need" in text


def test_plain_adds_of_a_reduction_have_their_costs_behind_the_atomic_ones():
    whole, found = found_in(ROOT / "docs/measurements/xeon-64-vcpu-quick.jsonl.xz")
    text = " ".join(as_text(whole, found, width=80).split())
    costs = re.search(
        r"Plain adds \(OpenMP reduction\): about (\S+)x faster \((\S+) instead of (\S+) ns", text
    )
    gain, own, shared = map(float, costs.groups())
    assert gain == pytest.approx(shared / own, rel=0.25)


def test_a_shared_atomic_faster_than_a_line_moves_has_its_reason(tmp_path, capsys):
    lines = [*quick(), *lock("atomic_add", 2, 20.0, 137.0, "atomic")]
    for line in lines:
        if line["kind"] == "visit" and line["point"]["lanes"] == 2:
            line["estimates"][0]["hop_ns"] = 137.0
    text = shown(tmp_path, capsys, lines, machine={**MACHINE, "hypervisor": True})
    assert "less time than moving its cache line, because a thread does several" in " ".join(
        text.split()
    )


def test_more_recommendations_than_fit_are_counted(tmp_path):
    c = read(write(tmp_path / "f.jsonl", quick(), first=campaign()))
    some = [
        Recommendation(
            "read-mostly",
            Conclusion(
                kind=Kind.use,
                question="scheme",
                situation=Situation(threads=2, work="access", size=8.0 * i, reads_per_write=9),
                subjects=(Named("std", "seqlock_read_mostly"),),
                reference=Named("std", "mutex_read_mostly"),
                effect=Effect("speedup", 2.0, 1.9, 2.1),
                grade=Grade.measured,
                costs=(
                    Cost(Named("std", "seqlock_read_mostly"), 10.0),
                    Cost(Named("std", "mutex_read_mostly"), 20.0),
                ),
            ),
        )
        for i in range(5)
    ]
    ranked = Recommendations(tuple(some), further=1, undecided=2)
    screen = overview(c, ranked, reliability_of(c, []), ["locks"]).first(2)
    numbered, counts = screen.recommendations, screen.advice[3:]
    assert numbered[1].startswith(
        "2. Use a seqlock: 2.0x faster than std::mutex (10 instead of 20 ns, 95 % CI 1.9 to 2.1)"
    )
    assert numbered[1].endswith(" Valid for 8 bytes, reads per write 9.")
    assert counts == ["4 more recommendations: --tables", "Undecided: 2 more questions."]


@pytest.mark.parametrize(
    ("sentence", "says"),
    [
        ("2 threads, one add: use A: 2x faster.", "Use A: 2x faster. Valid for one add."),
        ("2 threads: keep B. Only if C.", "Keep B. Only if C."),
        ("4 threads: keep B. Only if C.", "Keep B. Valid for 4 threads. Only if C."),
        ("Run loops serially: below 1 us.", "Run loops serially: below 1 us."),
        ("Put kernels into a graph: use A.", "Put kernels into a graph: use A."),
    ],
)
def test_the_advice_stands_before_its_situation(sentence, says):
    assert advice_first(sentence, "2 threads") == says


# Stored files


@stored
def test_a_screen_of_a_stored_file_fits_a_terminal(path):
    text = as_text(*found_in(path), coloured=False, width=80)
    lines = text.splitlines()
    assert len(lines) <= 40, len(lines)
    assert [line for line in lines if len(line) > 80] == []
    assert lines[-2].startswith("Next: ") and lines[-1].startswith("More: ")


@stored
def test_recommendations_agree_with_each_other(path):
    ranked = recommended(*found_in(path))
    assert len(ranked.chosen) <= 5
    assert all(r.conclusion.kind is not Kind.undecided for r in ranked.chosen)
    said = [sentence_of(r.study, r.conclusion) for r in ranked.chosen]
    assert len(set(said)) == len(said)


def test_the_json_has_the_recommendations_of_the_screen(tmp_path, capsys):
    path = ROOT / "docs/measurements/2-vcpu-quick.jsonl.xz"
    assert main(["text", str(path), "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    jsonschema.validate(found, conclusions_schema())
    ranked = recommended(*found_in(path))
    assert [r["study"] for r in found["recommendations"]] == [r.study for r in ranked.chosen]
    assert found["undecided"] == ranked.undecided
