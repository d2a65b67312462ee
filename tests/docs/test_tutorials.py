"""Runs the commands of each tutorial in order, in a folder of its own, and compares the output with the page.

Times differ from machine to machine. A line `<!-- fixed: WORDS | WORDS -->` before a console block names what every
machine prints, with `#` for a number. Each of these words must be in the block and in the output of its commands.
"""

import os
import re
import shutil
import subprocess

import pytest
from documents import DOCS, ROOT, Document

TUTORIALS = {path.stem: Document(path) for path in sorted((DOCS / "tutorials").glob("*.md"))}
PROGRAMS = ROOT / "examples" / "tutorials"
FIXED = re.compile(r"<!-- fixed: (.+) -->")
#: Other programs can disturb a run.
TRIES = 3
#: Options that shorten a measurement.
SHORT = {"run": ("--max-time 10ms", "--repetitions 2"), "advise": ("--budget 3s",), "ab": ("--budget 4s",)}


def fixed_words(document, block):
    """Returns regular expressions for the words in the line before the block."""
    before = document.lines[int(block.place.rpartition(":")[2]) - 2]
    listed = FIXED.fullmatch(before)
    words = listed[1].split(" | ") if listed else []
    return [r"\d[\d.,]*".join(re.escape(part) for part in each.split("#")) for each in words]


def shortened(command):
    """Returns the command with its measurement as short as a test allows."""
    named = re.match(r"syncmeter (run|advise|ab) ", command)
    for option in SHORT[named[1]] if named else ():
        name = option.split()[0]
        command = re.sub(rf" {name} \S+", "", command).replace(named[0], f"{named[0]}{option} ", 1)
    return command


def missing(words, text):
    """Returns the words that the text lacks. Line breaks count as blanks."""
    joined = " ".join(text.split())
    return [each for each in words if not re.search(each, text) and not re.search(each, joined)]


def blocks_to_run(document):
    return [block for block in document.blocks if block.language == "console" and not (block.mark or "").startswith("<!-- not run")]


@pytest.fixture
def call(programs, tmp_path):
    """Runs a command in the tutorial's folder and returns (status, output)."""
    for program in PROGRAMS.glob("*.cpp"):
        shutil.copy(program, tmp_path)
    environment = {name: value for name, value in programs.environment.items() if name != "SYNCMETER_REPORT"}

    def run(command):
        done = subprocess.run(["bash", "-c", shortened(command)], cwd=tmp_path, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", timeout=200, check=False)
        return done.returncode, done.stdout
    return run


def has_gpu():
    return shutil.which("nvidia-smi") and subprocess.run(["nvidia-smi", "-L"], capture_output=True, check=False).returncode == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", TUTORIALS)
def test_a_tutorial_runs_and_prints_what_it_shows(name, programs, call):
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("one processing unit: tutorials need two")
    if name == "first-gpu-run" and not (has_gpu() and (programs.bin / "syncmeter-cuda").exists()):
        pytest.skip("no GPU here, or syncmeter-cuda was not built")
    document = TUTORIALS[name]
    for block in blocks_to_run(document):
        words = fixed_words(document, block)
        text, lacking = "", words
        for _ in range(TRIES):
            text = ""
            for command in block.commands():
                output = re.search(r"(?:--output|-o) (\S+\.(?:jsonl|html))", command)
                if output:
                    call(f"rm -f {output[1]}")
                status, printed = call(command)
                # A comparison of busy machines may be undecided (3), or find a difference by chance (1).
                assert status in ((0, 1, 3) if re.match(r"syncmeter (ab|compare) ", command) else (0,)), f"{block.place}: {command}\n{printed}"
                text += printed
            lacking = missing(words, text)
            if not lacking:
                break
        assert not lacking, f"{block.place}: not printed: {lacking}\n{text}"


@pytest.mark.parametrize("name", TUTORIALS)
def test_the_output_on_the_page_has_the_fixed_words(name):
    document = TUTORIALS[name]
    for block in blocks_to_run(document):
        shown = "\n".join(line for line in block.lines if not line.startswith("$ "))
        words = fixed_words(document, block)
        assert not missing(words, shown), f"{block.place}: not shown"
        assert bool(words) == bool(shown.strip()), f"{block.place}: output and fixed words go together"


@pytest.mark.parametrize("name", TUTORIALS)
def test_a_tutorial_shows_the_programs_that_it_compiles(name):
    document = TUTORIALS[name]
    shown = ["\n".join(block.lines) + "\n" for block in document.blocks if block.language == "cpp"]
    compiled = {word for block in blocks_to_run(document) for command in block.commands() for word in command.split()
                if word.endswith(".cpp")}
    assert shown == [(PROGRAMS / each).read_text(encoding="utf-8") for each in sorted(compiled)]


def test_each_program_of_the_tutorials_is_in_one():
    text = "".join(document.path.read_text(encoding="utf-8") for document in TUTORIALS.values())
    assert [path.name for path in sorted(PROGRAMS.iterdir()) if path.name not in text] == []


def test_the_readme_shows_the_advice_of_the_tutorial():
    readme = Document(ROOT / "README.md")
    (advice,) = (block for block in readme.blocks if block.lines[0].startswith("./pairs: "))
    shown = [line for block in TUTORIALS["find-a-bottleneck"].blocks for line in block.lines]
    assert [line for line in advice.lines if line not in shown] == []
