"""Programs that synchronize as they should: `syncmeter advise` has no advice on them."""

import re

import pytest
import tables
from test_advise import advise  # noqa: F401 (a fixture)
from test_hazards import COMPILERS, TRIES, with_compilers

SOURCE = (tables.ROOT / "tests" / "probe" / "nothing_to_gain.cpp").read_text(encoding="utf-8")
PROGRAMS = re.findall(r'\{"(\w+)", \1\}', SOURCE)


#: CI runs every second program for every commit, by one compiler and the other in turn.
IN_CI = {name: COMPILERS[number % 2] for number, name in enumerate(PROGRAMS[::2])}


def most_saved(found):
    """Of the time of the timed run, without what another run takes longer."""
    wall_s = next(run["wall_s"] for run in found.header["runs"] if run["arm"] == "time")
    return max(line["saves_s"]["high"] - max(0, line["run_s"] - wall_s) for line in found.advice) / wall_s


@pytest.mark.parametrize(("name", "compiler"), with_compilers(PROGRAMS, in_ci=IN_CI))
def test_nothing_to_gain(name, compiler, advise, build):  # noqa: F811
    program = build("nothing_to_gain", compiler, "-O2", "-fopenmp")
    tried = []
    # Beside another system of the same host eight looks of ten had something: ten in a row come by chance.
    for _ in range(3 * TRIES):
        tried.append(advise(program, name))
        if not tried[-1].advice:
            words = " ".join(tried[-1].text.split())
            assert "Nothing to gain: " in words or "No change is advised: " in words \
                or (tried[-1].header["withheld"] and "something to gain is not known" in words)
            return
    # Threads whose processing units others take, also another system of the same host, do wait for each other: what
    # is false is advised each time.
    shares = [most_saved(each) for each in tried if each.header["withheld"] is None]
    assert len(shares) < 2 or min(shares) < 0.05, tried[-1].text


def test_there_are_ten():
    assert len(PROGRAMS) == 10
