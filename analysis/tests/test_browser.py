"""A page in a real browser: every figure is drawn, nothing is fetched, points are filtered by field,
and it can be read on a phone, by a screen reader and on paper."""

import re
import shutil
from pathlib import Path

import pytest

from syncmeter_analysis.record.reader import read_results
from syncmeter_analysis.relate.campaign import read_campaign
from syncmeter_analysis.relate.fleet import fleet_of
from syncmeter_analysis.relate.pairings import pairs_of_files
from syncmeter_analysis.render.build import build
from syncmeter_analysis.render.charts.draw import ink, ramp
from syncmeter_analysis.render.compare import compare_report
from syncmeter_analysis.render.fleet import fleet_report
from syncmeter_analysis.render.page import as_page
from tests.advice_cases import STORED, report_of
from tests.in_ci import some_in_ci
from tests.made import around, campaign, point, read, visits, write
from tests.test_fleet import node
from tests.test_report import UNITS, whole

chromium = shutil.which("chromium") or shutil.which("chromium-browser")
in_a_browser = pytest.mark.skipif(not chromium, reason="no chromium here (Debian: chromium)")


@pytest.fixture(scope="module")
def launched():
    playwright = pytest.importorskip("playwright.sync_api", reason="no playwright here")
    with playwright.sync_playwright() as p:
        found = p.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture
def browser(launched):
    yield launched
    # Pages that nobody looks at any more take memory and time all the same.
    for context in launched.contexts:
        context.close()


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    file = folder / "report.html"
    campaign_ = read(write(folder / "f.jsonl", *whole(), first=campaign(units=UNITS)))
    file.write_text(as_page(build(campaign_)))
    return file


def shown(browser, file, width=1280, scheme="light"):
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.goto(file.as_uri())
    return page


@in_a_browser
@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 400)])
def test_every_figure_is_drawn_without_complaint(browser, page_file, scheme, width):
    complaints = []
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.on("console", lambda m: complaints.append(m.text) if m.type != "log" else None)
    page.on("pageerror", lambda e: complaints.append(str(e)))
    page.on("request", lambda r: complaints.append(r.url))
    page.goto(page_file.as_uri())
    page.evaluate("window.syncmeter.drawAll()")
    charts, drawn, wide, problems = page.evaluate(
        "[document.querySelectorAll('.chart').length,"
        " document.querySelectorAll('.chart svg').length, document.documentElement.scrollWidth,"
        " window.syncmeter.problems.length]"
    )
    inside = ("file:", "data:", "blob:")
    assert [text for text in complaints if not text.startswith(inside)] == []
    assert charts == drawn > 8
    assert (wide, problems) == (width, 0)
    names = page.locator(".chart").evaluate_all(
        "all => all.map((c) => c.getAttribute('aria-label'))"
    )
    assert all("link above lists the points" in name for name in names)
    page.locator("a.ev").first.click()
    assert page.locator("#rows tr").count() >= 1


@in_a_browser
@pytest.mark.parametrize(
    ("asked", "fields", "n"),
    [
        ("op:barrier lanes:16", {"op": "barrier", "lanes": 16}, 1),
        # 16 stands in many a stride and id: a field is compared as a whole.
        ("op:atomic_* lanes:2..4 type:double", {}, 2),
        ("op:critical_add,barrier backend:omp lanes:..2", {}, 4),
        ("ns:100..", {}, 6),
        ("status:failed", {}, 1),
        ("critical", {}, 5),
        ("op:atomic", {}, 0),
    ],
)
def test_points_are_filtered_by_field(browser, page_file, asked, fields, n):
    page = shown(browser, page_file)
    page.fill("#filter", asked)
    assert page.locator("#count").inner_text() == f"{n} points"
    assert page.locator("#rows tr").count() == n
    for value in fields.values():
        assert str(value) in page.locator("#rows tr").first.inner_text()


@in_a_browser
def test_an_unknown_field_is_said(browser, page_file):
    page = shown(browser, page_file)
    page.fill("#filter", "lane:2")
    assert page.locator("#count").inner_text() == "no field 'lane'"


@in_a_browser
def test_a_tooltip_shows_on_top_of_a_label(browser, page_file):
    page = shown(browser, page_file)
    page.evaluate("window.syncmeter.drawAll()")
    label = page.locator("figure[id^=fig-false-sharing] .chart .mark-text text").first
    label.scroll_into_view_if_needed()
    box = label.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_selector("#vg-tooltip-element.visible", timeout=30000)


@in_a_browser
def test_what_a_busy_point_is_stands_above_the_list_once(browser, tmp_path):
    lines = visits(around(5.0), point(), reason="a processing unit was slow")
    for line in lines:
        line["estimates"][0]["busy"] = True
    file = tmp_path / "report.html"
    file.write_text(as_page(build(read(write(tmp_path / "f.jsonl", lines)))))
    page = shown(browser, file)
    assert "busy" in page.locator("#rows tr").first.inner_text()
    assert page.locator("#rows td").last.inner_text() == ""
    assert page.locator("#how").inner_text().endswith("or slowed it down.")


@in_a_browser
def test_costs_are_in_view_on_a_phone(browser, page_file):
    page = shown(browser, page_file, width=400)
    right = page.locator("#costs table").first.evaluate(
        "t => Math.max(...[...t.querySelectorAll('td')].map((c) => c.getBoundingClientRect().right))"
    )
    assert right <= 400


@in_a_browser
def test_print_opens_what_is_folded_and_cuts_no_figure(browser, page_file):
    page = shown(browser, page_file)
    page.evaluate("window.syncmeter.drawAll()")
    page.set_viewport_size({"width": 700, "height": 900})
    page.emulate_media(media="print")
    cut = page.evaluate(
        "[...document.querySelectorAll('.chart svg')].filter((s) => s.getBoundingClientRect().right >"
        " s.closest('.panel').getBoundingClientRect().right + 1).length"
    )
    assert cut == 0
    assert page.locator("details:not([open])").count() == 0


@in_a_browser
def test_a_comparison_is_a_page_of_the_same_kind(browser, tmp_path):
    files = []
    for name, factor in (("old", 1.0), ("new", 2.0)):
        lines = [visits(around(5.0), point()), visits(around(9.0 * factor), point("barrier"))]
        files.append(read_results(write(tmp_path / name, *lines)))
    found = pairs_of_files(*files)
    report = compare_report([found], files)
    assert report.head.verdict.startswith("Result: slower: 1 of 2 configurations.")
    assert report.head.kind == "bad"
    file = tmp_path / "compare.html"
    file.write_text(as_page(report))
    page = shown(browser, file)
    page.evaluate("window.syncmeter.drawAll()")
    assert page.locator(".lead .chart svg").count() == 1
    # On a phone the ratio is in view.
    ratio = 'th:has-text("ratio")'
    right = "c => c.getBoundingClientRect().right"
    phone = shown(browser, file, width=400)
    assert phone.locator(f"[id^=changes-] {ratio}").first.evaluate(right) <= 400
    # A point of the figure is listed as it was and as it is.
    page.locator(".lead a.ev").first.click()
    assert page.locator("#rows tr").count() == 2


@in_a_browser
@pytest.mark.parametrize("width", [1280, 400])
def test_no_link_of_the_navigation_is_cut(browser, page_file, tmp_path, width):
    names = ["a-campaign-of-a-machine-with-a-long-name-before.jsonl", "and-another-after.jsonl"]
    files = [
        read_results(write(tmp_path / name, visits(around(5.0 + i), point())))
        for i, name in enumerate(names)
    ]
    file = tmp_path / "compare.html"
    file.write_text(as_page(compare_report([pairs_of_files(*files)], files)))
    for each in (page_file, file):
        page = shown(browser, each, width=width)
        ends = page.locator("nav a").evaluate_all(
            "all => all.map((a) => a.getBoundingClientRect().right)"
        )
        assert len(ends) > 3 and max(ends) <= width


@in_a_browser
def test_a_map_of_16_units_is_whole_on_a_screen(browser, tmp_path):
    pairs = [[a, b] for a in range(16) for b in range(16) if a != b]
    places = {"lanes": 2, "home": "first", "affinity": "none", "order": "unordered"}
    lines = [visits(around(100.0), point("handoff", pus=pus, **places)) for pus in pairs]
    file = tmp_path / "pairs.html"
    found = read(write(tmp_path / "f.jsonl", *lines, first=campaign(units=UNITS)))
    file.write_text(as_page(build(found)))
    page = shown(browser, file)
    page.evaluate("window.syncmeter.drawAll()")
    cut = page.locator(".panel").evaluate_all(
        "all => all.map((p) => p.scrollWidth - p.clientWidth)"
    )
    assert cut and max(cut) <= 0


@in_a_browser
def test_axe_finds_nothing_serious(browser, page_file):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="no axe here").Axe()
    for scheme, width in (("light", 1280), ("dark", 400)):
        page = shown(browser, page_file, width, scheme)
        page.evaluate("window.syncmeter.drawAll()")
        found = axe.run(page).response["violations"]
        assert [v["id"] for v in found if v["impact"] in ("serious", "critical")] == []


def luminance(colour):
    def linear(c):
        return c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(int(x, 16) / 255) for x in re.findall("..", colour[1:]))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_text_on_a_heat_map_has_contrast_along_the_whole_ramp():
    for colour in ramp:
        light, dark = sorted((luminance(colour), luminance(ink)), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 4.5


@in_a_browser
def test_the_six_largest_ratios_are_written_in_the_figure(browser, tmp_path):
    files = []
    for name, step in (("old", 0.0), ("new", 0.5)):
        lines = [visits(around(5.0 + step * i), point(f"op_{i}")) for i in range(9)]
        files.append(read_results(write(tmp_path / name, *lines)))
    file = tmp_path / "compare.html"
    file.write_text(as_page(compare_report([pairs_of_files(*files)], files)))
    page = shown(browser, file)
    page.evaluate("window.syncmeter.drawAll()")
    texts = page.locator("#fig-changes .chart text").all_text_contents()
    # 1 + i / 10 for i in 3 to 8: paper has no tooltips.
    assert sorted(t for t in texts if re.fullmatch(r"\d\.\d\d", t)) == [
        "1.30",
        "1.40",
        "1.50",
        "1.60",
        "1.70",
        "1.80",
    ]


@in_a_browser
def test_a_caption_is_on_one_sheet_with_what_follows(browser, page_file):
    page = shown(browser, page_file)
    page.emulate_media(media="print")
    kept = page.locator("figcaption").evaluate_all(
        "all => all.map((c) => [getComputedStyle(c).breakInside, getComputedStyle(c).breakAfter])"
    )
    assert kept and {tuple(k) for k in kept} == {("avoid", "avoid")}


@in_a_browser
@pytest.mark.parametrize("path", some_in_ci(STORED, STORED[0]), ids=lambda path: path.name)
@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 400)])
def test_the_page_of_a_program_has_its_figure_and_no_list_of_points(
    browser, tmp_path, path, scheme, width
):
    report = report_of(path)
    file = tmp_path / "advice.html"
    file.write_text(as_page(report))
    errors = []
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.on("pageerror", lambda e: errors.append(str(e)))
    page.goto(file.as_uri())
    page.evaluate("window.syncmeter.drawAll()")
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.evaluate("window.syncmeter.problems") == errors == []
    assert page.locator(".chart svg").count() == len(report.figures)
    assert page.locator("#points").count() == page.locator("a[href='#points']").count() == 0
    titles = page.locator("article h2").all_text_contents()
    assert titles == [card.text for card in report.head.cards]
    for figure in report.figures:
        labels = page.locator(".chart text").all_text_contents()
        sites = {row["row"] for row in figure.panels[0].drawing.rows}
        # On a phone labels stand in lines below each other; a long word is cut, at its end.
        shown_as = [t.rstrip("…").replace(" ", "") for t in labels if len(t) > 5]
        assert all(any(s.replace(" ", "").startswith(t) for t in shown_as) for s in sites)


@in_a_browser
@pytest.mark.parametrize("width", [1280, 400])
def test_no_name_in_a_figure_is_cut_and_none_lies_on_another(browser, page_file, width):
    page = shown(browser, page_file, width)
    page.evaluate("window.syncmeter.drawAll()")
    found = page.locator(".chart svg").evaluate_all(
        """all => all.flatMap((svg) => {
          const frame = svg.getBoundingClientRect();
          const texts = [...svg.querySelectorAll("text")].filter((t) => t.textContent.trim());
          // Vega hides ticks that have no room.
          const seen = texts.filter((t) => getComputedStyle(t).opacity > 0);
          const boxes = seen.map((t) => [t.textContent, t.getBoundingClientRect()]);
          const lie = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2
            && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4;
          const out = (box) => box.right > frame.right + 2 || box.left < frame.left - 2;
          const cut = boxes.filter(([name, box]) => name.endsWith("…") || out(box));
          const on = boxes.flatMap(([name, box], i) => boxes.slice(i + 1)
            .filter(([, other]) => lie(box, other)).map(([other]) => `${name} on ${other}`));
          return [...cut.map(([name]) => name), ...on];
        })"""
    )
    assert found == []


@in_a_browser
def test_a_map_of_sixteen_processing_units_is_whole_on_a_phone(browser, tmp_path):
    measured = Path(__file__).parents[2] / "docs" / "measurements"
    path = measured / "xeon-16-vcpu-core-to-core.jsonl.xz"
    file = tmp_path / "report.html"
    file.write_text(as_page(build(read_campaign([str(path)]))))
    page = shown(browser, file, width=400)
    page.evaluate("window.syncmeter.drawAll()")
    found = page.locator("[id^=fig-core-to-core] .panel").evaluate_all(
        """all => all.map((p) => [
          p.scrollWidth <= p.clientWidth, p.querySelectorAll("svg text").length > 200,
        ])"""
    )
    assert found and all(each == [True, True] for each in found)


def heights(rows):
    return rows.evaluate_all("all => all.map((r) => r.getBoundingClientRect().height)")


@in_a_browser
def test_rows_of_the_points_are_low_on_a_phone(browser, page_file):
    page = shown(browser, page_file, width=400)
    assert max(heights(page.locator("#rows tr"))) < 90


@in_a_browser
def test_rows_of_a_fleet_are_low_on_a_phone(browser, tmp_path):
    fleet = fleet_of([node(i, {1: 1.2, 2: 0.9}.get(i)) for i in range(12)])
    file = tmp_path / "fleet.html"
    file.write_text(as_page(fleet_report(fleet)))
    page = shown(browser, file, width=400)
    for table in ("#rows tr", "#nodes-0 tbody tr"):
        assert max(heights(page.locator(table))) < 50


@in_a_browser
def test_a_table_of_two_columns_is_whole_on_a_phone(browser, tmp_path):
    git = {"sha": "f1542103ae809aaadd5a4860a9803096eb89a01a", "dirty": False}
    found = read(write(tmp_path / "f.jsonl", visits(around(5.0), point()), first=campaign(git=git)))
    file = tmp_path / "report.html"
    file.write_text(as_page(build(found)))
    page = shown(browser, file, width=400)
    first = page.locator("#machine table").first
    assert git["sha"] in first.inner_text()
    assert first.evaluate("t => t.getBoundingClientRect().right") <= 400
