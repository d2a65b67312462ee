"""Texts of files are letters wherever they are shown: no terminal, browser or Markdown obeys them."""

import contextlib
import html
import re
from html.parser import HTMLParser

import pytest

from syncmeter_analysis.command import main
from tests.made import around, campaign, point, visits, write

#: What a terminal obeys, what turns a line round, and what a page or Markdown takes for markup.
terminal = "\x1b[2J\r\x00\x07\x08\x7f\x9b31m\u202e\u2066\u2028\ud800"
markup = "</script><img src=x onerror=alert(1)>[a](javascript:b)|`c`&lt;"
planted = f"PLANTED{terminal}{markup}"
showing = ["claims --all", "claims --format json", "md", "export"]
showing += ["claims --format markdown", "export --format google-benchmark"]


def poisoned(value, name="", fixed=("kind", "status")):
    """With the planted text in each text that is shown and is none of a fixed set."""
    if isinstance(value, dict):
        return {k: poisoned(v, k, fixed) for k, v in value.items()}
    if isinstance(value, list):
        return [poisoned(v, name, fixed) for v in value]
    return value + planted if isinstance(value, str) and name not in fixed else value


@pytest.fixture
def path(tmp_path):
    first = poisoned(
        campaign(
            gpus={"cuda": "NVIDIA"},
            lane_notes=["note"],
            gpu_notes=["note"],
            left_out="left out",
            options={"study": "quick"},
            imported={"from": "elsewhere"},
        )
    )
    worker = poisoned(
        {
            "kind": "worker",
            "worker": "omp",
            "path": "p",
            "build": {"id": "b" * 16, "compiler": "GNU", "flags": "-O3"},
            "runtime": {"omp": {"api": "a", "library": "l"}},
            "environment": {"OMP_WAIT_POLICY": "active"},
        }
    )
    shown = planted.replace("\ud800", "")  # of a visit it is wrong
    visited = {"reason": shown, "family": shown, "doubt": shown, "build": shown, "pairing": shown}
    visited["census"] = {"verdict": shown, "reason": shown, "per_op": {shown: 1.0}}
    shared = [point(type="int32", placement="shared", lanes=n, odd=shown) for n in (1, 2, 4)]
    op = point(f"op{markup}", lanes=2)
    lines = [visits(around(5.0 * (i + 1)), p, **visited) for i, p in enumerate([*shared, op])]
    lost = visits([1.0], point(lanes=8), status="failed", estimates=[], reason=shown)
    refused = {"kind": "refused", "point": point("x"), "status": "unsupported", "reason": shown}
    same = {"kind": "same", "point": point("y"), "measured_as": shared[0], "why": shown}
    bad = visits([1.0], point(f"bad{terminal}"))
    end = poisoned({"kind": "end", "reason": "complete", "time": "t"})
    return str(
        write(tmp_path / "f.jsonl", worker, *lines, lost, refused, same, bad, end, first=first)
    )


def unprintable(text):
    return {c for c in text if not c.isprintable()} - {"\n"}


@pytest.mark.parametrize("command", [*showing, "text", "text --format markdown", "compare --all"])
def test_nothing_that_a_terminal_obeys_is_printed(path, capsys, command):
    files = [path, path] if command.startswith("compare") else [path]
    assert main([*command.split(), *files]) == 0
    printed = capsys.readouterr()
    assert unprintable(printed.out + printed.err) == set()
    assert "PLANTED" in printed.out or command not in showing


def test_an_error_is_one_line_of_letters(tmp_path, capsys):
    schema = {"major": planted}
    path = write(tmp_path / "a\x1bb\nc.jsonl", first=campaign(schema=schema))
    for command in ("text", "compare --by backend", "share", "import table"):
        assert main([*command.split(), str(path)]) == 2
        error = capsys.readouterr().err
        assert error.count("\n") == 1 and error.endswith("\n")
        assert unprintable(error) == set()


class Elements(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


@pytest.mark.parametrize("command", ["html", "compare"])
def test_a_page_has_no_element_of_a_file(path, tmp_path, command):
    out = tmp_path / "page.html"
    options = ["-o", str(out)] if command == "html" else [path, "--html", str(out)]
    assert main([command, path, *options]) == 0
    page = out.read_text()
    # Libraries have their own; what is theirs comes in elements without an address.
    own = re.sub(r"<script>.*?</script>", "", page, flags=re.S)
    elements = Elements()
    elements.feed(own)
    assert "PLANTED" in html.unescape(own)
    assert not [e for e in elements.found if e[0] == "img" or "onerror" in e[1] or "src" in e[1]]
    assert unprintable(own) == set()
    assert "<img src=x" not in page


def test_markdown_takes_nothing_of_a_file_for_markup(path, capsys):
    assert main(["md", path]) == 0
    printed = capsys.readouterr().out
    planted_lines = [line for line in printed.splitlines() if "PLANTED" in line]
    assert planted_lines
    for line in planted_lines:
        rest = re.sub(r"\\[\\`*_{}\[\]<>#|!&~]", "", line)
        assert not re.search(r"<(img|/script)|\]\(javascript|&lt;", rest)


@pytest.mark.parametrize(
    "arguments",
    [
        ["text", "r.jsonl", "--LONG"],
        ["text", "--study", "LONG", "r.jsonl"],
        ["compare", "--threshold", "LONG", "r.jsonl", "r.jsonl"],
        ["LONG"],
        ["text", "LONG"],
        ["import", "table", "r.jsonl", "--cores", "LONG"],
    ],
)
def test_an_argument_is_repeated_in_letters_and_not_whole(capsys, arguments):
    long = "\x1b[31m\u202e" + "x" * 5000
    with contextlib.suppress(SystemExit):
        main([argument.replace("LONG", long) for argument in arguments])
    shown = capsys.readouterr().err
    assert "xxx" in shown
    assert len(shown) < 2500
    assert not set(shown) & {"\x1b", "\u202e"}
