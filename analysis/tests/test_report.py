"""The report holds what it should, escaped and traceable, and a real browser draws it."""

import json
import re
from pathlib import Path

import pytest

from syncmeter_analysis.claims import all_claims
from syncmeter_analysis.render.build import build
from syncmeter_analysis.render.charts.draw import all_files, save, spec_of
from syncmeter_analysis.render.charts.scaling import scaling_figures
from syncmeter_analysis.render.markdown import as_markdown
from syncmeter_analysis.render.page import as_page
from syncmeter_analysis.studies import names
from tests.made import around, campaign, point, read, visits, write

census = {
    "architecture": None,
    "per_op": {"lock_add": 1.0, "move": 2.0},
    "verdict": "proven",
    "reason": "",
}


def whole(**members):
    """Lines that give every section something to show."""
    lines = [
        visits(
            [0.0] * 5,
            point("control_aa", repeat=i),
            spread=0,
            family="control",
            estimate={"cost_ns": {"value": 0.0, "low": -0.1, "high": 0.1}},
        )
        for i in range(3)
    ]
    for k in (1, 2, 4, 8):
        lines.append(
            visits(around(0.7 * k), point(f"control_multiply_{k}", type="int32"), family="control")
        )
    for lanes in (1, 2, 4, 8, 16):
        for kind, factor in (("int32", 1.0), ("double", 3.0)):
            lines.append(
                visits(
                    around(5.0 * lanes * factor),
                    point(placement="shared", type=kind, lanes=lanes),
                    census=census,
                )
            )
        lines.append(
            visits(
                around(12.0 * lanes),
                point("critical_add", placement="shared", type="int32", lanes=lanes),
                family="critical",
            )
        )
        lines.append(visits(around(90.0 + lanes), point("barrier", lanes=lanes), family="barrier"))
        for stride in (1, 4, 16, 32, 1024):
            if lanes > 1:
                lines.append(
                    visits(
                        around(20.0 if stride < 16 else 5.0),
                        point(placement="strided", stride=stride, type="int32", lanes=lanes),
                    )
                )
    for a, b in ((0, 1), (1, 0), (0, 2), (2, 0)):
        lines.append(
            visits(
                around(50.0 + 40 * (a + b)),
                point("handoff", lanes=2, affinity="none", home="first", pus=[a, b]),
                family="handoff",
            )
        )
    lines.append(
        visits(around(7.0), point(placement="shared", type="int32", backend="kokkos-openmp"))
    )
    for lanes in (32, 1024):
        lines.append(
            visits(
                [14.0 + lanes / 32],
                point("barrier", backend="cuda", lanes=lanes, affinity="none"),
                family="barrier",
                device=0,
            )
        )
    lines.append(
        visits(
            [1.0],
            point("atomic_sub", type="int32"),
            status="failed",
            reason="<b>wrong</b> value 3",
            estimates=[],
        )
    )
    return lines


def report_of(tmp_path, *lines, **first):
    return build(read(write(tmp_path / "f.jsonl", *(lines or whole()), first=campaign(**first))))


def own_part(page):
    """The page without the libraries that draw."""
    begin = '<script type="module">'
    return page[: page.index(begin)] + page[page.rindex(begin) :]


UNITS = [
    {"pu": pu, "package": 0, "numa": 0, "l3": 0, "l2": pu // 2, "core": pu // 2, "thread": pu % 2}
    for pu in range(16)
]


def test_sections_come_in_the_order_of_need(tmp_path):
    titles = [s.title for s in report_of(tmp_path).sections]
    assert titles == [
        "Barriers",
        "False sharing",
        "Portable against native",
        "GPU levels",
        "What things cost",
        "By number of threads",
        "Claims",
        "Can these numbers be trusted",
        "Machine-code check",
        "The machine",
    ]


def test_a_section_without_data_does_not_appear(tmp_path):
    page = as_page(report_of(tmp_path, visits(around(5.0), point(), census=census)))
    assert re.findall(r'<section id="([^"]+)"', page) == [
        *("costs", "trust", "census", "machine", "points")
    ]
    assert re.findall(r'<a href="#([^"]+)">', page.partition("<nav")[2].partition("</nav>")[0]) == [
        *("top", "costs", "trust", "census", "machine", "points")
    ]


def test_every_claim_leads_to_a_section():
    known = {"by-threads", "costs", "census", *names()}
    assert {claim.figure for claim in all_claims()} <= known


def test_every_link_of_the_page_leads_somewhere(tmp_path):
    page = own_part(as_page(report_of(tmp_path)))
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    linked = {x for x in re.findall(r'href="#([^"]+)"', page) if not re.fullmatch(r"e\d+", x)}
    assert linked
    assert linked <= set(ids)


def test_the_markdown_is_the_golden_one(tmp_path, request, monkeypatch):
    golden = request.path.parent / "expected" / "report.md"
    monkeypatch.chdir(tmp_path)
    text = as_markdown(report_of(Path(), units=UNITS))
    if not golden.exists():
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(text)
        pytest.fail("the golden report was not there; it is now: look at it and commit it")
    assert text == golden.read_text()


def test_cards_are_ordered_by_what_is_certain(tmp_path):
    text = as_markdown(report_of(tmp_path))
    assert text.index("4 bytes apart 20") < text.index("a critical section 1")
    assert "variables in one cache line 20" not in text, "the study has this advice"


def test_every_figure_and_number_leads_to_points_of_the_file(tmp_path):
    report = report_of(tmp_path)
    ids = {s.id for s in report.points}
    assert report.figures
    for figure in report.figures:
        assert figure.points
        assert set(figure.points) <= ids
    page = as_page(report)
    data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.S)[1])
    linked = {int(n) for n in re.findall(r'href="#e(\d+)"', page)}
    assert linked == set(range(len(data["evidence"])))
    assert all(data["evidence"])


def test_what_was_not_measured_comes_with_the_command(tmp_path):
    text = as_markdown(report_of(tmp_path))
    assert re.search(r"\| not measured \|.*\| syncmeter run --study paper --backend cuda \|", text)


def test_foreign_text_is_escaped_everywhere(tmp_path):
    machine = {
        **campaign()["machine"],
        "host": "<script>alert(1)</script>",
        "cpu_model": "</script><img src=x onerror=alert(2)> CPU | `x`",
    }
    report = report_of(tmp_path, machine=machine, argv=["</script><b>"], version="<i>&")
    page = as_page(report)
    assert page.count("</script>") == 3
    page = own_part(page)
    assert "<img" not in page
    assert "<script>alert" not in page
    assert "&lt;/script&gt;&lt;img" in page
    text = as_markdown(report)
    assert "<img" not in re.sub(r"\\<", "", text)
    assert "\\| `x`" in text, "a code span, in which nothing is markup"


def test_text_among_the_data_cannot_end_their_element(tmp_path):
    reason = "</script><script>alert(3)</script><!--"
    failed = visits([1.0], point(), status="failed", reason=reason, estimates=[])
    page = as_page(report_of(tmp_path, failed))
    assert page.count("</script>") == 3
    data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.S)[1])
    assert data["points"][0][-1] == reason


def test_the_page_needs_no_network(tmp_path):
    page = as_page(report_of(tmp_path))
    own = own_part(page)
    assert not re.search(r'(src|href)="(https?:)?//', own)
    assert "@import" not in own
    assert "url(" not in own


@pytest.mark.parametrize(
    "lines",
    [
        [visits([1.0], point(), status="failed", reason="x", estimates=[])],
        [{"kind": "refused", "point": point(), "status": "unsupported", "reason": "no"}],
        [visits([5.0], point())],
        [visits(around(5.0), point(lanes=2, type="int32"))],
    ],
)
def test_little_or_nothing_is_a_report_all_the_same(tmp_path, lines):
    report = report_of(tmp_path, *lines)
    assert "</html>" in as_page(report)
    assert as_markdown(report).startswith("# Synchronization on Test CPU")


def test_figures_share_a_scale_and_mark_the_cores(tmp_path):
    c = read(write(tmp_path / "f.jsonl", *whole(), first=campaign()))
    figure = next(f for f in scaling_figures(c) if f.id == "scaling-cpu-update")
    specs = [spec_of(panel) for panel in figure.panels]
    assert len(specs) > 1
    scales = {
        json.dumps(layer["encoding"]["y"]["scale"])
        for spec in specs
        for layer in spec["layer"]
        if "y" in layer["encoding"]
    }
    assert len(scales) == 1
    assert "all cores; beyond it SMT siblings (8)" in figure.note


def test_static_figures_are_written_in_three_formats(tmp_path):
    # One of each section: what differs inside one is data.
    figures = list({f.id.split("-")[0]: f for f in report_of(tmp_path).figures}.values())
    assert len(figures) >= 3
    for path, figure in all_files(figures, tmp_path / "out").items():
        save(figure, path)
    for figure in figures:
        assert (tmp_path / "out" / f"{figure.id}.svg").read_text().startswith("<svg")
        assert (tmp_path / "out" / f"{figure.id}.png").read_bytes()[:4] == b"\x89PNG"
        assert (tmp_path / "out" / f"{figure.id}.pdf").read_bytes()[:4] == b"%PDF"
