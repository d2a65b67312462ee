"""What `syncmeter advise` wrote, shown: each medium says what the file holds."""

import html
import json
import re
from pathlib import Path

import pytest

from syncmeter_analysis.command import main
from syncmeter_analysis.record.advice_file import read_advice
from syncmeter_analysis.render import advice_tables
from syncmeter_analysis.render.advice import as_json, rough_seconds
from syncmeter_analysis.render.markdown import as_markdown
from syncmeter_analysis.render.page import as_page
from tests.advice_cases import DATA, named, report_of, stored, text_of, written


def test_seconds_read_as_in_the_driver_s_sentences():
    """Which are held to the same file."""
    same = Path(__file__).parents[2] / "tests" / "data" / "seconds.json"
    pairs = json.loads(same.read_text(encoding="utf-8"))
    assert [rough_seconds(s).replace("µ", "u") for s, _ in pairs] == [says for _, says in pairs]


def numbers_in(text):
    """Each amount of seconds in a text, as (least, most) that is written so."""
    units = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
    for number, unit in re.findall(r"([\d.]+(?:e[+-]\d+)?) (ns|us|ms|s)\b", text):
        value = float(number)
        yield 0.94 * value * units[unit], 1.06 * value * units[unit]


def has(text, seconds):
    return any(low <= seconds <= high for low, high in numbers_in(text))


@stored
def test_every_medium_has_the_advice_of_the_file_in_its_order(path):
    file, report = read_advice(path), report_of(path)
    texts = [advice["text"] for advice in file.advice]
    page = html.unescape(as_page(report))
    terminal = text_of(path)
    for medium in (terminal, page):
        places = [medium.find(" ".join(text.split())) for text in texts]
        assert -1 not in places and places == sorted(places)
    cards = [line for line in as_markdown(report).splitlines() if line.startswith("- **")]
    assert len(cards) == len(texts)
    for i, card in enumerate(report.head.cards, 1):
        assert f"{i}. {card.text}. " in terminal and card.text in page
    for card, advice in zip(report.head.cards, file.advice, strict=True):
        assert card.text.startswith(f"{advice['rule']}: ")
        if advice["saves_s"]:
            assert has(card.text, advice["saves_s"]["high"])
            assert has(card.text, file.run_s_of(advice))
            assert advice["saves_s"]["low"] == 0 or has(card.text, advice["saves_s"]["low"])
            # What the heading and the sentences below it say is one saving.
            assert has(advice["text"], advice["saves_s"]["high"])
        else:
            assert card.text.endswith("no saving is named") and card.bars == []


def synchronizing(site):
    """What a site takes, without a thread that has no work: until a signal, or another one's end."""
    idle = {"lateness"} if site["kind"] == "cond_wait" else set()
    of_cuda = site["kind"].endswith(("_launch", "_sync", "_copy"))
    calls = site["kind"] in ("create", "doacross", "ordered", "taskwait", "yield")
    idle |= {"wait"} if "section" not in site["takes_s"] and not of_cuda and not calls else set()
    return {name: s for name, s in site["takes_s"].items() if name not in idle}


@stored
def test_the_first_sentence_is_the_sum_of_the_sites(path):
    file = read_advice(path)
    takes = [synchronizing(site) for site in file.sites if site.get("takes_s")]
    sentences = [s for s in report_of(path).head.answers if s.startswith("Synchronization takes")]
    if not takes:
        assert sentences == []
        return
    parts = ("lateness", "mechanism", "wait")
    shares = [float(share) for share in re.findall(r"([\d.]+) %", sentences[0])]
    assert max(shares) <= 100.0
    total = min(file.wall_s, sum(t.get(part) or 0 for t in takes for part in parts))
    (sentence,) = sentences
    assert has(sentence, total) and has(sentence, file.wall_s)
    assert f"at most {100 * total / file.wall_s:.1f} % of a thread's time" in sentence


def rows_of(report):
    """Of the tables of sites, each row as an object of its columns."""
    (section,) = [s for s in report.sections if s.id == "sites"]
    for block in section.blocks:
        for row in getattr(block, "rows", ()):
            yield dict(zip(block.columns, [cell.text for cell in row], strict=True))


def seconds_of(site):
    takes = site.get("takes_s") or {}
    after = takes.get("mechanism") or takes.get("wait") or 0
    section = takes.get("section")
    return {
        "late": takes.get("lateness") or 0,
        "after": after,
        "work": 0 if section is None else section - after,
    }


@stored
def test_the_tables_have_a_row_for_each_site_and_the_figure_its_shares(path):
    file, report = read_advice(path), report_of(path)
    rows = {row["site"]: row for row in rows_of(report)}
    assert len(rows) == len(file.sites)
    drawn = [row for f in report.head.figures for row in f.panels[0].drawing.rows]
    for site in file.sites:
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
                if bar["row"] == name and bar["part"].startswith(f"{part}:")
            ]
            assert [round(v, 9) for v in values] in ([], [round(100 * seconds / file.wall_s, 9)])
        if site.get("price_ns"):
            low, high = (site["price_ns"][end] * 1e-9 for end in ("low", "high"))
            if low <= 0:
                assert row["price"].startswith("below ") and has(
                    row["price"].removeprefix("below "), high
                )
                continue
            unit = row["price"].rpartition(" ")[2]
            assert has(row["price"].replace(" to", f" {unit} to"), low) and has(row["price"], high)
    longest = max((sum(seconds_of(s).values()) for s in file.sites), default=0)
    assert bool(drawn) == (longest > 0)


@stored
def test_the_title_of_the_figure_says_what_the_table_says(path):
    report = report_of(path)
    for figure in report.head.figures:
        (row,) = [
            row for row in rows_of(report) if figure.title.startswith(f"{row['site']} takes ")
        ]
        parts = [float(row.get(part, "").rstrip(" %") or 0) for part in ("late", "after", "work")]
        shares = [float(number) for number in re.findall(r"([\d.]+) %", figure.title)]
        if row["site"].startswith("cond_wait"):
            assert shares == [parts[1], parts[0]]
            continue
        assert shares[0] == pytest.approx(parts[0] + parts[1], abs=0.11)
        assert shares[1:] == ([parts[2]] if parts[2] else [])


def test_advice_is_shown_by_its_rank(tmp_path):
    lines = named("inner_region")
    (first,) = [line for line in lines if line["record"] == "advice"]
    second = {**first, "rank": 2, "rule": "locks", "text": "The second."}
    report = report_of(written(tmp_path / "f.jsonl", [lines[0], second, *lines[1:]]))
    assert [card.effect for card in report.head.cards] == [first["text"], "The second."]


def test_a_saving_stands_beside_the_run_that_its_seconds_are_of(tmp_path):
    """Threads may sleep for longer in a plain run than in the timed one."""
    lines = named("inner_region")
    (advice,) = [line for line in lines if line["record"] == "advice"]
    wall = next(run["wall_s"] for run in lines[0]["runs"] if run["arm"] == "time")
    advice |= {"rule": "sleeping", "kind": "may_cost", "run_s": 4 * wall}
    advice["saves_s"] = {"low": 0, "high": 3 * wall}
    trial = {"record": "trial", "advice": 1, "settings": ["A=1"], "verdict": "same", "pairs": 3}
    path = written(tmp_path / "f.jsonl", [*lines, trial])
    says = (
        f"sleeping: saves at most {rough_seconds(3 * wall)} of {rough_seconds(4 * wall)}, or "
        "takes longer"
    )
    (card,) = report_of(path).head.cards
    assert card.text == says
    assert [(bar.cost, bar.share) for bar in card.bars] == [
        (rough_seconds(4 * wall), 1.0),
        (rough_seconds(3 * wall), pytest.approx(0.75)),
    ]
    assert f"1. {says}. " in text_of(path)
    assert f"**{says}**" in as_markdown(report_of(path))
    (section,) = [s for s in report_of(path).sections if s.id == "trials"]
    assert [cell.text for cell in section.blocks[0].rows[0]][2] == "75.0 %"
    assert json.loads(as_json(read_advice(path)))["advice"][0]["run_s"] == 4 * wall


def test_what_was_tried_stands_beside_what_was_predicted(tmp_path):
    lines = named("inner_region")
    (advice,) = [line for line in lines if line["record"] == "advice"]
    wall = next(run["wall_s"] for run in lines[0]["runs"] if run["arm"] == "time")
    advice["saves_s"] = {"low": 0.1 * wall, "high": 0.5 * wall}
    tried = {"record": "trial", "advice": 1, "pairs": 6, "refusal": None}
    slower = {"settings": ["OMP_PROC_BIND=close", "OMP_PLACES=threads"], "verdict": "slower"}
    ratio = {"value": 1.074, "low": 1.061, "high": 1.088}
    refused = {"settings": ["OMP_NUM_THREADS=1"], "verdict": "refused", "refusal": "It failed."}
    path = written(
        tmp_path / "f.jsonl", [*lines, {**tried, **slower, "ratio": ratio}, tried | refused]
    )
    file = read_advice(path)
    assert file.left_out == [] and len(file.trials) == 2
    (section,) = [s for s in report_of(path).sections if s.id == "trials"]
    made, words = section.blocks
    assert [row[0].text for row in made.rows] == [
        "OMP_PROC_BIND=close OMP_PLACES=threads",
        "OMP_NUM_THREADS=1",
    ]
    assert [cell.text for cell in made.rows[0]][1:] == [
        "1, regions",
        "50.0 %",
        "+7.4 %",
        "+6.1 % to +8.8 %",
        "6",
        "do not",
    ]
    assert "It failed." in str(words)


def test_advice_stands_before_how_sure_it_is_and_what_else_is_known(tmp_path):
    lines = named("inner_region")
    lines[0]["notes"] = ["A note."]
    path = written(tmp_path / "f.jsonl", lines)
    for medium in (text_of(path), html.unescape(as_page(report_of(path)))):
        assert medium.index("regions: saves ") < medium.index("A note.") < medium.index("create ")
    assert text_of(path).index("regions: saves ") < text_of(path).index("with its calls counted")


def test_where_no_saving_is_named_the_reason_is_on_the_first_screen(tmp_path):
    lines = named("inner_region")
    why = "other programs used 40 % of the CPUs while it was timed"
    lines[0] |= {"withheld": why, "conclusion": f"No saving is named, as {why}."}
    for line in lines:
        if line["record"] == "advice":
            line["saves_s"] = None
    path = written(tmp_path / "f.jsonl", lines)
    head = report_of(path).head
    assert (head.verdict, head.kind) == (f"No saving is named, as {why}.", "unclear")
    assert {check.kind for check in head.checks} == {"unclear", ""}
    assert text_of(path).count(why) == 1
    assert all(card.bars == [] for card in head.cards)


def test_sites_of_several_threads_take_no_more_than_the_time(tmp_path):
    lines = named("inner_region")
    wall = next(run["wall_s"] for run in lines[0]["runs"] if run["arm"] == "time")
    for line in lines:
        if line.get("takes_s"):
            line["takes_s"] = {"lateness": wall, "mechanism": wall}
    (sentence, *_) = report_of(written(tmp_path / "f.jsonl", lines)).head.answers
    assert sentence.startswith("Synchronization takes at most 100.0 % of a thread's time")


def of_one_site(tmp_path, kind, threads, takes):
    """The first sentence and the row of a program with 1000 calls at one site; times are parts of the
    run, whose length comes last."""
    lines = [line for line in named("inner_region") if line["record"] == "advise"]
    wall = next(run["wall_s"] for run in lines[0]["runs"] if run["arm"] == "time")
    site = {"record": "site", "id": 1, "kind": kind, "where": "f a.c:1", "count": 1000}
    site |= {"threads": threads, "takes_s": {name: wall * part for name, part in takes.items()}}
    report = report_of(written(tmp_path / "f.jsonl", [*lines, site]))
    (row,) = rows_of(report)
    return report.head.answers[0], row, wall


def test_work_under_a_lock_is_no_synchronization(tmp_path):
    sentence, row, wall = of_one_site(tmp_path, "mutex_lock", 2, {"wait": 0.1, "section": 0.5})
    assert "at most 10.0 % of a thread's time" in sentence
    assert (row["after"], row["work"], "late" in row) == ("10.0 %", "40.0 %", False)
    # A thread has half of the calls.
    assert has(row["each"], wall / 10 / 500)


def test_a_thread_that_waits_for_a_signal_is_idle(tmp_path):
    takes = {"lateness": 0.5, "mechanism": 0.1}
    sentence, row, wall = of_one_site(tmp_path, "cond_wait", 1, takes)
    assert "at most 10.0 % of a thread's time" in sentence
    assert (row["late"], row["after"]) == ("50.0 %", "10.0 %")
    assert has(row["each"], wall / 10 / 1000)


def test_a_thread_that_joins_another_one_is_idle(tmp_path):
    sentence, row, _ = of_one_site(tmp_path, "join", 1, {"wait": 0.5})
    assert "less than 0.1 % of a thread's time" in sentence
    assert (row["after"], "work" in row) == ("50.0 %", False)


@pytest.mark.parametrize("kind", ["create", "doacross", "ordered", "taskwait", "yield"])
def test_calls_that_wait_for_another_thread_s_work_synchronize(tmp_path, kind):
    """The driver goes by the same table."""
    sentence, row, _ = of_one_site(tmp_path, kind, 2, {"wait": 0.5})
    assert "at most 50.0 % of a thread's time" in sentence
    assert row["after"] == "50.0 %"


@pytest.mark.parametrize("kind", ["kokkos_for", "kokkos_reduce", "kokkos_scan"])
def test_a_kernel_of_kokkos_works(tmp_path, kind):
    sentence, row, _ = of_one_site(tmp_path, kind, 1, {"wait": 0.5})
    assert "less than 0.1 % of a thread's time" in sentence
    assert (row["after"], row["work"]) == ("0.0 %", "50.0 %")


def test_where_no_time_is_known_the_calls_are_counted():
    (first, *_) = report_of(DATA / "contended_counter.jsonl.xz").head.answers
    assert first == (
        "4,000,004 calls synchronize, at 4 sites; what they take of the time is not known."
    )


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
    assert any(
        "GPU idle: how long it had nothing" in getattr(b, "text", "") for b in section.blocks
    )
    (first, *_) = report.head.answers
    assert "in calls that give the GPU work or wait for it" in first


def test_gpus_of_several_processes_are_idle_at_other_times(tmp_path):
    lines = named("sync_per_launch")
    for processes in (1, 2):
        lines[0] |= {"processes": 3, "gpu_processes": processes}
        path = written(tmp_path / f"{processes}.jsonl", lines)
        several = processes == 2
        assert ("2 of them with a GPU" in report_of(path).head.facts) is several
        assert ("sums over 2 processes that use GPUs" in text_of(path)) is several


def test_a_lock_has_its_places_its_takers_and_how_long_it_was_held(tmp_path):
    lines = [line for line in named("locks") if line["record"] != "object"]
    lock = {"record": "object", "id": 1, "kind": "mutex", "sites": [1, 2, 3, 99]}
    lock |= {"acquisitions": 40_000, "owner_changes": 12_000, "timed": 1000, "waited": 250}
    lock |= {"wait_ns": 2e7, "held_ns": 3e7, "utilisation": 0.85}
    bare = {"record": "object", "id": 2, "kind": "spin", "sites": [7], "acquisitions": 3}
    bare |= {"owner_changes": None, "timed": 0, "waited": 0, "wait_ns": None, "held_ns": None}
    report = report_of(written(tmp_path / "f.jsonl", [*lines, lock, {**bare, "utilisation": None}]))
    (section,) = [s for s in report.sections if s.id == "locks"]
    first, second = [[cell.text for cell in row] for row in section.blocks[0].rows]
    names = [s["where"] for s in lines if s["record"] == "site"][:3]
    assert first[0] == "; ".join(names) + " ..."
    assert first[1:5] == ["mutex", "40,000", "12,000", "25.0 %"]
    assert has(first[5], 0.02) and has(first[6], 0.03) and first[7] == "85.0 %"
    assert second == ["site 7", "spin", "3", "", "", "", "", ""]


def test_nothing_to_gain_and_nothing_run_have_a_sentence():
    idle = report_of(DATA / "nothing.jsonl.xz").head
    assert any(answer.startswith("Nothing to gain: ") for answer in idle.answers)
    assert idle.cards == []
    code = report_of(DATA / "static.jsonl.xz")
    assert code.head.title.startswith("syncmeter advise --static: ")
    assert code.head.verdict == "Nothing was run: the sites are those of the machine code."
    assert (code.head.figures, code.head.cards) == ([], [])


def test_of_many_sites_a_terminal_has_the_first_and_the_page_all(tmp_path):
    lines = named("imbalance")
    (site,) = [x for x in lines if x["record"] == "site" and x["kind"] == "barrier"]
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
    (site,) = [x for x in lines if x["record"] == "site" and x["kind"] == "barrier"]
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
    assert any("by their price" in getattr(b, "text", "") for b in section.blocks)
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
    assert {"waits", "preempted", "no processor s", "system s", "CUDA s"}.isdisjoint(runs)
    lines[0]["runs"][0] |= {"voluntary_switches": 1234, "involuntary_switches": 56}
    lines[0]["runs"][1] |= {"system_s": 0.5, "cuda_span_s": 0.25, "run_delay_s": 0.125}
    site = next(line for line in lines if line["record"] == "site")
    timed = {"lateness": 0.25, "mechanism": 0.001}
    site["timed_runs"] = [{"run": 4, **timed}, {"run": 7, **timed, "disturbed": True}]
    next(line for line in lines if line["record"] == "price")["disturbed"] = True
    report = report_of(written(tmp_path / "new.jsonl", lines))
    runs, timed = columns_of(report, "runs")
    assert runs["waits"][:2] == ["1,234", ""] and runs["preempted"][:2] == ["56", ""]
    assert runs["no processor s"][:2] == ["", "0.125"]
    assert runs["system s"][:2] == ["", "0.5"] and runs["CUDA s"][:2] == ["", "0.25"]
    assert (timed["run"], timed["disturbed"]) == (["4", "7"], ["", "yes"])
    assert has(timed["late"][0], 0.25) and has(timed["after"][0], 0.001)
    (prices,) = columns_of(report, "prices")
    assert [text for text in prices["disturbed"] if text] == ["yes"]
    # Where times are another program's a site's are not shown.
    lines[0]["withheld"] = "other programs used too much"
    assert len([*columns_of(report_of(written(tmp_path / "w.jsonl", lines)), "runs")]) == 1
