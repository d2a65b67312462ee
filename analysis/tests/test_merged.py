"""One campaign file with the points of several studies: each has its section, on a terminal and on the
page, says there what it says alone, and no table contradicts another."""

import json
import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from syncmeter_analysis.command import main
from syncmeter_analysis.conclude.studies import concluding
from syncmeter_analysis.record.text_file import text_of
from syncmeter_analysis.relate.campaign import read_campaign
from syncmeter_analysis.render.build import build
from syncmeter_analysis.render.terminal import as_plain
from syncmeter_analysis.studies import sections
from syncmeter_analysis.studies.screen import screen_blocks
from syncmeter_analysis.voice.screens import screen_of

DATA = Path(__file__).parent / "data"

#: The measured file of each study, in the order of the sections. `launch` uses points from levels.
PARTS = {
    "locks": "xeon-64-vcpu-locks",
    "contention": "2-vcpu-contention",
    "barrier": "xeon-64-vcpu-barrier",
    "levels": "h200-levels",
    "launch": "h200-levels",
    "multi-gpu": "h200-x4-multi-gpu",
}


@cache
def lines_of(name):
    first, *others = text_of(DATA / f"{name}.jsonl.xz").decode().splitlines()
    return first, [line for line in others if json.loads(line)["kind"] != "end"]


def write_merged(path):
    """All points under the campaign line of the four GPUs' host, with where contention's PUs sit."""
    names = list(dict.fromkeys(PARTS.values()))
    head = json.loads(lines_of("h200-x4-multi-gpu")[0])
    head["units"] = json.loads(lines_of("2-vcpu-contention")[0])["units"]
    path.write_text("\n".join([json.dumps(head), *(x for n in names for x in lines_of(n)[1])]))
    return path


@cache
def merged():
    with TemporaryDirectory() as folder:
        return read_campaign([str(write_merged(Path(folder) / "merged.jsonl"))])


@cache
def report():
    return build(merged())


def alone(study):
    campaign = read_campaign([str(DATA / f"{PARTS[study]}.jsonl.xz")])
    (section,) = sections(campaign, [study])
    return campaign, section


def test_each_study_has_its_section_in_text_and_html(tmp_path, capsys):
    path = write_merged(tmp_path / "merged.jsonl")
    assert main(["text", str(path), "--tables"]) == 0
    printed = capsys.readouterr().out
    assert main(["html", str(path), "-o", str(tmp_path / "report.html")]) == 0
    page = (tmp_path / "report.html").read_text()
    found = sections(merged())
    assert [s.name for s in found] == list(PARTS)
    at = [printed.index(as_plain(s.title, s.blocks, width=80)) for s in found]
    assert at == sorted(at)
    for section in found:
        assert re.search(rf'id="{section.name}"', page)
        assert f">{section.title}<" in page
    # A study without points has no section.
    assert 'id="handoff"' not in page


def blocks_of(study):
    (section,) = sections(merged(), [study])
    return as_plain(section.title, section.blocks)


# Points from contention come from another machine with other hop classes.
@pytest.mark.parametrize("study", [name for name in PARTS if name != "contention"])
def test_a_study_says_among_others_what_it_says_alone(study):
    campaign, expected = alone(study)
    # That barriers over several GPUs are not measured is what another study's points mend.
    calm = replace(expected.reliability, grade="good")
    screen = screen_of(expected.name, expected.conclusions, calm)
    blocks = [*screen_blocks(screen), *expected.text]
    lines = [x for x in as_plain(expected.title, blocks).splitlines() if "GPUs" not in x]
    assert len(lines) > 5
    others = blocks_of(study)

    # A team has one core-to-core latency for all points: here of more.
    def besides_hops(all_lines):
        of_hops = r" (takes|is) [0-9.]+ times (as long as|what) a cache line[^;]*|[0-9]+ ns apart"
        of_hops += r"|[0-9]+ moves of a cache line.*"
        return {
            re.sub(of_hops, "", x)
            for x in all_lines
            # The legend of gains depends on the grade.
            if not x.startswith(("Reliability: ", "Details: ", "Next: ", "gain: "))
        }

    assert besides_hops(lines) <= besides_hops(others.splitlines())

    def titles(report):
        return besides_hops(f.title for f in report.figures if f.id.startswith(study))

    own = titles(build(campaign))
    assert own or study == "locks"
    if study != "levels":
        assert titles(report()) == own


def test_locks_and_contention_say_the_same_of_a_lock_of_two_lanes():
    for op in ("atomic_add", "lock_add"):
        row = next(
            x for x in blocks_of("contention").splitlines() if re.match(rf"omp +{op} .* 1  ", x)
        )
        rate, fairness = re.search(r"([\d.]+ [kMG])  ([\d.]+) ", row).groups()
        assert re.search(rf"omp +{op} .* {re.escape(rate)} {fairness} ", blocks_of("locks"))


def test_levels_and_multi_gpu_name_the_same_barrier():
    row = next(x for x in blocks_of("levels").splitlines() if x.startswith("several GPUs"))
    op, devices, blocks, lanes, ns = re.match(
        r"several GPUs +(\S+) +(\d) +(\d+) x (\d+) +(\d+) ", row
    ).groups()
    (c,) = [
        c
        for c in concluding()["multi-gpu"](merged())
        if c.question == "barrier" and c.situation.devices == int(devices)
    ]
    assert (c.subjects[0].op, c.situation.blocks, c.situation.threads) == (
        op,
        int(blocks),
        int(lanes),
    )
    assert f"{c.cost_of(c.subjects[0]).ns:.0f}" == ns
