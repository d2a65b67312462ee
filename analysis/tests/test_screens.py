"""The conclusions and the screen of each study in each stored results file: consistent figures, no
contradiction, equal formats, plain words."""

import html
import importlib.util
import json
import re
from functools import cache
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory

import jsonschema
import pytest

from syncmeter_analysis.conclude.conclusion import Grade, Kind
from syncmeter_analysis.conclude.studies import concluding
from syncmeter_analysis.formats.schema import conclusions_schema
from syncmeter_analysis.record.text_file import text_of, without_suffixes
from syncmeter_analysis.relate.campaign import read_campaign
from syncmeter_analysis.relate.relation import Ratio, Verdict, ratio, verdict
from syncmeter_analysis.render.build import build
from syncmeter_analysis.render.conclusions import as_json
from syncmeter_analysis.render.markdown import as_markdown
from syncmeter_analysis.render.page import as_page
from syncmeter_analysis.render.terminal import as_plain, lines_of
from syncmeter_analysis.studies import first_screen, sections
from syncmeter_analysis.studies.blocks import escaped_md
from tests.made import INTERNAL_WORDS

ROOT = Path(__file__).parents[2]
FILES = sorted(
    [
        *(ROOT / "docs/measurements").glob("*.jsonl.xz"),
        *(ROOT / "analysis/tests/data").glob("*.xz"),
    ]
)
PORTABLE = "portability.jsonl.xz"
#: A terminal.
WIDTH, LINES = 80, 40

stored = pytest.mark.parametrize("path", FILES, ids=without_suffixes)


def _wording():
    path = ROOT / "scripts/lib/words.py"
    spec = importlib.util.spec_from_file_location("wording", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def campaign_of(path):
    if path.name != PORTABLE:
        return read_campaign([str(path)])
    # No portable API was measured: std stands for a portable API.
    with TemporaryDirectory() as folder:
        portable = Path(folder) / "portable.jsonl"
        portable.write_bytes(text_of(path).replace(b'"std"', b'"kokkos-threads"'))
        return read_campaign([str(portable)])


@cache
def concluded(path):
    """The sections of studies that conclude."""
    return [s for s in sections(campaign_of(path)) if s.conclusions]


def test_each_study_that_concludes_has_a_stored_file():
    found = {section.name for path in FILES for section in concluded(path)}
    assert found == set(concluding())


def test_each_kind_of_conclusion_is_in_a_stored_file():
    found = {c.kind for path in FILES for section in concluded(path) for c in section.conclusions}
    assert found == set(Kind) - {Kind.change}


@stored
def test_the_json_fits_its_schema_and_its_evidence_is_in_the_file(path):
    found = json.loads(as_json(campaign_of(path), concluded(path)))
    jsonschema.validate(found, conclusions_schema())
    ids = {s.id for s in campaign_of(path).points.values()}
    for study in found["studies"]:
        for conclusion in study["conclusions"]:
            assert set(conclusion["evidence"]) <= ids, conclusion
            assert conclusion["evidence"] or conclusion["kind"] == "undecided", conclusion


@stored
def test_an_effect_is_the_quotient_of_the_costs_that_are_shown_with_it(path):
    for c in (c for section in concluded(path) for c in section.conclusions):
        e = c.effect
        if e is None or e.quantity not in ("speedup", "slowdown") or e.value is None:
            continue
        if e.low is not None and e.high is not None:
            assert e.low <= e.value <= e.high, c
        mine, chosen = c.cost_of(c.reference), c.cost_of(c.subjects[0])
        if c.kind in (Kind.use, Kind.avoid) and mine and chosen:
            over, under = (chosen, mine) if e.quantity == "slowdown" else (mine, chosen)
            assert e.value == pytest.approx(over.ns / under.ns), c


@stored
def test_only_what_is_shown_to_be_faster_is_recommended(path):
    by_id = {s.id: s for s in campaign_of(path).points.values()}
    for c in (c for section in concluded(path) for c in section.conclusions):
        if c.kind is not Kind.use or c.reference is None or c.effect is None:
            continue
        mine, chosen = (by_id.get(s.point) for s in (c.reference, c.subjects[0]))
        if c.effect.quantity == "speedup" and c.grade is Grade.measured and mine and chosen:
            r = ratio(mine, chosen)
            parts = parts_in(c.cost_of(c.subjects[0]), chosen) / parts_in(
                c.cost_of(c.reference), mine
            )
            assert verdict(r.times(parts) if isinstance(r, Ratio) else r) is Verdict.slower, c


def parts_in(cost, measured):
    """Returns how many parts the operation has, such as kernels in a graph, if the cost is for
    one part."""
    parts = round(measured.cost.value / cost.ns)
    return parts if parts and cost.ns == pytest.approx(measured.cost.value / parts, 1e-9) else 1


@stored
def test_no_two_conclusions_of_a_study_contradict_each_other(path):
    for section in concluded(path):
        for a, b in combinations(section.conclusions, 2):
            if a.situation != b.situation:
                continue
            same = (a.question, a.reference) == (b.question, b.reference)
            if same and Kind.avoid not in (a.kind, b.kind):
                assert a.subjects != b.subjects or a.kind == b.kind, (a, b)
                assert not (a.kind is b.kind is Kind.use and a.costs == b.costs), (a, b)
            if Kind.avoid in (a.kind, b.kind) and Kind.use in (a.kind, b.kind):
                assert a.subjects[0].identity != b.subjects[0].identity, (a, b)


def number(text):
    found = re.search(r"[\d,]+\.?\d*", text)
    return float(found[0].replace(",", "")) if found else None


@stored
def test_printed_gains_follow_from_the_printed_costs(path):
    for section in concluded(path):
        for grid in (*section.screen.grids, *section.screen.other_grids):
            columns = list(grid.columns)
            if "instead of" not in columns or columns.count("ns") != 2:
                continue
            chosen, mine = (i for i, name in enumerate(columns) if name == "ns")
            for row in grid.rows:
                gain = row[columns.index("gain, x")].text
                if not gain[:1].isdigit():
                    continue
                quotient = number(row[mine].text) / number(row[chosen].text)
                low, _, high = gain.partition("-")
                if high:
                    assert number(low) * 0.96 <= quotient <= number(high) * 1.04, row
                else:
                    assert number(low) == pytest.approx(quotient, rel=0.05), row


@stored
def test_the_reliability_is_on_top_and_the_next_step_at_the_end(path):
    for section in concluded(path):
        screen = section.screen
        assert section.first[0].items == [screen.reliability], section.name
        last = [*filter(None, [screen.details]), screen.next]
        assert section.first[-1].items[-len(last) :] == last, section.name
        lines = as_plain(section.title, first_screen(section), width=WIDTH).splitlines()
        assert lines[1].startswith("Reliability: ") and lines[2] == "", section.name
        assert lines[-1].startswith("More: "), section.name
        assert len(lines_of(screen.details, WIDTH, "  ")) <= 2, section.name


@stored
def test_a_poor_run_has_neither_intervals_nor_limits(path):
    for section in concluded(path):
        if section.reliability.grade == "poor":
            for text in _texts(section):
                assert "95 % CI" not in text, (section.name, text)


@stored
def test_a_first_screen_fits_a_terminal(path):
    for section in concluded(path):
        text = as_plain(section.title, first_screen(section), width=WIDTH)
        assert len(text.splitlines()) <= LINES, f"{section.name}:\n{text}"
        assert max(map(len, text.splitlines())) <= WIDTH, f"{section.name}:\n{text}"


def _texts(section):
    screen = section.screen
    grids = [*screen.grids, *screen.other_grids]
    yield from (grid.caption for grid in grids)
    yield from (*screen.notes, *screen.other_notes, *screen.sentences, *screen.answers)
    yield from (screen.reliability, screen.details, screen.next)


@stored
def test_sentences_are_short_and_have_the_words_of_the_field(path):
    banned = [(p, use) for p, use in _wording().PHRASES if p.pattern != ";"]
    for section in concluded(path):
        cells = (f.text for grid in section.screen.grids for row in grid.rows for f in row)
        for text in (*_texts(section), *cells):
            for sentence in re.split(r"(?<=[.;:]) ", text):
                assert len(sentence.split()) <= 25, (section.name, sentence)
            bare = re.sub(r"\S*[/(]\S*|\bround trip", "", text)  # without paths and calls
            for word in INTERNAL_WORDS:
                assert not re.search(rf"(?<!-)\b{word}s?\b", bare), (section.name, word, text)
            for pattern, use in banned:
                assert not pattern.search(text), (section.name, text, use)


@stored
def test_every_form_shows_the_same_conclusions(path):
    if not concluded(path):
        return
    report = build(campaign_of(path))
    found = {section.name: section for section in concluded(path) if not section.arm}
    report.sections = [s for s in report.sections if s.id in found]
    page = html.unescape(as_page(report)).replace("<code>", "").replace("</code>", "")
    markdown = as_markdown(report)
    for name, section in found.items():
        text = as_plain(section.title, section.blocks)
        screen = section.screen
        for words in (*screen.notes, *screen.sentences, screen.reliability, screen.details):
            assert words in text, name
            assert words.replace("`", "") in page, name
            assert escaped_md(words) in markdown, name
        for field in (f for grid in screen.grids for row in grid.rows for f in row):
            assert field.text.strip() in text, name
            assert field.text.strip() in page, name
            assert escaped_md(field.text) in markdown, name


def test_the_next_step_names_studies_of_the_driver():
    templates = (ROOT / "analysis/syncmeter_analysis/voice/templates").glob("*.toml")
    text = "\n".join(path.read_text(encoding="utf-8") for path in templates)
    named = set(re.findall(r"syncmeter run --study ([a-z][a-z-]*)", text))
    known = {path.stem.replace("_", "-") for path in (ROOT / "driver/plan/studies").glob("*.cpp")}
    assert named and named <= known
