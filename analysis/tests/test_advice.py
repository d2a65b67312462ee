"""What `syncmeter advise` wrote, shown: each medium says what the file holds."""

import html
import re

import pytest

from syncmeter_analysis.command import main
from syncmeter_analysis.record.advice_file import read_advice
from syncmeter_analysis.render import advice_tables
from syncmeter_analysis.render.advice import advised
from syncmeter_analysis.render.markdown import as_markdown
from syncmeter_analysis.render.page import as_page
from tests.advice_cases import (
    DATA,
    advice,
    call_site,
    lock,
    made,
    model,
    named,
    report_of,
    stored,
    text_of,
    written,
)


def numbers_in(text):
    """Each amount of seconds in a text, as (least, most) that is written so."""
    units = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
    for number, unit in re.findall(r"([\d.]+(?:e[+-]\d+)?) (ns|us|ms|s)\b", text):
        value = float(number)
        yield 0.94 * value * units[unit], 1.06 * value * units[unit]


def has(text, seconds):
    return any(low <= seconds <= high for low, high in numbers_in(text))


@stored
def test_every_medium_has_the_causes_in_their_order(path):
    found = advised(read_advice(path))
    texts = [" ".join(line.split()) for cause in found.screen.causes for line in cause.lines]
    page = html.unescape(as_page(found.report))
    for medium in (text_of(path), page):
        places = [medium.find(text) for text in texts]
        assert -1 not in places and places == sorted(places)
    cards = [line for line in as_markdown(found.report).splitlines() if line.startswith("- **")]
    assert len(cards) == len(found.screen.causes) == len(found.judged.entries)


@stored
def test_the_driver_s_advice_has_its_run_before_and_after(path):
    found = advised(read_advice(path))
    for cause, entry in zip(found.screen.causes, found.judged.entries, strict=True):
        if (advice := entry.advice) is None or not advice["saves_s"]:
            continue
        run_s, saves = found.file.run_s_of(advice), advice["saves_s"]
        ends = (run_s - saves["high"], run_s - saves["low"])
        assert (cause.times.run_s, cause.times.low_s, cause.times.high_s) == (run_s, *ends)
        assert has(cause.effect.replace("ms ->", "ms; "), run_s)


def rows_of(report):
    """Of the tables of sites, each row as an object of its columns."""
    (section,) = [s for s in report.sections if s.id == "sites"]
    for block in section.blocks:
        for row in getattr(block, "rows", ()):
            yield dict(zip(block.columns, [cell.text for cell in row], strict=True))


def seconds_of(site):
    takes = site.get("takes_s") or {}
    return {
        "imbalance": takes.get("lateness") or 0,
        "overhead": takes.get("mechanism") or takes.get("call") or 0,
        "work": (takes.get("held") or 0) + (takes.get("work") or 0),
    }


#: Names in a bar by column.
_bars = {"imbalance": "late:", "overhead": "after:", "work": "work:"}


@stored
def test_the_tables_have_a_row_for_each_site_and_the_figure_its_shares(path):
    file, report = read_advice(path), report_of(path)
    rows = {row["call site"]: row for row in rows_of(report)}
    assert len(rows) == len(file.call_sites)
    drawn = [row for f in report.head.figures for row in f.panels[0].drawing.rows]
    for site in file.call_sites:
        name = f"{site['kind']} {site['where']}"
        row = rows[name]
        count = site.get("count")
        assert row.get("count", "") == ("" if count is None else f"{count:,}")
        for part, seconds in seconds_of(site).items():
            if not seconds:
                assert row.get(part, "") in ("", "0.0 %")
                continue
            assert row[part] == f"{100 * seconds / file.wall_s:.1f} %"
            values = [
                bar["value"]
                for bar in drawn
                if bar["row"] == name and bar["part"].startswith(_bars[part])
            ]
            assert [round(v, 9) for v in values] in ([], [round(100 * seconds / file.wall_s, 9)])
        if site.get("price_ns"):
            low, high = (site["price_ns"][end] * 1e-9 for end in ("low", "high"))
            if low <= 0:
                assert row["unit cost"].startswith("below ") and has(
                    row["unit cost"].removeprefix("below "), high
                )
                continue
            unit = row["unit cost"].rpartition(" ")[2]
            assert has(row["unit cost"].replace(" to", f" {unit} to"), low) and has(
                row["unit cost"], high
            )
    longest = max((sum(seconds_of(s).values()) for s in file.call_sites), default=0)
    assert bool(drawn) == (longest > 0)


def test_a_trial_has_the_cause_that_it_is_for(tmp_path):
    slower = {"record": "trial", "advice": 1, "pairs": 6, "settings": ["OMP_PROC_BIND=close"]}
    slower |= {"verdict": "slower", "ratio": {"value": 1.074, "low": 1.061, "high": 1.088}}
    refused = {"record": "trial", "lock": 1, "pairs": 0, "settings": ["adaptive"]}
    refused |= {"verdict": "refused", "refusal": "It failed."}
    one = advice("regions", saves_s={"low": 0.0, "high": 0.17})
    path = made(tmp_path, one, slower, refused)
    file = read_advice(path)
    assert file.left_out == [] and len(file.trials) == 2
    (section,) = [s for s in report_of(path).sections if s.id == "trials"]
    table, words = section.blocks
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["OMP_PROC_BIND=close", "regions", "50.0 %", "+7.4 %", "+6.1 % to +8.8 %", "6", "do not"],
        ["adaptive", "lock 1", "", "", "", "0", "refused"],
    ]
    assert "It failed." in str(words)


def test_the_tables_come_by_options(tmp_path, capsys):
    path = str(made(tmp_path, lock(), model(private=0.5), notes=["A note."]))
    shown = {}
    for words in ((), ("--sites",), ("--verbose",)):
        assert main(["advise", path, *words]) == 0
        shown[words] = capsys.readouterr().out
    assert "acquired at" not in shown[()] + shown["--verbose",]
    assert "acquired at" in shown["--sites",]
    assert "A note." in shown["--verbose",] and "A note." not in shown[()] + shown["--sites",]
    assert "lines=1 work=dependent" in shown["--verbose",]
    assert all(text.startswith(shown[()].rstrip("\n")) for text in shown.values())


def of_one_site(tmp_path, kind, threads, takes):
    """Returns the waiting share, the row, and the wall time for a program with 1000 calls at one call
    site. `takes` are parts of the wall time."""
    wall = 0.34
    takes_s = {name: wall * part for name, part in takes.items()}
    path = made(tmp_path, call_site(1, kind, count=1000, threads=threads, takes_s=takes_s))
    (row,) = rows_of(report_of(path))
    shares = advised(read_advice(path)).judged.shares
    return shares.threads + shares.calls + shares.gpu, row, wall


def test_work_under_a_lock_is_no_synchronization(tmp_path):
    share, row, wall = of_one_site(tmp_path, "mutex_lock", 2, {"call": 0.1, "held": 0.4})
    assert share == pytest.approx(0.1)
    assert (row["overhead"], row["work"], "imbalance" in row) == ("10.0 %", "40.0 %", False)
    # Each thread has 500 calls.
    assert has(row["each"], wall / 10 / 500)


def test_work_of_a_chunk_is_no_synchronization(tmp_path):
    share, row, _ = of_one_site(tmp_path, "chunk", 2, {"call": 0.1, "work": 0.4})
    assert share == pytest.approx(0.1)
    assert (row["overhead"], row["work"]) == ("10.0 %", "40.0 %")


def test_a_thread_that_waits_for_a_signal_is_idle(tmp_path):
    takes = {"lateness": 0.5, "mechanism": 0.1}
    share, row, wall = of_one_site(tmp_path, "cond_wait", 1, takes)
    assert share == pytest.approx(0.1)
    assert (row["imbalance"], row["overhead"]) == ("50.0 %", "10.0 %")
    assert has(row["each"], wall / 10 / 1000)


def test_a_thread_that_joins_another_one_is_idle(tmp_path):
    share, row, _ = of_one_site(tmp_path, "join", 1, {"call": 0.5})
    assert share == 0
    assert (row["overhead"], "work" in row) == ("50.0 %", False)


@pytest.mark.parametrize("kind", ["create", "doacross", "ordered", "taskwait", "yield"])
def test_calls_that_wait_for_another_thread_s_work_synchronize(tmp_path, kind):
    """The driver goes by the same table."""
    share, row, _ = of_one_site(tmp_path, kind, 2, {"call": 0.5})
    assert share == pytest.approx(0.5)
    assert row["overhead"] == "50.0 %"


@pytest.mark.parametrize("kind", ["kokkos_for", "kokkos_reduce", "kokkos_scan"])
def test_a_kernel_of_kokkos_works(tmp_path, kind):
    share, row, _ = of_one_site(tmp_path, kind, 1, {"call": 0.5})
    assert share == 0
    assert (row["overhead"], row["work"]) == ("0.0 %", "50.0 %")


def test_calls_of_cuda_have_what_the_gpu_did_for_them():
    report = report_of(DATA / "sync_per_launch.jsonl.xz")
    (section,) = [s for s in report.sections if s.id == "sites"]
    table = section.blocks[0]
    busy, idle = table.columns.index("GPU busy"), table.columns.index("GPU idle")
    by_kind = {row[0].text.split()[0]: [cell.text for cell in row] for row in table.rows}
    launches = next(s for s in named("sync_per_launch") if s.get("kind") == "kernel_launch")[
        "device"
    ]
    assert has(by_kind["kernel_launch"][busy], launches["busy_ns"]["sum"] * 1e-9)
    assert has(by_kind["kernel_launch"][idle], launches["idle_ns"]["sum"] * 1e-9)
    assert by_kind["device_sync"][busy] == by_kind["device_sync"][idle] == ""


def test_gpus_of_several_processes_are_idle_at_other_times(tmp_path):
    lines = named("sync_per_launch")
    for processes in (1, 2):
        lines[0] |= {"processes": 3, "gpu_processes": processes}
        path = written(tmp_path / f"{processes}.jsonl", lines)
        several = processes == 2
        assert ("2 of them with a GPU" in report_of(path).head.facts) is several
        assert ("sums over 2 processes" in text_of(path)) is several


def test_a_lock_has_its_places_and_its_counts(tmp_path):
    sites = [call_site(id) for id in (1, 2, 3)]
    one = lock(1, (1, 2, 3, 99), acquisitions=40_000, owner_changes=12_000, timed=1000)
    one |= {"contended": 250, "call_ns": 2e7, "held_ns": 3e7, "utilization": 0.85}
    bare = {"record": "lock", "id": 2, "kind": "spin", "call_sites": [7], "acquisitions": 3}
    report = report_of(made(tmp_path, *sites, one, bare))
    (section,) = [s for s in report.sections if s.id == "locks"]
    first, second = [[cell.text for cell in row] for row in section.blocks[0].rows]
    assert first[0] == "; ".join(s["where"] for s in sites) + " ..."
    assert first[1:6] == ["mutex", "2", "40,000", "12,000", "25.0 %"]
    assert has(first[6], 0.02) and has(first[7], 0.03) and first[8] == "85.0 %"
    assert second == ["call site 7", "spin", "", "3", "", "", "", "", ""]


def test_of_many_sites_a_terminal_has_the_first_and_the_page_all(tmp_path):
    lines = named("imbalance")
    (site,) = [x for x in lines if x["record"] == "call_site" and x["kind"] == "barrier"]
    more = [{**site, "id": 100 + i, "where": f"f{i:04} many.c:{i}"} for i in range(3000)]
    path = written(tmp_path / "f.jsonl", [*lines, *more])
    shown = text_of(path)
    assert "f0039 many.c:39" not in shown
    assert re.search(r"and 29\d\d more rows; --html and --format json have all\.", shown)
    assert "f2999 many.c:2999" in as_page(report_of(path))
    (figure,) = report_of(path).figures
    assert len({row["row"] for row in figure.panels[0].drawing.rows}) == 12
    assert re.search(r"\d{4} more sites not drawn", figure.note)


def test_sites_of_one_name_have_bars_of_their_own(tmp_path):
    lines = named("imbalance")
    (site,) = [x for x in lines if x["record"] == "call_site" and x["kind"] == "barrier"]
    twin = {**site, "id": 9, "team": 4}
    (figure,) = report_of(written(tmp_path / "f.jsonl", [*lines, twin])).figures
    names = {row["row"] for row in figure.panels[0].drawing.rows}
    assert {f"barrier {site['where']} (site {x})" for x in (site["id"], 9)} <= names


def test_the_figure_is_a_file_where_there_is_one(tmp_path, capsys):
    out = tmp_path / "f.svg"
    assert main(["advise", str(DATA / "locks.jsonl.xz"), "--figure", str(out)]) == 0
    assert "in the lock, chunk or kernel" in out.read_text()
    assert main(["advise", str(DATA / "static.jsonl.xz"), "--figure", str(tmp_path / "g.svg")]) == 2
    assert "there is nothing to draw" in capsys.readouterr().err


def test_a_price_that_may_be_nothing_has_its_upper_bound_alone():
    assert advice_tables._price(-3.0, 12.5) == "below 12.50 ns"
    assert advice_tables._price(3.0, 12.5) == "3.000 to 12.50 ns"
    assert advice_tables._estimate(4.0, -3.0, 12.5) == ["< 12.50", ""]
    assert advice_tables._estimate(4.0, 3.0, 12.5) == ["4.000", "3.000..12.50"]


def test_runs_have_the_names_that_the_driver_gives_them(tmp_path):
    lines = named("sync_per_launch")
    arms = ["plain", "plain", "plain", "count", "sample", "time", "time"]
    arms += ["span", "span", "kernels", "later"]
    lines[0] |= {"runs": [{**lines[0]["runs"][0], "arm": arm} for arm in arms]}
    facts = report_of(written(tmp_path / "f.jsonl", lines)).head.facts
    assert [fact.split(":")[0] for fact in facts[: len(set(arms))]] == [
        "3 plain runs",
        "1 counted run",
        "1 sampled run",
        "2 timed runs",
        "2 runs from CUDA's first call on",
        "1 run with patched kernels",
        "1 later run",
    ]


def test_kernels_have_what_they_take_at_least_beside_what_the_gpu_took(tmp_path):
    lines = named("sync_per_launch")
    launches = next(s for s in lines if s.get("kind") == "kernel_launch")
    kernel = {"record": "kernel", "id": 1, "name": "count", "site": launches["id"], "launches": 10}
    kernel |= {"updates": 1000, "addresses": 4, "hottest": 400, "barriers": 0.0, "instructions": []}
    priced = {"record": "price", "op": "accumulate_integer", "backend": "cuda", "lanes": 1024}
    priced |= {"blocks": 132, "size": 32, "estimate": 490.0}
    path = written(tmp_path / "f.jsonl", [*lines, {**kernel, "least_s": 0.25}, priced])
    report = report_of(path)
    (section,) = [s for s in report.sections if s.id == "kernels"]
    (row,) = section.blocks[0].rows
    by_name = dict(zip(section.blocks[0].columns, [cell.text for cell in row], strict=True))
    assert (by_name["kernel"], by_name["of the hottest"]) == ("count", "40.0 %")
    assert has(by_name["take at least"], 0.25)
    assert has(by_name["GPU busy"], launches["device"]["busy_ns"]["sum"] * 1e-9)
    assert any("unit cost" in getattr(b, "caption", "") for b in section.blocks)
    (prices,) = [s for s in report.sections if s.id == "prices"]
    columns = prices.blocks[0].columns
    last = [cell.text for cell in prices.blocks[0].rows[-1]]
    assert [last[columns.index(name)] for name in ("blocks", "threads", "size")] == [
        "132",
        "1,024",
        "32",
    ]
    (section,) = [
        s
        for s in report_of(written(tmp_path / "g.jsonl", [*lines, kernel])).sections
        if s.id == "kernels"
    ]
    assert "take at least" not in section.blocks[0].columns


def columns_of(report, name):
    """Of a section each table, as its columns by name."""
    (section,) = [s for s in report.sections if s.id == name]
    for block in section.blocks:
        if hasattr(block, "rows"):
            cells = [[cell.text for cell in row] for row in block.rows]
            yield dict(zip(block.columns, map(list, zip(*cells, strict=True)), strict=True))


def test_figures_that_decide_are_shown_and_older_files_have_none(tmp_path):
    lines = named("imbalance")
    lines[0]["withheld"] = None
    older = report_of(written(tmp_path / "old.jsonl", lines))
    (runs,) = columns_of(older, "runs")
    assert {"waits", "preempted", "waits for a CPU s", "system s", "CUDA s"}.isdisjoint(runs)
    lines[0]["runs"][0] |= {"voluntary_switches": 1234, "involuntary_switches": 56}
    lines[0]["runs"][1] |= {"system_s": 0.5, "cuda_span_s": 0.25, "run_delay_s": 0.125}
    site = next(line for line in lines if line["record"] == "call_site")
    timed = {"lateness": 0.25, "mechanism": 0.001}
    site["timed_runs"] = [{"run": 4, **timed}, {"run": 7, **timed, "disturbed": True}]
    next(line for line in lines if line["record"] == "price")["disturbed"] = True
    report = report_of(written(tmp_path / "new.jsonl", lines))
    runs, timed = columns_of(report, "runs")
    assert runs["waits"][:2] == ["1,234", ""] and runs["preempted"][:2] == ["56", ""]
    assert runs["waits for a CPU s"][:2] == ["", "0.125"]
    assert runs["system s"][:2] == ["", "0.5"] and runs["CUDA s"][:2] == ["", "0.25"]
    assert (timed["run"], timed["disturbed"]) == (["4", "7"], ["", "yes"])
    assert has(timed["imbalance"][0], 0.25) and has(timed["overhead"][0], 0.001)
    (prices,) = columns_of(report, "prices")
    assert [text for text in prices["disturbed"] if text] == ["yes"]
    # Where times are another program's a site's are not shown.
    lines[0]["withheld"] = "other programs used too much"
    assert len([*columns_of(report_of(written(tmp_path / "w.jsonl", lines)), "runs")]) == 1
