"""Programs that synchronize as they should: `syncmeter advise` has no advice on them."""

import re

import pytest
import tables
from test_advise import advise  # noqa: F401 (a fixture)
from test_hazards import TRIES

SOURCE = (tables.ROOT / "tests" / "probe" / "nothing_to_gain.cpp").read_text(encoding="utf-8")
PROGRAMS = re.findall(r'\{"(\w+)", \1\}', SOURCE)


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_nothing_to_gain(name, compiler, advise, build):  # noqa: F811
    program = build("nothing_to_gain", compiler, "-O2", "-fopenmp")
    tried = []
    for _ in range(TRIES):
        tried.append(advise(program, name))
        if not tried[-1].advice:
            words = " ".join(tried[-1].text.split())
            assert "Nothing to gain: no site" in words or "No change is advised: sites take more" in words
            return
    # Threads whose processing units other programs take do wait for each other.
    undisturbed = [each.text for each in tried if each.header["withheld"] is None]
    assert undisturbed == []


def test_there_are_ten():
    assert len(PROGRAMS) == 10
