"""Where terminal and report once contradicted each other on the same file, one test each; what a test
of another module holds is named in `elsewhere`."""

import re
from dataclasses import replace
from importlib import import_module

import pytest

from syncmeter_analysis.record.interval import Interval
from syncmeter_analysis.record.reader import read_results
from syncmeter_analysis.relate.campaign import read_campaign
from syncmeter_analysis.relate.compare import compare_campaigns
from syncmeter_analysis.relate.relation import Ratio, Verdict
from syncmeter_analysis.relate.text import (
    costs_as_long,
    duration,
    duration_interval,
    duration_range,
    effect,
    ratio_fields,
)
from syncmeter_analysis.render.build import build
from syncmeter_analysis.render.costs import costs
from syncmeter_analysis.render.markdown import as_markdown
from syncmeter_analysis.render.recommendations import chosen
from syncmeter_analysis.render.terminal import as_plain
from syncmeter_analysis.studies import answers, sections
from syncmeter_analysis.studies.blocks import escaped_md
from tests.made import campaign, point, visits, write
from tests.test_answers import of, sentences, stored
from tests.test_false_sharing import line_of_64, visits_at

near, far = 65.0, 235.0

elsewhere = {
    "Wait by loads, not by CAS: holds, by headlines of two states": (
        "test_claims_by_op",
        "test_ways_to_wait_are_compared_in_one_state_only",
    ),
    "atomic updates get slower with every thread: cannot tell, for one lane has no hop": (
        "test_claims_by_op",
        "test_one_lane_is_compared_with_every_state",
    ),
    "seq_cst against relaxed: a median over stores and reads": (
        "test_claims_by_op",
        "test_stores_and_reads_are_not_one_median",
    ),
    "Kokkos slower on the terminal, the same in the report: two margins": (
        "test_portability",
        "test_compare_by_backend_says_the_same_of_the_same_file",
    ),
    "ops/s per lane of a ring through 132 blocks": (
        "test_summary",
        "test_a_ring_of_blocks_hands_on_once_for_each_of_its_warps",
    ),
    "compiled to: with the bookkeeping or without": (
        "test_machine_code",
        "test_bookkeeping_is_left_out",
    ),
}


@pytest.mark.parametrize("row", elsewhere)
def test_a_row_that_another_module_holds_is_there(row):
    module, test = elsewhere[row]
    assert callable(getattr(import_module(f"tests.{module}"), test))


def shown(study, *paths):
    """The study's text, the titles of its figures, and the report in Markdown."""
    c = read_campaign([str(path) for path in paths])
    (section,) = sections(c, [study])
    report = build(c)
    titles = [f.title for f in report.figures if f.id.startswith(study)]
    return as_plain(section.title, section.blocks), titles, as_markdown(report)


def unresolved_at_64(hops=()):
    """Cells up to 32 B apart cost 50 ns; at 64 B visits scatter across the margin."""
    lines = visits_at(line_of_64, hops=hops)
    at_64 = [x for x in lines if x["point"].get("stride_bytes") == 64]
    for line, factor in zip(at_64, (1.0, 1.15, 0.98, 1.19, 1.03), strict=True):
        e = line["estimates"][0]["cost_ns"]
        e.update({member: value * factor for member, value in e.items()})
    return lines


def test_a_stride_that_is_not_resolved_is_not_enough(tmp_path):
    text, (title,), page = shown("false-sharing", write(tmp_path / "f", unresolved_at_64()))
    assert "more than 32 bytes apart, because nearer they take up to " in text
    assert "; the least is not known: at 64 B the ratio" in text
    assert title.endswith("more than 32 bytes apart are needed")
    advice, _, undecided = page.partition("Could not be decided")
    assert "64 bytes" not in advice.replace(escaped_md(title), "")
    assert "Padding to 64 bytes is enough" in undecided.partition("## ")[0]


def test_a_second_file_that_numbers_its_states_otherwise_changes_nothing(tmp_path):
    def states(first):
        return campaign(machine={**campaign()["machine"], "hypervisor": True}, states=first)

    seen = visits_at(line_of_64, hops=[far] * 5)
    for line in seen:
        line["estimates"][0]["state"] = 1
    sharing = write(
        tmp_path / "sharing",
        seen,
        first=states([{"bounds_ns": [120.0], "hop_ns": [near, far], "pus": [0, 1]}]),
    )
    lock = visits([100.0] * 5, point("ticket_lock_add", lanes=2), estimate={"hop_ns": near})
    for line in lock:
        line["estimates"][0]["state"] = 1
    locks = write(
        tmp_path / "locks",
        lock,
        first=states([{"bounds_ns": [30.0], "hop_ns": [20.0, near], "pus": [0, 1]}]),
    )
    text, titles, _ = shown("false-sharing", sharing)
    with_locks, same_titles, _ = shown("false-sharing", sharing, locks)
    assert (with_locks, same_titles) == (text, titles)
    assert " bytes apart, because 32 bytes apart they take up to 4.98 times as long" in text
    assert "64 bytes apart are enough" in titles[0]


def in_two_states(op, seen):
    lines = []
    for number, (cost, hop) in enumerate(seen, 1):
        what = point(op, type="int32", lanes=2, placement="shared")
        (line,) = visits([cost], what, estimate={"hop_ns": hop}, family="critical")
        lines.append({**line, "visit": number})
    return lines


def test_a_lock_costs_as_many_times_the_fastest_in_every_table(tmp_path):
    # Headlines of two states: 10 and 640 ns. Far, where both were seen, the ticket lock costs twice.
    path = write(
        tmp_path / "f",
        in_two_states("spin_lock_add", [(10.0, near)] * 3 + [(320.0, far)] * 2),
        in_two_states("ticket_lock_add", [(640.0, far)] * 5),
    )
    text, *_ = shown("locks", path)
    (table,) = [b for b in costs(read_campaign([str(path)])).blocks if hasattr(b, "rows")]
    assert {row[0].text: row[-1].note.rpartition("x ")[2] for row in table.rows} == {
        "spin_lock_add": "1.00",
        "ticket_lock_add": "2.00",
    }
    assert "64.0" not in text


def test_a_barrier_that_sleeps_is_slower_for_text_and_compare(tmp_path):
    def barrier(costs_ns, wait):
        return [
            line
            for lanes in (2, 4, 8)
            for line in visits(costs_ns, point("barrier", lanes=lanes, wait=wait), family="barrier")
        ]

    asleep, awake = [24e3, 269e3, 568e3, 423e3, 88e3], [500.0, 510.0, 495.0, 505.0, 498.0]
    text, titles, _ = shown(
        "barrier", write(tmp_path / "f", barrier(awake, "active"), barrier(asleep, "passive"))
    )
    assert re.search(r"- omp passive is .* times slower than omp active at 2 to 8 threads", text)
    assert ", because omp passive takes " in titles[0]
    paths = [
        write(tmp_path / name, barrier(seen, wait))
        for name, seen, wait in (("a", awake, "active"), ("b", asleep, "passive"))
    ]
    c = compare_campaigns(*([read_results(path)] for path in paths), across=["wait"])
    assert (c.status, [d.verdict for d in c.resolved]) == (1, [Verdict.slower] * 3)


def test_pairs_of_pus_whose_core_is_unknown_are_not_known_in_text_and_figure(tmp_path):
    pairs = [(0, 1), (0, 2), (1, 2)]
    lines = [
        line
        for a, b in pairs
        for pus in ([a, b], [b, a])
        for line in visits([50.0] * 5, point("handoff", lanes=2, pus=pus), family="handoff")
    ]
    units = [{"pu": pu, "core": -1, "package": -1} for pu in range(3)]
    text, titles, page = shown(
        "core-to-core", write(tmp_path / "f", lines, first=campaign(units=units))
    )
    assert "not known" in text
    assert "not known" in page
    for shown_text in (text, *titles, page):
        assert "other package" not in shown_text


# Two costs and their ratio in one sentence

COST = r"(\d[\d.]*) (ns|us|ms|s)\b"
PAIRED = r"(?P<paired> in paired visits)?"
WITH_BOTH_COSTS = (
    rf"{COST}, [^:;]*?{COST}: (?P<times>[\d.]+) times (?P<word>slower|faster){PAIRED}",
    rf"(?P<times>[\d.]+) times as long{PAIRED}(?: \([^)]*\))?, {COST} against {COST}",
)
NS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}


def bounds_of(number, unit=1.0):
    """Between which values a number lies that was rounded to these digits."""
    half = 0.5 * 10.0 ** -len(number.partition(".")[2])
    return (float(number) - half) * unit, (float(number) + half) * unit


def divided_wrongly(sentence):
    """The parts of a sentence whose two costs, divided, are not the ratio that it says."""
    wrong = []
    for found in (m for shape in WITH_BOTH_COSTS for m in re.finditer(shape, sentence)):
        named = found.groupdict()
        times, word, is_paired = named["times"], named.get("word"), named["paired"]
        costs = [each for each in found.groups() if each not in (times, word, is_paired)]
        (over, under) = (bounds_of(costs[i], NS[costs[i + 1]]) for i in (0, 2))
        if word == "faster":
            over, under = under, over
        least, most = over[0] / under[1], over[1] / under[0]
        low, high = bounds_of(times)
        agree = low <= most and least <= high
        if (not is_paired and not agree) or (is_paired and least >= low and most <= high):
            wrong.append(found[0])
    return wrong


def test_wrong_arithmetic_is_found():
    wrong = "64 threads 1998 ns, 1 thread 6.008 ns: 329 times slower (275 to 344)"
    assert divided_wrongly(wrong)
    assert not divided_wrongly(wrong.replace("329", "333"))
    assert not divided_wrongly(wrong.replace("slower", "slower in paired visits"))
    as_long = "lock takes 3.25 times as long (1.54 to 6.56), 1168 ns against 375.1 ns"
    assert divided_wrongly(as_long)
    assert not divided_wrongly(as_long.replace("3.25", "3.11"))


@stored
def test_two_costs_and_their_ratio_agree_in_every_sentence(path):
    cards = [
        f"{', '.join(f'{bar.name} {bar.cost}' for bar in card.bars)}: {card.effect}"
        for card in of(path)[2].head.cards
    ]
    assert [w for sentence in [*sentences(path), *cards] for w in divided_wrongly(sentence)] == []


HOPS = (
    r"^(?P<n>\d+) threads,.*cache line \((?P<ns>\d+) ns",
    r"^a barrier of (?P<n>\d+) threads.*\((?P<ns>\d+) ns a move\)",
    r"\b(?P<n>\d+) threads: hop (?P<ns>\d+) ns",
    r"(?P<ns>\d+) ns apart in a team of (?P<n>\d+)\b",
    r", (?P<ns>\d+) ns in one of (?P<n>\d+)\b",
)


@stored
def test_how_far_threads_of_a_team_are_apart_is_one_figure_on_a_first_screen(path):
    campaign_, found, report = of(path)
    head = report.head
    if len({s.state.number for s in campaign_.measured if s.hop_ns > 0}) > 1:
        return  # each placement has its own
    sentences = [*answers(campaign_, found), *head.precision, *(f.note for f in head.figures)]
    by_team = {}
    for match in (
        m for sentence in sentences for shape in HOPS for m in re.finditer(shape, sentence)
    ):
        assert by_team.setdefault(match["n"], match["ns"]) == match["ns"], (match["n"], sentences)


@stored
def test_the_costs_of_a_card_are_those_of_its_points(path):
    """In the state in which the two are compared, which may be none of a headline."""
    campaign_, _, report = of(path)
    for (*_, f), card in zip(chosen(report.judged), report.head.cards, strict=True):
        points = [s for s in campaign_.points.values() if s.id in card.points]
        costs = [s.cost for point in points for s in (point, *point.other_states) if s.cost]
        for bar in card.bars if f.example and not f.example.each else ():
            assert bar.cost in {duration(cost.value) for cost in costs}, (card.text, bar)


def test_a_ratio_and_its_interval_are_of_one_estimator_beside_any_costs():
    """The quotient of 2.09 lies inside the interval, but that is of the visits in pairs, as 2.14 is."""
    r = Ratio(Interval(2.14, 1.82, 2.27), over_ns=38140.0, under_ns=18260.0, paired=True, visits=8)
    assert effect(r) == "2.14 times slower in paired visits (1.82 to 2.27)"
    costs = "38.14 us against 18.26 us"
    assert (
        costs_as_long(r)
        == f"2.14 times as long in paired visits (95 % sure: 1.82 to 2.27, 8 visits), {costs}"
    )
    assert ratio_fields(r) == ["2.14", "1.82..2.27"]
    alike = replace(r, under_ns=17822.0)
    assert effect(alike) == "2.14 times slower (1.82 to 2.27)"
    inverse = Ratio(Interval(1 / 2.14, 1 / 2.27, 1 / 1.82), over_ns=18260.0, under_ns=38140.0)
    assert effect(inverse) == "2.14 times faster in paired visits (1.82 to 2.27)"


def test_costs_of_one_sentence_have_one_unit_where_they_can():
    assert duration_interval(Interval(18265.0, 16847.0, 19836.0)) == "18.27 us, 16.85 to 19.84"
    assert duration_range(175.5, 231.9) == "175.5 to 231.9 ns"
    assert duration_range(9000.0, 12100.0) == "9000 ns to 12.10 us"
