"""Answers and cards of every stored campaign: short, in plain words, never against a table of the same
page, and the same in both halves of a campaign."""

import json
import re
from functools import cache
from pathlib import Path

import pytest

from syncmeter_analysis.claims import judged as judged_on
from syncmeter_analysis.record.text_file import text_of, without_suffixes
from syncmeter_analysis.relate.campaign import read_campaign
from syncmeter_analysis.relate.evidence import Evidence
from syncmeter_analysis.relate.relation import Ratio, Verdict, ratio, verdict
from syncmeter_analysis.relate.text import nanoseconds
from syncmeter_analysis.render.build import build
from syncmeter_analysis.render.recommendations import chosen, findings
from syncmeter_analysis.render.terminal import lines_of
from syncmeter_analysis.studies import answers, sections
from syncmeter_analysis.studies.blocks import Table
from tests.in_ci import some_in_ci

ROOT = Path(__file__).parents[2]
MEASURED = sorted((ROOT / "docs" / "measurements").glob("*.jsonl.xz"))
STORED = [*sorted((Path(__file__).parent / "data").glob("*.jsonl.xz")), *MEASURED]
QUICK = [path for path in MEASURED if path.name.endswith("quick.jsonl.xz")]

stored = pytest.mark.parametrize("path", some_in_ci(STORED, QUICK[0]), ids=without_suffixes)

#: Words that stood in sentences once and that no reader understood, or that say what no figure says.
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
def sentences(path):
    """All that a first screen says."""
    campaign, found, report = of(path)
    head = report.head
    cards = [f"{c.text} {c.effect} {c.where} {c.doubt}" for c in head.cards]
    figures = [figure.title for figure in report.figures]
    return [*answers(campaign, found), *findings(campaign), head.verdict, *cards, *figures]


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
def test_an_answer_has_four_lines_and_all_of_them_fit_on_a_screen(path):
    campaign, found, _ = of(path)
    lines = [lines_of(f"- {answer}", 80, "  ") for answer in answers(campaign, found)]
    assert all(len(each) <= 4 for each in lines), [each for each in lines if len(each) > 4]
    assert sum(map(len, lines)) <= 33


#: Answers that choose by a ratio or a cost.
CHOOSES = re.compile(
    r": (take(?! as many)|keep|use an|export) |^Put |^In a kernel"
    r"|: give each thread a cell|: count in a variable"
)


@stored
def test_every_answer_that_chooses_says_how_sure_it_is(path):
    campaign, found, _ = of(path)
    for answer in answers(campaign, found):
        if CHOOSES.search(answer):
            how_sure = any(words in answer for words in ("95 % sure", "95 % CI", "scatter "))
            assert how_sure is not bool(campaign.machine.imported), answer


@stored
def test_a_first_screen_draws_a_family_by_threads_only_where_no_study_has_a_figure(path):
    *_, report = of(path)
    of_families = [f.id for f in report.head.figures if f.id.startswith("scaling-")]
    small = [f.id for f in report.figures if len(f.panels) <= 2 and f.id not in of_families]
    assert not of_families or all(figure.startswith("scaling-") for figure in small)


# What a table of the same page says


def tables_of(section):
    return [block for block in section.text if isinstance(block, Table)]


UNITS = {"ns": 1.0, "us": 1e3, "ms": 1e6}


def in_table(cost, section):
    """Whether a field of its tables is this cost: the same text, or in ns or us to the same digits."""
    value, unit = cost.split()
    ns = float(value) * UNITS[unit]
    fields = {c.text.partition(" ")[0] for t in tables_of(section) for r in t.rows for c in r}
    if fields & {value, nanoseconds(ns / 1e3), f"{ns / 1e3:.2f}"}:
        return True
    numbers = [float(field) for field in fields if re.fullmatch(r"\d+\.?\d*", field)]
    near = 0.0 if unit == "ns" else 6e-4 * ns
    return any(abs(x * of - ns) < near for x in numbers for of in (1.0, 1e3))


TAKE = re.compile(r"take [^;]*? \((\d[\d.]* (?:ns|us|ms))\b")
TAKES = re.compile(r"(\S+) takes ([\d.]+) times as long \(95 % sure: ([\d.]+) to ([\d.]+)[,)]")


@stored
def test_what_an_answer_says_of_a_point_stands_in_a_table_of_its_section(path):
    for section in of(path)[1]:
        rows = [[cell.text for cell in row] for table in tables_of(section) for row in table.rows]
        for answer in section.answer:
            for cost in TAKE.findall(answer):
                assert in_table(cost, section), (cost, answer)
            # Tables have the ratios to the fastest of all lanes.
            if section.name != "locks" or answer.startswith("1 thread"):
                continue
            for lock, times, low, high in TAKES.findall(answer):
                pair = [times, f"{low}..{high}"]
                found = (row[i : i + 2] == pair for row in rows for i in range(len(row) - 1))
                assert any(found), (lock, answer)


@stored
def test_no_card_is_for_what_is_resolved_to_be_slower(path):
    """A card says what to do about the two points that it shows: whatever stands first in the words of
    its effect is so in its bars, and in the ratio of the two points."""
    *_, report = of(path)
    for (advice, _, claim, f), card in zip(chosen(report.judged), report.head.cards, strict=True):
        assert card.text == advice
        if f.example is None or not card.bars:
            continue
        over, under = card.bars
        r = ratio(f.example.over, f.example.under)
        if isinstance(r, Ratio) and not f.example.each and claim.id != "belief-graph":
            assert verdict(r) is verdict(f.example.ratio), (advice, r)
        if "slower" in card.effect:
            assert over.share > under.share, card
        if "faster" in card.effect:
            assert over.share < under.share, card


@stored
def test_no_card_is_against_the_answer_of_a_study(path):
    """Where an answer takes one of the two points of a card, that is not the slower one."""
    _, found, report = of(path)
    for _, _, _, f in chosen(report.judged):
        if f.example is None:
            continue
        slower = f.example.over if verdict(f.example.ratio) is Verdict.slower else None
        for section in found:
            for one in contests_of(section):
                ids = {s.id for s in one.points}
                if slower and one.best and {slower.id, f.example.under.id} <= ids:
                    assert one.best.id != slower.id, (section.name, slower.id)


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
        judged = judged_on(Evidence(half(path, number, tmp_path)))
        advice.append({claim.id: text for text, _, claim, _ in chosen(judged)})
    first, second = advice
    assert first and second
    for claim in first.keys() & second.keys():
        # Of several ops the halves may name others.
        assert first[claim].rpartition(": ")[2] == second[claim].rpartition(": ")[2]
