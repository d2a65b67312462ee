"""The first screen for a program: its size, its order, and the explanation for every printed figure."""

import html
import re

import pytest

from syncmeter_analysis.record.advice_file import read_advice
from syncmeter_analysis.render.advice import advised, as_text
from syncmeter_analysis.render.markdown import as_markdown
from syncmeter_analysis.render.page import as_page
from syncmeter_analysis.studies.blocks import escaped_md
from syncmeter_analysis.voice import numbers
from tests.advice_cases import STORED, advice, call_site, lock, made, model, run, screen_of, use
from tests.made import INTERNAL_WORDS

SECTION = lock(
    acquisitions=20_000,
    call_ns=3e8,
    held_ns=3.2e8,
    exclusive_ns=3.2e8,
    utilization=0.98,
    contended=0,
    uses=[use(calls=20_000, held_ns=3.2e8, short_held_ns=15_000.0)],
)
MANY = [advice(rank=n, text="A long sentence about a call site. " * 8) for n in range(1, 30)]
#: Lines and header of made files by name.
CASES = {
    "bound": ([lock()], {}),
    "predicted": ([lock(), model(private=0.5)], {}),
    "both signs": ([lock(), model(private=1.0)], {}),
    "rough": ([lock()], {"runs": [run("plain", 0.33, other_cpu_share=0.48), run("time", 0.34)]}),
    "section": ([SECTION], {}),
    "group": ([lock(1, call_ns=1e8), lock(2, call_ns=1e8)], {}),
    "perturbed": (
        [lock()],
        {"perturbed": True, "counting_cost": {"ratio": 1.4, "low": 1.3, "high": 1.5}},
    ),
    "nothing": ([], {"conclusion": "Nothing to gain: no call site takes 2 % of the time."}),
    "cut off": ([], {"not_counted": ["a signal ended the program"]}),
    "code": ([], {"runs": [], "threads": 0, "cpus": 0}),
    "many": ([lock(), *MANY], {}),
    "grades": (
        [advice(n, i, grade=n, saves_s=None) for i, n in enumerate(("rough", "unknown"), 1)],
        {},
    ),
    "may cost": ([advice("sleeping", kind="may_cost")], {}),
    "long name": ([call_site(1, where="f" * 3000 + " " + "a" * 3000 + ".cpp:1"), lock()], {}),
}


@pytest.fixture(params=[*CASES, *STORED], ids=str)
def path(request, tmp_path):
    if request.param not in CASES:
        return request.param
    lines, of_header = CASES[request.param]
    return made(tmp_path, *lines, **of_header)


def test_a_screen_has_40_lines_of_80_columns_and_ends_with_the_next_step(path):
    lines = screen_of(path).splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 80
    found = advised(read_advice(path)).screen
    end = " ".join(" ".join(lines).split())
    assert end.endswith(f"{found.reliability} {found.next}")
    assert found.reliability.startswith("Reliability: ") and found.next.startswith("Next: ")


def test_each_grade_has_its_legend_and_no_other(path):
    found = advised(read_advice(path)).screen
    grades = {cause.grade for cause in found.causes}
    assert {line.partition(":")[0] for line in found.legend} == grades
    assert len(set(found.legend)) == len(found.legend)


def test_a_rough_or_unknown_gain_has_no_seconds(path):
    for cause in advised(read_advice(path)).screen.causes:
        if cause.grade in ("rough", "unknown"):
            assert cause.times is None and "->" not in cause.effect
        else:
            assert "->" in cause.effect


def test_no_internal_word_is_on_the_screen(path):
    words = set(re.findall(r"[a-z]+", screen_of(path)))
    assert not words & set(INTERNAL_WORDS)


def test_each_medium_has_the_screen(path):
    found = advised(read_advice(path))
    page, md = html.unescape(as_page(found.report)), as_markdown(found.report)
    sentences = [found.screen.reliability, found.screen.next, *found.screen.legend]
    for sentence in sentences:
        assert " ".join(sentence.split()) in " ".join(page.split())
        assert escaped_md(sentence) in md or escaped_md(sentence.rstrip(".")) in md


def lines_of_case(name, tmp_path):
    lines, of_header = CASES[name]
    return screen_of(made(tmp_path, *lines, **of_header))


def test_the_time_of_the_program_is_that_of_its_plain_runs(tmp_path):
    first, cause, *_ = lines_of_case("predicted", tmp_path).splitlines()
    assert first.startswith("./app: 0.33 s, 2 threads, 2 CPUs. Waiting for locks: 14 %")
    assert re.search(r"0\.33 s -> 0\.15 to 0\.18 s  predicted$", cause)


def test_held_for_most_of_the_run_never_stands_beside_no_contention(tmp_path):
    shown = lines_of_case("section", tmp_path)
    assert "97 % of the run in total" in " ".join(shown.split()) and "contended" not in shown


def test_times_of_a_perturbed_run_are_left_out(tmp_path):
    shown = lines_of_case("perturbed", tmp_path)
    assert "held" not in shown and "1.4x" in shown and "Waiting" not in shown


def test_a_disturbed_machine_keeps_place_and_change(tmp_path):
    shown = lines_of_case("rough", tmp_path)
    assert "counter.cpp:23" in shown and "48 %" in shown and "Give each thread" in shown


def test_causes_that_do_not_fit_are_counted(tmp_path):
    shown = lines_of_case("many", tmp_path)
    numbered = re.findall(r"^(\d+)\. ", shown, re.M)
    (more,) = re.findall(r"^(\d+) more causes", shown, re.M)
    assert int(more) + len(numbered) == 30 and int(numbered[-1]) == len(numbered)
    found = advised(read_advice(made(tmp_path, *CASES["many"][0])))
    assert "30. " in as_text(found, verbose=True)


def test_details_have_the_other_changes(tmp_path):
    found = advised(read_advice(made(tmp_path, lock(), model(private=1.2, atomic=0.5))))
    (cause,) = found.screen.causes
    details = " ".join(cause.more)
    assert "Avoid: Give each thread" in details and "several parts" in details
    assert "0.33 s -> 0.38 to 0.41 s" in details


@pytest.mark.parametrize(
    "values, texts",
    [
        ([0.331], ["0.33 s"]),
        ([0.331, 0.08, 0.1], ["0.33 s", "0.08", "0.10 s"]),
        ([12.3, 0.4], ["12.3 s", "0.4 s"]),
        ([0.032, 0.0029], ["32 ms", "3 ms"]),
        ([740.2, 612.0], ["740 s", "612 s"]),
        ([0.33, 0.0, 0.2], ["0.33 s", "0.00", "0.20 s"]),
        ([4e-7], ["0.40 us"]),
    ],
)
def test_seconds_share_unit_and_decimals(values, texts):
    assert numbers.seconds(values) == texts
