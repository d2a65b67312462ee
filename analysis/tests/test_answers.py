"""Answers and cards of every stored campaign: short, in plain words, never against a table of the same
page, and the same in both halves of a campaign."""

import json
import re
from functools import cache
from pathlib import Path

import pytest

from syncmeter_analysis.claims import judged as judged_on
from syncmeter_analysis.claims.conclusions import conclusions_of, judged_with_doubts
from syncmeter_analysis.conclude.conclusion import Kind
from syncmeter_analysis.conclude.recommend import cards_of
from syncmeter_analysis.record.text_file import text_of, without_suffixes
from syncmeter_analysis.relate.campaign import read_campaign
from syncmeter_analysis.relate.evidence import Evidence
from syncmeter_analysis.relate.relation import Ratio, Verdict, ratio, verdict
from syncmeter_analysis.relate.text import nanoseconds
from syncmeter_analysis.render.build import build
from syncmeter_analysis.render.terminal import lines_of
from syncmeter_analysis.studies import sections
from syncmeter_analysis.studies.blocks import Table
from syncmeter_analysis.voice.screens import sentence_of
from tests.in_ci import some_in_ci
from tests.made import answers_in

ROOT = Path(__file__).parents[2]
MEASURED = sorted((ROOT / "docs" / "measurements").glob("*.jsonl.xz"))
STORED = [*sorted((Path(__file__).parent / "data").glob("*.jsonl.xz")), *MEASURED]
QUICK = [path for path in MEASURED if path.name.endswith("quick.jsonl.xz")]

stored = pytest.mark.parametrize("path", some_in_ci(STORED, QUICK[0]), ids=without_suffixes)

#: Old words that no reader understood, or that no figure supports.
NEVER = (
    r"may be as fast",
    r"times as long: ",
    r"not resolved to be",
    r"Not told",
    r"\bover by one\b",
    r"home (second|first) / home",
    r"\bsize \d",
    r"[+]\d{3,} ?%",
    r"\d{4,} %",
    r"for as long as the study",
    r"syncmeter-report text FILE",
    r"see the evidence|the evidence has|look at what|the table of .* says",
    r"by \d+ of \d+ rows?\b",
    r"dearer|cheaper",
    r"\b([Tt]old|[Ss]aid)\b",
    r"no difference over 5 % is shown",
    r"\bmoves of a cache line\b",
    r"holds both yes and no|no control checked",
    r"an op each, at once",
    r"by the ends of the intervals",
    r"not shown to be over",
    r"undecided which is faster, as \S+ \S+ \(",
    r"costs in cycles",
    r"warps per multiprocessor",
    r"9 of 10 costs repeat|trust ratios within",
    r"scatter included",
    r"which two share data",
    r"One direction of a pair",
    r"\bnan\b|\binf\b|\bNone\b",
)


@cache
def of(path):
    """Campaign, sections and report of a stored file."""
    campaign = read_campaign([str(path)])
    return campaign, sections(campaign), build(campaign)


@cache
def advice_of(path):
    """The conclusions of claims that could have cards."""
    campaign, *_ = of(path)
    found = conclusions_of(campaign, judged_with_doubts(campaign))
    return [(r.study, r.conclusion) for c in found for r in cards_of([("claims", [c])])]


@cache
def sentences(path):
    """All that a first screen says."""
    campaign, _, report = of(path)
    head = report.head
    cards = [f"{c.verb} {c.text} {c.effect} {c.where} {' '.join(c.more)}" for c in head.cards]
    figures = [figure.title for figure in report.figures]
    return [*answers_in(campaign), head.verdict, *cards, *figures]


@stored
def test_words_that_no_reader_understood_do_not_come_back(path):
    for sentence in sentences(path):
        for words in NEVER:
            assert not re.search(words, sentence), (words, sentence)


@stored
def test_a_stored_machine_is_named_or_unknown(path):
    """Imports were of a machine "t", which stood above their answers."""
    assert len(of(path)[0].machine.cpu) != 1


@stored
def test_a_conclusion_has_four_lines_at_most(path):
    for section in of(path)[1]:
        for answer in section.screen.answers if section.screen else ():
            assert len(lines_of(f"- {answer}", 80, "  ")) <= 4, answer


@stored
def test_every_choice_between_costs_says_how_sure_it_is(path):
    campaign, sections_, _ = of(path)
    for section, c in concluded(sections_):
        if c.kind not in (Kind.use, Kind.keep) or c.effect is None or c.effect.value == 1:
            continue
        if c.effect.quantity == "speedup":
            said = sentence_of(section.name, c)
            how_sure = any(words in said for words in ("95 % CI", "scatter", "computed"))
            assert how_sure or c.effect.high is None or campaign.machine.imported, said
            assert c.effect.high is not None or campaign.machine.imported, said


def concluded(found):
    return [(section, c) for section in found for c in section.conclusions]


@stored
def test_a_first_screen_draws_a_family_by_threads_only_where_no_study_has_a_figure(path):
    *_, report = of(path)
    of_families = [f.id for f in report.head.figures if f.id.startswith("scaling-")]
    small = [f.id for f in report.figures if len(f.panels) <= 2 and f.id not in of_families]
    assert not of_families or all(figure.startswith("scaling-") for figure in small)


# Tables of the same page


def tables_of(section):
    return [block for block in section.text if isinstance(block, Table)]


#: Questions with ratios, rates, graph costs or computed costs in tables.
OTHER_FIGURES = {
    "team",
    "padding",
    "distance",
    "way",
    "way_other",
    "pattern",
    "level",
    "launch",
    "phase",
}


def in_table(ns, section):
    """Returns whether a field of its tables is this cost: the same text, or in ns or us to the same
    digits."""
    fields = {c.text.partition(" ")[0] for t in tables_of(section) for r in t.rows for c in r}
    if fields & {nanoseconds(ns), nanoseconds(ns / 1e3), f"{ns / 1e3:.2f}"}:
        return True
    numbers = [float(field) for field in fields if re.fullmatch(r"\d+\.?\d*", field)]
    return any(abs(x * of - ns) < 6e-4 * ns for x in numbers for of in (1.0, 1e3))


@stored
def test_the_costs_of_a_conclusion_stand_in_a_table_of_its_section(path):
    for section, c in concluded(of(path)[1]):
        for cost in c.costs if c.question not in OTHER_FIGURES else ():
            assert in_table(cost.ns, section), (cost, c)


@stored
def test_no_conclusion_recommends_the_slower_side(path):
    campaign, *_ = of(path)
    points = {s.id: s for s in campaign.points.values()}
    for _, c in advice_of(path):
        sides = [points[s.point] for s in (c.reference, c.subjects[0])]
        over, under = sides[::-1] if c.kind == "avoid" else sides
        r = ratio(over, under)
        if isinstance(r, Ratio) and c.cause != "belief-graph":
            assert verdict(r) is Verdict.slower, (c, r)


@stored
def test_no_card_is_against_the_answer_of_a_study(path):
    """A study that chooses one of the two points of a card does not choose the slower point."""
    for _, c in advice_of(path):
        slower, faster = c.reference.point, c.subjects[0].point
        if c.kind == "avoid":
            slower, faster = faster, slower
        for section in of(path)[1]:
            for one in contests_of(section):
                if one.best and {slower, faster} <= {s.id for s in one.points}:
                    assert one.best.id != slower, (section.name, slower)


def contests_of(section):
    """Which points a study's answers choose among."""
    if section.name == "locks":
        tables = section.rows.tables
        return [one for t in tables for one in (t.alone, t.shared) if one] + section.rows.held
    if section.name == "reductions":
        return [one for array in section.rows for one in (array.on_gpu, array.on_cpu) if one]
    if section.name == "levels":
        return [row.contest for of_backend in section.rows for row in of_backend.barriers]
    return []


# Repeats


def half(path, number, tmp_path):
    """Every second visit of a campaign, as a campaign of its own."""
    kept = []
    for line in text_of(path).splitlines():
        read = json.loads(line)
        kind = read.get("kind")
        if kind == "point" or (kind == "visit" and read["visit"] % 2 != number):
            continue
        kept.append(line)
    found = tmp_path / f"{number}.jsonl"
    found.write_bytes(b"\n".join(kept) + b"\n")
    return read_campaign([str(found)])


@pytest.mark.parametrize("path", QUICK, ids=without_suffixes)
def test_both_halves_of_a_campaign_give_no_opposite_advice(path, tmp_path):
    advice = []
    for number in (0, 1):
        c = half(path, number, tmp_path)
        found = conclusions_of(c, judged_on(Evidence(c)))
        cards = (r.conclusion for r in cards_of([("claims", found)]))
        advice.append({c.cause: c.remedy for c in cards})
    first, second = advice
    assert first and second
    for claim in first.keys() & second.keys():
        assert first[claim] == second[claim]
