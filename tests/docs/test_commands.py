"""Runs shown commands, or checks their options."""

import os
import re
import shlex
import shutil

import pytest
from documents import COMMAND, ROOT, documents

DOCUMENTS = documents()
BLOCKS = [block for document in DOCUMENTS for block in document.blocks]
SHOWN = [(block, command) for block in BLOCKS if block.language == "console" for command in block.commands()]
#: test_tutorials.py runs the commands of tutorials, in their order.
RUN = [(block.place, command) for block, command in SHOWN
       if not block.mark and "scripts/" not in command and not block.place.startswith("docs/tutorials/")]
#: Other programs: compilers, and the reader's own.
OTHERS = ("cmake ", "g++ ", "./")


@pytest.fixture(scope="session")
def results(programs, tmp_path_factory):
    """A results file of this machine."""
    file = tmp_path_factory.mktemp("results") / "results.jsonl"
    status, text = programs.call(["syncmeter", "run", "--op", "atomic_add,control_aa", "--backend", "omp", "--threads", "1",
                                  "--repetitions", "2", "--max-time", "4ms", "--output", str(file)])
    assert status == 0, text
    return file


def test_blocks_are_of_known_languages():
    for block in BLOCKS:
        assert block.language in ("console", "text", "cpp", "cmake", "json", "yaml", "bash"), f"{block.place}: '{block.language}'"
        if block.language == "console":
            assert block.commands(), f"{block.place}: no command after `$ `"


@pytest.mark.parametrize("command", sorted({command for _, command in SHOWN}))
def test_shown_commands_have_the_options_that_they_use(programs, command):
    for part in command.split(" && "):
        if not part.startswith(OTHERS):
            assert programs.faults(part) == []


#: Options for other programs.
OTHER_OPTIONS = {"--nodelist", "--cpus-per-task"}  # srun


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda d: d.name)
def test_commands_in_prose_have_the_options_that_they_use(programs, document):
    for span in document.spans():
        if COMMAND.fullmatch(span):
            assert programs.faults(span) == [], f"{document.name}: `{span}`"
        elif re.match(r"--[a-z]", span):
            option = re.match(r"--[a-z][\w-]*", span)[0]
            assert option in programs.all_options() | OTHER_OPTIONS, f"{document.name}: no program has {option}"


@pytest.mark.parametrize("place, command", RUN, ids=[f"{place} {command}" for place, command in RUN])
def test_shown_commands_run(programs, results, tmp_path, place, command):
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("one processing unit: most commands need two")
    words = shlex.split(command, comments=True)
    assert words[0] in ("syncmeter", "syncmeter-report"), f"{place}: mark what is not to be run here"
    if words[:2] == ["syncmeter", "run"]:
        # Plans, and measures nothing.
        words += [] if "--dry-run" in words else ["--dry-run"]
    else:
        written = {words[i + 1] for i, word in enumerate(words) if word in ("-o", "--output")}
        for word in words:
            if word.endswith(".jsonl") and word not in written:
                shutil.copy(results, tmp_path / word)
    status, text = programs.call(words, tmp_path)
    lacking = re.search(r"no worker for backend '([\w-]+)'", text)
    if status and ("needs the Python package" in text or lacking and programs.knows_backend(lacking[1])):
        pytest.skip(text.strip())
    # Short campaigns of a busy machine may differ, or be blind: both are answers of `compare` and `fleet`.
    assert status in ((0, 1, 3) if words[1:2] in (["compare"], ["fleet"]) else (0,)), f"{place}: {command}\n{text}"


def test_scripts_that_measure_take_the_options_for_run(programs):
    shown = [(block.place, c) for block, c in SHOWN if re.match(r"(\w+=\S+ )*scripts/run\b", c)]
    assert shown
    for place, command in shown:
        words = [w for w in shlex.split(command, comments=True) if not re.match(r"[A-Z_]+=|--dry-run$", w)]
        status, text = programs.call(["syncmeter", "run", *words[1:], "--dry-run"])
        is_lacking = re.search(r"no worker for backend|no GPU|CUDA driver", text)
        assert status == 0 or is_lacking, f"{place}: {command}\n{text}"


@pytest.mark.parametrize("option, member, usual, unit", [("max-time", "max_time_s", 150, 1000), ("precision", "precision", 0.01, 1),
                                                          ("min-sample", "min_sample_us", 100, 1)])
def test_the_help_has_what_studies_set(option, member, usual, unit):
    """A study's own longest time and precision are in its file: the help names all that differ from the usual one."""
    options = (ROOT / "driver/plan/options.def").read_text(encoding="utf-8")
    words = re.search(rf'"{option}".*"([^"]*)"\)$', options, re.M)[1].replace(" and GPU", "")
    on_gpus = re.split(r", | and ", re.sub(r" [\d.]+ms", "", words.rstrip(")").partition("on a GPU ")[2]))
    words = words.replace("on a GPU ", "")
    named = {}
    for names, value in re.findall(r"([a-z, -]+) ([\d.]+)[mu]s" if unit > 1 or option == "min-sample" else r"([\d.]+) in ([a-z, -]+)", words):
        names, value = (names, value) if unit > 1 or option == "min-sample" else (value, names)
        named |= {name: float(value) for name in re.split(r", | and ", names.strip(" ,;"))}
    set_to = {}
    for study in (ROOT / "driver/plan/studies").glob("*.cpp"):
        source, name = study.read_text(encoding="utf-8"), study.stem.replace("_", "-")
        values = {unit * float(value) for value in re.findall(rf"\.{member} = ([\d.]+)", source)}
        assert len(values) <= 1, f"{name}: more than one {member}"
        if values - {0, usual}:
            set_to[name] = values.pop()
            assert option != "max-time" or (name in on_gpus) == (".gpu = " in source), f"{name}: of GPUs, or of all"
    assert named == pytest.approx(set_to)


def test_the_help_of_advise_names_its_statuses(programs):
    text = programs.help("syncmeter", "advise").partition("Exit status:")[2]
    named = set(re.findall(r"(?:^|[;,] |\s)(\d+)(?=[ ,:])", text.replace("\n", " ")))
    assert named == {"0", "1", "2", "3", "129", "130", "143"}
