"""Scores of rules for the choice of a lock, on tables that the test makes."""

import json
from dataclasses import replace
from math import log

import pytest

from syncmeter_analysis.command import main
from syncmeter_analysis.formats.litl import read_litl
from syncmeter_analysis.record.errors import Unusable
from syncmeter_analysis.relate.lock_score import (
    Machine,
    Program,
    efficiency_of,
    fit,
    kept_of,
    rules,
    score,
)

LOCKS = ("backoff", "mcs_spin", "ticket")


def program(name, one, full, **ratios):
    """On one node and on two with the default mutex, and what other locks are over that."""
    by_lock = {lock: full * ratios.get(lock, 1.0) for lock in LOCKS}
    return Program(name, {1: one, 2: full}, {"pthread": full, **by_lock})


def machine(name="A48", **ticket):
    """`crowded` loses by more threads and gains by a ticket lock, `sleeper` does not and suffers."""
    return Machine(
        name,
        [
            program(
                "crowded", 10.0, 5.0, backoff=1.5, mcs_spin=2.0, ticket=ticket.get("crowded", 4.0)
            ),
            program("crowded_too", 10.0, 6.0, backoff=0.5, mcs_spin=2.0, ticket=2.0),
            program("sleeper", 10.0, 19.0, mcs_spin=0.5, ticket=ticket.get("sleeper", 0.5)),
            program("waiter", 10.0, 19.0, mcs_spin=0.5, ticket=0.5),
        ],
    )


def written(folder, found, header="bench,node,strategy,throughput"):
    rows = [header]
    for each in found.programs:
        rows += [f"{each.name},1,pthread,{each.by_nodes[1]}"]
        # The median is neither the mean nor the last run.
        rows += [
            f"{each.name},2,{lock},{each.by_lock[lock] * x}"
            for lock in each.by_lock
            for x in (1, 9, 0.9)
        ]
    path = folder / f"{found.name}.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_tables_are_read_as_medians_of_runs(tmp_path):
    made = [machine("A48"), machine("I20")]
    for each in made:
        written(tmp_path, each)
    found = {each.name: each for each in read_litl(str(tmp_path))}
    assert found == {each.name: each for each in made}


def test_programs_without_spinning_locks_are_left_out(tmp_path):
    for name in ("A48", "I20"):
        path = written(tmp_path, machine(name))
        with path.open("a", encoding="utf-8") as file:
            file.write("server,1,pthread,1\nserver,2,pthread,2\nserver,2,mcs_stp,3\n")
    assert [len(each.programs) for each in read_litl(str(tmp_path))] == [4, 4]


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ("crowded,2,ticket,fast", "line 2"),
        ("crowded,2", "line 2"),
        ("crowded,0,ticket,1", "line 2"),
    ],
)
def test_what_is_no_run_is_named(tmp_path, row, says):
    written(tmp_path, machine("I20"))
    (tmp_path / "A48.csv").write_text(f"bench,node,strategy,throughput\n{row}\n", encoding="utf-8")
    with pytest.raises(Unusable, match=rf"A48\.csv: {says}: '{row}' is no run"):
        read_litl(str(tmp_path))


def test_one_machine_is_too_few(tmp_path):
    written(tmp_path, machine("A48"))
    with pytest.raises(Unusable, match="has 1 of I48"):
        read_litl(str(tmp_path))
    (tmp_path / "A48.csv").write_text("a,b,c\n", encoding="utf-8")
    with pytest.raises(Unusable, match="first line"):
        read_litl(str(tmp_path))


def test_the_two_figures():
    of = machine()
    assert score(of, lambda _: "pthread").harmed == () and score(of, lambda _: "pthread").kept == 0
    found = score(of, lambda _: "backoff")
    assert (found.programs, found.to_gain, found.harmed) == (4, 2, ("crowded_too",))
    assert found.kept == pytest.approx((log(1.5) + log(0.5)) / (log(4) + log(2)))
    assert score(of, lambda _: "ticket").kept == pytest.approx(1)
    assert score(of, lambda _: "ticket").harmed == ("sleeper", "waiter")
    # 10 % slower is not more than 10 % slower, and a lock that was not measured changes nothing.
    even = Machine("A48", [program("even", 1.0, 1.0, backoff=0.9)])
    assert score(even, lambda _: "backoff").harmed == () == score(even, lambda _: "none").harmed


def test_the_proxies():
    crowded, *_, waiter = machine().programs
    assert (kept_of(crowded), efficiency_of(crowded)) == (0.5, 0.25)
    assert (kept_of(waiter), efficiency_of(waiter)) == (1.0, 0.95)


def test_the_fitted_rule_tells_the_programs_apart():
    box = fit([machine("A48"), machine("I20")])
    assert [box.choose(p) for p in machine().programs] == ["ticket", "ticket", "pthread", "pthread"]


def test_a_rule_that_harms_too_many_is_not_chosen():
    def alike(name):
        return Machine(
            name,
            [
                program("crowded", 10.0, 5.0, backoff=4.0, mcs_spin=1.05),
                *(program(f"other{i}", 10.0, 5.0, backoff=0.8, mcs_spin=1.05) for i in range(2)),
            ],
        )

    box = fit([alike("A48"), alike("I20")])
    assert {box.choose(p) for p in alike("A48").programs} == {"mcs_spin"}


def named(found, words):
    return next(rule for rule in found if words in rule.name)


def test_no_machine_is_judged_by_a_rule_that_has_seen_it():
    seen = [machine("I48"), machine("A48")]
    odd = machine("I20", crowded=0.1)
    found = rules([*seen, odd])
    fitted = named(found, "fitted to the other machines")
    assert fitted.detail[2] == str(fit(seen)) and fitted.scores[2].harmed == ("crowded",)
    near = named(found, "most alike")
    assert near.scores[2].harmed == ("crowded",)


def test_the_same_program_tells_its_lock_on_another_machine():
    # By its proxies each is like the other one, which suffers by the lock that this one gains by.
    def twins(name):
        return Machine(
            name,
            [
                program("gains", 10.0, 5.0, backoff=2.0, mcs_spin=0.5),
                program("suffers", 10.0, 5.0, backoff=0.5, mcs_spin=2.0),
                program(f"new_on_{name}", 10.0, 5.0, backoff=3.0, mcs_spin=3.0),
            ],
        )

    found = rules([twins("A48"), twins("I20")])
    for each in named(found, "the same program").scores:
        assert each.harmed == () and each.kept == pytest.approx(log(2) * 2 / log(2 * 2 * 3))


def test_a_program_is_judged_by_a_rule_that_has_not_seen_it():
    found = rules([machine("A48"), machine("I20")])
    assert [s.harmed for s in named(found, "fitted to itself").scores] == [(), ()]
    # A rule may harm one program: without one of these two, the other one is that.
    left_out = named(found, "without the program").scores
    assert [s.harmed for s in left_out] == [("sleeper", "waiter")] * 2


def test_what_is_known_beforehand_bounds_every_rule():
    found = rules([machine("A48"), machine("I20")])
    best = named(found, "the best lock")
    assert [(s.harmed, s.kept) for s in best.scores] == [((), pytest.approx(1))] * 2
    assert all(s.kept <= 1 + 1e-9 for rule in found for s in rule.scores)
    assert all(s.harmed == () for s in named(found, "where it is faster").scores)


def test_the_command(tmp_path, capsys):
    for name in ("A48", "I20"):
        written(tmp_path, machine(name))
    assert main(["advise", "--score", str(tmp_path), "--format", "json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    flat = next(each for each in shown["rules"] if each["rule"] == "always MCS")
    assert [each["harmed"] for each in flat["machines"]] == [["sleeper", "waiter"]] * 2
    for kind in ("text", "markdown"):
        assert main(["advise", "--score", str(tmp_path), "--format", kind]) == 0
        shown = " ".join(capsys.readouterr().out.split())
        assert "A48 4 (2), I20 4 (2)" in shown and "2, 67%" in shown and "none slower" in shown
    assert main(["advise", "--score", str(tmp_path), "--html", str(tmp_path / "page.html")]) == 2
    assert "--score: there is nothing to draw" in capsys.readouterr().err


def test_a_program_that_fails_with_a_lock_is_harmed(tmp_path):
    of = machine("A48")
    dead = replace(of.programs[0], by_lock={**of.programs[0].by_lock, "mcs_spin": 0.0})
    assert "crowded" in score(Machine("A48", [dead]), lambda _: "mcs_spin").harmed
