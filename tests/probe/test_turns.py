"""Threads that take turns: `syncmeter advise` names what they wait for, and how often."""

import pytest
from tables import TRIES
from test_advise import advise  # noqa: F401 (a fixture)

#: The kind of call that waits, and what the text says of it.
TURNS = {
    "handoffs": ("cond_wait", "less than one of them works in the mean"),
    "ordered": ("ordered", "threads come 20,000 times to an ordered part of a loop"),
    "yields": ("yield", "threads give up their processing unit"),
}


@pytest.mark.parametrize("name", TURNS)
def test_turns_are_named(name, advise, build):  # noqa: F811
    kind, words = TURNS[name]
    for _ in range(TRIES):  # what others take from the two may hide how they wait for each other
        found = advise(build("turns", "g++", "-O2", "-fopenmp"), name)
        rules = {line["rule"]: line for line in found.advice}
        if name in rules and words in " ".join(found.text.split()):
            break
    assert name in rules, found.text
    assert words in " ".join(found.text.split())
    at = {site["id"]: site for site in found.sites}
    assert at[rules[name]["sites"][0]]["kind"] == kind
    if kind == "ordered":
        assert found.counts(kind) == 20_000
    if found.header["withheld"] is None:
        assert 0.02 * rules[name]["run_s"] <= rules[name]["saves_s"]["high"] <= rules[name]["run_s"] * (1 + 1e-9)
        assert rules[name]["saves_s"]["low"] == 0
