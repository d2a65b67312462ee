"""Where terminal and report once contradicted each other on the same file, one test each; what a test
of another module holds is named in `elsewhere`."""

import math
import re
from importlib import import_module
from pathlib import Path

import pytest

from syncmeter_analysis.record.reader import read_results
from syncmeter_analysis.relate.campaign import read_campaign
from syncmeter_analysis.relate.pairings import pairs_of_files
from syncmeter_analysis.relate.relation import Verdict
from syncmeter_analysis.relate.text import (
    duration_range,
)
from syncmeter_analysis.render.build import build
from syncmeter_analysis.render.markdown import as_markdown
from syncmeter_analysis.render.terminal import as_plain
from syncmeter_analysis.studies import sections
from tests.made import campaign, point, visits, write
from tests.test_answers import advice_of, of, sentences, stored
from tests.test_false_sharing import line_of_64, visits_at

MEASURED = Path(__file__).parents[2] / "docs/measurements"

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
    text, _, page = shown("false-sharing", write(tmp_path / "f", unresolved_at_64()))
    assert "Whether 64 bytes are enough everywhere is undecided." in " ".join(text.split())
    assert re.search(r"Padding to 64 bytes is enough[^|]*\| undecided", page)


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
    assert "write 64 bytes apart: a larger distance gains nothing" in " ".join(text.split())


def in_two_states(op, seen):
    lines = []
    for number, (cost, hop) in enumerate(seen, 1):
        what = point(op, type="int32", lanes=2, placement="shared")
        (line,) = visits([cost], what, estimate={"hop_ns": hop}, family="critical")
        lines.append({**line, "visit": number})
    return lines


def test_a_barrier_that_sleeps_is_slower_for_text_and_compare(tmp_path):
    def barrier(costs_ns, wait):
        return [
            line
            for lanes in (2, 4, 8)
            for line in visits(costs_ns, point("barrier", lanes=lanes, wait=wait), family="barrier")
        ]

    asleep, awake = [24e3, 269e3, 568e3, 423e3, 88e3], [500.0, 510.0, 495.0, 505.0, 498.0]
    text, *_ = shown(
        "barrier", write(tmp_path / "f", barrier(awake, "active"), barrier(asleep, "passive"))
    )
    for lanes in (2, 4, 8):
        assert re.search(rf"{lanes} threads, libgomp +active wait \(a\) .* passive wait", text)
    paths = [
        write(tmp_path / name, barrier(seen, wait))
        for name, seen, wait in (("a", awake, "active"), ("b", asleep, "passive"))
    ]
    c = pairs_of_files(*map(read_results, paths), across=["wait"])
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


# A sentence with two costs and a ratio


def _cost(name):
    optional = "?" if name == "a" else ""
    return rf"(?P<{name}>\d[\d.,]*)(?: (?P<{name}_unit>ns|us|ms|s)\b){optional}"


TIMES = r"(?P<rough>about |at least |)(?P<times>\d[\d.,]*)x (?P<word>slower|faster)"
WITH_BOTH_COSTS = (
    rf"{TIMES} than .*?\((?:[^():]*: )?{_cost('a')} instead of {_cost('b')}",
    rf"takes {_cost('a')} [^:]*?instead of {_cost('b')} [^:]*?\({TIMES}\)",
)
WITH_SENTENCES = [
    MEASURED / f"{name}.jsonl.xz"
    for name in ("xeon-16-vcpu-locks", "xeon-16-vcpu-scaling", "h200-levels")
]
NS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}


def bounds_of(number, unit=1.0):
    """Returns between which values a number lies that was rounded to two digits, or to more."""
    number = number.replace(",", "")
    digits = number.replace(".", "").lstrip("0")
    step = 10.0 ** -len(number.partition(".")[2])
    if "." not in number and float(number) >= 100 and len(digits.rstrip("0")) <= 2:
        step = 10.0 ** (len(digits) - 2)
    return (float(number) - step / 2) * unit, (float(number) + step / 2) * unit


def divided_wrongly(sentence):
    """Returns the parts of a sentence whose two costs, divided, are not the ratio that it says."""
    wrong = []
    for found in (m for shape in WITH_BOTH_COSTS for m in re.finditer(shape, sentence)):
        named = found.groupdict()
        unit = named["b_unit"]
        ends = [bounds_of(named[x], NS[named[f"{x}_unit"] or unit]) for x in "ab"]
        over, under = ends if named["word"] == "slower" else ends[::-1]
        low, high = bounds_of(named["times"])
        low = low * 0.75 if named["rough"] == "about " else low
        high = high * {"about ": 1.3, "at least ": math.inf}.get(named["rough"], 1.0)
        if not (low <= over[1] / under[0] and over[0] / under[1] <= high):
            wrong.append(found[0])
    return wrong


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("330x", "an add takes 1998 ns with 64 threads instead of 6.0 ns with 1 (350x slower)."),
        ("59x", "up to 65x slower than std::mutex (one add: 91,500 instead of 1550 ns)."),
        ("1.2x", "use a graph: 1.4x faster than grid.sync() (812 instead of 1010 ns)."),
    ],
)
def test_wrong_arithmetic_is_found(right, wrong):
    assert divided_wrongly(wrong)
    assert not divided_wrongly(re.sub(r"[\d.]+x", right, wrong))


def test_stored_files_have_sentences_of_each_shape():
    said = [s for path in WITH_SENTENCES for s in sentences(path)]
    for shape in WITH_BOTH_COSTS:
        assert any(re.search(shape, sentence) for sentence in said), shape


@stored
def test_two_costs_and_their_ratio_agree_in_every_sentence(path):
    assert [w for sentence in sentences(path) for w in divided_wrongly(sentence)] == []


#: How far apart the threads are, in a team or in the largest team.
HOPS = (
    r"\b(?P<n>\d+) threads: hop (?P<ns>\d+) ns",
    r"(?P<n>\d+) threads on one variable .*a cache line takes (?P<ns>[\d.]+) ns to move",
    r"(?P<largest>)[Aa] cache line takes (?P<ns>[\d.]+) ns between these CPUs",
)


@stored
def test_the_ratio_of_a_card_follows_from_its_costs(path):
    for card in of(path)[2].head.cards:
        costs_ns = [bar.cost.replace(",", "").split() for bar in card.bars]
        slow, fast = sorted((float(value) * NS[unit] for value, unit in costs_ns), reverse=True)
        words, ratio = re.match(r"(at least |about |)([\d.,]+)x ", card.effect).groups()
        printed = float(ratio.replace(",", ""))
        if words == "at least ":
            assert printed <= slow / fast * 1.06, card
        else:
            assert printed == pytest.approx(slow / fast, rel=0.3 if words else 0.06), card


@stored
def test_the_costs_of_a_conclusion_are_those_of_its_points(path):
    """The costs may belong to another state of the points."""
    points = {s.id: s for s in of(path)[0].points.values()}
    for _, c in advice_of(path):
        assert c.effect.low <= c.effect.value <= c.effect.high
        for cost in c.costs if c.cause != "belief-graph" else ():
            s = points[cost.subject.point]
            known = [each.cost.value for each in (s, *s.other_states) if each.cost]
            assert any(cost.ns == pytest.approx(ns, rel=0.01) for ns in known), (c, known)


def test_costs_of_one_sentence_have_one_unit_where_they_can():
    assert duration_range(175.5, 231.9) == "175.5 to 231.9 ns"
    assert duration_range(9000.0, 12100.0) == "9000 ns to 12.10 us"
