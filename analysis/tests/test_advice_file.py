"""A file of `syncmeter advise` fits its schema and is read whole, or refused in a sentence; nothing
that it holds is obeyed."""

import html
import json
import re

import pytest

from syncmeter_analysis.command import main
from syncmeter_analysis.record.advice_file import read_advice
from syncmeter_analysis.record.errors import Unusable
from syncmeter_analysis.record.tables import advise_records
from syncmeter_analysis.render.advice import advised, as_json
from syncmeter_analysis.render.markdown import as_markdown
from syncmeter_analysis.render.page import as_page
from tests.advice_cases import (
    advice,
    lock,
    made,
    model,
    named,
    report_of,
    screen_of,
    stored,
    text_of,
    use,
    written,
)
from tests.test_foreign_text import Elements, planted, poisoned, unprintable
from tests.test_report_schema import CHECK
from tests.test_results_schema import changed, lines_of

jsonschema = pytest.importorskip("jsonschema")


@pytest.fixture
def validator(capsys):
    """Of the schema that the command prints."""
    assert main(["schema", "advise"]) == 0
    schema = json.loads(capsys.readouterr().out)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def unknown_members(line, table, path=""):
    """The members that the driver wrote and no table has."""
    found = [path + name for name in line if name not in table and name != "record"]
    for name, member in table.items():
        inner = line.get(name)
        for each in inner if isinstance(inner, list) else [inner]:
            if member.of and isinstance(each, dict):
                found += unknown_members(each, member.of, f"{path}{name}.")
    return found


@stored
def test_every_line_of_stored_files_fits_and_every_member_has_its_row(validator, path):
    lines = lines_of(path)
    assert lines[0]["record"] == "advise" and len(lines) > 1
    for line in lines:
        validator.validate(line)
        assert unknown_members(line, advise_records[line["record"]]) == []


@stored
def test_the_reader_takes_every_line(path):
    file, lines = read_advice(path), lines_of(path)
    assert file.left_out == []
    assert file.header == lines[0]
    rows = [*file.call_sites, *file.locks, *file.prices, *file.advice]
    assert rows == lines[1:]


CHANGES = [
    ("advise", ["runs", 0, "wall_s"], -1),
    ("advise", ["counting_cost", "ratio"], None),
    ("advise", ["command"], "app"),
    ("advise", ["command", 0], 7),
    ("call_site", ["count"], -1),
    ("call_site", ["where"], None),
    ("call_site", ["lateness_ns", "sum"], "1"),
    ("call_site", ["takes_s", "lateness"], -1),
    ("call_site", ["price_ns", "value"], None),
    ("call_site", ["frames", 0, "line"], 0.5),
    ("price", ["lanes"], 0),
    ("advice", ["sites", 0], 0),
    ("advice", ["saves_s", "high"], None),
    ("advice", ["text"], None),
]


@pytest.mark.parametrize("record, path, value", CHANGES, ids=str)
def test_what_is_wrong_fits_neither_the_schema_nor_the_reader(
    validator, tmp_path, record, path, value
):
    lines = named("inner_region")
    wanted = path[0] if record == "call_site" else "record"
    (at, *_) = [i for i, x in enumerate(lines) if x["record"] == record and x.get(wanted)]
    assert validator.is_valid(lines[at])
    lines[at] = changed(lines[at], path, value)
    assert not validator.is_valid(lines[at])
    file = written(tmp_path / "f.jsonl", lines)
    if record == "advise":
        with pytest.raises(Unusable, match="the first line"):
            read_advice(file)
    else:
        assert [text.partition(":")[0] for text in read_advice(file).left_out] == [f"line {at + 1}"]


def test_records_and_members_of_later_versions_are_no_error(validator, tmp_path):
    lines = [{**line, "weather": "rain"} for line in named("inner_region")]
    lines.append({"record": "forecast", "id": "x"})
    assert all(map(validator.is_valid, lines))
    assert read_advice(written(tmp_path / "f.jsonl", lines)).left_out == []


@stored
def test_json_is_the_file(path):
    file = read_advice(path)
    found = json.loads(as_json(advised(file)))
    CHECK.validate(found)
    assert (found["call_sites"], found["prices"]) == (file.call_sites, file.prices)
    of_run = [{"run_s": file.wall_s if each["saves_s"] else None} | each for each in file.advice]
    assert found["advice"] == of_run
    assert found["command"] == file.header["command"]


def test_locks_and_models_have_their_records(validator, tmp_path):
    lines = [lock(uses=[use()]), model(private=0.5), advice(of_setting=True)]
    assert all(map(validator.is_valid, lines))
    file = read_advice(made(tmp_path, *lines))
    assert (file.left_out, file.locks, file.models) == ([], lines[:1], lines[1:2])
    for line in ({**lines[0], "uses": [{"call_site": 1}]}, {**lines[1], "program_s": ["1"]}):
        assert not validator.is_valid(line)
        assert len(read_advice(made(tmp_path, line)).left_out) == 1


def test_a_study_behind_a_cause_is_named_only_if_it_is_a_name(tmp_path):
    found = [advice("a", 1, study="regions"), advice("b", 2, study="locks; rm -r *")]
    path = made(tmp_path, *found)
    for medium in (text_of(path), as_markdown(report_of(path)), as_page(report_of(path))):
        assert medium.count("syncmeter run --study regions") == 1 and "rm -r" not in medium


def test_the_gain_of_all_call_sites_of_a_cause_is_a_detail(validator, tmp_path):
    together = {"sites": 3, "low": 0.125, "high": 0.75, "run_s": 1.5}
    one = advice(with_others=together)
    assert validator.is_valid(one)
    path = made(tmp_path, one)
    assert "0.75 s less in a run" in text_of(path) and "0.75" not in screen_of(path)
    one["with_others"].pop("run_s")
    assert not validator.is_valid(one)
    assert read_advice(made(tmp_path, one)).advice == []


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([], "is empty"),
        (["{"], "no line of JSON"),
        ([{"kind": "campaign"}], "is a results file; `syncmeter text "),
        ([{"record": "call_site"}], "does not begin with a line of record advise"),
        ([{"record": "advise", "schema": 3}], "schema '3' is not supported"),
        ([{"record": "advise", "schema": 1}], "make a new file: syncmeter advise --json"),
        ([{"record": "advise", "schema": 2, "runs": []}], "the first line: command is missing"),
        ([{"record": "advise", "schema": 2, "runs": [], "command": ["a"]}] * 2, "a second line"),
    ],
    ids=str,
)
def test_another_file_is_refused_in_a_sentence(tmp_path, capsys, lines, words):
    path = tmp_path / "f.jsonl"
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("".join(f"{text}\n" for text in texts))
    assert main(["advise", str(path)]) == 2
    error = capsys.readouterr().err
    assert words in error and error.count("\n") == 1


def test_the_other_commands_name_this_one(tmp_path, capsys):
    path = written(tmp_path / "f.jsonl", named("inner_region"))
    assert main(["text", str(path)]) == 2
    assert "`syncmeter-report advise " in capsys.readouterr().err


def test_a_torn_line_is_left_out(tmp_path):
    path = written(tmp_path / "f.jsonl", named("inner_region"))
    path.write_text(path.read_text()[:-20])
    (text,) = read_advice(path).left_out
    assert "the last line is incomplete" in text
    assert text in text_of(path)


@pytest.fixture
def hostile(tmp_path):
    lines = [poisoned(line, fixed=("record", "arm")) for line in named("inner_region")]
    lines.append(
        {"record": "call_site", "id": 99, "kind": "barrier", "where": "x" * 100_000 + planted}
    )
    return written(tmp_path / "f.jsonl", lines)


@pytest.mark.parametrize("form", ["text", "markdown", "json"])
def test_nothing_that_a_terminal_obeys_is_printed(hostile, capsys, form):
    assert main(["advise", str(hostile), "--format", form, "--sites", "--verbose"]) == 0
    printed = capsys.readouterr()
    assert unprintable(printed.out + printed.err) == set()
    assert "PLANTED" in printed.out
    assert form == "json" or max(map(len, printed.out.split())) < 2000


def test_a_page_has_no_element_of_a_program(hostile, tmp_path):
    out = tmp_path / "page.html"
    assert main(["advise", str(hostile), "--html", str(out)]) == 0
    own = re.sub(r"<script>.*?</script>", "", out.read_text(), flags=re.S)
    elements = Elements()
    elements.feed(own)
    assert "PLANTED" in html.unescape(own)
    assert not [e for e in elements.found if e[0] == "img" or "onerror" in e[1] or "src" in e[1]]
    assert unprintable(own) == set()


def test_markdown_takes_nothing_of_a_program_for_markup(hostile, capsys):
    assert main(["advise", str(hostile), "--format", "markdown"]) == 0
    for line in capsys.readouterr().out.splitlines():
        rest = re.sub(r"\\[\\`*_{}\[\]<>#|!&~]", "", line)
        assert not re.search(r"<(img|/script)|\]\(javascript|&lt;", rest)
